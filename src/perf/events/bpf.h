// SPDX-License-Identifier: Apache-2.0
// BPF programs of a few dozen instructions, assembled here, so that building
// wick takes no BPF compiler. Functions that return a file descriptor return
// none where the kernel or the lack of privileges rules it out.
#pragma once

#include <linux/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "io/unique_fd.h"
#include "perf/events/system_paths.h"

namespace wick {

// The instructions that are needed, named as in BPF's own assembler. Registers
// are BPF_REG_0 to BPF_REG_10.
class BpfAssembler {
 public:
  void load(int size, int to, int from, std::int16_t offset) {
    emit(BPF_LDX | size | BPF_MEM, to, from, offset, 0);
  }
  void store(int size, int to, std::int16_t offset, int from) {
    emit(BPF_STX | size | BPF_MEM, to, from, offset, 0);
  }
  void store_value(int to, std::int16_t offset, std::int32_t value) {
    emit(BPF_ST | BPF_W | BPF_MEM, to, 0, offset, value);
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
  void end(std::int32_t result) {
    set(BPF_REG_0, result);
    emit(BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
  }
  void end_if_zero(int reg, std::int32_t result) {
    emit(BPF_JMP | BPF_JNE | BPF_K, reg, 0, kEndSize, 0);
    end(result);
  }
  void end_unless_zero(int reg, std::int32_t result) {
    emit(BPF_JMP | BPF_JEQ | BPF_K, reg, 0, kEndSize, 0);
    end(result);
  }
  // Register 0 points to the value of the u32 key at `key` from the frame
  // pointer, or is 0.
  void look_up(int map_fd, std::int16_t key) {
    move(BPF_REG_2, BPF_REG_10);
    add(BPF_REG_2, key);
    set_map(BPF_REG_1, map_fd);
    call(BPF_FUNC_map_lookup_elem);
  }
  const std::vector<bpf_insn>& code() const { return code_; }

 private:
  static constexpr int kEndSize = 2;  // instructions of end()
  void emit(int code, int to, int from, int offset, std::int32_t value);

  std::vector<bpf_insn> code_;
};

// bpf(2).
template <class Fill>
long call_bpf(bpf_cmd command, Fill fill) {
  bpf_attr attr;
  std::memset(&attr, 0, sizeof attr);
  fill(attr);
  return ::syscall(SYS_bpf, command, &attr, sizeof attr);
}
template <class Fill>
UniqueFd open_bpf(bpf_cmd command, Fill fill) {
  return UniqueFd(static_cast<int>(call_bpf(command, fill)));
}

// With keys of four bytes.
UniqueFd make_bpf_map(bpf_map_type type, std::size_t value_size,
                      std::uint32_t most);
// `attach_to` is the BTF id of a hook, for programs of BPF_PROG_TYPE_TRACING.
UniqueFd load_bpf_program(bpf_prog_type type, const BpfAssembler& program,
                          std::string_view name, std::uint32_t attach_to = 0);

// BPF programs number threads as the initial pid namespace does, this process
// as its own.
bool is_in_initial_pid_namespace(const SystemPaths& paths);

}  // namespace wick
