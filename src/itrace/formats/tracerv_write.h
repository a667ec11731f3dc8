// SPDX-License-Identifier: Apache-2.0
// Writes traces as TracerV does: as text (its output format 0) or as binary
// records (format 1) of a given layout.
#pragma once

#include <ostream>
#include <string>

#include "itrace/formats/instruction.h"
#include "itrace/formats/trace_reader.h"
#include "itrace/formats/tracerv_layout.h"

namespace wick {

struct TracervWriteOptions {
  bool text = false;
  // For records: slots of one hart, or tokens; the layouts of old versions can
  // only be read. Its pc_bits also apply to text: TracerV prints 40 bits of the
  // pcs of an Sv39 core.
  TracervLayout layout;
  bool header = true;  // the first line that FireSim 1.10 and later write
  // As in TraceInfo.
  int source_pc_bits = 64;
  std::string clock_domain = "baseClock, 1/1 of Base Clock";
};

// What the records of a hart need, judging by its first block. The width is the
// largest number of instructions in one cycle: with fewer slots, a cycle would
// take several records, and a reader could not tell that from a narrower core.
// pc_bits are those of Sv57, since a trace may begin in M-mode and show its
// long addresses only later; shorter pcs are encoded the same.
WidthAndBits needs_of(const TraceBlock& first);

// A TracerV file holds one hart: a trace of several takes several writers.
// Instructions of one cycle share a record; those that do not fit go into
// further records of the same cycle, as for wide cores.
class TracervWriter {
 public:
  // `out` must outlive the writer.
  TracervWriter(std::ostream& out, const TracervWriteOptions& options);

  void add(const TraceBlock& block);
  // Writes what is still buffered. Nothing may be added afterwards.
  void finish();

  // Instructions so far whose pc had more bits than were written.
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
  int filled_ = 0;           // slots of the buffered record
  std::uint64_t cycle_ = 0;  // of that record, or of the last line
  std::uint64_t words_[8] = {};
  int slot_ = -1;  // of the last line
  ContextChange context_;
};

}  // namespace wick
