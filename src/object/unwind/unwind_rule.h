// SPDX-License-Identifier: Apache-2.0
// How to find a caller from one address. Nearly all rules have the same form:
// the caller's stack pointer (the CFA) is a register plus an offset, some
// registers are saved at offsets from it, and one of them is the return
// address. Such a rule takes 48 bytes; with the key of the unwinder's cache it
// fills one cache line. Anything else is a GeneralRule.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace wick {

struct GeneralRule;

// What is at the address for which a rule is looked up.
enum class CodePlace : std::uint8_t {
  kInstruction,  // the next one
  kCall,         // the last byte of a call: return address - 1
  // The same, but found by a rule that was read from instructions, which may
  // have led astray.
  kPresumedCall,
};

struct UnwindRule {
  enum Kind : std::uint8_t {
    kNone,      // no rule
    kOffsets,   // as above
    kRoot,      // the return address is undefined: there is no caller
    kGeneral,   // see general()
    kUnmapped,  // only in the unwinder's cache: no code there
  };
  static constexpr int kSlots = 13;  // what RISC-V's largest frames save

  Kind kind = kNone;
  std::uint8_t cfa_reg = 0;
  std::uint8_t ra_reg = 0;
  bool signal : 1 = false;    // the caller was interrupted; its pc is exact
  bool ra_saved : 1 = false;  // otherwise it is in its register
  std::uint8_t count : 6 = 0;
  std::int32_t cfa_offset = 0;
  // Register reg[i] is at CFA + offset[i], in ascending order of offset. Unused
  // slots repeat the last one, so reading a few too many does no harm.
  std::int16_t offset[kSlots] = {};
  std::uint8_t reg[kSlots] = {};
  bool is_from_code = false;  // see object/unwind/straight_code.h

  bool operator==(const UnwindRule& other) const {
    return std::memcmp(this, &other, sizeof *this) == 0;
  }

  // Only for kGeneral; stored in place of the offsets.
  const GeneralRule& general() const {
    const GeneralRule* pointer;
    std::memcpy(&pointer, offset, sizeof(void*));
    return *pointer;
  }
  void set_general(const GeneralRule* pointer) {
    std::memcpy(offset, &pointer, sizeof(void*));
  }
};
static_assert(sizeof(UnwindRule) == 48);

// A rule with expressions, registers in other registers and the like.
struct GeneralRule {
  enum Kind : std::uint8_t {
    kUndefined,
    kOffset,       // at CFA + offset
    kValueOffset,  // is CFA + offset
    kRegister,     // is in register `offset`
    kExpression,   // at the expression's address
    kValueExpression
  };
  struct Register {
    std::uint8_t reg = 0;
    Kind kind = kUndefined;
    std::int64_t offset = 0;
    std::string_view expression;  // bytes of the module's section
    bool operator==(const Register&) const = default;
  };

  // The expression if there is one, else register + offset.
  std::uint8_t cfa_reg = 0;
  std::int64_t cfa_offset = 0;
  std::string_view cfa_expression;
  std::uint8_t ra_reg = 0;  // kRaSlot if it has no tracked number
  bool swap = false;        // expressions have the other byte order
  std::vector<Register> registers;
  bool operator==(const GeneralRule&) const = default;
};

// Registers are tracked by DWARF number up to 33. A return address column with
// a higher number (RISC-V's 64) uses this slot.
inline constexpr int kTrackedRegisters = 34;
inline constexpr int kRaSlot = kTrackedRegisters;

// Grows without moving its elements, so threads can read it while one thread
// appends.
template <class T>
class StableVector {
 public:
  static constexpr std::size_t kFirst = 64;
  static constexpr std::size_t kCapacity = kFirst * ((1u << 14) - 1);

  // Requires size() < kCapacity.
  T& push_back(T value) {
    const auto [part, at] = place(size_);
    if (!parts_[part]) parts_[part].reset(new T[kFirst << part]);
    ++size_;
    return parts_[part][at] = std::move(value);
  }
  const T& operator[](std::size_t i) const {
    const auto [part, at] = place(i);
    return parts_[part][at];
  }
  std::size_t size() const { return size_; }

 private:
  struct Place {
    std::size_t part, at;
  };
  // Part k has kFirst << k items.
  static Place place(std::size_t i) {
    const auto part =
        static_cast<std::size_t>(std::bit_width(i / kFirst + 1) - 1);
    return {part, i - kFirst * ((std::size_t{1} << part) - 1)};
  }

  std::array<std::unique_ptr<T[]>, 14> parts_;
  std::size_t size_ = 0;
};

}  // namespace wick
