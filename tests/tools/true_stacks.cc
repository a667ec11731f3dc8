// SPDX-License-Identifier: Apache-2.0
// true_stacks TRUTH ROOT SYSTEM_MAP [RUNS]: folded true stacks, by
// instructions, from what tests/riscv-linux/truth/plugin.cc recorded. ROOT has
// the guest's files. RUNS is written for stack_differences: names, the tree of
// stacks, and in the order of execution how many instructions each hart spent
// in which.
//
// It shares nothing with StackTracker, and has what that has not: the stack
// pointer and the address at which a trap returns.
// * A call links ra or t0; its frame is the return address and sp. It ends when
//   an indirect jump reaches that address with that sp.
// * Any other indirect jump that is not to the beginning of a function and
//   leaves sp above that of frames has unwound these (longjmp, exceptions).
// * A trap's frame is epc and sp. sret and mret end the one of their privilege.
//   If the program continues with another sp, a signal was delivered there; its
//   frame remains until rt_sigreturn restores that sp.
// * The kernel's tp is the thread. One that begins at a function's first
//   instruction is new; in user mode it has its parent's frames if it returns
//   from the same clone with the same sp (fork), else none. What the kernel did
//   before that is called by that code. execve leaves none.
//
// The file is a sequence of records, all numbers varints:
//   0 'B' id pc size code          a translated block
//   0 'F' kind pid tid start end offset size name   as SideBandFact
//   id+1 flags …                   a hart begins block id
// where flags says what follows: 128 hart; not 1: how many instructions of its
// last block it executed (else all); 2 sp, as a difference; 4 tp; 8 satp; 16
// privilege; 64 pc, if not the block's; 32 a trap led here: epc and a7.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "io/input_file.h"
#include "itrace/formats/instruction.h"
#include "itrace/formats/wick_trace_format.h"
#include "object/demangle/demangle.h"
#include "object/elf/elf_file.h"
#include "object/elf/symbol_table.h"
#include "object/kernel/kallsyms.h"

namespace wick {
namespace {

using Address = std::uint64_t;
constexpr std::uint64_t kClone = 220, kClone3 = 435, kExecve = 221,
                        kExecveat = 281, kSigreturn = 139;
constexpr std::uint8_t kUser = 0, kSupervisor = 1, kMachine = 3;

// --- Names

struct Place {
  std::uint32_t name = 0;
  Address start = 0;  // of the function; 0: not known
};

class Names {
 public:
  std::uint32_t id(const std::string& name) {
    const auto [it, made] = ids_.try_emplace(name, texts_.size());
    if (made) texts_.push_back(name);
    return it->second;
  }
  const std::string& text(std::uint32_t id) const { return texts_[id]; }
  void write(std::string& out) const {
    append_varint(out, texts_.size());
    for (const std::string& text : texts_) {
      append_varint(out, text.size());
      out += text;
    }
  }

 private:
  std::unordered_map<std::string, std::uint32_t> ids_;
  std::vector<std::string> texts_;
};

struct Code {  // of a file
  std::shared_ptr<const ElfFile> elf;
  SymbolTable symbols;
};

struct Mapping {
  Address start = 0, end = 0, file_off = 0;
  std::string path;
};
struct Space {  // of a process
  std::vector<Mapping> mappings;
  std::unordered_map<Address, Place> known;
};

class Symbolizer {
 public:
  Symbolizer(std::string root, const std::string& system_map)
      : root_(std::move(root)), kernel_(Kallsyms::open(system_map)) {}

  Place kernel(Address pc) {
    const auto [it, made] = kernel_known_.try_emplace(pc);
    if (!made) return it->second;
    const Symbol* symbol = kernel_.kernel().find(pc);
    return it->second =
               symbol ? Place{names.id(std::string(symbol->name) + "_[k]"),
                              symbol->start}
                      : Place{names.id("[unknown kernel code]"), 0};
  }
  Place machine() { return {names.id("[unknown machine code]"), 0}; }
  Place user(Space& space, Address pc) {
    const auto [it, made] = space.known.try_emplace(pc);
    if (made) it->second = find(space, pc);
    return it->second;
  }

  Names names;

 private:
  Place find(const Space& space, Address pc) {
    for (auto it = space.mappings.rbegin(); it != space.mappings.rend(); ++it) {
      if (pc < it->start || pc >= it->end) continue;
      const std::string file = it->path.substr(it->path.rfind('/') + 1);
      const Code* code = open(it->path);
      if (!code) break;
      const Address file_off = pc - it->start + it->file_off;
      const auto elf_addr = code->elf->elf_addr(file_off);
      const Symbol* symbol = elf_addr ? code->symbols.find(*elf_addr) : nullptr;
      if (!symbol) return {names.id("[" + file + "]"), 0};
      return {names.id(demangle(symbol->name, Demangle::kShort)),
              pc - (*elf_addr - symbol->start)};
    }
    return {names.id("[unknown user code]"), 0};
  }
  const Code* open(const std::string& path) {
    const auto [it, made] = files_.try_emplace(path);
    if (made && std::filesystem::is_regular_file(root_ + path)) {
      Code code;
      code.elf = ElfFile::open(root_ + path);
      code.symbols = SymbolTable::from_elf(*code.elf, nullptr);
      it->second = std::move(code);
    }
    return it->second ? &*it->second : nullptr;
  }

  std::string root_;
  Kallsyms kernel_;
  std::unordered_map<Address, Place> kernel_known_;
  std::map<std::string, std::optional<Code>> files_;
};

// --- Stacks

// Stacks as a tree: node 0 is the empty one.
class Tree {
 public:
  std::uint32_t child(std::uint32_t parent, std::uint32_t name) {
    const std::uint64_t key = std::uint64_t{parent} << 32 | name;
    const auto [it, made] = children_.try_emplace(key, nodes_.size());
    if (made) nodes_.push_back({parent, name, 0});
    return it->second;
  }
  // A node that stands for another one, which becomes known later.
  std::uint32_t placeholder() {
    nodes_.push_back({0, 0, 0});
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }
  void replace(std::uint32_t placeholder, std::uint32_t node) {
    replaced_[placeholder] = node;
  }
  void add(std::uint32_t node, std::uint64_t weight) {
    nodes_[node].weight += weight;
  }
  void print(const Names& names) const {
    std::vector<std::string> lines(nodes_.size());
    const std::vector<std::uint32_t> order = callers_first();
    for (const std::uint32_t i : order) {
      const Node& node = nodes_[i];
      lines[i] = lines[caller(i)] + ";" + names.text(node.name);
      if (node.weight != 0) fmt::print("true{} {}\n", lines[i], node.weight);
    }
  }
  // By row: its number, caller and name.
  void write(std::string& out) const {
    const std::vector<std::uint32_t> order = callers_first();
    append_varint(out, nodes_.size());
    append_varint(out, order.size());
    for (const std::uint32_t i : order) {
      append_varint(out, i);
      append_varint(out, caller(i));
      append_varint(out, nodes_[i].name);
    }
  }

 private:
  struct Node {
    std::uint32_t parent, name;
    std::uint64_t weight;
  };
  std::uint32_t caller(std::uint32_t node) const {
    std::uint32_t parent = nodes_[node].parent;
    for (auto at = replaced_.find(parent); at != replaced_.end();
         at = replaced_.find(parent))
      parent = at->second;
    return parent;
  }
  // All but the root and placeholders.
  std::vector<std::uint32_t> callers_first() const {
    std::vector<std::uint32_t> order;
    std::vector<char> done(nodes_.size());
    done[0] = 1;
    for (std::uint32_t i = 1; i < nodes_.size(); ++i) {
      if (replaced_.contains(i)) continue;
      std::vector<std::uint32_t> path;
      for (std::uint32_t node = i; !done[node]; node = caller(node)) {
        path.push_back(node);
        done[node] = 1;
      }
      order.insert(order.end(), path.rbegin(), path.rend());
    }
    return order;
  }
  std::vector<Node> nodes_ = {{0, 0, 0}};
  std::unordered_map<std::uint32_t, std::uint32_t> replaced_;
  std::unordered_map<std::uint64_t, std::uint32_t> children_;
};

struct Frame {
  enum class Kind : std::uint8_t {
    kCall,
    kTrap,
    kSignal,
    kPart  // of a function: code without a symbol to which it branches
  };
  Kind kind = Kind::kCall;
  std::uint8_t from = 0, to = 0;  // privileges of a trap
  Address resume = 0;             // the return address, or epc
  Address sp = 0;
  std::uint64_t a7 = 0;
  std::uint32_t node = 0;  // the stack up to and with this frame
};

struct Thread {
  std::vector<Frame> frames;
  std::int32_t pid = -1;
  bool is_new = false;
  // The kernel has set tp, but not returned to where the thread was yet.
  bool is_arriving = false;
  bool in_part() const {
    return !frames.empty() && frames.back().kind == Frame::Kind::kPart;
  }
  // Stands for the user code that a new thread will reach.
  std::uint32_t base = 0;
  std::uint32_t node() const {
    return frames.empty() ? base : frames.back().node;
  }
};

struct Birth {  // a call of clone
  Address resume, sp;
  std::vector<Frame> frames;
};

struct Block {
  Address pc = 0;
  std::vector<std::uint16_t> offsets;
  std::vector<std::uint32_t> bits;
};

struct Step {  // what a record says
  const Block* block = nullptr;
  Address pc = 0, sp = 0, tp = 0, satp = 0;
  std::uint8_t priv = 0;
  bool trap = false;
  Address epc = 0;
  std::uint64_t a7 = 0;
};

struct Hart {
  std::uint64_t number = 0;
  bool begun = false;
  Step last;
  Thread* thread = nullptr;
  // Instructions on one stack that are not in the runs yet.
  std::uint32_t run_node = 0;
  std::uint64_t run_count = 0;
};

bool is_call(std::uint32_t bits) {
  if ((bits & 0xf07f) == 0x9002 && bits != 0x9002 && (bits & 0xffff) == bits)
    return true;  // c.jalr
  const std::uint32_t opcode = bits & 0x7f, rd = bits >> 7 & 31;
  return (opcode == 0x6f || opcode == 0x67) && (rd == 1 || rd == 5);
}
bool is_indirect(std::uint32_t bits) {
  return (bits & 0x7f) == 0x67 ||
         ((bits & 0xf07f) == 0x8002 && bits >> 16 == 0);
}
bool is_return(std::uint32_t bits) { return bits == 0x8082 || bits == 0x8067; }
bool is_branch(std::uint32_t bits) {
  return (bits & 0x7f) == 0x63 || ((bits & 3) == 1 && (bits >> 13 & 7) >= 6);
}
bool is_return_from_trap(std::uint32_t bits) {
  return bits == 0x10200073 || bits == 0x30200073;
}
bool is_memory_access(std::uint32_t bits) {
  const std::uint32_t opcode = bits & 0x7f;
  if ((bits & 3) == 3)
    return opcode == 0x03 || opcode == 0x07 || opcode == 0x23 ||
           opcode == 0x27 || opcode == 0x2f || opcode == 0x73 || opcode == 0x0f;
  return (bits & 3) != 1 && (bits >> 13 & 7) != 0 && (bits >> 13 & 7) != 4;
}

class Machine {
 public:
  Machine(Symbolizer& symbolizer, bool keeps_runs)
      : symbolizer_(symbolizer), keeps_runs_(keeps_runs) {}

  void add_block(std::uint64_t id, Block block) {
    if (id >= blocks_.size()) blocks_.resize(id + 1);
    blocks_[id] = std::make_unique<Block>(std::move(block));
  }
  const Block& block(std::uint64_t id) const { return *blocks_.at(id); }
  Hart& hart(std::uint64_t id) {
    Hart& hart = harts_[id];
    hart.number = id;
    return hart;
  }

  void add_fact(Hart& hart, SideBandFact fact) {
    if (fact.kind == SideBandFact::Kind::kThread) {
      if (hart.thread) hart.thread->pid = fact.pid;
      return;
    }
    Space& space = spaces_[fact.pid];
    space.known.clear();
    if (fact.kind == SideBandFact::Kind::kUnmapAll)
      space.mappings.clear();
    else
      space.mappings.push_back(
          {fact.start, fact.end, fact.file_off, std::move(fact.name)});
  }

  // The hart executed `executed` instructions of its last block and goes on
  // with `now`.
  void step(Hart& hart, std::uint64_t executed, const Step& now) {
    if (hart.begun) finish(hart, executed, now);
    if (!hart.begun) begin(hart, now);
    hart.begun = true;
    hart.last = now;
  }

  void finish_all() {
    for (auto& [id, hart] : harts_)
      if (hart.begun) count(hart, hart.last.block->offsets.size());
  }
  void print() {
    tree_.print(symbolizer_.names);
    fmt::print(stderr,
               "true_stacks: {} threads, {} signals, {} jumps that unwound; "
               "unexplained: {} returns, {} resumed threads\n",
               threads_.size(), signals_, unwound_, unexplained_, lost_);
  }
  void write_runs(const char* path) {
    for (auto& [id, hart] : harts_) end_run(hart);
    std::string head;
    symbolizer_.names.write(head);
    tree_.write(head);
    std::ofstream(path, std::ios::binary) << head << runs_;
  }

 private:
  Place place(const Thread& thread, std::uint8_t priv, Address pc) {
    if (priv == kMachine) return symbolizer_.machine();
    if (priv == kSupervisor) return symbolizer_.kernel(pc);
    return symbolizer_.user(spaces_[thread.pid], pc);
  }

  void begin(Hart& hart, const Step& now) {
    // In user mode, the kernel tells later which thread it is.
    anonymous_.push_back(std::make_unique<Thread>());
    hart.thread = anonymous_.back().get();
    if (now.priv == kSupervisor && now.tp >> 63)
      hart.thread = &known(now.tp, hart);
  }
  Thread& known(Address tp, Hart& hart) {
    auto& row = threads_[tp];
    if (!row) {
      const bool anonymous = tp_of_.find(hart.thread) == tp_of_.end();
      anonymous_.push_back(std::make_unique<Thread>());
      row = anonymous ? hart.thread : anonymous_.back().get();
      tp_of_[row] = tp;
    }
    return *row;
  }

  // Adds the instructions of the last block to the stack.
  void count(Hart& hart, std::uint64_t executed) {
    const Step& last = hart.last;
    const Thread& thread = *hart.thread;
    const auto& offsets = last.block->offsets;
    executed = std::min<std::uint64_t>(executed, offsets.size());
    if (executed == 0) return;
    const Place first = place(thread, last.priv, last.pc);
    const Place end = place(thread, last.priv, last.pc + offsets[executed - 1]);
    if (first.name == end.name)
      return add(hart, tree_.child(thread.node(), first.name), executed);
    for (std::uint64_t i = 0; i < executed; ++i)
      add(hart,
          tree_.child(thread.node(),
                      place(thread, last.priv, last.pc + offsets[i]).name),
          1);
  }
  void add(Hart& hart, std::uint32_t node, std::uint64_t count) {
    tree_.add(node, count);
    if (!keeps_runs_) return;
    if (hart.run_count != 0 && hart.run_node == node) {
      hart.run_count += count;
      return;
    }
    end_run(hart);
    hart.run_node = node;
    hart.run_count = count;
  }
  void end_run(Hart& hart) {
    if (hart.run_count == 0) return;
    append_varint(runs_, hart.number);
    append_varint(runs_, hart.run_node);
    append_varint(runs_, hart.run_count);
    hart.run_count = 0;
  }

  void finish(Hart& hart, std::uint64_t executed, const Step& now) {
    const Step last = hart.last;
    const Block& block = *last.block;
    const std::uint64_t size = block.offsets.size();
    executed = std::clamp<std::uint64_t>(executed, 1, size);
    const Address at = last.pc + block.offsets[executed - 1];
    const std::uint32_t bits = block.bits[executed - 1];
    const bool again = !now.trap && now.pc == at && is_memory_access(bits);
    count(hart, again ? executed - 1 : executed);
    if (again) return;
    if (!now.trap) return move(hart, last, at, bits, now);
    // What the instruction did, unless it is the one that failed.
    std::uint8_t privilege = last.priv;
    if (now.epc != at) {
      Step landed = now;
      landed.pc = now.epc;
      landed.priv = privilege_after(*hart.thread, last.priv, bits, now);
      privilege = landed.priv;
      if (landed.priv <= now.priv) move(hart, last, at, bits, landed);
    }
    enter(*hart.thread, privilege, at, bits, now);
  }

  // Instruction `bits` at `at` led to `now`.
  void move(Hart& hart, const Step& last, Address at, std::uint32_t bits,
            const Step& now) {
    if (is_return_from_trap(bits)) return leave(hart, last, now);
    if (now.priv == kSupervisor && now.tp >> 63) {
      Thread& thread = known(now.tp, hart);
      if (&thread != hart.thread) {
        hart.thread = &thread;
        thread.is_arriving = true;
      }
    }
    Thread& thread = *hart.thread;
    if (thread.is_arriving) {
      if (is_indirect(bits)) resume(thread, now);
      return;
    }
    if (is_call(bits)) {
      const Address next = at + wick_trace::riscv_size(bits);
      if (now.pc != next)
        push(thread, {.resume = next, .sp = now.sp}, last.priv, at);
      return;
    }
    if (is_indirect(bits)) jump(thread, bits, now);
    const bool is_named = place(thread, now.priv, now.pc).start != 0;
    if (is_named) {
      if (thread.in_part()) thread.frames.pop_back();
    } else if (is_branch(bits) && !thread.in_part() &&
               place(thread, last.priv, at).start != 0) {
      push(thread, {.kind = Frame::Kind::kPart, .sp = now.sp}, last.priv, at);
    }
  }

  void push(Thread& thread, Frame frame, std::uint8_t priv, Address pc) {
    frame.node = tree_.child(thread.node(), place(thread, priv, pc).name);
    thread.frames.push_back(frame);
  }

  // Ends the call that returns to this pc with this sp.
  static bool end_call(Thread& thread, const Step& now) {
    for (std::size_t i = thread.frames.size(); i-- > 0;) {
      const Frame& frame = thread.frames[i];
      if (frame.kind == Frame::Kind::kTrap) return false;
      if (frame.kind == Frame::Kind::kCall && frame.resume == now.pc &&
          frame.sp == now.sp) {
        thread.frames.resize(i);
        return true;
      }
    }
    return false;
  }

  void jump(Thread& thread, std::uint32_t bits, const Step& now) {
    if (end_call(thread, now)) return;
    if (place(thread, now.priv, now.pc).start == now.pc) return;
    // Stacks of the kernel have 16 KB; programs may have several, too.
    const Address reach = now.priv == kUser ? 1 << 20 : 1 << 14;
    auto& frames = thread.frames;
    const auto is_above = [&](Address limit) {
      return !frames.empty() && frames.back().kind != Frame::Kind::kTrap &&
             now.sp - frames.back().sp < reach &&
             now.sp - frames.back().sp >= limit;
    };
    bool any = false;
    while (is_above(1)) {
      frames.pop_back();
      any = true;
    }
    if (!any) {
      if (is_return(bits) && !frames.empty() &&
          frames.back().kind == Frame::Kind::kCall)
        ++unexplained_;
      return;
    }
    ++unwound_;
    while (is_above(0)) frames.pop_back();
  }

  // The thread runs again, or for the first time.
  void resume(Thread& thread, const Step& now) {
    thread.is_arriving = false;
    if (end_call(thread, now)) return;
    if (!thread.frames.empty() &&
        place(thread, now.priv, now.pc).start != now.pc)
      ++lost_;
    thread.is_new = place(thread, now.priv, now.pc).start == now.pc;
    thread.frames.clear();
    thread.base = 0;
    if (thread.is_new) {
      thread.base = tree_.placeholder();
      tree_.replace(thread.base, 0);
    }
  }

  static std::size_t last_trap_to(const Thread& thread, std::uint8_t to) {
    for (std::size_t i = thread.frames.size(); i-- > 0;)
      if (thread.frames[i].kind == Frame::Kind::kTrap &&
          thread.frames[i].to == to)
        return i;
    return thread.frames.size();
  }

  // A trap at `now.epc` interrupts what runs with privilege `from`; the
  // instruction before it is `bits` at `at`.
  void enter(Thread& thread, std::uint8_t from, Address at, std::uint32_t bits,
             const Step& now) {
    if (from == kUser && bits == 0x73 && now.epc == at &&
        (now.a7 == kClone || now.a7 == kClone3))
      births_.push_back({at + 4, now.sp, thread.frames});
    push(thread,
         {.kind = Frame::Kind::kTrap,
          .from = from,
          .to = now.priv,
          .resume = now.epc,
          .sp = now.sp,
          .a7 = bits == 0x73 && now.epc == at ? now.a7 : 0},
         from, now.epc);
  }

  // The privilege after instruction `bits`, which the trap `now` follows.
  static std::uint8_t privilege_after(const Thread& thread, std::uint8_t before,
                                      std::uint32_t bits, const Step& now) {
    if (!is_return_from_trap(bits)) return before;
    const std::size_t i = last_trap_to(thread, before);
    if (i < thread.frames.size()) return thread.frames[i].from;
    return now.epc >> 63 ? kSupervisor : kUser;
  }

  void leave(Hart& hart, const Step& last, const Step& now) {
    Thread& thread = *hart.thread;
    auto& frames = thread.frames;
    const std::size_t i = last_trap_to(thread, last.priv);
    if (last.priv == kMachine || now.priv != kUser) {
      if (i < frames.size()) frames.resize(i);
      return;
    }
    if (i == frames.size()) {  // it has not been in user mode yet
      frames.clear();
      if (thread.is_new) reach_user_code(thread, now);
      thread.is_new = false;
      return;
    }
    // The outermost one: traps in the kernel are over.
    std::size_t trap = i;
    while (frames[trap].from != kUser && trap > 0) --trap;
    const Frame frame = frames[trap];
    frames.resize(trap);
    if (now.sp == frame.sp && frame.a7 != kSigreturn) return;
    if (frame.a7 == kExecve || frame.a7 == kExecveat) {
      frames.clear();
    } else if (frame.a7 == kSigreturn) {
      end_signal(frames, now);
    } else {
      ++signals_;
      frames.push_back(frame);
      frames.back().kind = Frame::Kind::kSignal;
    }
  }

  void reach_user_code(Thread& thread, const Step& now) {
    const std::uint32_t base = std::exchange(thread.base, 0);
    for (const Birth& birth : births_)
      if (birth.resume == now.pc && birth.sp == now.sp)
        thread.frames = birth.frames;
    const Place at = place(thread, now.priv, now.pc);
    if (at.start != now.pc)  // else a thread of the kernel became a program
      tree_.replace(base, tree_.child(thread.node(), at.name));
  }

  static void end_signal(std::vector<Frame>& frames, const Step& now) {
    std::size_t last = frames.size();
    for (std::size_t i = frames.size(); i-- > 0;) {
      if (frames[i].kind != Frame::Kind::kSignal) continue;
      if (last == frames.size()) last = i;
      if (frames[i].sp == now.sp) {
        frames.resize(i);
        return;
      }
    }
    // Several signals at once: the next handler begins.
    if (last < frames.size()) frames.resize(last + 1);
  }

  Symbolizer& symbolizer_;
  bool keeps_runs_;
  std::string runs_;
  Tree tree_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::map<std::uint64_t, Hart> harts_;
  std::unordered_map<Address, Thread*> threads_;  // by tp
  std::unordered_map<const Thread*, Address> tp_of_;
  std::vector<std::unique_ptr<Thread>> anonymous_;  // owns all of them
  std::vector<Birth> births_;
  std::unordered_map<std::int32_t, Space> spaces_;
  std::uint64_t unwound_ = 0, lost_ = 0, signals_ = 0, unexplained_ = 0;
};

// --- The file

class Records {
 public:
  explicit Records(std::string_view bytes) : bytes_(bytes) {}
  bool done() const { return at_ >= bytes_.size(); }
  std::uint8_t byte() {
    if (done()) fail("the file is cut off");
    return static_cast<std::uint8_t>(bytes_[at_++]);
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const std::uint8_t part = byte();
      value |= std::uint64_t{part & 0x7fu} << shift;
      if (part < 0x80) return value;
    }
  }
  std::int64_t difference() {
    const std::uint64_t value = number();
    return static_cast<std::int64_t>(value >> 1 ^ -(value & 1));
  }
  std::string_view text() {
    const std::uint64_t size = number();
    if (size > bytes_.size() - at_) fail("the file is cut off");
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

Block read_block(Records& in) {
  Block block;
  block.pc = in.number();
  const std::string_view code = in.text();
  for (std::size_t i = 0; i < code.size();) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, code.data() + i, 2);
    const std::uint32_t size = wick_trace::riscv_size(bits);
    std::memcpy(&bits, code.data() + i, size);
    block.offsets.push_back(static_cast<std::uint16_t>(i));
    block.bits.push_back(bits);
    i += size;
  }
  return block;
}

SideBandFact read_fact(Records& in) {
  SideBandFact fact;
  fact.kind = static_cast<SideBandFact::Kind>(in.byte());
  fact.pid = static_cast<std::int32_t>(in.difference());
  fact.tid = static_cast<std::int32_t>(in.difference());
  fact.start = in.number();
  fact.end = in.number();
  fact.file_off = in.number();
  fact.name = in.text();
  return fact;
}

void read_step(Records& in, Machine& machine, Hart*& hart, const Block& block,
               std::uint8_t flags) {
  if (flags & 128) hart = &machine.hart(in.number());
  Step now = hart->last;
  now.block = &block;
  const std::uint64_t executed =
      flags & 1 ? hart->last.block->offsets.size() : in.number();
  if (flags & 2) now.sp += static_cast<std::uint64_t>(in.difference());
  if (flags & 4) now.tp = in.number();
  if (flags & 8) now.satp = in.number();
  if (flags & 16) now.priv = static_cast<std::uint8_t>(in.number());
  now.pc = flags & 64 ? in.number() : block.pc;
  now.trap = flags & 32;
  now.epc = now.trap ? in.number() : 0;
  now.a7 = now.trap ? in.number() : 0;
  machine.step(*hart, executed, now);
}

int run(char** argv) {  // ends with a null
  InputFile file = InputFile::open(argv[1]);
  Symbolizer symbolizer(argv[2], argv[3]);
  Machine machine(symbolizer, argv[4] != nullptr);
  Records in(file.bytes());
  Hart* hart = nullptr;
  while (!in.done()) {
    const std::uint64_t id = in.number();
    const std::uint8_t kind = in.byte();
    if (id != 0) {
      read_step(in, machine, hart, machine.block(id - 1), kind);
    } else if (kind == 'B') {
      const std::uint64_t number = in.number();
      machine.add_block(number, read_block(in));
    } else {
      machine.add_fact(*hart, read_fact(in));
    }
  }
  machine.finish_all();
  machine.print();
  if (argv[4] != nullptr) machine.write_runs(argv[4]);
  return 0;
}

}  // namespace
}  // namespace wick

int main(int argc, char** argv) {
  if (argc != 4 && argc != 5) return 2;
  try {
    return wick::run(argv);
  } catch (const wick::Error& error) {
    fmt::print(stderr, "true_stacks: {}\n", error.what());
    return 1;
  }
}
