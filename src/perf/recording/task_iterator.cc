// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/task_iterator.h"

#include <linux/bpf.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <vector>

#include "io/read_file.h"
#include "object/elf/machine.h"
#include "object/kernel/btf.h"

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

// The instructions that are needed here, by their names in BPF's assembler.
class Assembler {
 public:
  void load(int size, int to, int from, std::int16_t offset) {
    emit(BPF_LDX | size | BPF_MEM, to, from, offset, 0);
  }
  void store(int size, int to, std::int16_t offset, int from) {
    emit(BPF_STX | size | BPF_MEM, to, from, offset, 0);
  }
  void store_zero(int to, std::int16_t offset) {
    emit(BPF_ST | BPF_W | BPF_MEM, to, 0, offset, 0);
  }
  void move(int to, int from) {
    emit(BPF_ALU64 | BPF_MOV | BPF_X, to, from, 0, 0);
  }
  void set(int to, std::int32_t value) {
    emit(BPF_ALU64 | BPF_MOV | BPF_K, to, 0, 0, value);
  }
  void add(int to, std::int32_t value) {
    emit(BPF_ALU64 | BPF_ADD | BPF_K, to, 0, 0, value);
  }
  void set_map(int to, int map_fd) {
    emit(BPF_LD | BPF_DW | BPF_IMM, to, BPF_PSEUDO_MAP_FD, 0, map_fd);
    emit(0, 0, 0, 0, 0);
  }
  void call(int helper) { emit(BPF_JMP | BPF_CALL, 0, 0, 0, helper); }
  // Ends the program with 0 unless the register is not 0.
  void end_if_zero(int reg) {
    emit(BPF_JMP | BPF_JNE | BPF_K, reg, 0, 2, 0);
    end();
  }
  void end() {
    set(BPF_REG_0, 0);
    emit(BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
  }
  const std::vector<bpf_insn>& code() const { return code_; }

 private:
  void emit(int code, int to, int from, int offset, std::int32_t value) {
    bpf_insn one{};
    one.code = static_cast<__u8>(code);
    one.dst_reg = static_cast<__u8>(to & 0xf);
    one.src_reg = static_cast<__u8>(from & 0xf);
    one.off = static_cast<__s16>(offset);
    one.imm = value;
    code_.push_back(one);
  }
  std::vector<bpf_insn> code_;
};

void copy_registers(Assembler& out, int from, int to) {
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
std::vector<bpf_insn> assemble(const KernelLayout& kernel, int map_fd) {
  constexpr int kContext = BPF_REG_6, kTask = BPF_REG_7, kRegisters = BPF_REG_8,
                kSeen = BPF_REG_9;
  Assembler out;
  out.move(kContext, BPF_REG_1);
  out.load(BPF_DW, kTask, kContext, 8);
  out.end_if_zero(kTask);
  out.store_zero(BPF_REG_10, -4);
  out.move(BPF_REG_2, BPF_REG_10);
  out.add(BPF_REG_2, -4);
  out.set_map(BPF_REG_1, map_fd);
  out.call(BPF_FUNC_map_lookup_elem);
  out.end_if_zero(BPF_REG_0);
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
  out.end();
  return out.code();
}

// bpf(2): a file descriptor, or none.
template <class Fill>
UniqueFd bpf(bpf_cmd command, Fill fill) {
  bpf_attr attr;
  std::memset(&attr, 0, sizeof attr);
  fill(attr);
  return UniqueFd(
      static_cast<int>(::syscall(SYS_bpf, command, &attr, sizeof attr)));
}

UniqueFd make_map() {
  return bpf(BPF_MAP_CREATE, [](bpf_attr& attr) {
    attr.map_type = BPF_MAP_TYPE_ARRAY;
    attr.key_size = 4;
    attr.value_size = sizeof(SeenTask);
    attr.max_entries = 1;
  });
}

UniqueFd load_program(const KernelLayout& kernel,
                      const std::vector<bpf_insn>& code) {
  // The kernel offers its registers only to programs under a licence that the
  // GPL allows. The instructions above may be used under either of these.
  static constexpr char kLicence[] = "Dual MIT/GPL";
  return bpf(BPF_PROG_LOAD, [&](bpf_attr& attr) {
    attr.prog_type = BPF_PROG_TYPE_TRACING;
    attr.expected_attach_type = BPF_TRACE_ITER;
    attr.attach_btf_id = kernel.iterator;
    attr.insns = reinterpret_cast<std::uintptr_t>(code.data());
    attr.insn_cnt = static_cast<__u32>(code.size());
    attr.license = reinterpret_cast<std::uintptr_t>(kLicence);
    std::memcpy(attr.prog_name, "wick_threads", 12);
  });
}

// The kernel counts threads from its initial pid namespace on, this process
// from its own.
bool is_in_initial_pid_namespace(const SystemPaths& paths) {
  constexpr ino_t kInitial = 0xeffffffc;  // PROC_PID_INIT_INO
  struct stat status {};
  return ::stat((paths.proc + "/self/ns/pid").c_str(), &status) == 0 &&
         status.st_ino == kInitial;
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
  const UniqueFd map = make_map();
  if (!map) return std::nullopt;
  const UniqueFd program = load_program(*kernel, assemble(*kernel, map.get()));
  if (!program) return std::nullopt;
  UniqueFd link = bpf(BPF_LINK_CREATE, [&](bpf_attr& attr) {
    attr.link_create.prog_fd = static_cast<__u32>(program.get());
    attr.link_create.attach_type = BPF_TRACE_ITER;
  });
  if (!link) return std::nullopt;
  return TaskIterator(std::move(link));
}

bool TaskIterator::for_each(
    const std::function<void(const SeenTask&)>& visit) const {
  const UniqueFd run = bpf(BPF_ITER_CREATE, [&](bpf_attr& attr) {
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
