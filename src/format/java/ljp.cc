// SPDX-License-Identifier: Apache-2.0
// The report of the Lightweight Java Profiler: the count and the depth of a
// stack, then its frames, leaf first.
//
//   42 3  com.shop.Cart.add(Cart.java:455)
//         com.shop.Main.run(Main.java:123)
//         java.lang.Thread.run(Thread.java:744)
#include <algorithm>
#include <optional>

#include "format/java/java_frame.h"
#include "format/text/text_stacks.h"

namespace wick {
namespace {

struct Header {
  std::int64_t count = 0;
  std::size_t depth = 0;
  std::string_view frame;
};

std::optional<Header> parse_header(std::string_view line) {
  const auto count = to_number<std::int64_t>(take_word(line));
  const auto depth = to_number<std::size_t>(take_word(line));
  if (!count || !depth) return {};
  return Header{*count, *depth, trim(line)};
}

// "method(File.java:12)": here methods may have no class.
JavaFrame parse_frame(std::string_view text) {
  if (const auto frame = parse_java_frame(text)) return *frame;
  return {.name = text.substr(0, text.find('('))};
}

bool sniff_ljp(std::string_view head) {
  return any_head_line(head, 20, [](std::string_view line) {
    const auto header = parse_header(line);
    return header && header->frame.ends_with(')') &&
           parse_frame(header->frame).line > 0;
  });
}

class LjpReader {
 public:
  explicit LjpReader(const ReadOptions& options)
      : options_(options), stack_(profile_, options) {}

  Profile read(InputFile& file) {
    for_each_line(file, [&](std::string_view line, std::uint64_t number) {
      if (trim(line).empty()) {
        end_stack();
      } else if (const auto header = parse_header(line)) {
        end_stack();
        header_ = *header;
        in_stack_ = true;
        if (!header->frame.empty()) push(header->frame);
      } else if (in_stack_ && is_blank(line.front())) {
        push(trim(line));
      } else if (!line.starts_with("Total ")) {
        profile_.diagnostics.note_at(Problem::kBadLine, line, number);
      }
    });
    end_stack();
    return std::move(profile_);
  }

 private:
  void push(std::string_view text) {
    const JavaFrame frame = parse_frame(text);
    stack_.push(
        java_name(frame, options_),
        {.file = profile_.strings.intern(frame.file), .line = frame.line});
  }

  void end_stack() {
    if (!in_stack_) return;
    in_stack_ = false;
    if (stack_.frames().size() < header_.depth)
      profile_.diagnostics.note_at(Problem::kTruncated,
                                   "a stack has fewer frames than its depth");
    stack_.add(
        {.weight = header_.count, .event = profile_.event_id("samples")});
  }

  const ReadOptions& options_;
  Profile profile_;
  StackBuffer stack_;
  Header header_;  // its frame is a view that may be invalid
  bool in_stack_ = false;
};

}  // namespace

extern const InputFormat ljp_input = {
    .name = "ljp",
    .description = "reports of the Lightweight Java Profiler",
    .sniff = sniff_ljp,
    .read =
        [](InputFile& file, const ReadOptions& options) {
          return LjpReader(options).read(file);
        },
};

}  // namespace wick
