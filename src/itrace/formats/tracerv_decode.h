// SPDX-License-Identifier: Apache-2.0
// Decodes TracerV's records into instructions.
//
// Records are decoded in runs of a few hundred without a single branch on their
// content: all violations of what must hold are collected in one word, which is
// checked after the run. Only a run with a violation is decoded again record by
// record, and after a damaged record the decoder searches for the next one.
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

  // Decodes whole records from the front of `bytes` until they are used up or
  // the block (or the blocks) are full; returns the number of bytes used. The
  // caller passes the rest again, together with the bytes that follow. Appends
  // to `block`, which ends where something is missing; see finish_block().
  std::size_t decode(std::string_view bytes, TraceBlock& block);
  std::size_t decode(std::string_view bytes, HartBlocks& harts);

  // A block has spare room after its instructions while it is filled, so that
  // it is not cleared again and again. Call start_block() before filling it,
  // which makes room for what `bytes` bytes can hold, and finish_block() after.
  void start_block(TraceBlock& block, std::size_t bytes);
  void finish_block(TraceBlock& block);

  // The bits set in any pc so far.
  std::uint64_t pcs_seen() const { return seen_ & pc_mask_; }

 private:
  struct Run {
    std::size_t filled = 0;
    std::uint64_t last = 0, seen = 0;
    std::uint64_t wrong = 0;      // not 0: a record is damaged
    std::uint64_t not_later = 0;  // top bit: some cycle does not increase
  };
  Run copy_run(const char* records, std::size_t count, Retired* out,
               Run run) const;
  template <int kSlots>
  Run decode_run(const char* records, std::size_t count, Retired* out,
                 Run run) const;
  Run decode_run(const char* records, std::size_t count, Retired* out,
                 Run run) const;
  // Passes one record to `visit`, or finds out what is wrong with it; returns
  // the number of bytes consumed. If the last cycle may have been wrong, it
  // passes the one after it to `correct_last`, which returns whether it was.
  template <class Visit, class CorrectLast>
  std::size_t decode_carefully(std::string_view bytes, Visit visit,
                               CorrectLast correct_last);
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
  bool gap_ = false;          // instructions are missing before the next one
  std::uint64_t last_ = 0;
  std::uint64_t seen_ = 0;
  std::uint64_t not_later_ = 0;        // of the block, as in Run
  std::size_t filled_ = 0, room_ = 0;  // of the block
  std::uint64_t beats_ = 0;            // kPacked: the cycle
  int searches_left_ = 1000;
};

}  // namespace wick
