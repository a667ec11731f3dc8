// SPDX-License-Identifier: Apache-2.0
// The stacks that elfutils' eu-stack prints, of one run or of many:
//
//   PID 2120 - process
//   TID 2121:
//   #0  0x000055a44fc6365f     shop::Cart::add(double) - /usr/bin/shop
//       /src/cart.cc:9:74
//   #1  0x000055a44fc63374 - 1 main - /usr/bin/shop
//
// "- 1" (with -a) means that the address is a return address; -m adds modules,
// -s source lines, -b build ids, -v all of them. Inlined frames (-i) have the
// address of the frame they are inlined into.
#include <algorithm>
#include <optional>

#include "format/common/source_place.h"
#include "format/text/text_stacks.h"

namespace wick {
namespace {

// Takes "0x" and hexadecimal digits from the front of `text`.
std::optional<std::uint64_t> take_address(std::string_view& text) {
  std::string_view rest = text;
  const std::string_view word = take_word(rest);
  if (!word.starts_with("0x")) return {};
  const auto address = to_number<std::uint64_t>(word.substr(2), 16);
  if (address) text = rest;
  return address;
}

// "#12": the depth of a frame.
std::optional<std::uint32_t> take_eu_stack_depth(std::string_view& text) {
  std::string_view rest = text;
  const std::string_view word = take_word(rest);
  if (!word.starts_with('#')) return {};
  const auto depth = to_number<std::uint32_t>(word.substr(1));
  if (depth) text = rest;
  return depth;
}

struct EuFrame {
  std::uint64_t address = 0;
  std::string_view name, module;
};

std::optional<EuFrame> parse_eu_stack_frame(std::string_view line) {
  if (!take_eu_stack_depth(line)) return {};
  const auto address = take_address(line);
  if (!address) return {};
  EuFrame frame{.address = *address};
  if (line.starts_with(" - 1") && (line.size() == 4 || is_blank(line[4])))
    line.remove_prefix(4);
  line = trim_right(line);
  const std::size_t dash = line.rfind(" - ");
  if (dash != line.npos) {
    frame.module = line.substr(dash + 3);
    line = line.substr(0, dash);
  }
  frame.name = trim(line);
  return frame;
}

std::optional<std::int32_t> parse_id(std::string_view line,
                                     std::string_view word) {
  if (!line.starts_with(word)) return {};
  line.remove_prefix(word.size());
  const std::string_view digits = line.substr(0, line.find_first_of(" :"));
  return to_number<std::int32_t>(digits);
}

bool sniff_eu_stack(std::string_view head) {
  bool in_thread = false;
  return any_head_line(head, 200, [&](std::string_view line) {
    if (in_thread && parse_eu_stack_frame(line)) return true;
    in_thread = parse_id(line, "TID ") && trim_right(line).ends_with(':');
    return false;
  });
}

class EuStackReader {
 public:
  explicit EuStackReader(const ReadOptions& options)
      : options_(options), stack_(profile_, options) {}

  bool read_line(std::string_view line) {
    if (trim(line).empty()) return true;
    if (const auto frame = parse_eu_stack_frame(line)) {
      add_frame(*frame);
      return true;
    }
    if (const auto tid = parse_id(line, "TID ")) {
      stack_.end_thread(thread_);
      thread_ = profile_.thread_id({.pid = pid_, .tid = *tid});
      return true;
    }
    if (const auto pid = parse_id(line, "PID ")) {
      stack_.end_thread(thread_);
      pid_ = *pid;
      return true;
    }
    return is_blank(line.front()) && read_detail(trim(line));
  }

  Profile finish() {
    stack_.end_thread(thread_);
    return std::move(profile_);
  }

 private:
  void add_frame(const EuFrame& parsed) {
    Frame frame;
    if (!parsed.module.empty())
      frame.module = profile_.module_id(parsed.module);
    if (options_.keep_addresses) frame.address = parsed.address;
    if (!thread_) thread_ = ThreadId::kUnknown;
    // The same call returning twice is recursion; another name at the same
    // address was inlined into this one.
    const StringId last =
        stack_.empty() ? StringId::kEmpty : stack_.frames().back().function;
    stack_.push_symbol(parsed.name, frame);
    auto& frames = stack_.frames();
    if (frames.size() > 1 && parsed.address == last_address_ &&
        last != frames.back().function)
      frames[frames.size() - 2].kind = FrameKind::kInlined;
    last_address_ = parsed.address;
  }

  // What -s and -b print below a frame: "file:line[:column]", "[id]@base+off".
  bool read_detail(std::string_view detail) {
    if (stack_.empty()) return false;
    if (detail.starts_with('[')) return true;
    const auto place = parse_source_place(detail);
    if (!place) return false;
    Frame& frame = stack_.frames().back();
    frame.file = profile_.strings.intern(place->file);
    frame.line = place->line;
    return true;
  }

  const ReadOptions& options_;
  Profile profile_;
  StackBuffer stack_;
  std::int32_t pid_ = Thread::kUnknown;
  std::optional<ThreadId> thread_;  // the one whose frames are being read
  std::uint64_t last_address_ = 0;
};

}  // namespace

extern const InputFormat eu_stack_input = {
    .name = "eu-stack",
    .description = "stacks printed by elfutils' eu-stack, one or many runs",
    .sniff = sniff_eu_stack,
    .read = read_by_line<EuStackReader>,
};

}  // namespace wick
