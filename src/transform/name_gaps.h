// SPDX-License-Identifier: Apache-2.0
// Code that has names in only one of two profiles: its functions cannot be
// compared, since all of them seem to be new or gone.
#pragma once

#include <string>
#include <vector>

#include "base/setting.h"
#include "profile/profile.h"

namespace wick {

struct NameGap {
  std::string module;      // its path
  bool is_before = false;  // the side without names
  double share = 0;        // of that side's weight that has such code, 0 to 1
  std::string why;         // "the file does not exist"; "" if it is not known
  Settings helps;
};

// Of the modules that both profiles have, by the names of their files. Those
// that matter little are left out; the largest come first.
std::vector<NameGap> find_name_gaps(const Profile& before,
                                    const Profile& after);

}  // namespace wick
