// SPDX-License-Identifier: Apache-2.0
// Finds the instructions of a block that match a point of a trigger.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "itrace/code/code_map.h"
#include "itrace/formats/instruction.h"
#include "itrace/trigger/trigger.h"

namespace wick {

class PointMatcher {
 public:
  // Fails if a symbol is not in the files of `options` or their debug files, or
  // if neither the trace nor those files contain instructions that a point
  // needs.
  PointMatcher(const TracePoint& point, const TraceOptions& options,
               const TraceInfo& info, const SymbolOptions& symbols);

  // A point in time does not match an instruction but is a limit(), in the
  // trace's own cycles.
  bool is_time() const { return is_time_; }
  bool is_none() const { return kind_ == TracePoint::Kind::kNone; }
  std::uint64_t limit() const { return value_; }

  // A file was mapped, so the matches in it have addresses now.
  void learn(const SideBandFact& fact);
  // A file with matches whose address the trace has not given, or "".
  std::string unplaced() const;
  // There are no matches at known addresses.
  bool is_nowhere_else() const { return pcs_.empty(); }

  // Appends the indices of the instructions that match, in order. `pc_bits` is
  // the number known so far (TraceInfo::pc_bits).
  void find(const TraceBlock& block, int pc_bits,
            std::vector<std::uint32_t>& out);

 private:
  void use_symbol(const TracePoint& point, const CodeMap& map);
  void use_text(const TracePoint& point, const CodeMap& map);
  void add_pc(std::uint64_t address);
  void set_pc_bits(int pc_bits);

  // The matches in a file that may be loaded anywhere.
  struct Movable {
    std::string path;
    std::vector<std::uint64_t> file_offs;
    bool is_placed = false;
  };

  TracePoint::Kind kind_;
  bool is_time_ = false;
  bool by_bits_ = false;  // by the instruction words in the trace
  bool every_ = false;    // every instruction matches
  std::uint64_t value_ = 0;
  std::uint32_t mask_ = 0;
  // All addresses that match, and the low bits that occur in them, which rule
  // out most instructions.
  absl::flat_hash_set<std::uint64_t> pcs_;
  absl::flat_hash_set<std::uint64_t> addresses_;  // the same, not masked
  int pc_bits_;
  std::vector<bool> low_bits_;
  std::vector<Movable> movable_;
};

}  // namespace wick
