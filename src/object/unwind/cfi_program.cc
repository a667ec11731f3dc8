// SPDX-License-Identifier: Apache-2.0
#include "object/unwind/cfi_program.h"

#include <algorithm>
#include <limits>

#include "base/signed_varint.h"

namespace wick {
namespace {

// DW_CFA_*. The first three have an operand in the low six bits.
enum : std::uint8_t {
  kAdvanceLoc = 0x40,
  kOffset = 0x80,
  kRestore = 0xc0,
  kNop = 0x00,
  kSetLoc = 0x01,
  kAdvanceLoc1 = 0x02,
  kAdvanceLoc2 = 0x03,
  kAdvanceLoc4 = 0x04,
  kOffsetExtended = 0x05,
  kRestoreExtended = 0x06,
  kUndefined = 0x07,
  kSameValue = 0x08,
  kRegister = 0x09,
  kRememberState = 0x0a,
  kRestoreState = 0x0b,
  kDefCfa = 0x0c,
  kDefCfaRegister = 0x0d,
  kDefCfaOffset = 0x0e,
  kDefCfaExpression = 0x0f,
  kExpression = 0x10,
  kOffsetExtendedSf = 0x11,
  kDefCfaSf = 0x12,
  kDefCfaOffsetSf = 0x13,
  kValOffset = 0x14,
  kValOffsetSf = 0x15,
  kValExpression = 0x16,
  kMipsAdvanceLoc8 = 0x1d,
  kAarch64SetRaState = 0x2b,
  kAarch64NegateRaStateWithPc = 0x2c,
  kAarch64NegateRaState = 0x2d,  // GNU_window_save on SPARC
  kGnuArgsSize = 0x2e,
  kGnuNegativeOffsetExtended = 0x2f,
};

// Real programs remember two or three states at a time and take less than 100
// kB; CIEs take a few dozen bytes (and are run again for every few functions),
// expressions less than 100; a module has a handful of general rules.
constexpr std::size_t kMaxRemembered = 64;
constexpr std::size_t kMaxCieProgram = 4096;
constexpr std::size_t kMaxExpression = 4096;
constexpr std::size_t kMaxProgram = 256 << 10;
constexpr std::size_t kMaxGeneral = 4096;
constexpr std::size_t kCieSlots = 4;

std::int64_t scaled(std::uint64_t factored, std::int64_t align) {
  return static_cast<std::int64_t>(factored *
                                   static_cast<std::uint64_t>(align));
}

std::string_view read_block(ByteReader& reader) {
  const std::string_view block = reader.read_bytes(reader.read_varint());
  if (block.size() > kMaxExpression) reader.fail();
  return block;
}

}  // namespace

bool CfiCompiler::compile(std::uint64_t offset, std::uint64_t start,
                          std::uint64_t limit) {
  CfiEntry entry;
  Fde fde;
  first_row_ = rows_.size();
  bool sane = read_entry(section_, offset, entry) && !entry.is_cie;
  if (sane) {
    const KnownCie& known = cie_at(entry.cie_offset);
    sane = known.sane && read_fde(section_, entry, known.cie, fde) &&
           fde.start == start && fde.program.size() <= kMaxProgram;
    if (sane) {
      work_ += entry.body.size();
      sane = run(known, fde, std::min(limit, fde.end));
      if (sane && fde.end < limit) rows_.push_back({.start = fde.end});
      return sane;
    }
  }
  if (rows_.size() == first_row_ && start < limit)
    rows_.push_back({.start = start});
  return false;
}

const CfiCompiler::KnownCie& CfiCompiler::cie_at(std::uint64_t offset) {
  if (cies_.empty()) cies_.resize(kCieSlots);
  KnownCie& known = cies_[(offset >> 3) % kCieSlots];
  if (known.offset == offset) return known;
  known.offset = offset;
  known.sane = read_cie(section_, offset, known.cie) &&
               known.cie.program.size() <= kMaxCieProgram &&
               known.cie.ra_reg < 256;
  if (!known.sane) return known;
  work_ += known.cie.program.size();
  state_ = {};
  cie_ = &known.cie;
  initial_ = &state_;  // a CIE has nothing to restore
  ra_slot_ = known.cie.ra_reg < kTrackedRegisters
                 ? static_cast<int>(known.cie.ra_reg)
                 : kRaSlot;
  remembered_.clear();
  ByteReader reader(known.cie.program, section_.swap);
  while (!reader.at_end()) {
    const auto opcode = reader.read<std::uint8_t>();
    const bool advances = (opcode & 0xc0) == kAdvanceLoc ||
                          (opcode >= kSetLoc && opcode <= kAdvanceLoc4);
    if (advances || !step(reader, opcode, known.cie)) {
      known.sane = false;
      break;
    }
  }
  known.sane = known.sane && !reader.failed();
  known.initial = state_;
  return known;
}

bool CfiCompiler::run(const KnownCie& known, const Fde& fde,
                      std::uint64_t limit) {
  const Cie& cie = known.cie;
  cie_ = &cie;
  initial_ = &known.initial;
  state_ = known.initial;
  ra_slot_ =
      cie.ra_reg < kTrackedRegisters ? static_cast<int>(cie.ra_reg) : kRaSlot;
  remembered_.clear();
  std::uint64_t at = fde.start;
  if (at >= limit) return true;
  ByteReader reader(fde.program, section_.swap);
  while (!reader.at_end()) {
    const auto opcode = reader.read<std::uint8_t>();
    std::uint64_t delta;
    if ((opcode & 0xc0) == kAdvanceLoc) {
      delta = opcode & 0x3f;
    } else if (opcode > kAdvanceLoc4 || opcode == kNop) {
      if (step(reader, opcode, cie)) continue;
      return damaged_from(at);
    } else if (opcode == kSetLoc) {
      const std::uint64_t to = read_encoded(
          reader, cie.pointer_encoding, section_,
          fde.program_address + fde.program.size() - reader.rest().size());
      if (reader.failed() || to < at) return damaged_from(at);
      if (to == at) continue;
      emit(at);
      at = to;
      if (at >= limit) return true;
      continue;
    } else if (opcode == kAdvanceLoc1) {
      delta = reader.read<std::uint8_t>();
    } else if (opcode == kAdvanceLoc2) {
      delta = reader.read<std::uint16_t>();
    } else {
      delta = reader.read<std::uint32_t>();
    }
    if (reader.failed()) break;
    std::uint64_t next;
    const bool far = __builtin_mul_overflow(delta, cie.code_align, &next) ||
                     __builtin_add_overflow(at, next, &next);
    if (!far && next == at) continue;
    emit(at);
    if (far || next >= limit) return true;
    at = next;
  }
  if (reader.failed()) return damaged_from(at);
  emit(at);
  return true;
}

bool CfiCompiler::damaged_from(std::uint64_t address) {
  rows_.push_back({.start = address});
  return false;
}

bool CfiCompiler::step(ByteReader& reader, std::uint8_t opcode,
                       const Cie& cie) {
  switch (opcode & 0xc0) {
    case kOffset:
      set_offset(opcode & 0x3f, scaled(reader.read_varint(), cie.data_align));
      return !reader.failed();
    case kRestore:
      restore(opcode & 0x3f);
      return true;
  }
  switch (opcode) {
    case kNop:
      return true;
    case kDefCfaOffset:
      state_.cfa_offset = static_cast<std::int64_t>(reader.read_varint());
      break;
    case kDefCfa:
      state_.cfa_reg = reader.read_varint();
      state_.cfa_offset = static_cast<std::int64_t>(reader.read_varint());
      state_.cfa_expression = {};
      break;
    case kDefCfaRegister:
      state_.cfa_reg = reader.read_varint();
      state_.cfa_expression = {};
      break;
    case kRememberState:
      if (remembered_.size() >= kMaxRemembered) return false;
      remembered_.push_back(state_);
      return true;
    case kRestoreState:
      if (remembered_.empty()) return false;
      state_ = remembered_.back();
      registers_changed_ = true;
      remembered_.pop_back();
      return true;
    default:
      return step_rare(reader, opcode, cie);
  }
  return !reader.failed();
}

bool CfiCompiler::step_rare(ByteReader& reader, std::uint8_t opcode,
                            const Cie& cie) {
  switch (opcode) {
    case kOffsetExtended: {
      const std::uint64_t reg = reader.read_varint();
      set_offset(reg, scaled(reader.read_varint(), cie.data_align));
      break;
    }
    case kOffsetExtendedSf: {
      const std::uint64_t reg = reader.read_varint();
      set_offset(reg,
                 scaled(static_cast<std::uint64_t>(read_signed_varint(reader)),
                        cie.data_align));
      break;
    }
    case kGnuNegativeOffsetExtended: {
      const std::uint64_t reg = reader.read_varint();
      set_offset(reg, scaled(0 - reader.read_varint(), cie.data_align));
      break;
    }
    case kRestoreExtended:
      restore(reader.read_varint());
      break;
    case kUndefined:
      set_special(reader.read_varint(), {});
      break;
    case kSameValue:
      set_same(reader.read_varint());
      break;
    case kRegister: {
      const std::uint64_t reg = reader.read_varint();
      const std::uint64_t in = reader.read_varint();
      // The value of an untracked register is unknown.
      if (in >= kTrackedRegisters)
        set_special(reg, {});
      else
        set_special(reg, {.kind = GeneralRule::kRegister,
                          .offset = static_cast<std::int64_t>(in)});
      break;
    }
    case kValOffset:
    case kValOffsetSf: {
      const std::uint64_t reg = reader.read_varint();
      const std::uint64_t value =
          opcode == kValOffset
              ? reader.read_varint()
              : static_cast<std::uint64_t>(read_signed_varint(reader));
      set_special(reg, {.kind = GeneralRule::kValueOffset,
                        .offset = scaled(value, cie.data_align)});
      break;
    }
    case kExpression:
    case kValExpression: {
      const std::uint64_t reg = reader.read_varint();
      set_special(
          reg, {.kind = opcode == kExpression ? GeneralRule::kExpression
                                              : GeneralRule::kValueExpression,
                .expression = read_block(reader)});
      break;
    }
    case kDefCfaExpression:
      state_.cfa_expression = read_block(reader);
      if (state_.cfa_expression.empty()) return false;
      break;
    case kDefCfaSf:
      state_.cfa_reg = reader.read_varint();
      [[fallthrough]];
    case kDefCfaOffsetSf:
      state_.cfa_offset =
          scaled(static_cast<std::uint64_t>(read_signed_varint(reader)),
                 cie.data_align);
      if (opcode == kDefCfaSf) state_.cfa_expression = {};
      break;
    case kGnuArgsSize:
      reader.read_varint();
      break;
    // Toggles whether the return address is signed; the unwinder always masks
    // the signature out.
    case kAarch64NegateRaState:
    case kAarch64NegateRaStateWithPc:
      break;
    case kAarch64SetRaState:
      reader.read_varint();
      read_signed_varint(reader);
      break;
    default:
      return false;
  }
  return !reader.failed();
}

int CfiCompiler::slot(std::uint64_t reg) const {
  if (reg == cie_->ra_reg) return ra_slot_;
  if (reg < kTrackedRegisters && (section_.tracked >> reg & 1) != 0)
    return static_cast<int>(reg);
  return -1;
}

void CfiCompiler::set_offset(std::uint64_t reg, std::int64_t offset) {
  const int r = slot(reg);
  if (r < 0) return;
  registers_changed_ = true;
  if (offset != static_cast<std::int32_t>(offset)) {
    set_special(reg, {.kind = GeneralRule::kOffset, .offset = offset});
    return;
  }
  state_.special &= ~(std::uint64_t{1} << r);
  state_.saved |= std::uint64_t{1} << r;
  state_.value[r] = static_cast<std::int32_t>(offset);
}

void CfiCompiler::set_special(std::uint64_t reg, Special special) {
  const int r = slot(reg);
  if (r < 0) return;
  registers_changed_ = true;
  state_.saved &= ~(std::uint64_t{1} << r);
  state_.special |= std::uint64_t{1} << r;
  state_.value[r] = static_cast<std::int32_t>(specials_.size());
  specials_.push_back(special);
}

void CfiCompiler::set_same(std::uint64_t reg) {
  const int r = slot(reg);
  if (r < 0) return;
  registers_changed_ = true;
  state_.saved &= ~(std::uint64_t{1} << r);
  state_.special &= ~(std::uint64_t{1} << r);
}

void CfiCompiler::restore(std::uint64_t reg) {
  const int r = slot(reg);
  if (r < 0) return;
  registers_changed_ = true;
  const std::uint64_t bit = std::uint64_t{1} << r;
  state_.saved = (state_.saved & ~bit) | (initial_->saved & bit);
  state_.special = (state_.special & ~bit) | (initial_->special & bit);
  state_.value[r] = initial_->value[r];
}

void CfiCompiler::emit(std::uint64_t start) {
  const bool first = rows_.size() == first_row_;
  // Most steps change only the CFA's offset.
  if (!first && !registers_changed_ && plain_cfa() &&
      rows_.back().rule.kind == UnwindRule::kOffsets) {
    const UnwindRule& last = rows_.back().rule;
    if (last.cfa_reg == state_.cfa_reg && last.cfa_offset == state_.cfa_offset)
      return;
    rows_.push_back(rows_.back());
    CfiRow& row = rows_.back();
    row.start = start;
    row.rule.cfa_reg = static_cast<std::uint8_t>(state_.cfa_reg);
    row.rule.cfa_offset = static_cast<std::int32_t>(state_.cfa_offset);
    return;
  }
  CfiRow& row = rows_.emplace_back();
  row.start = start;
  if (!pack(row.rule)) pack_general(row.rule);
  registers_changed_ = false;
  // Some change nothing that is tracked.
  if (!first && rows_[rows_.size() - 2].rule == row.rule) rows_.pop_back();
}

bool CfiCompiler::plain_cfa() const {
  return state_.cfa_expression.empty() && state_.cfa_reg < kTrackedRegisters &&
         state_.cfa_offset == static_cast<std::int32_t>(state_.cfa_offset);
}

bool CfiCompiler::pack(UnwindRule& rule) const {
  rule.signal = cie_->signal;
  if ((state_.special >> ra_slot_ & 1) != 0) {
    const Special& special =
        specials_[static_cast<std::size_t>(state_.value[ra_slot_])];
    if (special.kind != GeneralRule::kUndefined) return false;
    rule.kind = UnwindRule::kRoot;
    return true;
  }
  if (state_.special != 0 || ra_slot_ == kRaSlot || !plain_cfa()) return false;
  int count = 0;
  for (std::uint64_t left = state_.saved; left != 0; left &= left - 1) {
    const int reg = std::countr_zero(left);
    const std::int32_t offset = state_.value[reg];
    if (offset != static_cast<std::int16_t>(offset) ||
        count == UnwindRule::kSlots)
      return false;
    int slot = count++;
    for (; slot > 0 && rule.offset[slot - 1] > offset; --slot) {
      rule.offset[slot] = rule.offset[slot - 1];
      rule.reg[slot] = rule.reg[slot - 1];
    }
    rule.offset[slot] = static_cast<std::int16_t>(offset);
    rule.reg[slot] = static_cast<std::uint8_t>(reg);
  }
  for (int slot = count; count > 0 && slot < UnwindRule::kSlots; ++slot) {
    rule.offset[slot] = rule.offset[count - 1];
    rule.reg[slot] = rule.reg[count - 1];
  }
  rule.count = static_cast<std::uint8_t>(count) & 0x3f;
  rule.ra_saved = (state_.saved >> ra_slot_ & 1) != 0;
  rule.kind = UnwindRule::kOffsets;
  rule.cfa_reg = static_cast<std::uint8_t>(state_.cfa_reg);
  rule.ra_reg = static_cast<std::uint8_t>(ra_slot_);
  rule.cfa_offset = static_cast<std::int32_t>(state_.cfa_offset);
  return true;
}

void CfiCompiler::pack_general(UnwindRule& rule) {
  rule = {};
  if (state_.cfa_expression.empty() && state_.cfa_reg >= kTrackedRegisters)
    return;
  GeneralRule general = {.cfa_reg = static_cast<std::uint8_t>(state_.cfa_reg),
                         .cfa_offset = state_.cfa_offset,
                         .cfa_expression = state_.cfa_expression,
                         .ra_reg = static_cast<std::uint8_t>(ra_slot_),
                         .swap = section_.swap};
  if (!general.cfa_expression.empty()) {
    general.cfa_reg = 0;
    general.cfa_offset = 0;
  }
  for (std::uint64_t left = state_.saved | state_.special; left != 0;
       left &= left - 1) {
    const int r = std::countr_zero(left);
    const auto reg = static_cast<std::uint8_t>(r);
    if ((state_.saved >> r & 1) != 0) {
      general.registers.push_back({.reg = reg,
                                   .kind = GeneralRule::kOffset,
                                   .offset = state_.value[r]});
      continue;
    }
    const Special& s = specials_[static_cast<std::size_t>(state_.value[r])];
    general.registers.push_back({.reg = reg,
                                 .kind = s.kind,
                                 .offset = s.offset,
                                 .expression = s.expression});
  }
  if (general_.empty() || general_.back() != general) {
    if (general_.size() >= kMaxGeneral) return;
    general_.push_back(std::move(general));
  }
  rule.kind = UnwindRule::kGeneral;
  rule.signal = cie_->signal;
  rule.cfa_offset = static_cast<std::int32_t>(general_.size() - 1);
}

}  // namespace wick
