// SPDX-License-Identifier: Apache-2.0
// Programs in other languages run inside an interpreter or a virtual machine.
// Native stacks show its functions (_PyEval_EvalFrameDefault) and not those of
// the program, unless it wrote a perf map or a jitdump.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string_view>

#include "profile/profile.h"

namespace wick {

enum class Language : std::uint8_t {
  kPython,
  kPythonBefore312,  // writes no perf map
  kPythonMap,        // wrote one that is missing; not known by a file's name
  kRuby,
  kRubyBefore33,  // writes no perf map
  kPhp,
  kPerl,
  kJava,
  kNode,
  kDotnet,
  kCount
};

// The language that a file of code runs, by its name: libpython3.11.so.1.0,
// python3.11.
std::optional<Language> language_run_by(std::string_view path);

// Notes for each language how many samples are of processes that run it and
// show none of its functions, if those are more than a few.
void note_hidden_languages(Profile& profile);

// Counts those samples anew when some were dropped. Whether a process shows the
// functions of its language is decided before that, by all of its samples.
class HiddenLanguageNotes {
 public:
  explicit HiddenLanguageNotes(const Profile& profile);
  void recount(Profile& profile) const;

 private:
  bool has_any_ = false;
  std::set<std::int32_t> showing_;  // processes
};

}  // namespace wick
