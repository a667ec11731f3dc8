// SPDX-License-Identifier: Apache-2.0
// A TCG plugin for QEMU that writes what RISC-V harts execute as a wick trace
// (docs/qemu.md).
//
// QEMU translates code in blocks and calls on_block() before it executes one. A
// block is written when the next one begins, because only then is it known
// whether it was executed completely. Most are, and cost a comparison with what
// followed last time (WickTraceHart::block). If this QEMU supports it, every
// instruction at which execution may stop stores its number in a slot of its
// vCPU, so that a block interrupted by a page fault is cut exactly there.
//
// With -icount or -accel tcg,thread=single, one host thread runs all vCPUs in
// turn and they share translations. QEMU 10.0 then compiles the number of the
// vCPU that translated the code into it (gen_cpu_index in
// accel/tcg/plugin-gen.c): callbacks get that number, whichever vCPU executes,
// and stores into a slot overwrite the translation's other constants. So the
// plugin reads mhartid, and calls itself instead of storing.
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <tuple>

#include "base/error.h"
#include "code_block.h"
#include "guest.h"
#include "io/output_name.h"
#include "io/output_place.h"
#include "io/unique_fd.h"
#include "itrace/formats/wick_trace_writer.h"
#include "linux_guest.h"
#include "options.h"
#include "qemu_plugin_abi.h"
#include "user_process.h"

#define WICK_EXPORT __attribute__((visibility("default")))

// QEMU refuses a plugin for an API version that it does not support, and no
// version is supported by every QEMU. It reads this after loading the plugin,
// so the plugin can examine QEMU first.
extern "C" {
WICK_EXPORT int qemu_plugin_version = 1;
}

namespace wick_qemu {
namespace {

using wick::ContextChange;
using wick::Privilege;
using wick::SideBandFact;
using wick::WickTraceHart;
using wick::WickTraceWriter;

constexpr unsigned kMaxHarts = 4096;

struct Hart {
  unsigned vcpu = 0;
  const CodeBlock* last = nullptr;  // executed, not written yet
  // How many instructions of the block had begun at the last one that may stop
  // execution; null if this QEMU cannot tell.
  const std::uint64_t* begun = nullptr;
  std::uint64_t own_begun = 0;  // if all vCPUs share a host thread
  std::thread::id host_thread;
  std::uint64_t stvec = 1, mtvec = 1;  // odd: none
  // By number, the addresses of movable blocks in the address space `space`.
  struct Alias {
    std::uint64_t space = 0;
    const CodeBlock* block = nullptr;
  };
  std::vector<Alias> aliases;
  std::uint64_t space = 1;
  std::uint64_t block_pc = 0;  // of the current block; see idle_block()
  std::unique_ptr<WickTraceHart> out;
  Guest guest;
  ContextChange context;  // as in the file
  bool has_context = false;
  bool was_stopped = false;
  bool has_thread = false;
  ThreadState thread;
};

struct Plugin {
  Options options;
  int api = 1;
  bool system = false;
  wick::UniqueFd fd;
  std::unique_ptr<WickTraceWriter> writer;
  std::array<std::unique_ptr<Hart>, kMaxHarts> harts;
  qemu_plugin_scoreboard* begun = nullptr;
  // Several vCPUs and one host thread that runs them all.
  bool one_thread = false;
  Hart* running = nullptr;  // that thread's
  std::map<std::uint64_t, Hart*> by_hart_id;
  LinuxGuest linux_guest;
  UserProcess process;
  std::atomic<bool> tracing = false;
  std::atomic<bool> over = false;
  std::atomic<std::uint64_t> start_hits = 0, stop_hits = 0;

  // Blocks live as long as QEMU, whose translations point at them. Code that is
  // translated again is found here.
  std::mutex blocks_mutex;
  using Key = std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>;
  std::map<Key, std::unique_ptr<CodeBlock>> blocks;
  std::uint32_t block_count = 0;
};
Plugin* plugin = nullptr;

void write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = write(plugin->fd.get(), bytes.data(), bytes.size());
    if (done < 0) {
      if (errno == EINTR) continue;
      std::perror("wick-trace: writing the trace");
      _exit(1);
    }
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
}

bool open_out(const wick::OutputName& name) {
  try {
    const wick::OutputPlace place(name);
    if (place.is_special()) {
      plugin->fd = place.open_special(O_WRONLY | O_TRUNC);
      return true;
    }
    wick::NewFile file(place, 0666);
    file.put_in_place();
    plugin->fd = file.take_fd();
    return true;
  } catch (const wick::Error& error) {
    std::fprintf(stderr, "wick-trace: %s: %s\n", name.path.c_str(),
                 error.what());
    return false;
  }
}

// --- What is known about the guest besides its instructions

void read_vectors(Hart& hart) {
  hart.stvec = hart.guest.stvec();
  hart.mtvec = hart.guest.mtvec();
}

// Whether a trap leads to `pc`. If bit 0 is set, interrupts go to the base plus
// four bytes times the cause.
bool leads_to(std::uint64_t vector, std::uint64_t pc) {
  const std::uint64_t past_base = pc - (vector & ~std::uint64_t{3});
  return past_base == 0 || (vector & 1 && past_base < 256);
}
bool is_vector(const Hart& hart, std::uint64_t pc) {
  return pc == hart.stvec || pc == hart.mtvec ||
         ((hart.stvec | hart.mtvec) & 1 &&
          ((hart.stvec > 1 && leads_to(hart.stvec, pc)) ||
           (hart.mtvec > 1 && leads_to(hart.mtvec, pc))));
}

void write_context(Hart& hart) {
  if (!hart.guest.has_registers()) return;
  ContextChange now;
  now.privilege = static_cast<Privilege>(hart.guest.priv());
  now.has_satp = true;
  now.satp = hart.guest.satp();
  const std::uint64_t tp = hart.guest.tp();
  // In the kernel, tp is the task, but not during the first instructions of a
  // trap or in machine mode.
  now.has_thread_pointer =
      now.privilege == Privilege::kUser ||
      (now.privilege == Privilege::kSupervisor && tp >> 63);
  if (now.has_thread_pointer) now.thread_pointer = tp;
  const ContextChange& old = hart.context;
  if (now.satp != old.satp) ++hart.space;
  if (hart.has_context && now.privilege == old.privilege &&
      now.satp == old.satp && now.thread_pointer == old.thread_pointer &&
      now.has_thread_pointer == old.has_thread_pointer)
    return;
  hart.context = now;
  hart.has_context = true;
  hart.out->context(now);
}

// In the kernel, tp is the running task.
void look_at_thread(Hart& hart, bool leaving) {
  if (!plugin->linux_guest.ready() || hart.guest.priv() != 1) return;
  plugin->linux_guest.look(hart.guest, hart.thread, leaving);
}

void write_facts(Hart& hart) {
  for (const SideBandFact& fact : hart.thread.news) hart.out->fact(fact);
  hart.thread.news.clear();
}

// --- Blocks

// Finds the block or adds it; assigns its id.
CodeBlock* intern(std::unique_ptr<CodeBlock> made) {
  CodeBlock& block = *made;
  block.id = plugin->writer->define(block.pc, block.code);
  const Plugin::Key key(block.pc, block.id, block.skip);
  const std::lock_guard lock(plugin->blocks_mutex);
  auto& found = plugin->blocks[key];
  if (found) return found.get();
  block.number = plugin->block_count++;
  found = std::move(made);
  return found.get();
}

const CodeBlock* moved(const CodeBlock& block, std::uint64_t pc) {
  if (block.pc == pc) return &block;
  auto alias = std::make_unique<CodeBlock>(block);
  alias->pc = pc;
  return intern(std::move(alias));
}

// The block at its current address. Reading the pc is expensive, but is done
// once per address space.
const CodeBlock* look_up_alias(Hart& hart, const CodeBlock& block) {
  if (block.number >= hart.aliases.size())
    hart.aliases.resize(block.number + block.number / 2 + 1024);
  Hart::Alias& alias = hart.aliases[block.number];
  alias = {hart.space, moved(block, hart.guest.pc())};
  return alias.block;
}
inline const CodeBlock* actual(Hart& hart, const CodeBlock& block) {
  if (!block.may_move) return &block;
  if (block.number < hart.aliases.size() &&
      hart.aliases[block.number].space == hart.space) [[likely]]
    return hart.aliases[block.number].block;
  return look_up_alias(hart, block);
}

// --- Executing

// Chunks of operations end where another hart continues, so that the trace has
// what they do in its true order.
void switch_to(Hart& hart) {
  if (plugin->running && plugin->tracing.load(std::memory_order_relaxed))
    plugin->running->out->end_chunk();
  plugin->running = &hart;
}

// The hart for which QEMU calls with this number.
Hart& hart_of(unsigned vcpu) {
  Hart& given = *plugin->harts[vcpu];
  if (!plugin->one_thread) [[likely]]
    return given;
  const auto found = plugin->by_hart_id.find(given.guest.hart_id());
  Hart& hart = found == plugin->by_hart_id.end() ? given : *found->second;
  if (&hart != plugin->running) switch_to(hart);
  return hart;
}

void on_instruction(unsigned, void* number) {
  plugin->running->own_begun = reinterpret_cast<std::uintptr_t>(number);
}

void write_block(Hart& hart, const CodeBlock& block, std::uint32_t executed) {
  if (executed == block.count)
    hart.out->block(block.id, block.count);
  else
    hart.out->block_left_early(block.id, executed);
}

// Writes hart.last if something may have happened in it; `next` is where
// execution continued.
void write_with_care(Hart& hart, std::uint64_t next) {
  const CodeBlock& block = *hart.last;
  std::uint32_t executed = block.count;
  if (hart.begun) {
    const std::uint64_t begun = *hart.begun;
    executed = begun >= block.skip && begun - block.skip <= block.count
                   ? static_cast<std::uint32_t>(begun - block.skip)
                   : block.count;
  } else if (next != block.pc) {
    // Only visible if the same code continues.
    for (std::uint32_t i = 1; i < block.count; ++i)
      if (block.pc + block.offsets[i] == next && block.memory_at_end)
        executed = i;
  }
  const std::uint64_t last_pc =
      block.pc + block.offsets[executed == 0 ? 0 : executed - 1];
  const bool odd = executed != block.count || block.memory_at_end;
  if (is_vector(hart, next)) {
    const bool machine = hart.guest.priv() == 3;
    const std::uint64_t cause = hart.guest.cause(machine);
    const bool interrupt = cause >> 63;
    const std::uint64_t number = cause & ~(std::uint64_t{1} << 63);
    if (!interrupt && hart.guest.epc(machine) == last_pc) {
      hart.out->trap(false, number);
      write_block(hart, block, executed);
    } else {
      write_block(hart, block, executed);
      hart.out->trap_between(interrupt, number);
    }
  } else {
    // QEMU executes an instruction again, in a block of its own, if it cannot
    // be executed like the others (atomic, or modifying code).
    if (odd && hart.begun && next == last_pc && executed != 0) --executed;
    write_block(hart, block, executed);
  }
  if (block.sets_vectors) read_vectors(hart);
}

void begin_hart(Hart& hart) {
  if (hart.was_stopped) hart.out->gap();
  hart.has_context = false;
  if (hart.guest.has_registers()) read_vectors(hart);
  write_context(hart);
  if (!hart.has_thread && !plugin->system) {
    hart.has_thread = true;
    hart.thread.news = plugin->process.thread_facts();
  }
  if (plugin->system) plugin->linux_guest.tell_again(hart.thread);
  write_facts(hart);
}

void stop_hart(Hart& hart) {
  hart.last = nullptr;
  hart.was_stopped = true;
  hart.out->end_chunk();
}

void idle_block(Hart& hart, const CodeBlock& block) {
  if (hart.last) {
    write_with_care(hart, block.pc);
    stop_hart(hart);
  }
  if (block.has_trigger)
    hart.block_pc = hart.guest.has_registers() ? hart.guest.pc() : block.pc;
  if (block.ends_in_sret && plugin->linux_guest.ready() &&
      hart.guest.has_registers()) {
    look_at_thread(hart, true);
    hart.thread.news.clear();
  }
}

void on_block(unsigned vcpu, void* data) {
  Hart& hart = hart_of(vcpu);
  const CodeBlock& translated = *static_cast<const CodeBlock*>(data);
  if (!plugin->tracing.load(std::memory_order_relaxed)) [[unlikely]]
    return idle_block(hart, translated);
  const CodeBlock* last = hart.last;
  const CodeBlock& block = *actual(hart, translated);
  if (last && !last->needs_look && !block.ends_in_sret &&
      !is_vector(hart, block.pc) &&
      (!hart.begun || *hart.begun == last->skip + last->count)) [[likely]] {
    hart.last = &block;
    hart.out->block(last->id, last->count);
    return;
  }
  const std::uint64_t pc =
      hart.guest.has_registers() ? hart.guest.pc() : block.pc;
  if (last)
    write_with_care(hart, pc);
  else
    begin_hart(hart);
  write_context(hart);
  hart.last = &block;
  if (pc != block.pc) {  // mapped elsewhere while satp stayed the same
    ++hart.space;
    hart.last = look_up_alias(hart, translated);
  }
  if (hart.guest.has_registers())
    look_at_thread(hart, block.ends_in_sret);
  else if (plugin->process.changed())
    hart.thread.news = plugin->process.mapping_facts();
  write_facts(hart);
}

// --- Triggers

struct Place {
  const CodeBlock* whole;
  const CodeBlock* from_here;  // the part of `whole` from here on
  bool starts, stops;
};

void on_trigger(unsigned vcpu, void* data) {
  const Place& place = *static_cast<const Place*>(data);
  Hart& hart = hart_of(vcpu);
  if (plugin->tracing.load()) {
    if (!place.stops || ++plugin->stop_hits != plugin->options.stop->hit)
      return;
    plugin->tracing = false;
    plugin->stop_hits = 0;
    plugin->start_hits = 0;
    if (plugin->options.once) plugin->over = true;
    if (!hart.last) return;
    // The instruction that stops tracing is the last one in the trace.
    const std::uint32_t executed =
        hart.last->count - place.from_here->count + 1;
    write_block(hart, *hart.last, executed);
    stop_hart(hart);
    plugin->writer->flush();
    return;
  }
  if (!place.starts || plugin->over.load()) return;
  if (++plugin->start_hits != plugin->options.start->hit) return;
  plugin->tracing = true;
  begin_hart(hart);
  hart.last = moved(*place.from_here,
                    place.from_here->pc + hart.block_pc - place.whole->pc);
}

bool fits(const std::optional<Trigger>& trigger, std::uint64_t pc,
          std::uint32_t bits) {
  if (!trigger) return false;
  return trigger->by_pc ? trigger->pc == pc
                        : (bits & trigger->mask) == trigger->value;
}

// --- Translating

std::uint32_t bits_of(const qemu_plugin_insn* insn) {
  std::uint32_t bits = 0;
  const std::size_t size =
      std::min<std::size_t>(qemu_plugin_insn_size(insn), 4);
  const std::uintptr_t result = qemu_plugin_insn_data(insn, &bits, size);
  if (plugin->api < 3)
    std::memcpy(&bits, reinterpret_cast<const void*>(result), size);
  return bits;
}

struct Translated {
  std::uint64_t pc = 0;
  std::string code;
  std::vector<std::uint32_t> bits;
};

// The block that begins with instruction `skip`.
CodeBlock* block_of(const Translated& code, std::uint32_t skip,
                    bool has_trigger) {
  auto made = std::make_unique<CodeBlock>();
  CodeBlock& block = *made;
  block.skip = skip;
  block.has_trigger = has_trigger;
  std::uint32_t offset = 0, begin = 0;
  for (std::uint32_t i = 0; i < code.bits.size(); ++i) {
    if (i == skip) begin = offset;
    if (i >= skip) {
      block.offsets.push_back(static_cast<std::uint16_t>(offset - begin));
      note_instruction(block, code.bits[i]);
    }
    offset += wick::wick_trace::riscv_size(code.bits[i]);
  }
  block.pc = code.pc + begin;
  block.code = code.code.substr(begin);
  block.count = static_cast<std::uint32_t>(block.offsets.size());
  block.memory_at_end =
      may_break_off(code.bits.back()) && !is_system(code.bits.back());
  block.needs_look = block.memory_at_end || block.changes_context;
  // The kernel has the same address in every address space.
  block.may_move = plugin->system && plugin->api >= 2 && !(block.pc >> 63);
  return intern(std::move(made));
}

// `insn` stores its number in the hart's slot.
void store_number(qemu_plugin_insn* insn, std::uintptr_t number) {
  if (plugin->one_thread)
    qemu_plugin_register_vcpu_insn_exec_cb(insn, on_instruction,
                                           QEMU_PLUGIN_CB_NO_REGS,
                                           reinterpret_cast<void*>(number));
  else
    qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(
        insn, QEMU_PLUGIN_INLINE_STORE_U64, {plugin->begun, 0}, number);
}

void on_translation(qemu_plugin_id_t, qemu_plugin_tb* tb) {
  const std::size_t count = qemu_plugin_tb_n_insns(tb);
  if (count == 0 || count > wick::wick_trace::kMaxBlock) return;
  Translated code;
  code.pc = qemu_plugin_tb_vaddr(tb);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t bits = bits_of(qemu_plugin_tb_get_insn(tb, i));
    code.bits.push_back(bits);
    code.code.append(reinterpret_cast<const char*>(&bits),
                     wick::wick_trace::riscv_size(bits));
  }
  bool has_trigger = false;
  std::uint64_t pc = code.pc;
  for (const std::uint32_t bits : code.bits) {
    has_trigger |= fits(plugin->options.start, pc, bits) ||
                   fits(plugin->options.stop, pc, bits);
    pc += wick::wick_trace::riscv_size(bits);
  }
  CodeBlock* block = block_of(code, 0, has_trigger);
  const int flags = plugin->api >= 2 && plugin->system ? QEMU_PLUGIN_CB_R_REGS
                                                       : QEMU_PLUGIN_CB_NO_REGS;
  qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, flags, block);
  pc = code.pc;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t bits = code.bits[i];
    qemu_plugin_insn* insn = qemu_plugin_tb_get_insn(tb, i);
    const bool starts = fits(plugin->options.start, pc, bits);
    const bool stops = fits(plugin->options.stop, pc, bits);
    if (starts || stops) {
      // Never deleted: the translation may live for ever.
      auto* place =
          new Place{block, block_of(code, static_cast<std::uint32_t>(i), false),
                    starts, stops};
      qemu_plugin_register_vcpu_insn_exec_cb(insn, on_trigger, flags, place);
    }
    if (plugin->begun && (may_break_off(bits) || i + 1 == count))
      store_number(insn, i + 1);
    pc += wick::wick_trace::riscv_size(bits);
  }
}

// --- Start and end

// The thread that runs a vCPU initialises it. A machine has all its vCPUs
// before any code is translated.
void look_for_one_thread(Hart& hart) {
  const std::lock_guard lock(plugin->blocks_mutex);
  hart.host_thread = std::this_thread::get_id();
  if (!hart.guest.has_registers()) return;  // its callbacks have true numbers
  plugin->by_hart_id[hart.guest.hart_id()] = &hart;
  for (const auto& other : plugin->harts)
    if (other && other.get() != &hart && other->host_thread == hart.host_thread)
      plugin->one_thread = true;
}

void on_vcpu(qemu_plugin_id_t, unsigned vcpu) {
  if (vcpu >= kMaxHarts) {
    std::fprintf(stderr, "wick-trace: more than %u vCPUs\n", kMaxHarts);
    _exit(1);
  }
  std::unique_ptr<Hart>& hart = plugin->harts[vcpu];
  if (!hart) {
    hart = std::make_unique<Hart>();
    hart->vcpu = vcpu;
    hart->out = std::make_unique<WickTraceHart>(*plugin->writer, vcpu);
  }
  hart->has_thread = false;
  if (plugin->api >= 2) hart->guest.init();
  if (plugin->system) look_for_one_thread(*hart);
  if (!plugin->begun) return;
  for (const auto& any : plugin->harts)
    if (any)
      any->begun =
          plugin->one_thread
              ? &any->own_begun
              : static_cast<const std::uint64_t*>(
                    qemu_plugin_scoreboard_find(plugin->begun, any->vcpu));
}

// A thread of user-mode QEMU ends; its number may be reused.
void on_vcpu_exit(qemu_plugin_id_t, unsigned vcpu) {
  if (vcpu >= kMaxHarts || !plugin->harts[vcpu]) return;
  Hart& hart = *plugin->harts[vcpu];
  if (hart.last) write_block(hart, *hart.last, hart.last->count);
  hart.last = nullptr;
  hart.out->end_chunk();
}

// While the guest waits, what is buffered becomes available to readers.
void on_idle(qemu_plugin_id_t, unsigned vcpu) {
  Hart& hart = *plugin->harts[vcpu];
  hart.out->end_chunk();
}

void on_exit(qemu_plugin_id_t id, void*) {
  for (unsigned i = 0; i < kMaxHarts; ++i) on_vcpu_exit(id, i);
  plugin->writer->flush();
}

void on_syscall_return(qemu_plugin_id_t, unsigned, std::int64_t number,
                       std::int64_t) {
  constexpr std::int64_t kMmap = 222, kExecve = 221;
  if (number == kMmap || number == kExecve) plugin->process.look_again();
}

// A forked program continues in a file of its own; what the parent has not
// written yet belongs to the parent.
void after_fork() {
  const std::string& parent = plugin->options.out.path;
  plugin->fd.reset();
  open_out(wick::OutputName::chosen(parent + "." + std::to_string(getpid()),
                                    parent));
  plugin->writer->begin_again(write_all);
  for (auto& hart : plugin->harts)
    if (hart) {
      hart->out->drop();
      hart->last = nullptr;
      hart->has_thread = false;
    }
  plugin->process.look_again();
  plugin->writer->mutex().unlock();
}

int install(qemu_plugin_id_t id, const qemu_info_t* info, int argc,
            char** argv) {
  if (std::string_view(info->target_name) != "riscv64" &&
      std::string_view(info->target_name) != "riscv32") {
    std::fprintf(stderr, "wick-trace: this QEMU runs %s, not RISC-V\n",
                 info->target_name);
    return -1;
  }
  plugin = new Plugin;  // never deleted: QEMU may call until it exits
  plugin->api = info->version.cur;
  plugin->system = info->system_emulation;
  Options& options = plugin->options;
  if (const std::string wrong = parse_options(argc, argv, options);
      !wrong.empty()) {
    std::fprintf(stderr, "wick-trace: %s\n", wrong.c_str());
    return -1;
  }
  if (!options.offsets.empty()) {
    const std::string wrong = plugin->linux_guest.load(options.offsets);
    if (!wrong.empty()) {
      std::fprintf(stderr, "wick-trace: %s\n", wrong.c_str());
      return -1;
    }
  }
  if (!open_out(options.out)) return -1;
  const bool registers = plugin->system && qemu_plugin_read_register;
  wick::WickTraceHeader header;
  header.flags = wick::wick_trace::kHasBits;
  if (registers)
    header.flags |= wick::wick_trace::kHasPrivilege |
                    wick::wick_trace::kHasSatp | wick::wick_trace::kHasTraps;
  header.info = std::string("source=QEMU, plugin API ") +
                std::to_string(plugin->api) +
                (plugin->system ? ", system\n" : ", user\n");
  plugin->writer = std::make_unique<WickTraceWriter>(write_all, header);
  plugin->tracing = !options.start;
  if (qemu_plugin_scoreboard_new && qemu_plugin_scoreboard_find &&
      qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu)
    plugin->begun = qemu_plugin_scoreboard_new(sizeof(std::uint64_t));

  qemu_plugin_register_vcpu_init_cb(id, on_vcpu);
  qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
  qemu_plugin_register_atexit_cb(id, on_exit, nullptr);
  if (plugin->system) {
    qemu_plugin_register_vcpu_idle_cb(id, on_idle);
  } else {
    qemu_plugin_register_vcpu_exit_cb(id, on_vcpu_exit);
    qemu_plugin_register_vcpu_syscall_ret_cb(id, on_syscall_return);
    pthread_atfork([] { plugin->writer->mutex().lock(); },
                   [] { plugin->writer->mutex().unlock(); }, after_fork);
  }
  return 0;
}

// Runs when QEMU loads the plugin, before it reads the version.
__attribute__((constructor)) void choose_version() {
  if (qemu_plugin_read_memory_vaddr)
    qemu_plugin_version = 4;
  else if (qemu_plugin_scoreboard_new)
    qemu_plugin_version = 2;
}

}  // namespace
}  // namespace wick_qemu

extern "C" WICK_EXPORT int qemu_plugin_install(qemu_plugin_id_t id,
                                               const qemu_info_t* info,
                                               int argc, char** argv) {
  return wick_qemu::install(id, info, argc, argv);
}
