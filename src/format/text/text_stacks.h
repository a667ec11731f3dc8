// SPDX-License-Identifier: Apache-2.0
// What the readers of line-based texts share that print one stack after the
// other, leaf first, with something before or behind it that says whose stack
// it is and what it weighs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/line_reader.h"
#include "base/text.h"
#include "profile/format.h"

namespace wick {

// Reads a text line by line with a Reader(options): read_line(line) says
// whether it made sense of the line, and finish() gives the profile.
template <class Reader>
Profile read_by_line(InputFile& file, const ReadOptions& options) {
  Reader reader(options);
  Diagnostics unread;
  for_each_line(file, [&](std::string_view line, std::uint64_t number) {
    if (!reader.read_line(line))
      unread.note_at(Problem::kBadLine, line, number);
  });
  Profile profile = reader.finish();
  profile.diagnostics.merge(unread);
  return profile;
}

// "f" for "f+0x1a", "f+0x1a/0x30" and "f+26".
std::string_view without_offset(std::string_view symbol);

// `name` with ";", which separates the frames of folded stacks, replaced.
std::string without_separator(std::string_view name);

// A symbol as it is printed: by the rules for names of perf script, its offset
// removed unless the options keep it. Perl's scripts for these formats leave
// names as they are.
std::string symbol_name(std::string_view symbol, const ReadOptions& options);

// Whether this symbol is where the kernel is entered, which makes a stack whose
// outermost frame it is a stack of the kernel.
bool is_kernel_entry(std::string_view symbol);

// Takes the stacks of a text as they come: frames, leaf first, then a sample.
class StackBuffer {
 public:
  StackBuffer(Profile& profile, const ReadOptions& options)
      : profile_(profile),
        options_(options),
        samples_(profile, options.keep_time) {}

  // The next frame towards the root. `name` is taken as it is, ";" aside; ""
  // is a function that is not known.
  void push(std::string_view name, Frame frame = {});
  // The same for a symbol, whose name is made by symbol_name.
  void push_symbol(std::string_view symbol, Frame frame = {});

  bool empty() const { return frames_.empty(); }
  // The frames of the stack so far, leaf first, not in the profile yet.
  std::vector<Frame>& frames() { return frames_; }
  void clear() { frames_.clear(); }

  // The stack of the frames so far, which are forgotten.
  StackId take_stack();

  // Adds `sample` with the stack of the frames so far. A sample without frames
  // stands at the root and is noted.
  void add(Sample sample);
  // The same for a sample that weighs 1.
  void add_one(ThreadId thread = ThreadId::kUnknown);

 private:
  Profile& profile_;
  const ReadOptions& options_;
  SampleCollector samples_;
  std::vector<Frame> frames_;
};

}  // namespace wick
