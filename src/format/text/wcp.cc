// SPDX-License-Identifier: Apache-2.0
// The report of wallClockProfiler. It lists functions, then parts of stacks,
// then whole stacks, each a different view of the same samples, so only the
// last list is read:
//
//   Full stacks (leaf first):
//
//    81.789% ===================================== (256 samples)
//          1: __read_nocancel   (at ../sysdeps/unix/syscall-template.S:81)
//          2: main   (at shop.cpp:41)
//               41:|   total += price( stock );
#include <optional>

#include "format/text/text_stacks.h"

namespace wick {
namespace {

constexpr std::string_view kFullStacks = "Full stacks";

// " 81.789% ===================================== (256 samples)": 256.
std::optional<std::int64_t> parse_header(std::string_view line) {
  if (!take_word(line).ends_with('%')) return {};
  if (!take_word(line).starts_with("=====")) return {};
  line = trim(line);
  if (!line.starts_with('(')) return {};
  line.remove_prefix(1);
  const auto count = to_number<std::int64_t>(take_word(line));
  return trim(line).starts_with("sample") ? count : std::nullopt;
}

struct WcpFrame {
  std::string_view text;  // "main   (at shop.cpp:41)"
  std::string_view function, file;
  std::uint32_t line = 0;
};

// "    2: main   (at shop.cpp:41)".
std::optional<WcpFrame> parse_wcp_frame(std::string_view text) {
  text = trim(text);
  const std::size_t colon = text.find(": ");
  if (colon == text.npos || !all_digits(text.substr(0, colon))) return {};
  text.remove_prefix(colon + 2);
  const std::size_t place = text.rfind("(at ");
  if (place == text.npos || !text.ends_with(')')) return {};
  WcpFrame frame{.text = text, .function = trim(text.substr(0, place))};
  text = text.substr(place + 4, text.size() - place - 5);
  const std::size_t line = text.rfind(':');
  if (line == text.npos) return {};
  frame.file = text.substr(0, line);
  // -1 where gdb knows no line.
  frame.line = to_number<std::uint32_t>(text.substr(line + 1)).value_or(0);
  return frame;
}

// The program's own line, shown below a frame: "41:|   total += …".
bool is_source_line(std::string_view line) {
  line = trim(line);
  const std::size_t colon = line.find(":|");
  return colon != line.npos && all_digits(line.substr(0, colon));
}

bool sniff_wcp(std::string_view head) {
  // The lists before the full stacks can be longer than `head`, but they look
  // the same.
  bool after_header = false;
  return any_head_line(head, 2000, [&](std::string_view line) {
    if (after_header && parse_wcp_frame(line)) return true;
    after_header =
        parse_header(line).has_value() || (after_header && trim(line).empty());
    return false;
  });
}

Profile read_wcp(InputFile& file, const ReadOptions& options) {
  Profile profile;
  StackBuffer stack(profile, options);
  bool in_stacks = false;
  std::optional<std::int64_t> count;
  const auto end_stack = [&] {
    if (count)
      stack.add({.weight = *count, .event = profile.event_id("samples")});
    count.reset();
  };
  for_each_line(file, [&](std::string_view line, std::uint64_t number) {
    if (line.starts_with(kFullStacks)) {
      in_stacks = true;
    } else if (!in_stacks) {
      return;
    } else if (const auto header = parse_header(line)) {
      end_stack();
      count = header;
    } else if (const auto frame = parse_wcp_frame(line); frame && count) {
      std::string_view name = frame->function == "??" ? "" : frame->function;
      if (options.compat == Compat::kPerl) name = frame->text;
      stack.push_symbol(name, {.file = profile.strings.intern(frame->file),
                               .line = frame->line});
    } else if (!trim(line).empty() && !is_source_line(line)) {
      profile.diagnostics.note_at(Problem::kBadLine, line, number);
    }
  });
  end_stack();
  if (!in_stacks)
    profile.diagnostics.note_at(Problem::kTruncated,
                                "the list of full stacks is missing");
  return profile;
}

}  // namespace

extern const InputFormat wcp_input = {
    .name = "wcp",
    .description = "reports of wallClockProfiler",
    .sniff = sniff_wcp,
    .read = read_wcp,
};

}  // namespace wick
