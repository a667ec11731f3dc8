// SPDX-License-Identifier: Apache-2.0
#include "perf/session/wakers.h"

#include <algorithm>

#include "perf/records/tracepoint.h"
#include "transform/transform.h"

namespace wick {
namespace {

constexpr std::uint32_t kNone = StacklessSample::kNoSwitch;

std::optional<std::int64_t> field_of(const TracepointFormat& format,
                                     std::string_view name,
                                     std::string_view raw) {
  const TracepointField* field = format.field(name);
  return field == nullptr ? std::nullopt : format.integer(*field, raw);
}

// TRACE_FLAG_HARDIRQ and TRACE_FLAG_SOFTIRQ of the kernel: the interrupted
// thread did not cause the waking.
bool in_interrupt(const TracepointFormat& format, std::string_view raw) {
  constexpr std::int64_t kInterrupts = 0x08 | 0x10;
  return (field_of(format, "common_flags", raw).value_or(0) & kInterrupts) != 0;
}

// Where the kernel begins to handle an interrupt, on x86 and Arm. Its callers
// were merely interrupted.
bool enters_interrupt(std::string_view function) {
  return function.starts_with("asm_sysvec_") ||
         function == "asm_common_interrupt" ||
         function.starts_with("el1h_64_irq") ||
         function.starts_with("el0t_64_irq");
}

}  // namespace

bool Wakers::is_waking(const PerfEvent& event) {
  return event.name == "sched:sched_waking" ||
         event.name == "sched:sched_wakeup";
}

std::uint32_t Wakers::on_sample(Task& waker, std::uint64_t time,
                                std::string_view raw, const PerfEvent& event,
                                Tasks& tasks) {
  if (event.tracepoint == nullptr) return kNone;
  const TracepointFormat& format = *event.tracepoint;
  const auto tid = field_of(format, "pid", raw);
  if (!tid || *tid <= 0 || *tid > INT32_MAX) return kNone;
  Task* woken = tasks.find(static_cast<std::uint32_t>(*tid));
  if (woken == nullptr) return kNone;
  // Only the first waking after it left the CPU counts. The same one may be
  // recorded twice, as an event of the waker and of the machine.
  if (woken->waking != kNone &&
      wakings_[woken->waking].time >= woken->last_switch_time)
    return kNone;
  woken->waking = static_cast<std::uint32_t>(wakings_.size());
  const bool interrupt = in_interrupt(format, raw);
  wakings_.push_back({.time = time,
                      .waker = thread_of(profile_, waker),
                      .before = interrupt ? kNone : waker.woken_by,
                      .in_interrupt = interrupt});
  return woken->waking;
}

std::uint32_t Wakers::on_back(Task& task, std::uint64_t since) {
  if (task.waking == kNone) return kNone;
  if (wakings_[task.waking].time < since) return kNone;
  task.woken_by = task.waking;
  return task.waking;
}

StackId Wakers::behind(StackId blocked, std::uint32_t waking,
                       std::uint64_t since) {
  StackId stack = blocked;
  // Each waking is earlier than the one it led to, so this ends.
  for (int i = 0; i < kMaxChain && waking != kNone; ++i) {
    const Waking& now = wakings_[waking];
    if (now.time < since) break;
    stack = push_waker(stack, now);
    waking = now.before;
  }
  return stack;
}

StackId Wakers::push_waker(StackId stack, const Waking& waking) {
  const auto push_label = [&](std::string_view text) {
    stack = profile_.stacks.push(stack,
                                 profile_.named_frame(text, FrameKind::kLabel));
  };
  push_label(kSeparator);
  push_label(waking.in_interrupt
                 ? kInterrupt
                 : profile_.strings[profile_.threads[waking.waker].comm]);
  const std::uint32_t depth = profile_.stacks.depth(waking.stack);
  if (depth > frames_left_) {
    profile_.diagnostics.note(Problem::kDeepStack, depth);
    return stack;
  }
  frames_left_ -= depth;
  profile_.stacks.frames_of(waking.stack, frames_);
  for (const FrameId frame : frames_)
    if (!waking.in_interrupt ||
        profile_.frames[frame].kind == FrameKind::kKernel)
      stack = profile_.stacks.push(stack, frame);
  return stack;
}

Profile turn_wakers(Profile profile) {
  const StringId name = profile.strings.intern(Wakers::kSeparator);
  const auto is_separator = [&](const Frame& frame) {
    return frame.function == name && frame.kind == FrameKind::kLabel;
  };
  Column<FrameId, bool> separates(profile.frames.size());
  bool any = false;
  for (const FrameId id : profile.frames.ids())
    any |= separates[id] = is_separator(profile.frames[id]);
  if (!any) return profile;
  const auto name_of = [](const Profile& of, FrameId id) {
    return of.strings[of.frames[id].function];
  };
  return rewrite_stacks(
      std::move(profile), [&](const Profile& of, std::vector<FrameId>& frames) {
        const auto next = [&](auto from) {
          return std::find_if(from, frames.end(),
                              [&](FrameId id) { return separates[id]; });
        };
        for (auto at = next(frames.begin()); at != frames.end();) {
          auto end = next(at + 1);
          if (end - at > 1 && name_of(of, at[1]) == Wakers::kInterrupt) {
            auto entry = end - 1;
            while (entry > at + 1 && !enters_interrupt(name_of(of, *entry)))
              --entry;
            if (entry > at + 1) {
              const auto cut = entry - (at + 2);
              frames.erase(at + 2, entry);
              end -= cut;
            }
          }
          std::reverse(at + 1, end);
          at = end;
        }
      });
}

}  // namespace wick
