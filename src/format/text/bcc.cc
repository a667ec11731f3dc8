// SPDX-License-Identifier: Apache-2.0
// Output of bcc's `profile` and `offcputime` without -f:
//
//   Sampling at 49 Hertz of all threads by user + kernel stack for 10 secs.
//
//       copy_user_generic_string          the kernel's frames, leaf first
//       entry_SYSCALL_64_after_hwframe
//       --                                with -d
//       read                              the program's
//       main
//       -                dd (25036)       command and process
//           7                             samples, or microseconds off the CPU
//
// With -f they print folded stacks, which folded.cc reads.
#include <algorithm>
#include <optional>

#include "format/text/text_stacks.h"

namespace wick {
namespace {

struct Owner {
  std::string_view comm;
  std::int32_t pid;
};

// "    -                comm (pid)".
std::optional<Owner> parse_owner(std::string_view line) {
  if (line.empty() || !is_blank(line.front())) return {};
  line = trim(line);
  if (!line.starts_with("- ") || !line.ends_with(')')) return {};
  const std::size_t open = line.rfind(" (");
  if (open == line.npos || open < 2) return {};
  const auto pid =
      to_number<std::int32_t>(line.substr(open + 2, line.size() - open - 3));
  if (!pid) return {};
  return Owner{trim(line.substr(1, open - 1)), *pid};
}

bool sniff_bcc(std::string_view head) {
  bool after_owner = false;
  return any_head_line(head, 2000, [&](std::string_view line) {
    if (after_owner) return all_digits(trim(line));
    after_owner = parse_owner(line).has_value();
    return false;
  });
}

class BccReader {
 public:
  explicit BccReader(const ReadOptions& options) : stack_(profile_, options) {}

  Profile read(InputFile& file) {
    for_each_line(file, [&](std::string_view line, std::uint64_t number) {
      if (!read_line(line))
        profile_.diagnostics.note_at(Problem::kBadLine, line, number);
    });
    if (!stack_.empty() || owner_read_)
      profile_.diagnostics.note_at(Problem::kTruncated,
                                   "the last stack has no count");
    return std::move(profile_);
  }

 private:
  bool read_line(std::string_view line) {
    const std::string_view text = trim(line);
    if (text.empty()) return true;
    if (!is_blank(line.front())) return read_message(text);
    if (owner_read_) return read_count(text);
    if (const auto owner = parse_owner(line)) {
      owner_read_ = true;
      thread_ = profile_.thread_id(
          {.pid = owner->pid, .comm = profile_.strings.intern(owner->comm)});
    } else if (text == "--" || text.starts_with("[Missed ")) {
      if (text == "--") mark_kernel();
      stack_.push(text, {.kind = FrameKind::kLabel});
    } else {
      stack_.push_symbol(text == "[unknown]" ? "" : text);
    }
    return true;
  }

  bool read_count(std::string_view text) {
    const auto count = to_number<std::int64_t>(text);
    owner_read_ = false;
    if (!count) {
      stack_.clear();
      return false;
    }
    if (!is_kernel_marked_ && !stack_.empty()) mark_if_kernel();
    is_kernel_marked_ = false;
    stack_.add({.weight = *count, .thread = thread_, .event = event()});
    return true;
  }

  EventId event() {
    if (!is_off_cpu_) return profile_.event_id("samples");
    const EventId id = profile_.event_id("off-cpu", "microseconds");
    profile_.events[id].time = TimeKind::kOffCpu;
    return id;
  }

  // Frames above the separator are the kernel's.
  void mark_kernel() {
    for (Frame& frame : stack_.frames())
      if (frame.kind == FrameKind::kUser) frame.kind = FrameKind::kKernel;
    is_kernel_marked_ = true;
  }
  // Without a separator: all frames up to the one that enters the kernel.
  void mark_if_kernel() {
    auto& frames = stack_.frames();
    for (std::size_t i = frames.size(); i-- > 0;) {
      if (!is_kernel_entry(profile_.strings[frames[i].function])) continue;
      for (std::size_t j = 0; j <= i; ++j)
        if (frames[j].kind == FrameKind::kUser)
          frames[j].kind = FrameKind::kKernel;
      return;
    }
  }

  // "Sampling at …" and "Tracing off-CPU time (us) of …" name the unit;
  // "WARNING: 3 stack traces lost …" counts missing stacks.
  bool read_message(std::string_view text) {
    if (text.find("off-CPU time (us)") != text.npos) {
      is_off_cpu_ = true;
      return true;
    }
    if (text.starts_with("Sampling at")) return true;
    if (!text.starts_with("WARNING: ")) return false;
    text.remove_prefix(9);
    const auto lost = to_number<std::uint64_t>(take_word(text));
    if (lost) profile_.diagnostics.note(Problem::kLostSamples, *lost);
    return lost.has_value();
  }

  Profile profile_;
  StackBuffer stack_;
  ThreadId thread_ = ThreadId::kUnknown;
  bool is_off_cpu_ = false;
  bool owner_read_ = false, is_kernel_marked_ = false;
};

}  // namespace

extern const InputFormat bcc_input = {
    .name = "bcc",
    .description = "bcc's profile and offcputime (without -f)",
    .sniff = sniff_bcc,
    .read =
        [](InputFile& file, const ReadOptions& options) {
          return BccReader(options).read(file);
        },
};

}  // namespace wick
