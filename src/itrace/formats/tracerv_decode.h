// SPDX-License-Identifier: Apache-2.0
// From TracerV's records to instructions.
//
// Records are taken in runs of some hundred without a single branch on what is
// in them: everything that must hold is collected into one word, which is
// looked at after the run. Only a run that has something wrong in it is gone
// through record by record, and there the place is searched where records begin
// again.
#pragma once

#include <cstdint>
#include <string_view>

#include "itrace/formats/hart_blocks.h"
#include "itrace/formats/tracerv_layout.h"
#include "profile/diagnostics.h"

namespace wick {

class TracervDecoder {
 public:
  TracervDecoder(const TracervLayout& layout, std::uint32_t hart,
                 Diagnostics& diagnostics);

  // Records of one hart with nothing but pcs go straight into a block.
  bool is_plain() const {
    return layout_.kind == TracervLayout::Kind::kSlots &&
           layout_.streams == TracervLayout::Streams::kSlots;
  }

  // Decodes whole records from the front of `bytes` until those are used up or
  // the block (or the blocks) can take no more; returns how many bytes were
  // used. Whoever has more bytes gives them together with the rest. `block` is
  // added to: see finish_block(). It ends where something is missing.
  std::size_t decode(std::string_view bytes, TraceBlock& block);
  std::size_t decode(std::string_view bytes, HartBlocks& harts);

  // A block that is being filled has room behind its instructions, which is
  // not cleared again and again. These two say where filling begins and ends;
  // the block gets room for what `bytes` bytes can hold.
  void start_block(TraceBlock& block, std::size_t bytes);
  void finish_block(TraceBlock& block);

  // All bits that were set in a pc so far.
  std::uint64_t pcs_seen() const { return seen_ & pc_mask_; }

 private:
  struct Run {
    std::size_t filled = 0;
    std::uint64_t last = 0, seen = 0;
    std::uint64_t wrong = 0;      // not 0: something is
    std::uint64_t not_later = 0;  // its top bit: a cycle is not
  };
  Run copy_run(const char* records, std::size_t count, Retired* out,
               Run run) const;
  template <int kSlots>
  Run decode_run(const char* records, std::size_t count, Retired* out,
                 Run run) const;
  Run decode_run(const char* records, std::size_t count, Retired* out,
                 Run run) const;
  // Decodes one record into `visit`, or finds out what is wrong with it;
  // returns how many bytes are done with.
  template <class Visit>
  std::size_t decode_carefully(std::string_view bytes, Visit visit);
  bool continues(std::string_view bytes, std::uint64_t after) const;
  bool in_order(std::uint64_t cycle, std::uint64_t last) const {
    return !started_ || cycle - last < kMaxPause;
  }
  void add_record(const char* record, std::uint64_t cycle, HartBlocks& harts);

  TracervLayout layout_;
  std::uint32_t hart_;
  Diagnostics& diagnostics_;
  std::uint64_t pc_mask_;
  std::uint64_t wrong_mask_;  // bits of a slot that are never set
  bool started_ = false;      // last_ is a cycle
  bool gap_ = false;  // something is missing before the next instruction
  std::uint64_t last_ = 0;
  std::uint64_t seen_ = 0;
  std::uint64_t not_later_ = 0;        // of the block, as in Run
  std::size_t filled_ = 0, room_ = 0;  // of the block
  std::uint64_t beats_ = 0;            // kPacked: the cycle
  int searches_left_ = 1000;
};

}  // namespace wick
