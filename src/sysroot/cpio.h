// SPDX-License-Identifier: Apache-2.0
// initramfs archives as the kernel reads them (Documentation/driver-api/
// early-userspace/buffer-format.rst): cpio archives of the formats "newc" and
// "crc", each plain or compressed, one after the other, with zeros between
// them.
//
// An entry is a header of 110 hexadecimal digits, a name and the data, the
// latter two padded to four bytes. Of hard links, one entry has the data and
// the others are empty, with the same inode.
#pragma once

#include <functional>
#include <string_view>

#include "sysroot/file_list.h"

namespace wick {

bool is_cpio(std::string_view head);

// Lists the ELF files in `bytes`. Their data goes to `store`, one after the
// other; it returns false if it takes no more. Damage ends the list with an
// error.
void list_initramfs(std::string_view bytes,
                    const std::function<bool(std::string_view)>& store,
                    FileListWriter& list);

}  // namespace wick
