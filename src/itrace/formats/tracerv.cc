// SPDX-License-Identifier: Apache-2.0
// The binary traces of FireSim's TracerV (output format 1), all versions, and
// the tokens of "Extending FirePerf to Userspace", which add the instruction,
// satp and the privilege to the pc. See itrace/formats/tracerv_layout.h.
#include <algorithm>
#include <bit>
#include <memory>

#include "base/error.h"
#include "base/text.h"
#include "itrace/formats/trace_reader.h"
#include "itrace/formats/tracerv_decode.h"

namespace wick {
namespace {

constexpr std::size_t kPieceSize = 1 << 20;

bool sniff_tracerv(std::string_view head) {
  const TracervHeader header = tracerv_header(head);
  const auto found = find_layout(head.substr(header.size));
  if (!found) return false;
  return header.size > 0 || (found->share >= 0.7 && found->records >= 2);
}

// A trace may begin in machine mode, with small addresses, so records from all
// over the file are examined if it is mapped.
int pc_bits_of(InputFile& file, const TracervLayout& layout,
               std::size_t begin) {
  if (layout.valid_bit != 63 || file.size_hint() == 0) return layout.pc_bits;
  const std::string_view all = file.peek(file.size_hint()).substr(begin);
  const std::size_t size = layout.record_size(), count = all.size() / size;
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(count, 64); ++i) {
    const std::size_t at = count / std::min<std::size_t>(count, 64) * i;
    const RecordLook look = look_at(layout, all.data() + at * size);
    for (int slot = 0; look.fits && slot < layout.slots; ++slot) {
      const std::uint64_t word =
          word_at(all.data() + at * size, layout.cycle_last ? slot : slot + 1);
      if (word >> 63 != 0) seen |= word & ~(std::uint64_t{1} << 63);
    }
  }
  return std::max(layout.pc_bits, static_cast<int>(std::bit_width(seen)));
}

class TracervReader final : public TraceReader {
 public:
  TracervReader(InputFile& file, const TraceOptions& options)
      : file_(file),
        header_(tracerv_header(file.head())),
        layout_(choose(file, options)),
        decoder_(layout_, hart_of_name(file.name()), diagnostics_) {
    file.skip(header_.size);
    info_.pc_bits = layout_.pc_bits;
    const bool tokens = layout_.kind == TracervLayout::Kind::kTokens;
    const bool packed = layout_.kind == TracervLayout::Kind::kPacked;
    info_.has_bits = info_.has_privilege = tokens || packed;
    info_.has_satp = tokens;
    info_.has_traps = packed;
    info_.clock_domain = header_.clock_domain;
    info_.layout = describe(layout_);
  }

  bool next(TraceBlock& block) override {
    const bool any =
        decoder_.is_plain() ? next_plain(block) : next_of_harts(block);
    if (!any) {
      block.clear();
      note_end();
    }
    const int bits = std::bit_width(decoder_.pcs_seen());
    if (bits > info_.pc_bits) info_.pc_bits = bits;
    return any;
  }

 private:
  TracervLayout choose(InputFile& file, const TraceOptions& options) {
    if (!options.layout.empty()) return parse_layout(options.layout);
    const auto found = find_layout(file.head().substr(header_.size));
    if (found) {
      TracervLayout layout = found->layout;
      layout.pc_bits = pc_bits_of(file, layout, header_.size);
      return layout;
    }
    if (file.head().size() - header_.size < 16) return {};
    fail(Setting::kTraceLayout,
         "no known layout of TracerV records fits this file; if it is one, "
         "name its layout, such as tracerv:width=3,valid=63");
  }

  bool next_plain(TraceBlock& block) {
    decoder_.start_block(block, file_.peek(kPieceSize).size());
    while (true) {
      const std::string_view piece = file_.peek(kPieceSize);
      const std::size_t used = decoder_.decode(piece, block);
      file_.skip(used);
      // The piece has whole records left: the block is full.
      if (used == 0 || piece.size() - used >= layout_.record_size()) break;
    }
    decoder_.finish_block(block);
    return !block.instructions.empty();
  }

  bool next_of_harts(TraceBlock& block) {
    while (!harts_.give(block)) {
      const std::size_t used = decoder_.decode(file_.peek(kPieceSize), harts_);
      if (used == 0) return false;
      file_.skip(used);
      while (!harts_.full()) {
        const std::size_t more =
            decoder_.decode(file_.peek(kPieceSize), harts_);
        if (more == 0) break;
        file_.skip(more);
      }
    }
    return true;
  }

  void note_end() {
    if (file_.peek(1).empty() || noted_end_) return;
    noted_end_ = true;
    diagnostics_.note_at(Problem::kTruncated, "in the middle of a record");
  }

  InputFile& file_;
  TracervHeader header_;
  TracervLayout layout_;
  TracervDecoder decoder_;
  HartBlocks harts_{diagnostics_};
  bool noted_end_ = false;
};

}  // namespace

extern const TraceFormat tracerv_trace = {
    .name = "tracerv",
    .description = "binary traces of FireSim's TracerV, all layouts",
    .evidence = TraceFormat::Evidence::kRegularity,
    .sniff = sniff_tracerv,
    .open =
        [](InputFile& file, const TraceOptions& options) {
          return std::unique_ptr<TraceReader>(
              std::make_unique<TracervReader>(file, options));
        },
};

}  // namespace wick
