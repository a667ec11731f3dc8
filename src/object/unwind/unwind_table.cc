// SPDX-License-Identifier: Apache-2.0
#include "object/unwind/unwind_table.h"

#include <elf.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>

#include "base/hash_index.h"
#include "base/parallel.h"
#include "object/elf/elf_file.h"
#include "object/unwind/cfi_program.h"
#include "object/unwind/frame_sections.h"
#include "object/unwind/go_rules.h"

namespace wick {
namespace {

// Functions compiled together. Compiling a function costs about as much as
// finding it, so a few neighbours are nearly free; more would mostly compile
// what is never used.
constexpr std::size_t kBlock = 8;
// Real modules have a handful, for PLTs, signal frames, realigned stacks.
constexpr std::size_t kMaxGeneralRules = 1 << 14;
// Bytes of a row, and of an entry in the index with the table of blocks.
constexpr std::uint64_t kRowBytes = 8;
constexpr std::uint64_t kFunctionBytes = kFrameIndexBytes + 12 / kBlock + 1;
// With the index that finds it.
constexpr std::uint64_t kRuleBytes = sizeof(UnwindRule) + 12;

// Rows of a few functions: `size` addresses, then `size` rule numbers.
struct Block {
  std::uint32_t size = 0;
  std::unique_ptr<std::uint32_t[]> words;

  std::uint32_t rule_at(std::uint32_t at) const {
    const std::uint32_t* first = words.get();
    std::uint32_t left = size;
    while (left > 1) {
      const std::uint32_t half = left / 2;
      first = first[half] <= at ? first + half : first;
      left -= half;
    }
    return first[size];
  }
};

// One section: its functions and the rows compiled so far.
struct FrameSection {
  CfiSection cfi;
  FrameIndex index;
  std::vector<std::uint32_t> block_starts;
  std::unique_ptr<std::atomic<const Block*>[]> blocks;
  // In a crafted file entries may overlap, so that all programs together are
  // much longer than the section.
  std::atomic<std::uint64_t> work_left = 0;

  explicit FrameSection(CfiFunctions from)
      : cfi(std::move(from.cfi)), index(std::move(from.index)) {}
  FrameSection(const FrameSection&) = delete;
  ~FrameSection() {
    for (std::size_t i = 0; i < block_starts.size(); ++i)
      delete blocks[i].load(std::memory_order_relaxed);
  }

  void prepare() {
    for (std::size_t i = 0; i < index.starts.size(); i += kBlock)
      block_starts.push_back(index.starts[i]);
    blocks = std::make_unique<std::atomic<const Block*>[]>(block_starts.size());
    work_left = cfi.bytes.size() * 4 + 65536;
  }
};

// lld, and ld for static programs, write no rules for PLT stubs. A stub is a
// jump through a table: its frame is as the call left it.
struct StubRules {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;  // start, end
  UnwindRule rule;
};

StubRules stub_rules(const ElfFile& file) {
  StubRules stubs;
  const MachineTraits& machine = traits_of(file.machine());
  if (!machine.can_unwind()) return stubs;
  const Unwinding& unwinding = machine.unwinding;
  UnwindRule& rule = stubs.rule;
  rule.cfa_reg = static_cast<std::uint8_t>(unwinding.sp);
  rule.ra_reg = static_cast<std::uint8_t>(unwinding.ra);
  rule.cfa_offset = unwinding.call_pushes;
  if (unwinding.call_pushes != 0) {
    rule.ra_saved = true;
    rule.count = 1;
    std::ranges::fill(rule.offset,
                      static_cast<std::int16_t>(-unwinding.call_pushes));
    std::ranges::fill(rule.reg, rule.ra_reg);
  }
  rule.kind = UnwindRule::kOffsets;
  for (const ElfFile::Section& section : file.sections())
    if ((section.flags & SHF_EXECINSTR) != 0 &&
        (section.name.starts_with(".plt") || section.name == ".iplt") &&
        section.size <= ~section.address)
      stubs.ranges.emplace_back(section.address,
                                section.address + section.size);
  if (stubs.ranges.size() > 8) stubs.ranges.resize(8);
  return stubs;
}

std::uint64_t hash_of(const GeneralRule& rule) {
  std::uint64_t hash = hash_pair(hash_bytes(rule.cfa_expression),
                                 static_cast<std::uint64_t>(rule.cfa_offset));
  hash = hash_pair(hash, rule.cfa_reg * 256u + rule.ra_reg);
  for (const GeneralRule::Register& saved : rule.registers) {
    hash = hash_pair(hash, saved.reg * 256u + saved.kind);
    hash = hash_pair(hash, static_cast<std::uint64_t>(saved.offset));
    hash = hash_pair(hash, hash_bytes(saved.expression));
  }
  return hash;
}

std::uint64_t hash_of(const UnwindRule& rule) {
  return hash_bytes({reinterpret_cast<const char*>(&rule), sizeof rule});
}

std::uint64_t bytes_of(const GeneralRule& rule) {
  return sizeof rule + rule.registers.size() * sizeof(GeneralRule::Register);
}

}  // namespace

struct UnwindTable::State {
  State(std::shared_ptr<const ElfFile> of, std::shared_ptr<const ElfFile> with)
      : file(std::move(of)), debug(std::move(with)) {}
  ~State() { file->memory().give_back(taken); }
  State(const State&) = delete;

  std::shared_ptr<const ElfFile> file, debug;
  std::uint64_t base = 0;
  std::uint64_t taken = 0;  // of file->memory(); changes under the mutex
  // In order of precedence: the first that has a rule for an address wins.
  std::vector<std::unique_ptr<FrameSection>> sections;
  StubRules stubs;  // used after them
  std::once_flag go_read;
  std::optional<GoRules> go;  // used last, but for roots

  std::mutex mutex;  // held to add rules; readers need no lock
  StableVector<UnwindRule> rules;
  StableVector<GeneralRule> general;
  HashIndex rule_index, general_index;
  std::atomic<std::size_t> rows = 0, damaged = 0;

  bool take(std::uint64_t bytes) {
    if (!file->memory().take(bytes)) return false;
    taken += bytes;
    return true;
  }

  void add(CfiFunctions functions) {
    auto section = std::make_unique<FrameSection>(std::move(functions));
    damaged += section->index.damaged;
    if (section->index.starts.empty() ||
        !take(section->index.starts.size() * kFunctionBytes))
      return;
    section->prepare();
    sections.push_back(std::move(section));
  }

  const Block& block(FrameSection& section, std::size_t number) {
    const Block* ready = section.blocks[number].load(std::memory_order_acquire);
    return ready != nullptr ? *ready : compile(section, number);
  }

  const Block& compile(FrameSection& section, std::size_t number);
  std::uint32_t intern(UnwindRule rule, std::vector<GeneralRule>& from);
  bool is_known(const UnwindRule& rule) const;
  std::uint32_t add_rule(const UnwindRule& rule);
  const std::optional<GoRules>& go_rules();
  const UnwindRule& go_rule(std::uint64_t elf_addr);
};

const Block& UnwindTable::State::compile(FrameSection& section,
                                         std::size_t number) {
  const FrameIndex& index = section.index;
  const std::size_t first = number * kBlock;
  const std::size_t last = std::min(first + kBlock, index.starts.size());
  CfiCompiler compiler(section.cfi);
  std::size_t bad = 0;
  const bool tired = section.work_left == 0;
  for (std::size_t i = first; i < last; ++i) {
    const std::uint64_t start = base + index.starts[i];
    const std::uint64_t limit = i + 1 < index.starts.size()
                                    ? base + index.starts[i + 1]
                                    : base + 0xffffffff;
    if (tired) {
      compiler.rows().push_back({.start = start});
      ++bad;
    } else if (!compiler.compile(index.offsets[i], start, limit)) {
      ++bad;
    }
  }
  const std::scoped_lock lock(mutex);
  std::atomic<const Block*>& place = section.blocks[number];
  if (const Block* other = place.load(std::memory_order_acquire))
    return *other;  // another thread was faster
  std::vector<CfiRow>& from = compiler.rows();
  // One row without a rule is part of the index's share.
  if (!take(from.size() * kRowBytes))
    from = {{.start = base + index.starts[first]}};
  const auto size = static_cast<std::uint32_t>(from.size());
  auto made = std::make_unique<Block>();
  made->size = size;
  made->words.reset(new std::uint32_t[2 * std::size_t{size}]);
  for (std::uint32_t i = 0; i < size; ++i)
    made->words[i] = static_cast<std::uint32_t>(from[i].start - base);
  for (std::uint32_t i = 0; i < size; ++i)
    made->words[size + i] = intern(from[i].rule, compiler.general());
  rows += size;
  damaged += bad;
  const std::uint64_t left = section.work_left;
  section.work_left = left - std::min(left, compiler.work());
  place.store(made.get(), std::memory_order_release);
  return *made.release();
}

std::uint32_t UnwindTable::State::intern(UnwindRule rule,
                                         std::vector<GeneralRule>& from) {
  if (rule.kind == UnwindRule::kGeneral) {
    const GeneralRule& wanted = from[static_cast<std::size_t>(rule.cfa_offset)];
    rule.cfa_offset = 0;
    const std::uint32_t known = general_index.find(
        hash_of(wanted), [&](auto i) { return general[i] == wanted; });
    if (known == HashIndex::kNone &&
        (general.size() >= kMaxGeneralRules || !take(bytes_of(wanted))))
      return 0;
    rule.set_general(&general[general_index.find_or_add(
        hash_of(wanted), [&](auto i) { return general[i] == wanted; },
        [&] {
          general.push_back(wanted);
          return static_cast<std::uint32_t>(general.size() - 1);
        })]);
  }
  if (!is_known(rule) &&
      (rules.size() + 1 >= StableVector<UnwindRule>::kCapacity ||
       !take(kRuleBytes)))
    return 0;
  return add_rule(rule);
}

bool UnwindTable::State::is_known(const UnwindRule& rule) const {
  return rule_index.find(hash_of(rule), [&](std::uint32_t i) {
    return rules[i] == rule;
  }) != HashIndex::kNone;
}

std::uint32_t UnwindTable::State::add_rule(const UnwindRule& rule) {
  return rule_index.find_or_add(
      hash_of(rule), [&](std::uint32_t i) { return rules[i] == rule; },
      [&] {
        rules.push_back(rule);
        return static_cast<std::uint32_t>(rules.size() - 1);
      });
}

const std::optional<GoRules>& UnwindTable::State::go_rules() {
  std::call_once(go_read, [&] { go = GoRules::of(*file); });
  return go;
}

const UnwindRule& UnwindTable::State::go_rule(std::uint64_t elf_addr) {
  const UnwindRule rule = go_rules() ? go->at(elf_addr) : UnwindRule();
  if (rule.kind == UnwindRule::kNone) return rules[0];
  const std::scoped_lock lock(mutex);
  std::vector<GeneralRule> none;
  return rules[intern(rule, none)];
}

UnwindTable::UnwindTable() = default;
UnwindTable::UnwindTable(UnwindTable&&) noexcept = default;
UnwindTable& UnwindTable::operator=(UnwindTable&&) noexcept = default;
UnwindTable::~UnwindTable() = default;

UnwindTable UnwindTable::build(std::shared_ptr<const ElfFile> file,
                               std::shared_ptr<const ElfFile> debug) {
  UnwindTable table;
  table.state_ = std::make_unique<State>(std::move(file), std::move(debug));
  State& state = *table.state_;
  const ElfFile& binary = *state.file;
  state.base = lowest_code_address(binary);
  state.add_rule({});  // rule 0 is no rule
  state.add(functions_of_eh_frame(binary, state.base));
  state.add(functions_of_debug_frame(binary, state.base));
  if (state.debug)
    state.add(functions_of_debug_frame(*state.debug, state.base));
  state.stubs = stub_rules(binary);
  return table;
}

const UnwindRule& UnwindTable::find(std::uint64_t elf_addr) const {
  static constexpr UnwindRule kNothing, kRoot = {.kind = UnwindRule::kRoot};
  if (!state_ || elf_addr - state_->base > 0xffffffff) return kNothing;
  // By Go's rules in .debug_frame, whatever is on the other stack called it.
  if (state_->go_rules() && state_->go->is_root(elf_addr)) return kRoot;
  const auto at = static_cast<std::uint32_t>(elf_addr - state_->base);
  for (const auto& section : state_->sections) {
    const auto& starts = section->block_starts;
    const auto next = std::upper_bound(starts.begin(), starts.end(), at);
    if (next == starts.begin()) continue;
    const auto number = static_cast<std::size_t>(next - starts.begin()) - 1;
    const std::uint32_t rule = state_->block(*section, number).rule_at(at);
    if (rule != 0) return state_->rules[rule];
  }
  for (const auto& [start, end] : state_->stubs.ranges)
    if (elf_addr >= start && elf_addr < end) return state_->stubs.rule;
  return state_->go_rule(elf_addr);
}

void UnwindTable::compile_all(int workers) const {
  if (!state_) return;
  for (const auto& section : state_->sections) {
    constexpr std::size_t kChunk = 64;
    const std::size_t count = section->block_starts.size();
    parallel_for((count + kChunk - 1) / kChunk, workers, [&](std::size_t i) {
      for (std::size_t b = i * kChunk; b < std::min(count, (i + 1) * kChunk);
           ++b)
        state_->block(*section, b);
    });
  }
}

std::size_t UnwindTable::rows() const {
  return state_ ? state_->rows.load() : 0;
}

std::size_t UnwindTable::rules() const {
  if (!state_) return 0;
  const std::scoped_lock lock(state_->mutex);
  return state_->rules.size();
}

std::size_t UnwindTable::damaged() const {
  return state_ ? state_->damaged.load() : 0;
}

std::size_t UnwindTable::functions() const {
  std::size_t sum = 0;
  if (state_)
    for (const auto& section : state_->sections)
      sum += section->index.starts.size();
  return sum;
}

std::size_t UnwindTable::bytes() const {
  if (!state_) return 0;
  std::size_t blocks = 0;
  for (const auto& section : state_->sections)
    blocks += section->block_starts.size();
  return rows() * 8 + rules() * (sizeof(UnwindRule) + 12) + functions() * 8 +
         blocks * 12;
}

}  // namespace wick
