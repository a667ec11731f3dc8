// SPDX-License-Identifier: Apache-2.0
// Thread stacks in the javacore files of IBM's and Eclipse's J9 JVM, where
// every line begins with a tag:
//
//   3XMTHREADINFO      "pool-1-thread-1" J9VMThread:0x8132B00, …, state:R,
//   prio=5 3XMTHREADINFO1            (native thread ID:0x3158, …)
//   3XMTHREADINFO3           Java callstack:
//   4XESTACKTRACE                at com/shop/Cart.add(Cart.java:12(Compiled
//   Code)) 5XESTACKTRACE                   (entered lock: com/shop/Cart@0x71,
//   …)
//
// Threads in states other than R count as waiting, and so do running threads
// that wait in a system call or have no Java stack.
#include <algorithm>

#include "format/java/java_frame.h"
#include "format/text/text_stacks.h"

namespace wick {
namespace {

bool sniff_ibmjava(std::string_view head) {
  return any_head_line(head, 2000, [](std::string_view line) {
    return line.starts_with("3XMTHREADINFO ") ||
           line.starts_with("4XESTACKTRACE ") ||
           line.starts_with("0SECTION       TITLE subcomponent dump routine");
  });
}

class IbmjavaReader {
 public:
  explicit IbmjavaReader(const ReadOptions& options)
      : options_(options), stack_(profile_, options) {}

  bool read_line(std::string_view line) {
    std::string_view rest = line;
    const std::string_view tag = take_word(rest);
    rest = trim(rest);
    if (tag == "3XMTHREADINFO") return begin_thread(rest);
    if (tag == "3XMTHREADINFO1") {
      read_native_id(rest);
    } else if (tag == "4XESTACKTRACE" && in_thread_) {
      if (!rest.starts_with("at ")) return false;
      const auto frame = parse_java_frame(trim(rest.substr(3)));
      if (!frame) return false;
      push(*frame);
    } else if (tag.starts_with('0') || tag.starts_with('1')) {
      end_thread();  // another section
    }
    return true;
  }

  Profile finish() {
    end_thread();
    return std::move(profile_);
  }

 private:
  bool begin_thread(std::string_view text) {
    end_thread();
    const std::size_t end = text.rfind('"');
    // The JVM lists threads that are not Java's as "Anonymous native thread".
    if (!text.starts_with('"') || end == 0) return text.starts_with("Anon");
    in_thread_ = true;
    name_ = text.substr(1, end - 1);
    const std::size_t state = text.find("state:", end);
    if (state == text.npos) return false;
    std::string_view value = text.substr(state + 6);
    runs_ = value.substr(0, value.find_first_of(", ")) == "R";
    return true;
  }

  // "(native thread ID:0x3158, …)".
  void read_native_id(std::string_view text) {
    constexpr std::string_view kId = "native thread ID:";
    const std::size_t at = text.find(kId);
    if (at == text.npos) return;
    text.remove_prefix(at + kId.size());
    native_id_ = text.substr(0, text.find_first_of(",) "));
  }

  void push(const JavaFrame& frame) {
    if (stack_.empty()) waits_ = is_waiting_method(frame.name, options_.compat);
    stack_.push(
        java_name(frame, options_),
        {.file = profile_.strings.intern(frame.file), .line = frame.line});
  }

  Thread thread() {
    Thread thread;
    if (native_id_.starts_with("0x"))
      thread.tid =
          to_number<std::int32_t>(std::string_view(native_id_).substr(2), 16)
              .value_or(Thread::kUnknown);
    std::string name = without_separator(name_);
    if (options_.include_thread_id && !native_id_.empty())
      name += "-" + native_id_;
    if (options_.include_thread_name)
      thread.comm = profile_.strings.intern(name);
    return thread;
  }

  void end_thread() {
    if (!in_thread_) return;
    if (runs_ && !waits_ && !stack_.empty())
      stack_.add_one(profile_.thread_id(thread()));
    else
      profile_.diagnostics.note(Problem::kIdle, 1, 1);
    stack_.clear();
    native_id_.clear();
    in_thread_ = runs_ = waits_ = false;
  }

  const ReadOptions& options_;
  Profile profile_;
  StackBuffer stack_;
  std::string name_, native_id_;
  bool in_thread_ = false, runs_ = false, waits_ = false;
};

}  // namespace

extern const InputFormat ibmjava_input = {
    .name = "ibmjava",
    .description = "javacore files of IBM and Eclipse J9 JVMs",
    .sniff = sniff_ibmjava,
    .read = read_by_line<IbmjavaReader>,
};

}  // namespace wick
