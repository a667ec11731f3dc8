// SPDX-License-Identifier: Apache-2.0
// Writes traces as TracerV does: for people (its output format 0) or as binary
// records (1) of a chosen layout.
#pragma once

#include <ostream>
#include <string>

#include "itrace/formats/instruction.h"
#include "itrace/formats/trace_reader.h"
#include "itrace/formats/tracerv_layout.h"

namespace wick {

struct TracervWriteOptions {
  bool text = false;
  // For records: slots of one hart, or tokens; those of old versions are only
  // read. Its pc_bits also say how much of a pc a text has: TracerV has 40 of
  // a core with Sv39.
  TracervLayout layout;
  bool header = true;  // the line that FireSim 1.10 and later begin with
  // As TraceInfo has them.
  int source_pc_bits = 64;
  std::string clock_domain = "baseClock, 1/1 of Base Clock";
};

// What the records of a hart need, by its first block: the slots of its core,
// as far as a cycle filled them. In records of fewer slots a cycle is several,
// which nothing but being told so tells from a wider core.
// And the bits of its pcs: those of Sv57, since a trace may begin in M-mode and
// show its long addresses only later. They cost nothing, and pcs that have
// fewer are the same words.
WidthAndBits needs_of(const TraceBlock& first);

// A TracerV file is of one hart: a trace of several is written by several
// writers. Instructions of one cycle share a record; more than it has slots go
// into a further record of the same cycle, as those of wide cores do.
class TracervWriter {
 public:
  // `out` must outlive the writer.
  TracervWriter(std::ostream& out, const TracervWriteOptions& options);

  void add(const TraceBlock& block);
  // Writes what is still held back. Nothing may be added afterwards.
  void finish();

  // Instructions so far whose pc has more bits than were written.
  std::uint64_t cut_pcs() const { return cut_pcs_; }

 private:
  void add_slots(const TraceBlock& block);
  void add_tokens(const TraceBlock& block);
  void add_text(const TraceBlock& block);
  void put_record();
  void put_buffer();

  std::ostream& out_;
  TracervWriteOptions options_;
  std::uint64_t kept_of(std::uint64_t pc);

  int pc_bits_;
  std::uint64_t cut_pcs_ = 0;
  std::string buffer_;
  int filled_ = 0;           // slots of the record that is held back
  std::uint64_t cycle_ = 0;  // of it, or of the last line
  std::uint64_t words_[8] = {};
  int slot_ = -1;  // of the last line
  ContextChange context_;
};

}  // namespace wick
