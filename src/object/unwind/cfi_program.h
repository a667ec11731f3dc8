// SPDX-License-Identifier: Apache-2.0
// Runs the programs of FDEs and collects their rules, one for each range of
// addresses.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "object/unwind/cfi.h"
#include "object/unwind/unwind_rule.h"

namespace wick {

// Valid from `start` to the next row. If `rule.kind` is kGeneral, the rule is
// general[rule.cfa_offset] of the compiler.
struct CfiRow {
  std::uint64_t start = 0;
  UnwindRule rule;
};

class CfiCompiler {
 public:
  explicit CfiCompiler(const CfiSection& section) : section_(section) {}

  // Appends the rows of the FDE at `offset` below `limit`, in ascending order,
  // and a row without a rule at its end if that is below `limit`. A function
  // that does not start at `start` counts as damaged: the index is wrong.
  // Returns false if the FDE is damaged; there is no rule from that point on.
  bool compile(std::uint64_t offset, std::uint64_t start, std::uint64_t limit);

  std::vector<CfiRow>& rows() { return rows_; }
  std::vector<GeneralRule>& general() { return general_; }
  // Bytes of programs that were run.
  std::uint64_t work() const { return work_; }

 private:
  // What no offset can express: undefined, in a register, an expression.
  struct Special {
    GeneralRule::Kind kind = GeneralRule::kUndefined;
    std::int64_t offset = 0;
    std::string_view expression;
  };
  struct RowState {
    std::uint64_t saved = 0;    // bit r: at CFA + value[r]
    std::uint64_t special = 0;  // bit r: specials_[value[r]]
    std::int64_t cfa_offset = 0;
    std::string_view cfa_expression;
    std::uint64_t cfa_reg = 0;
    std::int32_t value[kTrackedRegisters + 1] = {};
  };
  struct KnownCie {
    std::uint64_t offset = ~std::uint64_t{0};
    bool sane = false;
    Cie cie;
    RowState initial;
  };

  const KnownCie& cie_at(std::uint64_t offset);
  // These return false if the program is damaged.
  bool run(const KnownCie& known, const Fde& fde, std::uint64_t limit);
  bool damaged_from(std::uint64_t address);
  bool step(ByteReader& reader, std::uint8_t opcode, const Cie& cie);
  bool step_rare(ByteReader& reader, std::uint8_t opcode, const Cie& cie);
  void set_offset(std::uint64_t reg, std::int64_t offset);
  void set_special(std::uint64_t reg, Special special);
  void set_same(std::uint64_t reg);
  void restore(std::uint64_t reg);
  // The slot of a register; -1 if it is not needed.
  int slot(std::uint64_t reg) const;
  void emit(std::uint64_t start);
  bool plain_cfa() const;  // a register and an offset that a rule can hold
  bool pack(UnwindRule& rule) const;
  void pack_general(UnwindRule& rule);

  const CfiSection& section_;
  std::vector<CfiRow> rows_;
  std::vector<GeneralRule> general_;
  std::size_t first_row_ = 0;  // of the current FDE
  std::uint64_t work_ = 0;

  std::vector<KnownCie> cies_;  // by offset, as a direct mapped cache
  std::vector<Special> specials_;
  std::vector<RowState> remembered_;
  RowState state_;
  bool registers_changed_ = true;  // since the last row
  const RowState* initial_ = nullptr;
  const Cie* cie_ = nullptr;
  int ra_slot_ = 0;
};

}  // namespace wick
