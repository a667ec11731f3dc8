// SPDX-License-Identifier: Apache-2.0
// Code whose functions cannot be compared, or not be found, since it has no
// names in one of two profiles or in both.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/setting.h"
#include "profile/fold.h"
#include "profile/profile.h"

namespace wick {

enum class NameGapKind : std::uint8_t {
  kOneSide,  // the other side has names: all functions seem to be new or gone
  // Both sides know functions by their addresses only, which change from one
  // build to the next, and do not have the same build.
  kBuilds,
  // Functions are known by their addresses only, in a file that the other side
  // does not have: there, they would be printed otherwise.
  kFileOfOneSide,
  kNoNames,  // a function with a certain name may be there, unseen
};

struct NameGap {
  NameGapKind kind{};
  std::string module;      // its path
  bool is_before = false;  // the side without names
  double share = 0;        // of that side's weight that has such code, 0 to 1
  std::string why;         // "the file does not exist"; "" if it is not known
  Settings helps;
  // Of kBuilds and kFileOfOneSide, as they are printed.
  std::set<std::string> functions = {};
  // Of kNoNames: the other side has no names for this file either, so it hides
  // the same there.
  bool is_on_both_sides = false;
};

// Modules of the two profiles are matched by the names of their files. Those
// that matter little are left out; the largest of each kind come first.
// `options` are those that functions are printed with.
std::vector<NameGap> find_name_gaps(const Profile& before, const Profile& after,
                                    const FoldOptions& options = {});

}  // namespace wick
