// SPDX-License-Identifier: Apache-2.0
#include "object/unwind/dwarf_expression.h"

#include "base/bytes.h"
#include "base/signed_varint.h"
#include "object/unwind/cfi.h"

namespace wick {
namespace {

// DW_OP_*
enum : std::uint8_t {
  kAddr = 0x03,
  kDeref = 0x06,
  kConst1u = 0x08,
  kConst1s = 0x09,
  kConst2u = 0x0a,
  kConst2s = 0x0b,
  kConst4u = 0x0c,
  kConst4s = 0x0d,
  kConst8u = 0x0e,
  kConst8s = 0x0f,
  kConstu = 0x10,
  kConsts = 0x11,
  kDup = 0x12,
  kDrop = 0x13,
  kOver = 0x14,
  kPick = 0x15,
  kSwap = 0x16,
  kRot = 0x17,
  kAbs = 0x19,
  kAnd = 0x1a,
  kDiv = 0x1b,
  kMinus = 0x1c,
  kMod = 0x1d,
  kMul = 0x1e,
  kNeg = 0x1f,
  kNot = 0x20,
  kOr = 0x21,
  kPlus = 0x22,
  kPlusUconst = 0x23,
  kShl = 0x24,
  kShr = 0x25,
  kShra = 0x26,
  kXor = 0x27,
  kBra = 0x28,
  kEq = 0x29,
  kGe = 0x2a,
  kGt = 0x2b,
  kLe = 0x2c,
  kLt = 0x2d,
  kNe = 0x2e,
  kSkip = 0x2f,
  kLit0 = 0x30,
  kLit31 = 0x4f,
  kBreg0 = 0x70,
  kBreg31 = 0x8f,
  kBregx = 0x92,
  kDerefSize = 0x94,
  kExpressionNop = 0x96,
};

// Rules have a dozen operations, but jumps could loop forever.
constexpr int kMaxSteps = 1000;
constexpr int kMaxDepth = 64;

template <class T>
std::uint64_t widened(T value) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
}

class StackMachine {
 public:
  StackMachine(std::string_view expression, const ExpressionInput& input)
      : expression_(expression),
        input_(input),
        reader_(expression, input.swap) {}

  ExpressionResult run(std::optional<std::uint64_t> initial) {
    if (initial) push(*initial);
    for (int step = 0; step < kMaxSteps && !reader_.at_end() && sane_; ++step)
      operate(reader_.read<std::uint8_t>());
    if (reader_.failed() || !reader_.at_end() || depth_ == 0) sane_ = false;
    if (!sane_) return {.bad_address = bad_address_};
    return {.valid = true, .value = stack_[depth_ - 1]};
  }

 private:
  void push(std::uint64_t value) {
    if (depth_ == kMaxDepth)
      sane_ = false;
    else
      stack_[depth_++] = value;
  }
  std::uint64_t pop() {
    if (depth_ == 0) {
      sane_ = false;
      return 0;
    }
    return stack_[--depth_];
  }
  std::uint64_t peek(int below) {
    if (below < depth_) return stack_[depth_ - 1 - below];
    sane_ = false;
    return 0;
  }

  void push_register(std::uint64_t reg, std::int64_t offset) {
    if (reg >= input_.registers.size() || reg >= 64 ||
        (input_.known >> reg & 1) == 0) {
      sane_ = false;
      return;
    }
    push(input_.registers[reg] + static_cast<std::uint64_t>(offset));
  }

  void dereference(std::uint64_t size) {
    const std::uint64_t address = pop();
    if (!sane_ || size == 0 || size > 8) {
      sane_ = false;
      return;
    }
    const std::uint64_t at = address - input_.stack.start;
    const std::string_view bytes = input_.stack.bytes;
    if (at > bytes.size() || bytes.size() - at < size) {
      bad_address_ = address;
      sane_ = false;
      return;
    }
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data() + at, size);
    push(value);
  }

  void jump(std::int16_t by) {
    const auto at =
        static_cast<std::int64_t>(expression_.size() - reader_.rest().size()) +
        by;
    if (reader_.failed() || at < 0 ||
        at > static_cast<std::int64_t>(expression_.size())) {
      sane_ = false;
      return;
    }
    reader_ = ByteReader(expression_.substr(static_cast<std::size_t>(at)),
                         input_.swap);
  }

  void operate(std::uint8_t op) {
    if (op >= kLit0 && op <= kLit31) return push(op - kLit0);
    if (op >= kBreg0 && op <= kBreg31)
      return push_register(op - kBreg0, read_signed_varint(reader_));
    switch (op) {
      case kExpressionNop:
        return;
      case kAddr:
      case kConst8u:
      case kConst8s:
        return push(reader_.read<std::uint64_t>());
      case kConst1u:
        return push(reader_.read<std::uint8_t>());
      case kConst1s:
        return push(widened(reader_.read<std::int8_t>()));
      case kConst2u:
        return push(reader_.read<std::uint16_t>());
      case kConst2s:
        return push(widened(reader_.read<std::int16_t>()));
      case kConst4u:
        return push(reader_.read<std::uint32_t>());
      case kConst4s:
        return push(widened(reader_.read<std::int32_t>()));
      case kConstu:
        return push(reader_.read_varint());
      case kConsts:
        return push(widened(read_signed_varint(reader_)));
      case kBregx: {
        const std::uint64_t reg = reader_.read_varint();
        return push_register(reg, read_signed_varint(reader_));
      }
      case kDeref:
        return dereference(8);
      case kDerefSize:
        return dereference(reader_.read<std::uint8_t>());
      case kDup:
        return push(peek(0));
      case kDrop:
        pop();
        return;
      case kOver:
        return push(peek(1));
      case kPick:
        return push(peek(reader_.read<std::uint8_t>()));
      case kSkip:
        return jump(reader_.read<std::int16_t>());
      case kBra: {
        const auto by = reader_.read<std::int16_t>();
        if (pop() != 0) jump(by);
        return;
      }
      case kPlusUconst:
        return push(pop() + reader_.read_varint());
      case kNeg:
        return push(0 - pop());
      case kNot:
        return push(~pop());
      case kAbs: {
        const std::uint64_t value = pop();
        return push(value >> 63 != 0 ? 0 - value : value);
      }
      case kRot: {
        const std::uint64_t a = pop(), b = pop(), c = pop();
        push(a);
        push(c);
        return push(b);
      }
      case kSwap: {
        const std::uint64_t a = pop(), b = pop();
        push(a);
        return push(b);
      }
      default:
        return combine(op);
    }
  }

  // Operations on the top two values.
  void combine(std::uint8_t op) {
    const std::uint64_t b = pop(), a = pop();
    const auto sa = static_cast<std::int64_t>(a);
    const auto sb = static_cast<std::int64_t>(b);
    switch (op) {
      case kAnd:
        return push(a & b);
      case kOr:
        return push(a | b);
      case kXor:
        return push(a ^ b);
      case kPlus:
        return push(a + b);
      case kMinus:
        return push(a - b);
      case kMul:
        return push(a * b);
      case kShl:
        return push(b < 64 ? a << b : 0);
      case kShr:
        return push(b < 64 ? a >> b : 0);
      case kShra:
        return push(widened(sa >> (b < 64 ? b : 63)));
      case kEq:
        return push(a == b);
      case kNe:
        return push(a != b);
      case kGe:
        return push(sa >= sb);
      case kGt:
        return push(sa > sb);
      case kLe:
        return push(sa <= sb);
      case kLt:
        return push(sa < sb);
      case kDiv:
        if (b == 0) break;
        return push(b == ~std::uint64_t{0} ? 0 - a : widened(sa / sb));
      case kMod:
        if (b == 0) break;
        return push(a % b);
    }
    sane_ = false;
  }

  std::string_view expression_;
  const ExpressionInput& input_;
  ByteReader reader_;
  std::uint64_t stack_[kMaxDepth];
  int depth_ = 0;
  bool sane_ = true;
  std::optional<std::uint64_t> bad_address_;
};

}  // namespace

ExpressionResult evaluate(std::string_view expression,
                          const ExpressionInput& input,
                          std::optional<std::uint64_t> initial) {
  return StackMachine(expression, input).run(initial);
}

}  // namespace wick
