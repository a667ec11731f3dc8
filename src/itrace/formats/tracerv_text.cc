// SPDX-License-Identifier: Apache-2.0
// TracerV's text output, for people (output format 0) and for tests:
//
//   Cycle: 0000000000000337 I1: 0000000000010014       1.10 on; cycle decimal
//   C0: 0000010000010040, cycle: 0000000000000046      1.9; both hexadecimal
//   TRACEPORT C0: 0000010000010040, cycle: …           1.8
//   <128 hexadecimal digits>                           1.4 to 1.7, and
//   TRACEPORT: <128 hexadecimal digits>                +trace-test-output
//   <16 digits of pc><16 digits of cycle>              FIREPERF_LOGGER
//   Cycle: … I0: … Inst: … satp: … priv: …             the userspace variant
//
// FireSim 1.10 to 1.15 stop printing a record at its first invalid slot, so the
// lines of later slots are missing.
#include <algorithm>
#include <memory>
#include <optional>

#include "base/error.h"
#include "itrace/formats/line_trace.h"
#include "itrace/formats/tracerv_decode.h"

namespace wick {
namespace {

constexpr std::uint64_t kLow40 = (std::uint64_t{1} << 40) - 1;
constexpr std::size_t kBeatDigits = 128;

enum class TextKind {
  kNone,
  kSlots,   // one line per slot
  kUser,    // the same with instruction, satp and privilege
  kWords,   // 1.8 and 1.9: a word and a cycle
  kBeats,   // a whole beat
  kLogger,  // pc and cycle
};

std::string_view without_prefix(std::string_view line) {
  for (const std::string_view prefix : {"TRACEPORT: ", "TRACEPORT "})
    if (line.starts_with(prefix)) return line.substr(prefix.size());
  return line;
}

struct SlotLine {
  std::uint64_t cycle = 0, slot = 0, pc = 0, bits = 0, satp = 0, privilege = 0;
  bool has_more = false;
};

bool parse_slot(std::string_view line, SlotLine& out) {
  LineCursor cursor(line);
  if (!cursor.text("Cycle: ") || !cursor.decimal(out.cycle) ||
      !cursor.text(" I") || !cursor.decimal(out.slot) || !cursor.text(": ") ||
      !cursor.hex16(out.pc))
    return false;
  if (cursor.at_end()) return true;
  out.has_more = cursor.text(" Inst: ") && cursor.hex16(out.bits) &&
                 cursor.text(" satp: ") && cursor.hex16(out.satp) &&
                 cursor.text(" priv: ") && cursor.hex16(out.privilege) &&
                 cursor.at_end();
  return out.has_more;
}

struct WordLine {
  std::uint64_t stream = 0, word = 0, cycle = 0;
};

bool parse_word(std::string_view line, WordLine& out) {
  LineCursor cursor(without_prefix(line));
  return cursor.text("C") && cursor.decimal(out.stream) && cursor.text(": ") &&
         cursor.hex16(out.word) && cursor.text(", cycle: ") &&
         cursor.hex16(out.cycle) && cursor.at_end();
}

// The beat as in a binary trace; its most significant word is printed first.
bool parse_beat(std::string_view line, char* beat) {
  line = without_prefix(line);
  if (line.size() != kBeatDigits) return false;
  LineCursor cursor(line);
  for (std::size_t i = 8; i-- > 0;) {
    std::uint64_t word;
    if (!cursor.hex16(word)) return false;
    if constexpr (std::endian::native == std::endian::big)
      word = __builtin_bswap64(word);
    std::memcpy(beat + 8 * i, &word, 8);
  }
  return true;
}

bool parse_logger(std::string_view line, std::uint64_t& pc,
                  std::uint64_t& cycle) {
  LineCursor cursor(line);
  return line.size() == 32 && cursor.hex16(pc) && cursor.hex16(cycle);
}

TextKind kind_of_line(std::string_view line) {
  SlotLine slot;
  WordLine word;
  char beat[64];
  if (parse_slot(line, slot))
    return slot.has_more ? TextKind::kUser : TextKind::kSlots;
  if (parse_word(line, word)) return TextKind::kWords;
  if (parse_beat(line, beat)) return TextKind::kBeats;
  // 32 digits may also be an MD5 sum.
  if (parse_logger(line, slot.pc, slot.cycle) && slot.pc % 2 == 0 &&
      slot.cycle >> 56 == 0)
    return TextKind::kLogger;
  return TextKind::kNone;
}

TextKind kind_of(std::string_view head) {
  TextKind kind = TextKind::kNone;
  any_head_line(head, 20, [&](std::string_view line) {
    kind = kind_of_line(line);
    return kind != TextKind::kNone;
  });
  return kind;
}

// The trace of a run without instructions has only the header line.
bool sniff_tracerv_text(std::string_view head) {
  const std::size_t header = tracerv_header(head).size;
  return (header > 0 && header == head.size()) ||
         kind_of(head.substr(header)) != TextKind::kNone;
}

TracervLayout layout_of_beats(std::string_view head,
                              const TraceOptions& options) {
  if (!options.layout.empty()) {
    TracervLayout layout = parse_layout(options.layout);
    if (layout.words != 8 && layout.slots + 1 == layout.words) layout.words = 8;
    if (layout.words != 8)
      fail_usage(
          "lines of 128 digits are records of 64 bytes, but those of the "
          "layout '{}' have {}",
          options.layout, layout.record_size());
    return layout;
  }
  std::string beats;
  any_head_line(head, 1000, [&](std::string_view line) {
    char beat[64];
    if (parse_beat(line, beat)) beats.append(beat, sizeof beat);
    return false;
  });
  const auto found = find_layout(beats, 8);
  if (!found)
    fail(Setting::kTraceLayout,
         "no known layout of TracerV records fits these lines of 128 digits; "
         "name it, such as packed:width=2");
  return found->layout;
}

class TracervTextReader final : public LineTraceReader {
 public:
  TracervTextReader(InputFile& file, const TraceOptions& options)
      : LineTraceReader(file), hart_(hart_of_name(file.name())) {
    const TracervHeader header = tracerv_header(file.head());
    const std::string_view head = file.head().substr(header.size);
    kind_ = kind_of(head);
    info_.pc_bits = 40;
    info_.clock_domain = header.clock_domain;
    switch (kind_) {
      case TextKind::kNone:
        if (!trim(head).empty()) fail("the first lines are not TracerV output");
        break;
      case TextKind::kSlots:
        info_.layout = "text: a line for each slot";
        find_pc_bits(file);
        break;
      case TextKind::kUser:
        info_.layout = "text: a line with instruction, satp and privilege";
        info_.has_bits = info_.has_privilege = info_.has_satp = true;
        break;
      case TextKind::kWords:
        info_.layout = "text: a line for each word (FireSim 1.8, 1.9)";
        break;
      case TextKind::kLogger:
        info_.layout = "text: pc and cycle (FIREPERF_LOGGER)";
        break;
      case TextKind::kBeats: {
        const TracervLayout layout = layout_of_beats(head, options);
        decoder_.emplace(layout, hart_, diagnostics_);
        const bool packed = layout.kind == TracervLayout::Kind::kPacked;
        const bool tokens = layout.kind == TracervLayout::Kind::kTokens;
        info_.pc_bits = layout.pc_bits;
        info_.has_bits = info_.has_privilege = packed || tokens;
        info_.has_traps = packed;
        info_.has_satp = tokens;
        info_.layout = "text: " + describe(layout);
        break;
      }
    }
  }

 private:
  // Only these lines show the whole pc.
  void find_pc_bits(InputFile& file) {
    visit_some_lines(file, [&](std::string_view line) {
      SlotLine slot;
      if (parse_slot(line, slot)) pcs_seen_ |= slot.pc;
    });
    grow_pc_bits();
  }

  bool read_line(std::string_view line) override {
    if (line.empty() || line.front() == '#') return true;
    switch (kind_) {
      case TextKind::kNone:
        return false;
      case TextKind::kSlots:
      case TextKind::kUser:
        return read_slot(line);
      case TextKind::kWords:
        return read_word(line);
      case TextKind::kBeats: {
        char beat[64];
        if (!parse_beat(line, beat)) return false;
        decoder_->decode({beat, sizeof beat}, harts_);
        return true;
      }
      case TextKind::kLogger: {
        std::uint64_t pc, cycle;
        if (!parse_logger(line, pc, cycle)) return false;
        add(hart_, cycle, pc & kLow40);
        return true;
      }
    }
    return false;
  }

  bool read_slot(std::string_view line) {
    SlotLine slot;
    if (!parse_slot(line, slot) || slot.has_more != (kind_ == TextKind::kUser))
      return false;
    if (!slot.has_more) {
      add(hart_, slot.cycle, slot.pc);
      return true;
    }
    HartBlocks::Hart* hart = own_hart_;
    if (hart == nullptr) return false;
    harts_.set_context(*hart, {.privilege = privilege_of(slot.privilege),
                               .has_satp = true,
                               .satp = slot.satp});
    // Printed sign-extended from bit 39, whatever the bits above it were.
    harts_.add(*hart, slot.cycle, slot.pc & kLow40,
               static_cast<std::uint32_t>(slot.bits));
    return true;
  }

  bool read_word(std::string_view line) {
    WordLine word;
    if (!parse_word(line, word) || word.word >> 41 != 0) return false;
    if (word.word >> 40 != 0)
      add(static_cast<std::uint32_t>(
              std::min<std::uint64_t>(word.stream, UINT32_MAX)),
          word.cycle, word.word & kLow40);
    return true;
  }

  void add(std::uint32_t number, std::uint64_t cycle, std::uint64_t pc) {
    HartBlocks::Hart* hart = number == hart_ ? own_hart_ : harts_.hart(number);
    if (hart == nullptr) return diagnostics_.note(Problem::kBadRecord);
    pcs_seen_ |= pc;
    harts_.add(*hart, cycle, pc);
  }

  std::uint32_t hart_;
  HartBlocks::Hart* own_hart_ = harts_.hart(hart_);
  TextKind kind_ = TextKind::kNone;
  std::optional<TracervDecoder> decoder_;
};

}  // namespace

extern const TraceFormat tracerv_text_trace = {
    .name = "tracerv-text",
    .description = "text output of FireSim's TracerV, all versions",
    .evidence = TraceFormat::Evidence::kText,
    .sniff = sniff_tracerv_text,
    .open =
        [](InputFile& file, const TraceOptions& options) {
          return std::unique_ptr<TraceReader>(
              std::make_unique<TracervTextReader>(file, options));
        },
};

}  // namespace wick
