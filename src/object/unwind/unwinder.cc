// SPDX-License-Identifier: Apache-2.0
#include "object/unwind/unwinder.h"

#include <bit>

#include "base/hash_index.h"
#include "object/unwind/dwarf_expression.h"
#include "object/unwind/unwind_rule.h"

namespace wick {
namespace {

// A rule that leads this far beyond the copied bytes has gone astray: stacks
// have megabytes.
constexpr std::uint64_t kLargestStack = std::uint64_t{256} << 20;

constexpr std::size_t kCacheSize = 16384;

struct alignas(64) CacheEntry {
  std::uint64_t address = ~std::uint64_t{0};
  std::uint64_t version = 0;
  UnwindRule rule = {.kind = UnwindRule::kUnmapped};
};
static_assert(sizeof(CacheEntry) == 64);

// The registers of the current frame.
struct Frame {
  std::uint64_t value[kTrackedRegisters];
  std::uint64_t known = 0;
  std::uint64_t pc = 0;
  // The pc is the next instruction, not the one after a call; registers that
  // the function has not saved yet, and the link register, are its own.
  bool exact = true;

  bool knows(int reg) const { return (known >> reg & 1) != 0; }
  void set(int reg, std::uint64_t to) {
    value[reg] = to;
    known |= std::uint64_t{1} << reg;
  }
  void forget(int reg) { known &= ~(std::uint64_t{1} << reg); }
};

// Whether a step reached the caller, and if not, why.
struct Step {
  bool done = false;
  UnwindEnd end = UnwindEnd::kNoRule;
};
constexpr Step kReached = {.done = true};
constexpr Step kRootReached = {.end = UnwindEnd::kRoot};
constexpr Step kUnknown = {.end = UnwindEnd::kNoRule};
constexpr Step kAstray = {.end = UnwindEnd::kBadMemory};

std::uint64_t extended(std::int32_t offset) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(offset));
}

Step unreadable(const StackCopy& stack, std::uint64_t address) {
  const bool behind =
      address - stack.end() < kLargestStack || address - (stack.end() - 8) < 8;
  return {.end = behind ? UnwindEnd::kStackTooShort : UnwindEnd::kBadMemory};
}

class Walk {
 public:
  Walk(const Unwinding& machine, const Registers& registers,
       std::string_view stack)
      : machine_(machine), stack_{.start = registers.sp, .bytes = stack} {
    for (int i = 0; i < kTrackedRegisters; ++i)
      frame_.value[i] = registers.value[i];
    frame_.known = registers.known;
    frame_.pc = registers.pc;
    frame_.set(machine.sp, registers.sp);
    if (machine.pc >= 0) frame_.set(machine.pc, registers.pc);
  }

  const Frame& frame() const { return frame_; }
  // The address for looking up rules and for output: the pc, or for a caller an
  // address inside its call, which may be the function's last instruction.
  std::uint64_t address() const { return frame_.pc - (frame_.exact ? 0 : 1); }
  CodePlace place(bool is_presumed) const {
    if (frame_.exact) return CodePlace::kInstruction;
    return is_presumed ? CodePlace::kPresumedCall : CodePlace::kCall;
  }

  Step step(const UnwindRule& rule) {
    switch (rule.kind) {
      case UnwindRule::kOffsets:
        return by_offsets(rule);
      case UnwindRule::kRoot:
        return kRootReached;
      case UnwindRule::kGeneral:
        return by_general(rule);
      case UnwindRule::kNone:
      case UnwindRule::kUnmapped:
        break;
    }
    return by_frame_pointer();
  }

 private:
  Step by_offsets(const UnwindRule& rule) {
    if (!frame_.knows(rule.cfa_reg)) return kUnknown;
    const std::uint64_t cfa =
        frame_.value[rule.cfa_reg] + extended(rule.cfa_offset);
    const std::uint64_t sp = frame_.value[machine_.sp];
    // The usual case: all slots are between the stack pointer and the end of
    // the copy. Reading a fixed number of them avoids a branch on their true
    // number, which the processor cannot predict.
    constexpr int kUsual = 7;
    const std::uint64_t first = cfa + extended(rule.offset[0]);
    const std::uint64_t last = cfa + extended(rule.offset[kUsual - 1]);
    if (rule.ra_saved && !rule.signal && rule.count <= kUsual && cfa > sp &&
        first >= sp && stack_.holds(first, last)) [[likely]] {
      const char* at = stack_.bytes.data() + (cfa - stack_.start);
      for (int i = 0; i < kUsual; ++i) {
        std::memcpy(&frame_.value[rule.reg[i]], at + rule.offset[i], 8);
        frame_.known |= std::uint64_t{1} << rule.reg[i];
      }
      return enter_at(cfa, frame_.value[rule.ra_reg], false);
    }
    return by_unusual_offsets(rule, cfa, sp);
  }

  Step by_unusual_offsets(const UnwindRule& rule, std::uint64_t cfa,
                          std::uint64_t sp) {
    // Only a function that saves nothing has the stack pointer of its caller.
    if (!rule.signal &&
        (cfa < sp || (cfa == sp && (rule.ra_saved || !frame_.exact))))
      return kAstray;
    if (!rule.ra_saved && !frame_.exact) return kUnknown;
    for (int i = 0; i < rule.count; ++i) {
      const int reg = rule.reg[i];
      const std::uint64_t address = cfa + extended(rule.offset[i]);
      // A slot below the stack pointer has been popped: compilers do not
      // describe in epilogues that a register is restored.
      if (address < sp && !rule.signal) {
        if (reg == machine_.pc) return kAstray;
        continue;
      }
      std::uint64_t value;
      if (stack_.read(address, value))
        frame_.set(reg, value);
      else if (reg == rule.ra_reg)
        return unreadable(stack_, address);
      else
        frame_.forget(reg);
    }
    return enter(cfa, rule.ra_reg, rule.signal);
  }

  // Makes the caller the current frame.
  Step enter(std::uint64_t cfa, int ra_reg, bool signal) {
    if (!frame_.knows(ra_reg)) return kUnknown;
    return enter_at(cfa, frame_.value[ra_reg], signal);
  }
  Step enter_at(std::uint64_t cfa, std::uint64_t pc, bool signal) {
    frame_.set(machine_.sp, cfa);
    frame_.pc = pc & machine_.address_mask;
    if (machine_.pc >= 0) frame_.set(machine_.pc, frame_.pc);
    frame_.exact = signal;
    return frame_.pc == 0 ? kRootReached : kReached;
  }

  Step by_general(const UnwindRule& outer);
  Step by_frame_pointer();

  const Unwinding& machine_;
  StackCopy stack_;
  Frame frame_;
};

Step Walk::by_general(const UnwindRule& outer) {
  const GeneralRule& rule = outer.general();
  const Frame old = frame_;
  const ExpressionInput input = {.registers = old.value,
                                 .known = old.known,
                                 .stack = stack_,
                                 .swap = rule.swap};
  std::uint64_t cfa;
  if (!rule.cfa_expression.empty()) {
    const ExpressionResult result = evaluate(rule.cfa_expression, input, {});
    if (result.bad_address) return unreadable(stack_, *result.bad_address);
    if (!result.valid) return kUnknown;
    cfa = result.value;
  } else {
    if (!old.knows(rule.cfa_reg)) return kUnknown;
    cfa = old.value[rule.cfa_reg] + static_cast<std::uint64_t>(rule.cfa_offset);
  }
  const std::uint64_t old_sp = old.value[machine_.sp];
  if (!outer.signal && (cfa < old_sp || (cfa == old_sp && !old.exact)))
    return kAstray;

  bool ra_found = false;
  std::uint64_t ra = 0, sp = cfa;
  for (const GeneralRule::Register& saved : rule.registers) {
    bool known = false;
    std::uint64_t value = 0, address = 0;
    bool in_memory = false;
    switch (saved.kind) {
      case GeneralRule::kUndefined:
        break;
      case GeneralRule::kOffset:
        address = cfa + static_cast<std::uint64_t>(saved.offset);
        in_memory = true;
        break;
      case GeneralRule::kValueOffset:
        value = cfa + static_cast<std::uint64_t>(saved.offset);
        known = true;
        break;
      case GeneralRule::kRegister:
        known = old.knows(static_cast<int>(saved.offset));
        value = old.value[saved.offset];
        break;
      case GeneralRule::kExpression:
      case GeneralRule::kValueExpression: {
        const ExpressionResult result = evaluate(saved.expression, input, cfa);
        if (result.bad_address && saved.reg == rule.ra_reg)
          return unreadable(stack_, *result.bad_address);
        in_memory = result.valid && saved.kind == GeneralRule::kExpression;
        known = result.valid && !in_memory;
        value = address = result.value;
        break;
      }
    }
    if (in_memory) {
      if (address < old_sp && !outer.signal && saved.reg != rule.ra_reg)
        continue;  // as in by_offsets
      known = stack_.read(address, value);
      if (!known && saved.reg == rule.ra_reg)
        return unreadable(stack_, address);
    }
    if (saved.reg == rule.ra_reg) {
      ra_found = known;
      ra = value;
      if (!known) return kUnknown;
    }
    if (saved.reg >= kTrackedRegisters) continue;
    if (known)
      frame_.set(saved.reg, value);
    else
      frame_.forget(saved.reg);
    if (saved.reg == machine_.sp && known) sp = value;
  }
  if (ra_found) return enter_at(sp, ra, outer.signal);
  if (!old.exact || rule.ra_reg >= kTrackedRegisters) return kUnknown;
  return enter(sp, rule.ra_reg, outer.signal);
}

// For code without rules that keeps a frame pointer, such as a JIT's. Looking
// up the caller shows whether the return address is in code.
Step Walk::by_frame_pointer() {
  if (!frame_.knows(machine_.fp)) return kUnknown;
  const std::uint64_t fp = frame_.value[machine_.fp];
  if (fp == 0) return kRootReached;
  const std::uint64_t sp = frame_.value[machine_.sp];
  const std::uint64_t cfa = fp + static_cast<std::uint64_t>(machine_.cfa);
  if (fp < sp || fp % 8 != 0 || cfa <= sp) return kUnknown;
  std::uint64_t caller_fp, ra;
  const std::uint64_t ra_at =
      fp + static_cast<std::uint64_t>(machine_.saved_ra);
  if (!stack_.read(ra_at, ra) ||
      !stack_.read(fp + static_cast<std::uint64_t>(machine_.saved_fp),
                   caller_fp)) {
    const Step step = unreadable(stack_, ra_at);
    return step.end == UnwindEnd::kStackTooShort ? step : kUnknown;
  }
  // The other registers may have been saved anywhere.
  frame_.known = 0;
  frame_.set(machine_.fp, caller_fp);
  return enter_at(cfa, ra, false);
}

}  // namespace

struct Unwinder::State {
  bool can_unwind;
  Unwinding unwinding;
  std::vector<CacheEntry> cache;  // empty until the first stack: it is 1 MB

  struct Lookup {
    std::uint64_t address = 0;
    CodePlace place = CodePlace::kInstruction;
  };

  const UnwindRule& rule_at(const Lookup& lookup, const UnwindMap& map,
                            std::uint64_t map_version) {
    const std::uint64_t address = lookup.address;
    const std::uint64_t version =
        map_version << 2 | static_cast<std::uint64_t>(lookup.place);
    const std::size_t slot =
        ((address + version * hash_detail::kA) * hash_detail::kB >> 32) %
        kCacheSize;
    CacheEntry& entry = cache[slot];
    if (entry.address != address || entry.version != version) [[unlikely]] {
      entry.address = address;
      entry.version = version;
      entry.rule = look_up(lookup, map);
    }
    return entry.rule;
  }

  static UnwindRule look_up(const Lookup& lookup, const UnwindMap& map) {
    const std::uint64_t address = lookup.address;
    const CodeRange range = map.find(address, lookup.place);
    if (address < range.start || address >= range.end)
      return {.kind = UnwindRule::kUnmapped};
    if (range.table == nullptr) return range.rule;
    return range.table->find(address - range.bias);
  }
};

Unwinder::Unwinder(Machine machine)
    : state_(new State{.can_unwind = traits_of(machine).can_unwind(),
                       .unwinding = traits_of(machine).unwinding}) {}
Unwinder::~Unwinder() = default;

UnwindEnd Unwinder::unwind(const Registers& registers, std::string_view stack,
                           const UnwindMap& map, std::uint64_t map_version,
                           std::vector<std::uint64_t>& out) {
  out.push_back(registers.pc);
  if (!state_->can_unwind) return UnwindEnd::kNoRule;
  if (state_->cache.empty()) state_->cache.resize(kCacheSize);
  Walk walk(state_->unwinding, registers, stack);
  const UnwindRule* rule = &state_->rule_at(
      {walk.address(), CodePlace::kInstruction}, map, map_version);
  for (int frames = 1;; ++frames) {
    // Looking up the caller may evict the rule from the cache.
    const bool from_rule = rule->kind == UnwindRule::kOffsets ||
                           rule->kind == UnwindRule::kGeneral;
    const bool is_from_code = rule->is_from_code;
    const Step step = walk.step(*rule);
    if (!step.done) return step.end;
    rule = &state_->rule_at({walk.address(), walk.place(is_from_code)}, map,
                            map_version);
    if (rule->kind == UnwindRule::kUnmapped)
      return from_rule ? UnwindEnd::kBadMemory : UnwindEnd::kNoRule;
    if (frames == kMaxFrames) return UnwindEnd::kTooDeep;
    out.push_back(walk.address());
  }
}

}  // namespace wick
