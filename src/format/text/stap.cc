// SPDX-License-Identifier: Apache-2.0
// Stacks that a SystemTap script prints (print_stack, print_ustack), each with
// a line that holds its count:
//
//    0xffffffff8103ce3b : native_safe_halt+0xb/0x10 [kernel]
//    0xffffffff8101c6a3 : default_idle+0x53/0x1d0 [kernel] (inexact)
//    0x401136 : main+0x16/0x20 [/usr/bin/shop]
//           2404
#include "format/text/perf_line.h"
#include "format/text/text_stacks.h"

namespace wick {
namespace {

struct StapFrame {
  std::uint64_t address = 0;
  std::string_view symbol, module;
};

// "0x401136 : main+0x16/0x20 [/usr/bin/shop]". Without " : ", all of it is the
// symbol.
StapFrame parse_stap_frame(std::string_view text) {
  // Probes on returns print where the function returns from and to.
  for (const std::string_view word : {"Returning from:", "Returning to  :"})
    if (text.starts_with(word)) text = trim(text.substr(word.size()));
  if (text.ends_with("(inexact)"))
    text = trim_right(text.substr(0, text.size() - 9));
  StapFrame frame;
  std::string_view rest = text;
  const std::string_view word = take_word(rest);
  if (word.starts_with("0x")) {
    if (const auto address = to_number<std::uint64_t>(word.substr(2), 16)) {
      frame.address = *address;
      rest = trim(rest);
      if (rest.starts_with(':')) rest = trim(rest.substr(1));
      text = rest;
    }
  }
  const std::size_t bracket = text.rfind('[');
  if (text.ends_with(']') && bracket != text.npos &&
      (bracket == 0 || text[bracket - 1] == ' ')) {
    frame.module = text.substr(bracket + 1, text.size() - bracket - 2);
    text = trim_right(text.substr(0, bracket));
  }
  if (!text.starts_with("0x")) frame.symbol = text;
  return frame;
}

bool is_full_frame(std::string_view line) {
  const std::string_view text = trim(line);
  return text.starts_with("0x") && text.find(" : ") != text.npos &&
         text.find('[') != text.npos;
}

bool sniff_stap(std::string_view head) {
  bool seen_frame = false;
  return any_head_line(head, 1000, [&](std::string_view line) {
    if (is_full_frame(line)) seen_frame = true;
    return seen_frame && all_digits(trim(line));
  });
}

Profile read_stap(InputFile& file, const ReadOptions& options) {
  Profile profile;
  StackBuffer stack(profile, options);
  for_each_line(file, [&](std::string_view line, std::uint64_t number) {
    const std::string_view text = trim(line);
    if (text.empty()) return;
    if (all_digits(text)) {
      if (const auto count = to_number<std::int64_t>(text)) {
        stack.add({.weight = *count, .event = profile.event_id("samples")});
      } else {
        profile.diagnostics.note_at(Problem::kBadLine, line, number);
        stack.clear();
      }
      return;
    }
    const StapFrame parsed = parse_stap_frame(text);
    Frame frame;
    if (!parsed.module.empty()) {
      frame.module = profile.module_id(without_offset(parsed.module));
      // Modules of the kernel have names, those of programs have paths.
      if (parsed.module.find('/') == parsed.module.npos ||
          is_kernel_module(parsed.module, false))
        frame.kind = FrameKind::kKernel;
    }
    if (options.keep_addresses) frame.address = parsed.address;
    stack.push_symbol(without_offset(parsed.symbol), frame);
  });
  if (!stack.empty())
    profile.diagnostics.note_at(Problem::kTruncated,
                                "the last stack has no count");
  return profile;
}

}  // namespace

extern const InputFormat stap_input = {
    .name = "stap",
    .description = "stacks and counts printed by SystemTap scripts",
    .sniff = sniff_stap,
    .read = read_stap,
};

}  // namespace wick
