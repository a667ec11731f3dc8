// SPDX-License-Identifier: Apache-2.0
// Executions that make no sense: calls, returns, traps and thread switches in
// any order, in a kernel that is known by its symbols and in unknown programs.
// Whatever the stacks are, every cycle and every instruction must be in one of
// them, and a trace that is written and read again must be the same.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

#include "base/bytes.h"
#include "base/fuzz_target.h"
#include "itrace/code/address_spaces.h"
#include "itrace/code/code_map.h"
#include "itrace/formats/wick_trace.h"
#include "itrace/trace_profile.h"
#include "itrace/trigger/trigger.h"
#include "profile/profile.h"

namespace wick {
namespace {

void require(bool holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "broken invariant: %s\n", what);
  std::abort();
}

constexpr std::string_view kKernel =
    "ffffffff80001000 T handle_exception\n"
    "ffffffff80001040 T ret_from_exception\n"
    "ffffffff80001080 T ret_from_fork\n"
    "ffffffff800010c0 T __switch_to\n"
    "ffffffff80001100 T wake_up_new_task\n"
    "ffffffff80001140 T schedule\n"
    "ffffffff80001180 T do_trap_ecall_u\n"
    "ffffffff800011c0 T __riscv_sys_rt_sigreturn\n"
    "ffffffff80001200 T ksys_read\n"
    "ffffffff80001240 T _end\n";

// The code that runs: eight functions of the kernel, the SBI, a few addresses
// of programs.
std::uint64_t place(std::uint8_t number) {
  if (number < 9) return 0xffffffff80001000 + number * std::uint64_t{0x40};
  if (number < 11) return 0x80000000 + number * std::uint64_t{0x40};
  return 0x10000 + number * std::uint64_t{0x840};
}

// nop, c.nop, ecall, sret, mret, jal ra, jalr ra, ret, c.jr ra, c.jr a5, beq,
// j, c.jalr a5, c.ebreak, jr t0, li a7 139
constexpr std::array<std::uint32_t, 16> kWords = {
    0x13,    0x01,   0x73,       0x10200073, 0x30200073, 0x040000ef,
    0x780e7, 0x8067, 0x8082,     0x8782,     0x00000063, 0x0400006f,
    0x9782,  0x9002, 0x00028067, 0x08b00893};

// Three bytes per instruction, some of which change the context first.
class Execution final : public TraceReader {
 public:
  explicit Execution(std::string_view bytes) : in_(bytes) {
    flags_ = in_.read<std::uint8_t>();
    info_.has_bits = (flags_ & 1) != 0;
    info_.has_traps = (flags_ & 2) != 0;
    info_.has_satp = info_.has_privilege = (flags_ & 4) != 0;
    info_.pc_bits = (flags_ & 8) != 0 ? 40 : 64;
  }

  bool next(TraceBlock& block) override {
    block.clear();
    block.hart = in_.rest().size() % 128 == 1 ? 1 : 0;
    while (in_.fits(1, 3) && block.instructions.size() < 100 &&
           add(block, in_.read<std::uint8_t>(), in_.read<std::uint8_t>(),
               in_.read<std::uint8_t>()))
      ;
    return !block.instructions.empty();
  }

 private:
  // False at the end of a block.
  bool add(TraceBlock& block, std::uint8_t what, std::uint8_t where,
           std::uint8_t more) {
    const auto at = static_cast<std::uint32_t>(block.instructions.size());
    if (what >= 0xf0) return say(block, at, what, where, more);
    const bool follows = (what & 0x80) != 0;
    pc_ = follows ? pc_ + length_
                  : place(where % 24) + std::uint64_t{where} / 24 * 4;
    const std::uint32_t word = kWords[what % kWords.size()];
    length_ = (word & 3) == 3 ? 4 : 2;
    cycle_ += more % 16 == 15 ? std::uint64_t{more} * more : more % 16;
    block.instructions.push_back(
        {cycle_, info_.pc_bits == 64 ? pc_ : pc_ & 0xffffffffff});
    if (info_.has_bits) block.bits.push_back(word);
    if (info_.has_traps && (what & 0x40) != 0)
      block.traps.push_back({at, (what & 0x20) != 0, more % 16u});
    return true;
  }

  bool say(TraceBlock& block, std::uint32_t at, std::uint8_t what,
           std::uint8_t where, std::uint8_t more) {
    // A row refers to an instruction of its block.
    if (at >= 99 || !in_.fits(1, 3) ||
        static_cast<std::uint8_t>(in_.rest()[0]) >= 0xf0)
      return true;
    if (what < 0xf6 && info_.has_satp) {
      constexpr Privilege kPrivileges[] = {
          Privilege::kUser, Privilege::kSupervisor, Privilege::kMachine};
      block.contexts.push_back({.from = at,
                                .privilege = kPrivileges[where % 3],
                                .has_satp = true,
                                .has_thread_pointer = what % 2 != 0,
                                .satp = more % 4u,
                                .thread_pointer = more / 4u});
    } else if (what < 0xf9) {
      block.facts.push_back({.from = at,
                             .kind = SideBandFact::Kind::kThread,
                             .satp = more % 4u,
                             .pid = where,
                             .tid = more,
                             .name = "thread"});
    } else if (what < 0xfc) {
      block.facts.push_back({.from = at,
                             .kind = what == 0xfb
                                         ? SideBandFact::Kind::kUnmapAll
                                         : SideBandFact::Kind::kMapping,
                             .satp = more % 4u,
                             .start = std::uint64_t{where} << 12,
                             .end = (std::uint64_t{where} + more) << 12,
                             .name = "program"});
    } else if (at == 0 && block.hart == 0) {
      block.after_gap = true;
    } else {
      return false;
    }
    return true;
  }

  ByteReader in_;
  std::uint8_t flags_;
  std::uint64_t pc_ = 0, cycle_ = 1000, length_ = 0;
};

// The content of a trace, for comparison.
struct Total {
  std::uint64_t cycles = 0, instructions = 0, words = 0;
  std::uint64_t hashes[2] = {0, 0};  // by hart, since their order may differ
  friend bool operator==(const Total&, const Total&) = default;
};

Total total(TraceReader& reader) {
  Total total;
  TraceBlock block;
  std::uint64_t last[2] = {0, 0};
  bool met[2] = {false, false};
  while (reader.next(block)) {
    std::uint64_t& before = last[block.hart];
    if (!std::exchange(met[block.hart], true) || block.after_gap)
      before = block.instructions.front().cycle - 1;
    total.cycles += block.instructions.back().cycle - before;
    before = block.instructions.back().cycle;
    total.instructions += block.instructions.size();
    std::uint64_t& hash = total.hashes[block.hart];
    for (const Retired& at : block.instructions)
      hash = (hash ^ at.pc ^ at.cycle << 20) * 0x9e3779b97f4a7c15;
    for (const std::uint32_t word : block.bits) total.words += word;
  }
  return total;
}

void check_stacks(std::string_view bytes, const Total& wanted) {
  Execution reader(bytes);
  ReadOptions options;
  options.keep_time = bytes.size() % 2 == 0;
  options.trace.attribution = static_cast<Attribution>(bytes.size() / 2 % 4);
  CodeMap map(options.trace, reader.info());
  map.add_system_map(std::string(kKernel), "System.map");
  map.set_user_code(std::make_unique<AddressSpaces>(map, reader.info()));
  Profile profile = read_trace(reader, map, options);
  sort_samples(profile);
  require(check(profile).empty(), check(profile).c_str());
  if (options.trace.attribution == Attribution::kFirePerf) return;
  std::uint64_t cycles = 0, instructions = 0;
  for (const Sample& sample : profile.samples) {
    const auto weight = static_cast<std::uint64_t>(sample.weight);
    if (index(sample.event) == 0) cycles += weight;
    if (index(sample.event) == 2) instructions += weight;
  }
  require(cycles == wanted.cycles, "every cycle is in a stack");
  require(instructions == wanted.instructions,
          "every instruction is in a stack");
}

void check_written(std::string_view bytes, const Total& wanted) {
  Execution reader(bytes);
  std::string file;
  write_wick_trace(reader, [&](std::string_view part) { file += part; });
  InputFile input = InputFile::from_memory("fuzz", std::move(file));
  const auto again = wick_trace_format.open(input, {});
  require(total(*again) == wanted, "what is written is read");
  require(again->diagnostics().empty(), "what is written is whole");
}

void check_cut(std::string_view bytes, const Total& wanted) {
  TraceOptions options;
  options.trigger.from = "pc:ffffffff80001000";
  options.trigger.until = bytes.size() % 3 == 0 ? "cycle:1500" : "insn:8082";
  const auto cut = cut_by_trigger(std::make_unique<Execution>(bytes), options);
  const std::uint64_t left = total(*cut).instructions;
  require(left + cut->diagnostics().count(Problem::kCutInstructions) ==
              wanted.instructions,
          "an instruction is kept or left out");
}

void fuzz_stack_tracker(std::string_view bytes) {
  Execution reader(bytes);
  const Total wanted = total(reader);
  check_stacks(bytes, wanted);
  check_written(bytes, wanted);
  if (reader.info().has_bits) check_cut(bytes, wanted);
}

}  // namespace

extern const FuzzTarget stack_tracker_fuzz = {.name = "stack-tracker",
                                              .run = fuzz_stack_tracker};

}  // namespace wick
