// SPDX-License-Identifier: Apache-2.0
// The part of QEMU's plugin interface that is used here, declared from its
// documentation: distributions do not package the header. All symbols are weak:
// they are resolved when QEMU loads the plugin and are null if that QEMU lacks
// them, so one file works with versions 1 (QEMU 4.2 to 8.1) to 5.
#pragma once

#include <cstddef>
#include <cstdint>

#define WICK_WEAK __attribute__((weak))

extern "C" {

using qemu_plugin_id_t = std::uint64_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_scoreboard;
struct qemu_plugin_register;

struct qemu_info_t {
  const char* target_name;
  struct {
    int min, cur;
  } version;
  bool system_emulation;
  struct {
    int smp_vcpus, max_vcpus;
  } system;
};

enum { QEMU_PLUGIN_CB_NO_REGS = 0, QEMU_PLUGIN_CB_R_REGS = 1 };

using qemu_plugin_vcpu_cb = void (*)(qemu_plugin_id_t, unsigned vcpu);
using qemu_plugin_exec_cb = void (*)(unsigned vcpu, void* data);

void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t,
                                       qemu_plugin_vcpu_cb) WICK_WEAK;
void qemu_plugin_register_vcpu_idle_cb(qemu_plugin_id_t,
                                       qemu_plugin_vcpu_cb) WICK_WEAK;
void qemu_plugin_register_vcpu_exit_cb(qemu_plugin_id_t,
                                       qemu_plugin_vcpu_cb) WICK_WEAK;
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t,
                                    void (*)(qemu_plugin_id_t, void*),
                                    void*) WICK_WEAK;
void qemu_plugin_register_vcpu_syscall_ret_cb(
    qemu_plugin_id_t,
    void (*)(qemu_plugin_id_t, unsigned vcpu, std::int64_t number,
             std::int64_t result)) WICK_WEAK;
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t,
                                           void (*)(qemu_plugin_id_t,
                                                    qemu_plugin_tb*)) WICK_WEAK;
void qemu_plugin_register_vcpu_tb_exec_cb(qemu_plugin_tb*, qemu_plugin_exec_cb,
                                          int flags, void* data) WICK_WEAK;
void qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_insn*,
                                            qemu_plugin_exec_cb, int flags,
                                            void* data) WICK_WEAK;
void qemu_plugin_outs(const char*) WICK_WEAK;

std::size_t qemu_plugin_tb_n_insns(const qemu_plugin_tb*) WICK_WEAK;
std::uint64_t qemu_plugin_tb_vaddr(const qemu_plugin_tb*) WICK_WEAK;
qemu_plugin_insn* qemu_plugin_tb_get_insn(const qemu_plugin_tb*,
                                          std::size_t index) WICK_WEAK;
std::uint64_t qemu_plugin_insn_vaddr(const qemu_plugin_insn*) WICK_WEAK;
std::size_t qemu_plugin_insn_size(const qemu_plugin_insn*) WICK_WEAK;
// Up to version 2, it has one parameter and returns a pointer to the bytes;
// from version 3 on, it copies them and returns their number.
std::uintptr_t qemu_plugin_insn_data(const qemu_plugin_insn*, void* to,
                                     std::size_t size) WICK_WEAK;

// User mode.
const char* qemu_plugin_path_to_binary() WICK_WEAK;
std::uint64_t qemu_plugin_start_code() WICK_WEAK;

// Version 2.
struct qemu_plugin_u64 {
  qemu_plugin_scoreboard* score;
  std::size_t offset;
};
enum qemu_plugin_op {
  QEMU_PLUGIN_INLINE_ADD_U64 = 0,
  QEMU_PLUGIN_INLINE_STORE_U64 = 1
};
qemu_plugin_scoreboard* qemu_plugin_scoreboard_new(std::size_t size) WICK_WEAK;
void* qemu_plugin_scoreboard_find(qemu_plugin_scoreboard*,
                                  unsigned vcpu) WICK_WEAK;
void qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(
    qemu_plugin_insn*, qemu_plugin_op, qemu_plugin_u64,
    std::uint64_t value) WICK_WEAK;

struct GArray {
  char* data;
  unsigned len;
};
struct GByteArray {
  std::uint8_t* data;
  unsigned len;
};
struct qemu_plugin_reg_descriptor {
  qemu_plugin_register* handle;
  const char* name;
  const char* feature;
};
GArray* qemu_plugin_get_registers() WICK_WEAK;
int qemu_plugin_read_register(qemu_plugin_register*, GByteArray*) WICK_WEAK;

// Version 4.
bool qemu_plugin_read_memory_vaddr(std::uint64_t addr, GByteArray*,
                                   std::size_t size) WICK_WEAK;

// GLib, which QEMU is linked with.
GByteArray* g_byte_array_new() WICK_WEAK;
GByteArray* g_byte_array_set_size(GByteArray*, unsigned) WICK_WEAK;

}  // extern "C"
