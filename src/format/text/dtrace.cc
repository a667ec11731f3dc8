// SPDX-License-Identifier: Apache-2.0
// Output of DTrace for an aggregation of stacks, `@[stack()] = count()`,
// `@[ustack()]` or both:
//
//   CPU     ID                    FUNCTION:NAME
//     0  64091                        :tick-60s
//
//                 genunix`fop_read+0x3c
//                 genunix`read+0x2a7
//                 unix`sys_syscall+0x17a
//                   12
//
// A stack has its innermost frame first and ends with a line that has only a
// number. A blank line does not end it: there is one between the kernel's and
// the user's stack of one key, too. With -q there is no header; if the
// aggregation is printed every second, lines of the probe are in between.
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "base/text.h"
#include "io/line_reader.h"
#include "profile/format.h"
#include "profile/tidy.h"

namespace wick {
namespace {

// "CPU     ID                    FUNCTION:NAME", also with PID and the like
// where more is printed.
bool is_column_header(std::string_view line) {
  return take_word(line) == "CPU" && take_word(line) == "ID" &&
         line.find("FUNCTION:NAME") != line.npos;
}

// "  0  64091                        :tick-60s": a probe that fired.
bool is_probe(std::string_view line) {
  for (int number = 0; number < 2; ++number)
    if (!all_digits(take_word(line))) return false;
  const std::string_view name = take_word(line);
  return name.find(':') != name.npos && trim(line).empty();
}

// "dtrace: 12 drops on CPU 3": the number; nothing for other messages.
std::optional<std::uint64_t> drops(std::string_view line) {
  take_word(line);
  const auto count = to_number<std::uint64_t>(take_word(line));
  const std::string_view what = trim(line);
  return what.find("drop") != what.npos ? count : std::nullopt;
}

// Where "+0x1a" begins, or the end.
std::size_t offset_of(std::string_view name) {
  const std::size_t plus = name.rfind('+');
  if (plus == name.npos) return name.size();
  std::string_view number = name.substr(plus + 1);
  if (number.starts_with("0x")) number.remove_prefix(2);
  return all_hex_digits(number) ? plus : name.size();
}

// C++ names are cut at the last "(" or "<" after their first "::". Only
// brackets outside of others count; other tools cut "A::f(B<int>)" to "A::f(B".
std::string_view without_cpp_arguments(std::string_view name, Compat compat) {
  const std::size_t scope = name.find("::");
  if (scope == name.npos) return name;
  if (compat != Compat::kWick) {
    const std::size_t cut = name.find_last_of("(<");
    return cut == name.npos || cut < scope ? name : name.substr(0, cut);
  }
  int depth = 0;
  std::size_t cut = name.npos;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const std::string_view before = name.substr(0, i);
    switch (name[i]) {
      case '<':
        if (before.ends_with("operator") || before.ends_with("operator<"))
          break;
        [[fallthrough]];
      case '(':
        if (depth++ == 0 && i > scope &&
            !name.substr(i).starts_with("(anonymous namespace)"))
          cut = i;
        break;
      case '>':
        if (before.ends_with('-') || before.ends_with("operator")) break;
        [[fallthrough]];
      case ')':
        depth = std::max(depth - 1, 0);
        break;
      default:
        break;
    }
  }
  // "operator()(int)" has two pairs next to each other.
  return name.substr(0, cut);
}

// The next arrow that separates a function from one inlined into it: not that
// of `operator->`, nor one in brackets as in "fn() -> i32".
std::size_t next_arrow(std::string_view name, Compat compat) {
  if (compat != Compat::kWick) return name.find("->");
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (name.substr(i).starts_with("->")) {
      if (depth == 0 && i > 0 && i + 2 < name.size() &&
          !is_blank(name[i - 1]) && !name.substr(0, i).ends_with("operator"))
        return i;
      ++i;
    } else if (c == '(' || c == '<') {
      ++depth;
    } else if (c == ')' || c == '>') {
      depth = std::max(depth - 1, 0);
    }
  }
  return name.npos;
}

bool is_kernel(std::string_view module) {
  static constexpr std::array<std::string_view, 5> kKernels = {
      "unix", "genunix", "kernel", "mach_kernel", "vmlinux"};
  return std::ranges::find(kKernels, module) != kKernels.end() ||
         module.ends_with(".ko");
}

// Turns the line of a frame into its frames. Lines repeat, so each distinct one
// is parsed once.
class LineFrames {
 public:
  LineFrames(Profile& profile, const ReadOptions& options, bool keep_offset)
      : profile_(profile), options_(options), keep_offset_(keep_offset) {}

  // Outermost first; more than one where functions were inlined.
  std::span<const FrameId> operator()(std::string_view line) {
    const std::uint32_t row = index(lines_.intern(line));
    // Row 0 of a string table is "", which is not a line.
    if (row == first_.size()) {
      add(line);
      first_.push_back(static_cast<std::uint32_t>(frames_.size()));
    }
    return std::span(frames_).subspan(first_[row - 1],
                                      first_[row] - first_[row - 1]);
  }

 private:
  void add(std::string_view line) {
    const std::size_t offset = offset_of(line);
    const std::size_t tick = line.find('`');
    Frame frame;
    if (tick != line.npos && tick > 0) {
      frame.module = profile_.module_id(line.substr(0, tick));
      if (is_kernel(line.substr(0, tick))) frame.kind = FrameKind::kKernel;
    }
    std::string_view rest = line.substr(0, offset);
    for (bool inlined = false;; inlined = true) {
      const std::size_t arrow = next_arrow(rest, options_.compat);
      std::string name = tidy(rest.substr(0, arrow), inlined);
      if (keep_offset_ && arrow == rest.npos) name += line.substr(offset);
      if (inlined) {
        name += "_[i]";
        frame.kind = FrameKind::kInlined;
      }
      frame.function = profile_.strings.intern(name);
      frames_.push_back(profile_.frames.intern(frame));
      if (arrow == rest.npos) return;
      rest.remove_prefix(arrow + 2);
    }
  }

  std::string tidy(std::string_view text, bool inlined) const {
    if (inlined && text.starts_with('L')) text.remove_prefix(1);
    if (!options_.full_names)
      text = without_cpp_arguments(text, options_.compat);
    std::string name(text.empty() ? "-" : text);
    if (options_.compat != Compat::kPerl) {
      const std::size_t function = name.find('`') + 1;  // after the module
      name = name.substr(0, function) +
             rust_demangled(trim_right(name).substr(function));
    }
    std::ranges::replace(name, ';', ':');
    return name;
  }

  Profile& profile_;
  const ReadOptions& options_;
  bool keep_offset_;
  StringTable lines_;
  std::vector<FrameId> frames_;
  std::vector<std::uint32_t> first_{0};
};

class DtraceReader {
 public:
  explicit DtraceReader(const ReadOptions& options)
      : leaves_(profile_, options, false),
        callers_(profile_, options, options.include_offset),
        samples_(profile_, options.keep_time) {}

  Profile read(InputFile& file) {
    profile_.event_id("samples");
    skip_header(file.head());
    LineReader lines(file);
    while (const auto line = lines.next())
      if (lines.number() > header_lines_) read_line(trim(*line));
    if (!stack_.empty())
      profile_.diagnostics.note_at(Problem::kTruncated, "ends inside a stack",
                                   lines.number());
    return std::move(profile_);
  }

 private:
  // Everything before the first blank line is a header, unless a stack ends in
  // it or its first line is indented like a stack.
  void skip_header(std::string_view head) {
    if (head.empty() || is_space(head.front())) return;
    std::uint64_t count = 0;
    while (!head.empty()) {
      const std::string_view line = trim(take_line(head));
      if (line.empty()) break;
      if (all_digits(line)) return;
      ++count;
    }
    header_lines_ = count;
  }

  void read_line(std::string_view line) {
    if (line.empty()) return;
    if (all_digits(line)) {
      end_stack(line);
    } else if (stack_.empty() && (is_column_header(line) || is_probe(line))) {
      return;
    } else if (line.starts_with("dtrace: ")) {
      if (const auto count = drops(line))
        profile_.diagnostics.note(Problem::kLostSamples, *count);
    } else {
      const auto frames = stack_.empty() ? leaves_(line) : callers_(line);
      stack_.insert(stack_.end(), frames.rbegin(), frames.rend());
    }
  }

  void end_stack(std::string_view number) {
    const auto weight = to_number<std::int64_t>(number);
    if (!weight) {
      profile_.diagnostics.note_at(Problem::kOverflow, number);
      stack_.clear();
      return;
    }
    // An aggregation without a stack is not a sample.
    if (stack_.empty()) return;
    StackId stack = StackId::kRoot;
    for (auto frame = stack_.rbegin(); frame != stack_.rend(); ++frame)
      stack = profile_.stacks.push(stack, *frame);
    samples_.add({.weight = *weight, .stack = stack});
    stack_.clear();
  }

  Profile profile_;
  LineFrames leaves_, callers_;
  SampleCollector samples_;
  std::vector<FrameId> stack_;  // innermost first
  std::uint64_t header_lines_ = 0;
};

Profile read_dtrace(InputFile& file, const ReadOptions& options) {
  return DtraceReader(options).read(file);
}

// The header, or a stack with a "module`function" that ends with a number, all
// of it indented.
bool sniff_dtrace(std::string_view head) {
  if (is_column_header(head.substr(0, head.find('\n')))) return true;
  const bool cut = head.size() >= InputFile::kHeadSize;
  bool ticks = false;
  for (int i = 0; i < 1000 && !head.empty(); ++i) {
    const std::string_view line = take_line(head);
    if (cut && head.empty()) return false;
    const std::string_view text = trim(line);
    if (text.empty()) continue;
    if (!is_blank(line.front())) {
      if (ticks) return false;  // a header precedes all stacks
      continue;
    }
    if (all_digits(text)) return ticks;
    const std::size_t tick = text.find('`');
    if (tick != text.npos && tick > 0 && tick + 1 < text.size() &&
        text.find_first_of(" \t") >= tick)
      ticks = true;
  }
  return false;
}

}  // namespace

extern const InputFormat dtrace_input = {
    .name = "dtrace",
    .description = "DTrace aggregations of stack() and ustack()",
    .sniff = sniff_dtrace,
    .read = read_dtrace,
};

}  // namespace wick
