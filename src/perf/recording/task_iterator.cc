// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/task_iterator.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <vector>

#include "io/read_file.h"
#include "object/elf/machine.h"
#include "object/kernel/btf.h"
#include "perf/events/bpf.h"

namespace wick {
namespace {

constexpr std::uint64_t kMaxBtf = std::uint64_t{64} << 20;
constexpr std::uint32_t kKernelThread = 0x00200000;  // PF_KTHREAD
constexpr std::uint64_t kCode32 = 0x23;              // __USER32_CS of x86

// pt_regs of x86-64 in words, by perf's numbers; see asm/ptrace.h and
// asm/perf_regs.h. 64-bit ARM and RISC-V have the same order in both.
constexpr std::array<std::int8_t, 24> kX86Words = {
    10, 5,  11, 12, 13, 14, 4, 19, 16, 18, -1, -1,
    -1, -1, -1, -1, 9,  8,  7, 6,  3,  2,  1,  0,
};
constexpr int kX86CodeSegmentWord = 17;

// What the program needs to know about the kernel it runs in.
struct KernelLayout {
  std::uint32_t iterator = 0;  // the BTF id of its hook
  std::int16_t tid = 0, pid = 0, on_cpu = 0, flags = 0, voluntary = 0,
               forced = 0;
};

std::optional<KernelLayout> read_layout(const SystemPaths& paths) {
  const auto bytes =
      read_small_file(paths.sys + "/kernel/btf/vmlinux", kMaxBtf);
  const auto btf = bytes ? Btf::parse(*bytes) : std::nullopt;
  if (!btf) return std::nullopt;
  KernelLayout layout;
  layout.iterator = btf->function("bpf_iter_task").value_or(0);
  bool is_known = layout.iterator != 0;
  const auto find = [&](std::int16_t& offset, std::string_view member) {
    const auto found = btf->offset("task_struct", member);
    is_known &= found && *found <= INT16_MAX;
    if (is_known) offset = static_cast<std::int16_t>(*found);
  };
  find(layout.tid, "pid");
  find(layout.pid, "tgid");
  find(layout.on_cpu, "on_cpu");
  find(layout.flags, "flags");
  find(layout.voluntary, "nvcsw");
  find(layout.forced, "nivcsw");
  return is_known ? std::optional(layout) : std::nullopt;
}

void copy_registers(BpfAssembler& out, int from, int to) {
  constexpr std::int16_t kPlace = offsetof(SeenTask, registers);
  const Machine machine = own_machine();
  const std::uint64_t wanted = traits_of(machine).perf_registers.mask;
  for (std::size_t i = 0; i < SeenTask::kMaxRegisters; ++i) {
    if ((wanted >> i & 1) == 0) continue;
    const int word =
        machine == Machine::kX86_64 ? kX86Words[i] : static_cast<int>(i);
    if (word < 0) continue;
    out.load(BPF_DW, BPF_REG_1, from, static_cast<std::int16_t>(word * 8));
    out.store(BPF_DW, to, static_cast<std::int16_t>(kPlace + i * 8), BPF_REG_1);
  }
  if (machine != Machine::kX86_64) return;
  out.load(BPF_H, BPF_REG_1, from, kX86CodeSegmentWord * 8);
  out.store(BPF_DW, to, offsetof(SeenTask, code_segment), BPF_REG_1);
}

// Called for each thread with a context of two pointers, to the file that is
// read and to the thread; the latter is null after the last one. `map_fd` has
// one SeenTask.
BpfAssembler assemble(const KernelLayout& kernel, int map_fd) {
  constexpr int kContext = BPF_REG_6, kTask = BPF_REG_7, kRegisters = BPF_REG_8,
                kSeen = BPF_REG_9;
  BpfAssembler out;
  out.move(kContext, BPF_REG_1);
  out.load(BPF_DW, kTask, kContext, 8);
  out.end_if_zero(kTask, 0);
  out.store_value(BPF_REG_10, -4, 0);
  out.look_up(map_fd, -4);
  out.end_if_zero(BPF_REG_0, 0);
  out.move(kSeen, BPF_REG_0);

  const auto copy = [&](int size, std::int16_t from, std::size_t to) {
    out.load(size, BPF_REG_1, kTask, from);
    out.store(size, kSeen, static_cast<std::int16_t>(to), BPF_REG_1);
  };
  copy(BPF_W, kernel.tid, offsetof(SeenTask, tid));
  copy(BPF_W, kernel.pid, offsetof(SeenTask, pid));
  copy(BPF_W, kernel.flags, offsetof(SeenTask, flags));
  copy(BPF_W, kernel.on_cpu, offsetof(SeenTask, is_on_cpu));
  copy(BPF_DW, kernel.voluntary, offsetof(SeenTask, voluntary));
  copy(BPF_DW, kernel.forced, offsetof(SeenTask, forced));

  out.move(BPF_REG_1, kTask);
  out.move(BPF_REG_2, kSeen);
  out.add(BPF_REG_2, offsetof(SeenTask, kernel_stack));
  out.set(BPF_REG_3, sizeof(SeenTask::kernel_stack));
  out.set(BPF_REG_4, 0);
  out.call(BPF_FUNC_get_task_stack);
  out.store(BPF_DW, kSeen, offsetof(SeenTask, kernel_bytes), BPF_REG_0);

  out.move(BPF_REG_1, kTask);
  out.call(BPF_FUNC_task_pt_regs);
  out.move(kRegisters, BPF_REG_0);
  copy_registers(out, kRegisters, kSeen);

  out.load(BPF_DW, BPF_REG_1, kContext, 0);
  out.load(BPF_DW, BPF_REG_1, BPF_REG_1, 0);
  out.move(BPF_REG_2, kSeen);
  out.set(BPF_REG_3, sizeof(SeenTask));
  out.call(BPF_FUNC_seq_write);
  out.end(0);
  return out;
}

}  // namespace

std::span<const std::uint64_t> SeenTask::kernel_leaf_first() const {
  const std::size_t count =
      kernel_bytes < 0 ? 0 : static_cast<std::size_t>(kernel_bytes) / 8;
  return std::span(kernel_stack).first(std::min(count, kMaxFrames));
}

bool SeenTask::is_kernel_thread() const { return (flags & kKernelThread) != 0; }
bool SeenTask::is_32_bit() const { return code_segment == kCode32; }

TaskIterator::TaskIterator(UniqueFd link) : link_(std::move(link)) {}

std::optional<TaskIterator> TaskIterator::load(const SystemPaths& paths) {
  if (traits_of(own_machine()).perf_registers.pc < 0 ||
      !is_in_initial_pid_namespace(paths))
    return std::nullopt;
  const auto kernel = read_layout(paths);
  if (!kernel) return std::nullopt;
  const UniqueFd map = make_bpf_map(BPF_MAP_TYPE_ARRAY, sizeof(SeenTask), 1);
  if (!map) return std::nullopt;
  const UniqueFd program =
      load_bpf_program(BPF_PROG_TYPE_TRACING, assemble(*kernel, map.get()),
                       "wick_threads", kernel->iterator);
  if (!program) return std::nullopt;
  UniqueFd link = open_bpf(BPF_LINK_CREATE, [&](bpf_attr& attr) {
    attr.link_create.prog_fd = static_cast<__u32>(program.get());
    attr.link_create.attach_type = BPF_TRACE_ITER;
  });
  if (!link) return std::nullopt;
  return TaskIterator(std::move(link));
}

bool TaskIterator::for_each(
    const std::function<void(const SeenTask&)>& visit) const {
  const UniqueFd run = open_bpf(BPF_ITER_CREATE, [&](bpf_attr& attr) {
    attr.iter_create.link_fd = static_cast<__u32>(link_.get());
  });
  if (!run) return false;
  // A read may end in the middle of what one thread wrote.
  std::vector<char> bytes(sizeof(SeenTask) * 32);
  std::size_t kept = 0;
  while (true) {
    const ssize_t size =
        ::read(run.get(), bytes.data() + kept, bytes.size() - kept);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (size <= 0) return size == 0;
    kept += static_cast<std::size_t>(size);
    std::size_t at = 0;
    for (; at + sizeof(SeenTask) <= kept; at += sizeof(SeenTask)) {
      SeenTask seen;
      std::memcpy(&seen, bytes.data() + at, sizeof seen);
      visit(seen);
    }
    std::memmove(bytes.data(), bytes.data() + at, kept - at);
    kept -= at;
  }
}

}  // namespace wick
