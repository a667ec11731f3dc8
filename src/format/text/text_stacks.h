// SPDX-License-Identifier: Apache-2.0
// Shared by the readers of texts with one stack after the other, leaf first,
// and lines before or after it with its thread and weight.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "io/line_reader.h"
#include "profile/format.h"

namespace wick {

// Reads a text line by line with a Reader(options): read_line(line) returns
// whether the line was understood, and finish() returns the profile.
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

// Replaces ";", the separator of frames in folded stacks.
std::string without_separator(std::string_view name);

// The name of a symbol, by the rules for perf script; without its offset unless
// the options keep it. The Perl scripts for these formats leave names
// unchanged.
std::string symbol_name(std::string_view symbol, const ReadOptions& options);

// Whether the kernel is entered at this symbol; a stack with this outermost
// frame is a kernel stack.
bool is_kernel_entry(std::string_view symbol);

// Collects the frames of a stack, leaf first, then adds a sample.
class StackBuffer {
 public:
  StackBuffer(Profile& profile, const ReadOptions& options)
      : profile_(profile),
        options_(options),
        samples_(profile, options.keep_time) {}

  // Adds the next frame towards the root. `name` is kept, except for ";"; "" is
  // an unknown function.
  void push(std::string_view name, Frame frame = {});
  // The same for a symbol, named by symbol_name.
  void push_symbol(std::string_view symbol, Frame frame = {});

  bool empty() const { return frames_.empty(); }
  // The frames of the stack so far, leaf first, not in the profile yet.
  std::vector<Frame>& frames() { return frames_; }
  void clear() { frames_.clear(); }

  // The stack of the frames so far, which it clears.
  StackId take_stack();

  // Adds `sample` with the stack of the frames so far. A sample without frames
  // is at the root and noted.
  void add(Sample sample);
  // The same for a sample of weight 1.
  void add_one(ThreadId thread = ThreadId::kUnknown);
  // The same at the end of a thread's stack; forgets the thread. Does nothing
  // between threads.
  void end_thread(std::optional<ThreadId>& thread);

 private:
  Profile& profile_;
  const ReadOptions& options_;
  SampleCollector samples_;
  std::vector<Frame> frames_;
};

}  // namespace wick
