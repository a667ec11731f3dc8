// SPDX-License-Identifier: Apache-2.0
#include "itrace/trace_look.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <set>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "base/append.h"
#include "itrace/code/address_spaces.h"
#include "itrace/code/code_map.h"

namespace wick {
namespace {

constexpr std::size_t kMaxSpaces = 1 << 16, kMaxThreads = 64;
constexpr std::size_t kMaxPcs = 1 << 22;

// Looks up the code of pcs, block by block.
class Lookup {
 public:
  Lookup(const TraceOptions& options, const TraceInfo& info,
         const SymbolOptions& symbols)
      : map_(options, info, symbols) {
    map_.set_user_code(
        std::make_unique<AddressSpaces>(map_, info, options.sysroot));
  }

  // Begins the next block.
  void start(const TraceBlock& block) {
    changes_ = map_.learn(block);
    change_at_ = 0;
    hart_ = block.hart;
    page_ = nullptr;
  }

  // The page of instruction `at`; to be called in order.
  const CodePage& page(std::size_t at, std::uint64_t pc) {
    while (change_at_ < changes_.size() && changes_[change_at_].from <= at) {
      spaces_[hart_] = changes_[change_at_++].space;
      page_ = nullptr;
    }
    if (page_ == nullptr || pc / CodePage::kBytes != page_number_) {
      const auto space = spaces_.find(hart_);
      page_ = &map_.page(
          space == spaces_.end() ? SpaceId::kNone : space->second, pc);
      page_number_ = pc / CodePage::kBytes;
    }
    return *page_;
  }

  // From the instruction in the trace if it has them, else from the file.
  Flow flow(const TraceBlock& block, std::size_t at, const CodePage& page) {
    if (at < block.bits.size())
      return decode_riscv(block.bits[at], map_.xlen());
    return page.flow[CodePage::slot(block.instructions[at].pc)];
  }

  const CodeMap& map() const { return map_; }

 private:
  CodeMap map_;
  std::span<const SpaceChange> changes_;
  std::size_t change_at_ = 0;
  std::uint32_t hart_ = 0;
  std::map<std::uint32_t, SpaceId> spaces_;
  const CodePage* page_ = nullptr;
  std::uint64_t page_number_ = 0;
};

std::string_view kind_name(FlowKind kind) {
  switch (kind) {
    case FlowKind::kUnknown:
      return "unknown";
    case FlowKind::kPlain:
      return "plain";
    case FlowKind::kFlush:
      return "flush";
    case FlowKind::kBranch:
      return "branch";
    case FlowKind::kJump:
      return "jump";
    case FlowKind::kCall:
      return "call";
    case FlowKind::kIndirectJump:
      return "indirect jump";
    case FlowKind::kIndirectCall:
      return "indirect call";
    case FlowKind::kReturn:
      return "return";
    case FlowKind::kSwapLink:
      return "return and call";
    case FlowKind::kEcall:
      return "ecall";
    case FlowKind::kBreak:
      return "ebreak";
    case FlowKind::kXret:
      return "xret";
    case FlowKind::kWait:
      return "wfi";
  }
  return "unknown";
}

char privilege_letter(Privilege privilege) {
  switch (privilege) {
    case Privilege::kUser:
      return 'U';
    case Privilege::kSupervisor:
      return 'S';
    case Privilege::kMachine:
      return 'M';
    case Privilege::kUnknown:
      break;
  }
  return '-';
}

// The cycles of each instruction: those since the previous one.
class Cycles {
 public:
  void start(const TraceBlock& block) {
    last_ = &lasts_[block.hart];
    if (block.after_gap) last_->known = false;
  }
  std::uint64_t of(std::uint64_t cycle) {
    const std::uint64_t since = !last_->known          ? 1
                                : cycle > last_->cycle ? cycle - last_->cycle
                                                       : 0;
    *last_ = {true, cycle};
    return since;
  }

 private:
  struct Last {
    bool known = false;
    std::uint64_t cycle = 0;
  };
  std::map<std::uint32_t, Last> lasts_;
  Last* last_ = nullptr;
};

}  // namespace

TraceSummary summarize(TraceReader& reader) {
  std::map<std::uint32_t, HartSummary> harts;
  absl::flat_hash_set<std::uint64_t> spaces;
  std::set<std::string> threads;
  Cycles cycles;
  TraceBlock block;
  while (reader.next(block)) {
    if (block.instructions.empty()) continue;
    HartSummary& hart = harts[block.hart];
    hart.hart = block.hart;
    if (hart.instructions == 0)
      hart.first_cycle = block.instructions.front().cycle;
    hart.last_cycle = block.instructions.back().cycle;
    hart.gaps += block.after_gap && hart.instructions > 0 ? 1 : 0;
    hart.instructions += block.instructions.size();
    hart.traps += block.traps.size();
    cycles.start(block);
    for (const Retired& one : block.instructions)
      hart.cycles += cycles.of(one.cycle);
    for (const ContextChange& context : block.contexts)
      if (context.has_satp && spaces.size() < kMaxSpaces)
        spaces.insert(context.satp);
    for (const SideBandFact& fact : block.facts)
      if (fact.kind == SideBandFact::Kind::kThread &&
          threads.size() < kMaxThreads)
        threads.insert(fact.name);
  }
  TraceSummary summary{.info = reader.info(), .spaces = spaces.size()};
  for (const auto& [number, hart] : harts) summary.harts.push_back(hart);
  summary.threads.assign(threads.begin(), threads.end());
  return summary;
}

Diagnostics print_instructions(TraceReader& reader, const TraceOptions& options,
                               std::uint64_t limit, std::ostream& out,
                               const SymbolOptions& symbols) {
  Lookup lookup(options, reader.info(), symbols);
  const bool names = lookup.map().image_count() > 1;
  std::map<std::uint32_t, Privilege> privileges;
  std::string text;
  TraceBlock block;
  while (limit > 0 && reader.next(block)) {
    const TraceInfo& info = reader.info();
    const int digits = (info.pc_bits + 3) / 4;
    lookup.start(block);
    auto context = block.contexts.begin();
    auto trap = block.traps.begin();
    for (std::size_t i = 0; i < block.instructions.size() && limit > 0;
         ++i, --limit) {
      const auto [cycle, pc] = block.instructions[i];
      Privilege& privilege =
          privileges.try_emplace(block.hart, Privilege::kUnknown).first->second;
      while (context != block.contexts.end() && context->from <= i)
        privilege = context++->privilege;
      if (i == 0 && block.after_gap) text += "--\n";
      append(text, "{} {:>12} {:0{}x}", block.hart, cycle, pc, digits);
      if (i < block.bits.size()) {
        const std::uint32_t bits = block.bits[i];
        append(text, " {:>8}",
               fmt::format("{:0{}x}", bits, (bits & 3) == 3 ? 8 : 4));
      }
      if (info.has_privilege) append(text, " {}", privilege_letter(privilege));
      const CodePage& page = lookup.page(i, pc);
      const std::size_t slot = CodePage::slot(pc);
      if (names) {
        const CodeFunction& function =
            lookup.map().function(page.function(slot));
        const std::uint64_t elf_addr = page.elf_addr + pc % CodePage::kBytes;
        append(text, "  {}", lookup.map().shown_name(function));
        if (!function.name.empty() && elf_addr != function.start)
          append(text, "+{:#x}", elf_addr - function.start);
      }
      const FlowKind kind = lookup.flow(block, i, page).kind();
      if (kind != FlowKind::kPlain && kind != FlowKind::kUnknown)
        append(text, "  {}", kind_name(kind));
      for (; trap != block.traps.end() && trap->at == i; ++trap)
        append(text, "  {}{} {}", trap->is_before ? "after " : "",
               trap->interrupt ? "interrupt" : "trap", trap->cause);
      text += '\n';
      if (text.size() > (1 << 16)) {
        out << text;
        text.clear();
      }
    }
    if (!out) return lookup.map().diagnostics();
  }
  out << text;
  return lookup.map().diagnostics();
}

InstructionCounts count_instructions(TraceReader& reader,
                                     const TraceOptions& options, CountBy by,
                                     const SymbolOptions& symbols) {
  struct Count {
    std::uint64_t instructions = 0, cycles = 0;
    FunctionId function = FunctionId::kNone;
  };
  Lookup lookup(options, reader.info(), symbols);
  absl::flat_hash_map<std::uint64_t, Count> counts;
  constexpr std::uint64_t kOthers = UINT64_MAX;
  Cycles cycles;
  TraceBlock block;
  while (reader.next(block)) {
    lookup.start(block);
    cycles.start(block);
    for (std::size_t i = 0; i < block.instructions.size(); ++i) {
      const auto [cycle, pc] = block.instructions[i];
      const CodePage& page = lookup.page(i, pc);
      const FunctionId function = page.function(CodePage::slot(pc));
      std::uint64_t key = pc;
      if (by == CountBy::kFunction)
        key = index(function);
      else if (by == CountBy::kKind)
        key = static_cast<std::uint64_t>(lookup.flow(block, i, page).kind());
      else if (counts.size() >= kMaxPcs && !counts.contains(pc))
        key = kOthers;
      Count& count = counts[key];
      ++count.instructions;
      count.cycles += cycles.of(cycle);
      count.function = function;
    }
  }
  std::vector<CountRow> rows;
  for (const auto& [key, count] : counts) {
    const CodeFunction& function = lookup.map().function(count.function);
    std::string name = lookup.map().shown_name(function);
    if (by == CountBy::kKind)
      name = kind_name(static_cast<FlowKind>(key));
    else if (by == CountBy::kPc)
      name = key == kOthers ? "[others]" : fmt::format("{:x} {}", key, name);
    rows.push_back({std::move(name), count.instructions, count.cycles});
  }
  std::ranges::sort(rows, [](const CountRow& a, const CountRow& b) {
    return a.instructions != b.instructions ? a.instructions > b.instructions
                                            : a.name < b.name;
  });
  return {.rows = std::move(rows), .diagnostics = lookup.map().diagnostics()};
}

}  // namespace wick
