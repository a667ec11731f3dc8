// SPDX-License-Identifier: Apache-2.0
// Stacks of Java exceptions in a log, to see which are thrown most. A sample
// for each exception and each of its causes:
//
//   java.lang.IllegalStateException: no stock
//           at com.shop.Stock.take(Stock.java:10)
//           at com.shop.Main.main(Main.java:5)
//   Caused by: java.io.IOException: disk
//           at com.shop.Disk.read(Disk.java:7) ~[shop.jar:1.0]
//           ... 1 more
//
// "... 1 more" is replaced by the last frame of the stack above. All other
// lines of a log are ignored.
#include <algorithm>
#include <optional>
#include <vector>

#include "format/java/java_frame.h"
#include "format/text/text_stacks.h"

namespace wick {
namespace {

// A line that begins with blanks and "at ".
std::optional<JavaFrame> parse_line(std::string_view line) {
  if (line.empty() || !is_blank(line.front())) return {};
  line = trim(line);
  if (!line.starts_with("at ")) return {};
  return parse_java_frame(trim_left(line.substr(3)));
}

// "... 12 more", or as logback prints it, "... 12 common frames omitted": 12.
std::optional<std::size_t> parse_more(std::string_view line) {
  std::string_view text = trim(line);
  if (take_word(text) != "...") return {};
  const auto count = to_number<std::size_t>(take_word(text));
  const std::string_view word = take_word(text);
  return word == "more" || word == "common" ? count : std::nullopt;
}

bool sniff_java_exceptions(std::string_view head) {
  return any_head_line(head, 5000, [](std::string_view line) {
    const auto frame = parse_line(line);
    return frame && (frame->line > 0 || line.ends_with("(Native Method)") ||
                     line.ends_with("(Unknown Source)"));
  });
}

class JavaExceptionsReader {
 public:
  explicit JavaExceptionsReader(const ReadOptions& options)
      : options_(options), stack_(profile_, options) {}

  Profile read(InputFile& file) {
    for_each_line(file, [&](std::string_view line, std::uint64_t) {
      if (const auto frame = parse_line(line)) {
        stack_.push(java_name(*frame, options_),
                    {.file = profile_.strings.intern(frame->file),
                     .line = frame->line});
      } else if (const auto more = parse_more(line)) {
        add_common(*more);
        end_stack();
      } else if (!stack_.empty()) {
        end_stack();
        if (!is_cause(line)) enclosing_.clear();
      } else if (!is_cause(line)) {
        enclosing_.clear();
      }
    });
    end_stack();
    return std::move(profile_);
  }

 private:
  static bool is_cause(std::string_view line) {
    const std::string_view text = trim(line);
    return text.starts_with("Caused by: ") || text.starts_with("Suppressed: ");
  }

  // The JVM prints no more than 1024 frames unless told otherwise.
  static constexpr std::size_t kMaxCommon = 1024;

  void add_common(std::size_t count) {
    count = std::min({count, enclosing_.size(), kMaxCommon});
    stack_.frames().insert(
        stack_.frames().end(),
        enclosing_.end() - static_cast<std::ptrdiff_t>(count),
        enclosing_.end());
  }

  void end_stack() {
    if (stack_.empty()) return;
    enclosing_ = stack_.frames();
    stack_.add_one();
  }

  const ReadOptions& options_;
  Profile profile_;
  StackBuffer stack_;
  std::vector<Frame> enclosing_;  // the stack that "... n more" refers to
};

}  // namespace

extern const InputFormat java_exceptions_input = {
    .name = "java-exceptions",
    .description = "stacks of Java exceptions in a log",
    .sniff = sniff_java_exceptions,
    .read =
        [](InputFile& file, const ReadOptions& options) {
          return JavaExceptionsReader(options).read(file);
        },
};

}  // namespace wick
