// SPDX-License-Identifier: Apache-2.0
// Thread dumps of the HotSpot JVM (`jstack`, `jcmd Thread.print`, SIGQUIT), one
// or many in a file. A sample for each thread that runs:
//
//   "pool-1-thread-2" #13 prio=5 os_prio=0 tid=0x00007f93b4 nid=0x5146 runnable
//      java.lang.Thread.State: RUNNABLE
//           at com.shop.Cart.add(Cart.java:12)
//           - locked <0x000000069ec18c90> (a com.shop.Cart)
//           at java.lang.Thread.run(java.base@17.0.15/Thread.java:840)
//
// Threads that wait in a system call are RUNNABLE, too, and so are the JVM's
// own threads, which have no Java stack. Both are left out, as in other tools,
// and counted as waiting.
#include <algorithm>
#include <optional>

#include "format/java/java_frame.h"
#include "format/text/text_stacks.h"

namespace wick {
namespace {

constexpr std::string_view kState = "java.lang.Thread.State: ";

struct JavaThread {
  std::string_view name;
  std::int32_t tid = Thread::kUnknown;
};

// "name" and attributes. The name may hold quotes, the attributes do not.
std::optional<JavaThread> parse_thread(std::string_view line) {
  if (!line.starts_with('"')) return {};
  const std::size_t end = line.rfind('"');
  if (end == 0) return {};
  JavaThread thread{.name = line.substr(1, end - 1)};
  std::string_view attributes = line.substr(end + 1);
  while (!trim(attributes).empty()) {
    std::string_view word = take_word(attributes);
    if (!word.starts_with("nid=")) continue;
    word.remove_prefix(4);
    const auto id = word.starts_with("0x")
                        ? to_number<std::int32_t>(word.substr(2), 16)
                        : to_number<std::int32_t>(word);
    thread.tid = id.value_or(Thread::kUnknown);
  }
  return thread;
}

bool sniff_jstack(std::string_view head) {
  bool after_thread = false;
  return any_head_line(head, 300, [&](std::string_view line) {
    if (line.starts_with("Full thread dump ")) return true;
    if (after_thread && trim(line).starts_with(kState)) return true;
    after_thread = parse_thread(line).has_value();
    return false;
  });
}

// "pool-1-thread" for "pool-1-thread-2": threads of a pool are alike.
std::string_view without_number(std::string_view name) {
  const std::size_t dash = name.rfind('-');
  return dash != name.npos && dash > 0 && all_digits(name.substr(dash + 1))
             ? name.substr(0, dash)
             : name;
}

class JstackReader {
 public:
  explicit JstackReader(const ReadOptions& options)
      : options_(options), stack_(profile_, options) {}

  // Ignores all lines but threads and frames; false only for a line that begins
  // like one of these and is not.
  bool read_line(std::string_view line) {
    if (line.starts_with('"')) return begin_thread(line);
    const std::string_view text = trim(line);
    if (text.empty()) {
      end_thread();
    } else if (text.starts_with(kState)) {
      runs_ = text.substr(kState.size()).starts_with("RUNNABLE");
    } else if (in_thread_ && text.starts_with("at ")) {
      const auto frame = parse_java_frame(trim(text.substr(3)));
      if (!frame) return false;
      push(*frame);
    }
    return true;
  }

  Profile finish() {
    end_thread();
    return std::move(profile_);
  }

 private:
  bool begin_thread(std::string_view line) {
    end_thread();
    const auto thread = parse_thread(line);
    if (!thread) return false;
    in_thread_ = true;
    thread_ = {.tid = thread->tid};
    if (options_.include_thread_name)
      thread_.comm = profile_.strings.intern(without_separator(
          options_.include_thread_id ? thread->name
                                     : without_number(thread->name)));
    return true;
  }

  void push(const JavaFrame& frame) {
    if (stack_.empty()) waits_ = is_waiting_method(frame.name, options_.compat);
    stack_.push(
        java_name(frame, options_),
        {.file = profile_.strings.intern(frame.file), .line = frame.line});
  }

  void end_thread() {
    if (!in_thread_) return;
    if (runs_ && !waits_ && !stack_.empty())
      stack_.add_one(profile_.thread_id(thread_));
    else
      profile_.diagnostics.note(Problem::kIdle, 1, 1);
    stack_.clear();
    in_thread_ = runs_ = waits_ = false;
  }

  const ReadOptions& options_;
  Profile profile_;
  StackBuffer stack_;
  Thread thread_;
  bool in_thread_ = false, runs_ = false, waits_ = false;
};

}  // namespace

extern const InputFormat jstack_input = {
    .name = "jstack",
    .description = "Java thread dumps (jstack), one or many",
    .sniff = sniff_jstack,
    .read = read_by_line<JstackReader>,
};

}  // namespace wick
