// SPDX-License-Identifier: Apache-2.0
// Registers and memory of the guest, if this QEMU lets a plugin read them.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>

#include "qemu_plugin_abi.h"

namespace wick_qemu {

// Use it only in callbacks of its vCPU, after init() in the vcpu-init callback.
class Guest {
 public:
  void init() {
    if (!qemu_plugin_get_registers || !qemu_plugin_read_register ||
        !g_byte_array_new || !g_byte_array_set_size)
      return;
    buffer_ = g_byte_array_new();
    // The array leaks once per vCPU: its elements belong to QEMU.
    const GArray* all = qemu_plugin_get_registers();
    if (!all) return;
    for (unsigned i = 0; i < all->len; ++i) {
      qemu_plugin_reg_descriptor row;
      std::memcpy(&row, all->data + i * sizeof(row), sizeof(row));
      handles_.emplace(row.name, row.handle);
    }
    pc_ = handle("pc");
    priv_ = handle("priv");
    satp_ = handle("satp");
    tp_ = handle("tp");
    sp_ = handle("sp");
    a7_ = handle("a7");
    mhartid_ = handle("mhartid");
    stvec_ = handle("stvec");
    mtvec_ = handle("mtvec");
    scause_ = handle("scause");
    mcause_ = handle("mcause");
    sepc_ = handle("sepc");
    mepc_ = handle("mepc");
  }

  bool has_registers() const { return pc_ && priv_ && tp_; }
  std::uint64_t pc() { return read(pc_); }  // at the start of a block
  std::uint64_t priv() { return read(priv_) & 3; }
  std::uint64_t satp() { return read(satp_); }
  std::uint64_t tp() { return read(tp_); }
  std::uint64_t sp() { return read(sp_); }
  std::uint64_t a7() { return read(a7_); }
  std::uint64_t hart_id() { return read(mhartid_); }
  std::uint64_t stvec() { return read(stvec_); }
  std::uint64_t mtvec() { return read(mtvec_); }
  std::uint64_t cause(bool machine) {
    return read(machine ? mcause_ : scause_);
  }
  std::uint64_t epc(bool machine) { return read(machine ? mepc_ : sepc_); }

  bool has_memory() const {
    return buffer_ && qemu_plugin_read_memory_vaddr != nullptr;
  }
  // Reads `size` bytes at a virtual address of the vCPU's current space.
  bool read_memory(std::uint64_t addr, void* to, std::size_t size) {
    if (!has_memory()) return false;
    g_byte_array_set_size(buffer_, 0);
    if (!qemu_plugin_read_memory_vaddr(addr, buffer_, size) ||
        buffer_->len < size)
      return false;
    std::memcpy(to, buffer_->data, size);
    return true;
  }

 private:
  qemu_plugin_register* handle(const char* name) const {
    const auto found = handles_.find(name);
    return found == handles_.end() ? nullptr : found->second;
  }
  std::uint64_t read(qemu_plugin_register* reg) {
    if (!reg) return 0;
    g_byte_array_set_size(buffer_, 0);
    qemu_plugin_read_register(reg, buffer_);
    std::uint64_t value = 0;
    std::memcpy(&value, buffer_->data,
                buffer_->len < sizeof(value) ? buffer_->len : sizeof(value));
    return value;
  }

  GByteArray* buffer_ = nullptr;
  std::map<std::string, qemu_plugin_register*> handles_;
  qemu_plugin_register *pc_ = nullptr, *priv_ = nullptr, *satp_ = nullptr,
                       *tp_ = nullptr, *sp_ = nullptr, *a7_ = nullptr,
                       *mhartid_ = nullptr, *stvec_ = nullptr,
                       *mtvec_ = nullptr, *scause_ = nullptr,
                       *mcause_ = nullptr, *sepc_ = nullptr, *mepc_ = nullptr;
};

}  // namespace wick_qemu
