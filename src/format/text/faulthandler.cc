// SPDX-License-Identifier: Apache-2.0
// Stacks written by Python's faulthandler module, once for a crash or
// repeatedly (dump_traceback_later). A sample for each thread and dump:
//
//   Timeout (0:00:00.100000)!
//   Thread 0x00007f6cc42bd6c0 [worker] (most recent call first):
//     File "/srv/shop.py", line 4 in price
//     File "/usr/lib/python3.11/threading.py", line 982 in run
#include <algorithm>
#include <optional>

#include "format/text/text_stacks.h"

namespace wick {
namespace {

constexpr std::string_view kHeaderEnd = "(most recent call first):";

bool is_header(std::string_view line) {
  return !line.empty() && !is_blank(line.front()) &&
         trim_right(line).ends_with(kHeaderEnd);
}

struct PythonFrame {
  std::string_view file, function;
  std::uint32_t line = 0;  // 0 for "???"
};

// `  File "/srv/shop.py", line 4 in price`.
std::optional<PythonFrame> parse_faulthandler_frame(std::string_view text) {
  text = trim(text);
  if (!text.starts_with("File ")) return {};
  constexpr std::string_view kLine = ", line ";
  const std::size_t line = text.rfind(kLine);
  if (line == text.npos || line < 5) return {};
  PythonFrame frame;
  frame.file = text.substr(5, line - 5);
  if (frame.file.size() >= 2 && frame.file.starts_with('"') &&
      frame.file.ends_with('"'))
    frame.file = frame.file.substr(1, frame.file.size() - 2);
  std::string_view rest = text.substr(line + kLine.size());
  const std::string_view number = take_word(rest);
  frame.line = to_number<std::uint32_t>(number).value_or(0);
  if (frame.line == 0 && number != "0" && number != "???") return {};
  if (take_word(rest) != "in") return {};
  frame.function = trim(rest);
  if (frame.function.empty()) return {};
  return frame;
}

bool sniff_faulthandler(std::string_view head) {
  bool after_header = false;
  return any_head_line(head, 500, [&](std::string_view line) {
    if (after_header && parse_faulthandler_frame(line)) return true;
    after_header = is_header(line);
    return false;
  });
}

class FaulthandlerReader {
 public:
  explicit FaulthandlerReader(const ReadOptions& options)
      : options_(options), stack_(profile_, options) {}

  // The program's own output may be between the stacks; only lines that look
  // like a frame and are not count as unread.
  bool read_line(std::string_view line) {
    if (is_header(line)) {
      begin_thread(line);
    } else if (line.starts_with("  ") && thread_) {
      const std::string_view text = trim(line);
      if (const auto frame = parse_faulthandler_frame(line)) {
        push(*frame);
      } else if (text != "..." && text != "<no Python frame>") {
        return false;
      }
    } else {
      stack_.end_thread(thread_);
    }
    return true;
  }

  Profile finish() {
    stack_.end_thread(thread_);
    return std::move(profile_);
  }

 private:
  void begin_thread(std::string_view line) {
    stack_.end_thread(thread_);
    // Python 3.14 prints the C stack of the same thread as well.
    if (line.find("C stack trace") != line.npos) return;
    thread_ = ThreadId::kUnknown;
    const std::size_t open = line.find(" [");
    const std::size_t close = line.rfind("] (");
    if (open != line.npos && close != line.npos && open + 2 < close)
      thread_ =
          profile_.thread_id({.comm = profile_.strings.intern(without_separator(
                                  line.substr(open + 2, close - open - 2)))});
  }

  void push(const PythonFrame& parsed) {
    const Frame frame{.file = profile_.strings.intern(parsed.file),
                      .line = parsed.line};
    std::string name(parsed.function);
    if (options_.compat == Compat::kPerl)
      name = std::string(parsed.file) + ":" + std::to_string(parsed.line) +
             ":" + name;
    stack_.push(name, frame);
  }

  const ReadOptions& options_;
  Profile profile_;
  StackBuffer stack_;
  std::optional<ThreadId> thread_;  // the one whose frames are being read
};

}  // namespace

extern const InputFormat faulthandler_input = {
    .name = "faulthandler",
    .description = "stacks written by Python's faulthandler, one or many dumps",
    .sniff = sniff_faulthandler,
    .read = read_by_line<FaulthandlerReader>,
};

}  // namespace wick
