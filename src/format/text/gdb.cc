// SPDX-License-Identifier: Apache-2.0
// Stacks printed by gdb's `thread apply all bt`, once or many times (the poor
// man's profiler). A sample for each thread and dump.
//
//   Thread 2 (Thread 0x7fe019b3d6c0 (LWP 21207) "worker-1"):
//   #0  shop::tax (x=2.5) at cart.cc:9
//   #1  0x000055a44fc63374 in std::function<void (int)>::operator()(int) const
//   (
//       this=0x7fe019b3ce80) at /usr/include/c++/12/bits/std_function.h:591
//   #2  0x00007fe019ed44a3 in ?? () from /lib/x86_64-linux-gnu/libstdc++.so.6
//
// Names and arguments may contain blanks, brackets and quotes, so a frame is
// parsed from its end: place, argument list, name. gdb prints much else (loaded
// files, where the target stopped, local variables); only lines that begin like
// a frame or a thread and are not one count as unread.
#include <algorithm>
#include <optional>

#include "format/text/text_stacks.h"

namespace wick {
namespace {

struct GdbFrame {
  std::uint64_t address = 0;
  std::string_view name, file, module;
  std::uint32_t line = 0;
};

// "#12  " in front of every frame; taken from `text`.
std::optional<std::uint32_t> take_gdb_depth(std::string_view& text) {
  if (!text.starts_with('#')) return {};
  const std::size_t end = text.find_first_of(" \t");
  if (end == text.npos) return {};
  const auto depth = to_number<std::uint32_t>(text.substr(1, end - 1));
  if (depth) text = trim(text.substr(end));
  return depth;
}

bool is_quote(std::string_view text, std::size_t at) {
  return (text[at] == '"' || text[at] == '\'') &&
         (at == 0 || text[at - 1] != '\\');
}

// Where the quoted text that ends at `end` begins.
std::size_t opening_quote(std::string_view text, std::size_t end) {
  for (std::size_t at = end; at-- > 0;)
    if (text[at] == text[end] && is_quote(text, at)) return at;
  return end;
}

// Where the bracket opens that closes at the end of `text`; brackets in quoted
// arguments do not count. npos if there is none.
std::size_t opening_bracket(std::string_view text) {
  int depth = 0;
  for (std::size_t at = text.size(); at-- > 0;) {
    const char c = text[at];
    if (is_quote(text, at)) {
      at = opening_quote(text, at);
    } else if (c == ')') {
      ++depth;
    } else if (c == '(' && --depth == 0) {
      return at;
    }
  }
  return text.npos;
}

// Removes " at file:line" or " from module" from the end of `text`.
void take_place(std::string_view& text, GdbFrame& frame) {
  const std::size_t at = text.rfind(") at ");
  const std::size_t from = text.rfind(") from ");
  if (from != text.npos && (at == text.npos || from > at)) {
    frame.module = trim(text.substr(from + 7));
    text = text.substr(0, from + 1);
  } else if (at != text.npos) {
    const std::string_view place = text.substr(at + 5);
    const std::size_t colon = place.rfind(':');
    if (colon == place.npos) return;
    const auto line = to_number<std::uint32_t>(place.substr(colon + 1));
    if (!line) return;
    frame.file = place.substr(0, colon);
    frame.line = *line;
    text = text.substr(0, at + 1);
  }
}

std::optional<GdbFrame> parse_gdb_frame(std::string_view text) {
  if (!take_gdb_depth(text)) return {};
  GdbFrame frame;
  if (text.starts_with("0x")) {
    std::string_view rest = text.substr(2);
    const auto address = to_number<std::uint64_t>(take_word(rest), 16);
    if (!address || !rest.starts_with(" in ")) return {};
    frame.address = *address;
    text = trim(rest.substr(4));
  }
  if (text.starts_with('<') && text.ends_with(" called>")) {
    frame.name = text;  // <signal handler called>
    return frame;
  }
  take_place(text, frame);
  if (!text.ends_with(')')) return {};
  // A quote in a name (operator"" _x) can make the brackets unmatched.
  std::size_t open = opening_bracket(text);
  if (open == text.npos || open == 0) open = text.rfind(" (");
  if (open == text.npos) return {};
  frame.name = trim_right(text.substr(0, open));
  if (frame.name.empty()) return {};
  return frame;
}

struct GdbThread {
  std::int32_t tid = Thread::kUnknown;
  std::string_view name;
};

// "Thread 2 (Thread 0x7f… (LWP 21207) "name"):".
std::optional<GdbThread> parse_gdb_thread(std::string_view line) {
  line = trim_right(line);
  if (!line.starts_with("Thread ") || !line.ends_with("):")) return {};
  line.remove_prefix(7);
  const std::size_t open = line.find(" (");
  if (open == line.npos || !all_digits(line.substr(0, open))) return {};
  GdbThread thread;
  for (const std::string_view word : {"LWP ", "process "}) {
    const std::size_t at = line.find(word);
    if (at == line.npos) continue;
    const std::string_view rest = line.substr(at + word.size());
    thread.tid = to_number<std::int32_t>(
                     rest.substr(0, rest.find_first_not_of("0123456789")))
                     .value_or(Thread::kUnknown);
    break;
  }
  const std::size_t first = line.find('"'), last = line.rfind('"');
  if (first != line.npos && first < last)
    thread.name = line.substr(first + 1, last - first - 1);
  return thread;
}

bool sniff_gdb(std::string_view head) {
  return any_head_line(head, 500, [](std::string_view line) {
    return line.starts_with("#0 ") && parse_gdb_frame(line);
  });
}

class GdbReader {
 public:
  explicit GdbReader(const ReadOptions& options)
      : options_(options), stack_(profile_, options) {}

  Profile read(InputFile& file) {
    for_each_line(file, [&](std::string_view line, std::uint64_t number) {
      if (continues(line)) {
        pending_ += ' ';
        pending_ += trim(line);
        ++pending_lines_;
      } else {
        end_frame();
        read_line(line, number);
      }
    });
    end_frame();
    stack_.end_thread(thread_);
    return std::move(profile_);
  }

 private:
  void read_line(std::string_view line, std::uint64_t number) {
    std::string_view text = line;
    if (const auto depth = take_gdb_depth(text)) {
      if (*depth == 0 && !stack_.empty()) stack_.end_thread(thread_);
      if (!thread_) thread_ = ThreadId::kUnknown;
      pending_ = line;
      pending_lines_ = 1;
      pending_number_ = number;
      return;
    }
    if (!line.starts_with("Thread ")) return;
    stack_.end_thread(thread_);
    const auto thread = parse_gdb_thread(line);
    if (!thread) {
      profile_.diagnostics.note_at(Problem::kBadLine, line, number);
      return;
    }
    thread_ = profile_.thread_id(
        {.tid = thread->tid,
         .comm = profile_.strings.intern(without_separator(thread->name))});
  }

  // Long frames are wrapped where gdb writes to a terminal of some width. Local
  // variables (`bt full`) are indented too, but follow a frame that is whole.
  bool continues(std::string_view line) const {
    constexpr int kMaxLines = 64;
    if (pending_.empty() || !line.starts_with("    ") ||
        pending_lines_ >= kMaxLines)
      return false;
    const std::string_view text = trim(line);
    return text.starts_with("at ") || text.starts_with("from ") ||
           !parse_gdb_frame(pending_);
  }

  void end_frame() {
    if (pending_.empty()) return;
    const auto parsed = parse_gdb_frame(pending_);
    if (parsed)
      push(*parsed);
    else
      profile_.diagnostics.note_at(Problem::kBadLine, pending_,
                                   pending_number_);
    pending_.clear();
  }

  void push(const GdbFrame& parsed) {
    Frame frame{.file = profile_.strings.intern(parsed.file),
                .line = parsed.line};
    if (!parsed.module.empty())
      frame.module = profile_.module_id(parsed.module);
    if (options_.keep_addresses) frame.address = parsed.address;
    if (parsed.name.starts_with('<'))
      stack_.push(parsed.name, {.kind = FrameKind::kLabel});
    else if (parsed.name == "??" && options_.compat != Compat::kPerl)
      stack_.push("", frame);
    else
      stack_.push_symbol(parsed.name, frame);
  }

  const ReadOptions& options_;
  Profile profile_;
  StackBuffer stack_;
  std::optional<ThreadId> thread_;  // the one whose frames are being read
  std::string pending_;  // the frame being read, continuation lines joined
  std::uint64_t pending_number_ = 0;
  int pending_lines_ = 0;
};

}  // namespace

extern const InputFormat gdb_input = {
    .name = "gdb",
    .description = "gdb's `thread apply all bt`, one or many dumps",
    .sniff = sniff_gdb,
    .read =
        [](InputFile& file, const ReadOptions& options) {
          return GdbReader(options).read(file);
        },
};

}  // namespace wick
