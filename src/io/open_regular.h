// SPDX-License-Identifier: Apache-2.0
// Opening files whose names somebody else chose: a recording, a mapping of a
// profiled process, a debug link, a results directory.
//
// Opening can do harm by itself. /dev/ptmx allocates a terminal, /dev/watchdog
// arms it, a tape rewinds, a FIFO wakes its writer. So the name is resolved
// without opening (O_PATH), the file behind it is examined, and only a regular
// file is opened for reading, through its handle (/proc/self/fd) and not by
// name again: what was examined is what is read. Where /proc is not mounted,
// nothing is opened.
//
// Reading from a file system that another machine or a user's process serves
// can block for as long as that server likes, and root reads what any user
// names. So root does not read such files unless the caller vouches for them
// (`on_network`), or they are where root already is: on the file system of the
// root directory (a diskless machine) or of the current one. Other users depend
// on their own files anyway; their homes and programs are often on NFS. The
// kind of file system is found without asking its server.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "io/unique_fd.h"

namespace wick {

struct OpenRules {
  bool follow_link = true;  // false: a symbolic link itself is refused
  bool on_network = false;  // the user named the file or its directory
};

// Not open, with errno set, if the file cannot be opened: EMEDIUMTYPE if it is
// not a regular file, EREMOTE if it is on a network.
UniqueFd open_regular(const std::string& path, const OpenRules& rules = {});
// The same in another root directory (a container's), from which neither links
// nor ".." lead out.
UniqueFd open_regular_in(const std::string& root, const std::string& path,
                         const OpenRules& rules = {});

// errno after these, for messages.
std::string open_error();

// Whether files of this type, as in /proc/self/mountinfo ("nfs4"), come from
// another machine or a user's process.
bool is_network_type(std::string_view type);

}  // namespace wick
