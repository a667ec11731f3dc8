// SPDX-License-Identifier: Apache-2.0
// A TCG plugin that records, between FireSim's markers, what true stacks can be
// rebuilt from: for every block that a hart begins, its pc, sp, tp, satp and
// privilege, how much of the block before was executed, and for a trap also
// epc and a7. It reads all of them every time and infers nothing. True stacks
// come from tests/tools/true_stacks.cc, which also describes the file.
//
// Needs QEMU 10, and one host thread for all vCPUs (-icount); qemu/plugin.cc
// says what that takes.
//
// Arguments: out=FILE, offsets=FILE (from `wick kernel-offsets`).
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "code_block.h"
#include "guest.h"
#include "linux_guest.h"
#include "qemu_plugin_abi.h"

#define WICK_EXPORT __attribute__((visibility("default")))

extern "C" {
WICK_EXPORT int qemu_plugin_version = 4;
}

namespace wick_qemu {
namespace {

using wick::append_raw;
using wick::append_varint;
using wick::SideBandFact;
using wick::zigzag;

constexpr std::uint32_t kStart = 0x00008013, kStop = 0x00010013;
constexpr std::uint32_t kSret = 0x10200073;
constexpr std::size_t kFlushAt = 1 << 20;

struct Block {
  std::uint64_t pc = 0;
  std::uint32_t id = 0, count = 0;
  bool ends_in_sret = false;
};

struct Registers {
  std::uint64_t pc = 0, sp = 0, tp = 0, satp = 0, priv = 0;
};

struct Hart {
  Guest guest;
  ThreadState thread;
  bool begun = false;  // has a record since tracing started
  std::uint64_t executed = 0;
  Registers last;
  const Block* block = nullptr;
};

struct Plugin {
  std::FILE* file = nullptr;
  std::string out;
  bool tracing = false;
  std::uint32_t blocks = 0;
  LinuxGuest linux_guest;
  std::map<std::uint64_t, std::unique_ptr<Hart>> harts;  // by mhartid
  Hart* any = nullptr;
  Hart* running = nullptr;
  std::uint64_t last_hart = ~std::uint64_t{0};
};
Plugin* plugin = nullptr;

void flush() {
  std::fwrite(plugin->out.data(), 1, plugin->out.size(), plugin->file);
  plugin->out.clear();
}

void put(std::uint64_t value) { append_varint(plugin->out, value); }
void put_text(std::string_view text) {
  put(text.size());
  plugin->out += text;
}

void write_facts(Hart& hart) {
  for (const SideBandFact& fact : hart.thread.news) {
    put(0);
    plugin->out.push_back('F');
    plugin->out.push_back(static_cast<char>(fact.kind));
    put(zigzag(fact.pid));
    put(zigzag(fact.tid));
    put(fact.start);
    put(fact.end);
    put(fact.file_off);
    put_text(fact.name);
  }
  hart.thread.news.clear();
}

void write_block(Hart& hart, std::uint64_t id, const Block& block) {
  const Registers& old = hart.last;
  Registers now;
  now.priv = hart.guest.priv();
  now.pc = hart.guest.pc();
  now.sp = hart.guest.sp();
  now.tp = hart.guest.tp();
  now.satp = hart.guest.satp();
  const bool machine = now.priv == 3;
  const bool trap = now.priv != 0 && now.pc == (machine ? hart.guest.mtvec()
                                                        : hart.guest.stvec());
  const bool whole = hart.begun && hart.executed == hart.block->count;
  const int flags =
      (whole ? 1 : 0) | (now.sp != old.sp ? 2 : 0) |
      (now.tp != old.tp ? 4 : 0) | (now.satp != old.satp ? 8 : 0) |
      (now.priv != old.priv ? 16 : 0) | (trap ? 32 : 0) |
      (now.pc != block.pc ? 64 : 0) | (id != plugin->last_hart ? 128 : 0);
  put(std::uint64_t{block.id} + 1);
  plugin->out.push_back(static_cast<char>(flags));
  if (flags & 128) put(id);
  if (!(flags & 1)) put(hart.begun ? hart.executed : 0);
  if (flags & 2) put(zigzag(static_cast<std::int64_t>(now.sp - old.sp)));
  if (flags & 4) put(now.tp);
  if (flags & 8) put(now.satp);
  if (flags & 16) put(now.priv);
  if (flags & 64) put(now.pc);
  if (flags & 32) {
    put(hart.guest.epc(machine));
    put(hart.guest.a7());
  }
  plugin->last_hart = id;
  hart.last = now;
  hart.begun = true;
  hart.block = &block;
}

void on_block(unsigned, void* data) {
  const Block& block = *static_cast<const Block*>(data);
  const std::uint64_t id = plugin->any->guest.hart_id();
  Hart& hart = *plugin->harts.at(id);
  plugin->running = &hart;
  if (!plugin->tracing) {
    hart.begun = false;
    if (block.ends_in_sret) {
      plugin->linux_guest.look(hart.guest, hart.thread, true);
      hart.thread.news.clear();
    }
    return;
  }
  const bool first = !hart.begun;
  write_block(hart, id, block);
  if (first) plugin->linux_guest.tell_again(hart.thread);
  if (hart.last.priv == 1)
    plugin->linux_guest.look(hart.guest, hart.thread, block.ends_in_sret);
  write_facts(hart);
  hart.executed = 0;
  if (plugin->out.size() >= kFlushAt) flush();
}

void on_instruction(unsigned, void* number) {
  plugin->running->executed = reinterpret_cast<std::uintptr_t>(number);
}

void on_marker(unsigned, void* starts) {
  if (starts && !plugin->tracing)
    for (auto& [id, hart] : plugin->harts) hart->begun = false;
  plugin->tracing = starts != nullptr;
}

void on_translation(qemu_plugin_id_t, qemu_plugin_tb* tb) {
  const std::size_t count = qemu_plugin_tb_n_insns(tb);
  auto* block = new Block;  // lives as long as the translation
  block->pc = qemu_plugin_tb_vaddr(tb);
  block->id = plugin->blocks++;
  block->count = static_cast<std::uint32_t>(count);
  qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, QEMU_PLUGIN_CB_R_REGS,
                                       block);
  std::string code;
  for (std::size_t i = 0; i < count; ++i) {
    qemu_plugin_insn* insn = qemu_plugin_tb_get_insn(tb, i);
    std::uint32_t bits = 0;
    const std::size_t size = qemu_plugin_insn_size(insn);
    qemu_plugin_insn_data(insn, &bits, size);
    code.append(reinterpret_cast<const char*>(&bits), size);
    block->ends_in_sret = bits == kSret;
    if (bits == kStart || bits == kStop)
      qemu_plugin_register_vcpu_insn_exec_cb(
          insn, on_marker, QEMU_PLUGIN_CB_NO_REGS,
          reinterpret_cast<void*>(std::uintptr_t{bits == kStart}));
    if (may_break_off(bits) || i + 1 == count)
      qemu_plugin_register_vcpu_insn_exec_cb(insn, on_instruction,
                                             QEMU_PLUGIN_CB_NO_REGS,
                                             reinterpret_cast<void*>(i + 1));
  }
  put(0);
  plugin->out.push_back('B');
  put(block->id);
  put(block->pc);
  put_text(code);
}

void on_vcpu(qemu_plugin_id_t, unsigned) {
  auto hart = std::make_unique<Hart>();
  hart->guest.init();
  if (!hart->guest.has_registers()) {
    std::fprintf(stderr, "truth: this QEMU has no registers for plugins\n");
    std::_Exit(1);
  }
  plugin->any = hart.get();
  plugin->harts[hart->guest.hart_id()] = std::move(hart);
}

void on_exit(qemu_plugin_id_t, void*) {
  flush();
  std::fclose(plugin->file);
}

int install(qemu_plugin_id_t id, int argc, char** argv) {
  plugin = new Plugin;
  for (int i = 0; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const std::string value(argument.substr(argument.find('=') + 1));
    if (argument.starts_with("out="))
      plugin->file = std::fopen(value.c_str(), "wb");
    if (!argument.starts_with("offsets=")) continue;
    if (const std::string wrong = plugin->linux_guest.load(value);
        !wrong.empty()) {
      std::fprintf(stderr, "truth: %s\n", wrong.c_str());
      return -1;
    }
  }
  if (!plugin->file || !plugin->linux_guest.ready()) {
    std::fprintf(stderr, "truth: expected out=FILE,offsets=FILE\n");
    return -1;
  }
  qemu_plugin_register_vcpu_init_cb(id, on_vcpu);
  qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
  qemu_plugin_register_atexit_cb(id, on_exit, nullptr);
  return 0;
}

}  // namespace
}  // namespace wick_qemu

extern "C" WICK_EXPORT int qemu_plugin_install(qemu_plugin_id_t id,
                                               const qemu_info_t*, int argc,
                                               char** argv) {
  return wick_qemu::install(id, argc, argv);
}
