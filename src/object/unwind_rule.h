// SPDX-License-Identifier: Apache-2.0
// What is known of a caller at one address. Nearly all rules say the same three
// things: the caller's stack pointer (the CFA) is a register plus an offset,
// some registers were saved at offsets from it, and one of them is the return
// address. Such a rule is 48 bytes; with the key of the unwinder's cache before
// it, it fills one cache line. Anything else is a GeneralRule.
#pragma once

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

struct UnwindRule {
  enum Kind : std::uint8_t {
    kNone,      // nothing is known
    kOffsets,   // as above
    kRoot,      // the return address is undefined: there is no caller
    kGeneral,   // see `general`
    kUnmapped,  // only in the unwinder's cache: no code is there
  };
  static constexpr int kSlots = 16;

  Kind kind = kNone;
  std::uint8_t cfa_reg = 0;
  std::uint8_t ra_reg = 0;
  bool signal = false;  // the caller was interrupted; its pc is exact
  std::int32_t cfa_offset = 0;
  union {
    std::uint64_t saved = 0;  // bit r: register r is at CFA + offset[i],
    const GeneralRule* general;
  };
  std::int16_t offset[kSlots] = {};  // where i counts the bits below r

  bool operator==(const UnwindRule& other) const {
    return std::memcmp(this, &other, sizeof *this) == 0;
  }
};
static_assert(sizeof(UnwindRule) == 48);
static_assert(std::has_unique_object_representations_v<UnwindRule>);

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

  // An expression where there is one, else register + offset.
  std::uint8_t cfa_reg = 0;
  std::int64_t cfa_offset = 0;
  std::string_view cfa_expression;
  std::uint8_t ra_reg = 0;  // kRaSlot where it has no number of its own
  bool swap = false;        // expressions are of the other byte order
  std::vector<Register> registers;
  bool operator==(const GeneralRule&) const = default;
};

// Registers are kept by DWARF number up to 33. A return address column behind
// them (RISC-V's 64) has this slot.
inline constexpr int kTrackedRegisters = 34;
inline constexpr int kRaSlot = kTrackedRegisters;

// Grows without moving what it holds, so that it can be read while another
// thread (one at a time) adds to it.
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
