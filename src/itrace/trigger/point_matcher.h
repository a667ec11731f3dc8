// SPDX-License-Identifier: Apache-2.0
// Finds the instructions of a block that a point of a trigger matches.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "itrace/formats/instruction.h"
#include "itrace/trigger/trigger.h"

namespace wick {

class PointMatcher {
 public:
  // Fails if a symbol is not in the files of `options`, or if neither the
  // trace nor those files have the instructions that are wanted.
  PointMatcher(const TracePoint& point, const TraceOptions& options,
               const TraceInfo& info);

  // A point in time is no match of an instruction but a limit; see limit().
  bool is_time() const { return is_time_; }
  bool is_none() const { return kind_ == TracePoint::Kind::kNone; }
  std::uint64_t limit() const { return value_; }  // of the trace's own cycles

  // A file was mapped: what is looked for in it had no address and has one now.
  void learn(const SideBandFact& fact);
  // A file that has what is looked for, and whose address was never said.
  std::string unplaced() const;
  // What is looked for is in such files alone.
  bool is_nowhere_else() const { return pcs_.empty(); }

  // Appends the numbers of the instructions that match, in order. `pc_bits` is
  // how many the trace has, as far as it is known by now.
  void find(const TraceBlock& block, int pc_bits,
            std::vector<std::uint32_t>& out);

 private:
  void use_symbol(const TracePoint& point, const TraceOptions& options,
                  const TraceInfo& info);
  void use_text(const TracePoint& point, const TraceOptions& options,
                const TraceInfo& info);
  void add_pc(std::uint64_t address);
  void set_pc_bits(int pc_bits);

  // What is looked for, in a file that may be loaded anywhere.
  struct Movable {
    std::string path;
    std::vector<std::uint64_t> file_offs;
    bool is_placed = false;
  };

  TracePoint::Kind kind_;
  bool is_time_ = false;
  bool by_bits_ = false;  // the trace itself has the instructions
  bool every_ = false;    // all of them match
  std::uint64_t value_ = 0;
  std::uint32_t mask_ = 0;
  // Where more than one address matches: all of them, and the low bits that
  // occur in one, which most instructions fail at.
  absl::flat_hash_set<std::uint64_t> pcs_;
  absl::flat_hash_set<std::uint64_t> addresses_;  // the same, all bits of them
  int pc_bits_;
  std::vector<bool> low_bits_;
  std::vector<Movable> movable_;
};

}  // namespace wick
