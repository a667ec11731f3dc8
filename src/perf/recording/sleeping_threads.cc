// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/sleeping_threads.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/text.h"
#include "object/elf/machine.h"

namespace wick {
namespace {

// One copy of each thread costs little, however small those of switches are.
constexpr std::size_t kLeastStack = 16384;

// As in prev_state of sched_switch.
std::int64_t state_number(char letter) {
  constexpr std::string_view kLetters = "SDTtXZPI";
  const std::size_t bit = kLetters.find(letter);
  return bit == kLetters.npos ? 1 : std::int64_t{1} << bit;
}

// Where callers return to, by the chain of frame pointers in the copied stack.
void append_by_frame_pointers(const SleepingThread& thread,
                              std::vector<std::uint64_t>& out) {
  const MachineTraits& machine = traits_of(own_machine());
  const PerfRegisters& numbers = machine.perf_registers;
  const auto fp_number =
      std::ranges::find(numbers.to_dwarf, machine.unwinding.fp);
  if (fp_number == numbers.to_dwarf.end()) return;
  const std::uint64_t sp =
      thread.registers[static_cast<std::size_t>(numbers.sp)];
  std::uint64_t fp = thread.registers[static_cast<std::size_t>(
      fp_number - numbers.to_dwarf.begin())];
  const auto word = [&](std::uint64_t address) {
    std::uint64_t value = 0;
    const std::uint64_t at = address - sp;
    if (at <= thread.user_stack.size() && thread.user_stack.size() - at >= 8)
      std::memcpy(&value, thread.user_stack.data() + at, 8);
    return value;
  };
  for (std::size_t i = 0; i < SeenTask::kMaxFrames && fp >= sp; ++i) {
    const std::uint64_t caller =
        word(fp + static_cast<std::uint64_t>(machine.unwinding.saved_ra));
    const std::uint64_t next =
        word(fp + static_cast<std::uint64_t>(machine.unwinding.saved_fp));
    if (caller == 0) return;
    out.push_back(caller);
    if (next <= fp) return;
    fp = next;
  }
}

}  // namespace

SleepingThreads::SleepingThreads(const PerfEvent& switches,
                                 std::string_view tracing_data, bool uses_bpf)
    : uses_bpf_(uses_bpf),
      attr_(switches.attr),
      encoder_(switches.attr, switches.ids.front(), 0),
      formats_(read_tracing_data(tracing_data)) {
  for (const auto& format : formats_)
    if (format->name == "sched_switch") switch_ = format.get();
}

void SleepingThreads::visit(const PerfRecord& record) {
  if (record.type != RecordType::kFork || (record.misc & misc::kForkExec) == 0)
    return;
  if (const auto fork = decode_task(record))
    waiting_[static_cast<pid_t>(fork->tid)] = static_cast<pid_t>(fork->pid);
}

bool SleepingThreads::is_time_up() const {
  return std::chrono::steady_clock::now() >= end_;
}

void SleepingThreads::look(const ThreadLook::Now& now,
                           std::chrono::milliseconds longest, const Emit& emit,
                           const std::function<void()>& pause) {
  end_ = std::chrono::steady_clock::now() + longest;
  ThreadLook one(std::max<std::size_t>(attr_.sample_stack_user, kLeastStack),
                 now);
  const auto iterator = uses_bpf_ ? TaskIterator::load() : std::nullopt;
  const bool is_done =
      iterator && iterator->for_each([&](const SeenTask& seen) {
        const auto tid = static_cast<pid_t>(seen.tid);
        if (is_time_up() || waiting_.count(tid) == 0) return;
        use(one.completed(seen), emit);
        waiting_.erase(tid);
        pause();
      });
  while (!is_done && !waiting_.empty() && !is_time_up()) {
    const auto [tid, pid] = *waiting_.begin();
    use(one.through_proc(pid, tid), emit);
    waiting_.erase(waiting_.begin());
    pause();
  }
  if (is_time_up()) unseen_ = waiting_.size();
  waiting_.clear();
}

void SleepingThreads::use(const std::optional<SleepingThread>& thread,
                          const Emit& emit) {
  if (!thread) return;
  if (thread->is_stack_hidden)
    ++hidden_stacks_;
  else if (thread->is_kernel_stack_hidden && wants_kernel())
    ++hidden_kernel_stacks_;
  if (thread->has_place()) emit(encode(*thread));
}

std::vector<std::string> SleepingThreads::limitations() const {
  std::vector<std::string> sentences;
  if (unseen_ > 0)
    sentences.push_back(fmt::format(
        "where {} slept at the beginning is not known; looking at so many "
        "would have taken too long",
        counted(unseen_, "thread")));
  if (hidden_stacks_ > 0)
    sentences.push_back(fmt::format(
        "the kernel does not show the stacks of {} that slept at the "
        "beginning{}",
        counted(hidden_stacks_, "thread"),
        why_stacks_are_hidden(::geteuid() == 0)));
  if (hidden_kernel_stacks_ > 0)
    sentences.push_back(fmt::format(
        "where {} slept inside the kernel is not known; seeing that takes "
        "CAP_BPF or CAP_SYS_ADMIN",
        counted(hidden_kernel_stacks_, "thread")));
  return sentences;
}

std::string_view SleepingThreads::encode(const SleepingThread& thread) {
  PerfSample sample;
  sample.pid = static_cast<std::uint32_t>(thread.pid);
  sample.tid = static_cast<std::uint32_t>(thread.tid);
  sample.cpu = thread.cpu;
  sample.period = 1;
  fill_callchain(thread);
  sample.callchain = callchain_;
  const int pc = traits_of(own_machine()).perf_registers.pc;
  const bool in_kernel = !thread.kernel_leaf_first.empty();
  sample.ip = in_kernel ? thread.kernel_leaf_first.front()
              : pc < 0  ? 0
                        : thread.registers[static_cast<std::size_t>(pc)];
  const std::string raw = raw_of(thread);
  sample.raw = raw;
  registers_.clear();
  for (std::size_t i = 0; i < thread.registers.size(); ++i)
    if ((attr_.sample_regs_user >> i & 1) != 0)
      registers_.push_back(thread.registers[i]);
  sample.user_registers = {
      .abi = thread.abi, .mask = attr_.sample_regs_user, .values = registers_};
  sample.user_stack = thread.user_stack;
  encoder_.set_time(thread.time);
  return encoder_.sample(sample, in_kernel ? misc::kKernel : misc::kUser);
}

void SleepingThreads::fill_callchain(const SleepingThread& thread) {
  callchain_.clear();
  if (!thread.kernel_leaf_first.empty() &&
      !attr_.flag(attr_flag::kExcludeCallchainKernel)) {
    callchain_.push_back(callchain::kKernel);
    callchain_.insert(callchain_.end(), thread.kernel_leaf_first.begin(),
                      thread.kernel_leaf_first.end());
  }
  const int pc = traits_of(own_machine()).perf_registers.pc;
  if (thread.abi == kRegsAbiNone || pc < 0 ||
      attr_.flag(attr_flag::kExcludeCallchainUser))
    return;
  callchain_.push_back(callchain::kUser);
  callchain_.push_back(thread.registers[static_cast<std::size_t>(pc)]);
  append_by_frame_pointers(thread, callchain_);
}

// The fields of sched_switch; those that are not set here are 0.
std::string SleepingThreads::raw_of(const SleepingThread& thread) const {
  std::string raw;
  if (switch_ == nullptr) return raw;
  for (const TracepointField& field : switch_->fields)
    raw.resize(std::max<std::size_t>(raw.size(), field.offset + field.size));
  const auto put = [&](std::string_view name, std::string_view bytes) {
    if (const TracepointField* field = switch_->field(name))
      raw.replace(field->offset,
                  std::min<std::size_t>(bytes.size(), field->size),
                  bytes.substr(0, field->size));
  };
  const auto put_number = [&](std::string_view name, std::int64_t number) {
    char bytes[sizeof number];
    if constexpr (std::endian::native == std::endian::big) {
      const TracepointField* field = switch_->field(name);
      if (field != nullptr && field->size < sizeof number)
        number <<= 8 * (sizeof number - field->size);
    }
    std::memcpy(bytes, &number, sizeof number);
    put(name, {bytes, sizeof bytes});
  };
  put_number("common_type", static_cast<std::int64_t>(attr_.config));
  put_number("common_pid", thread.tid);
  put("prev_comm", thread.name.substr(0, 15));
  put_number("prev_pid", thread.tid);
  put_number("prev_prio", thread.priority);
  put_number("prev_state", state_number(thread.state));
  put("next_comm", "[asleep]");
  return raw;
}

}  // namespace wick
