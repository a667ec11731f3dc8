// SPDX-License-Identifier: Apache-2.0
#include "itrace/page_evidence.h"

#include "itrace/riscv.h"

namespace wick {
namespace {

// `count` bits from `from` on, moved to `to`.
constexpr std::uint32_t field(std::uint32_t bits, int from, int count, int to) {
  return (bits >> from & ((1u << count) - 1)) << to;
}
constexpr std::int32_t sign_extend(std::uint32_t value, int bits) {
  return static_cast<std::int32_t>(value << (32 - bits)) >> (32 - bits);
}

// Of a branch, jump or call to a fixed place: how far that is away.
std::int32_t jump_distance(std::uint32_t b) {
  if ((b & 3) == 3 && (b & 0x7f) == 0x6f)  // jal
    return sign_extend(field(b, 31, 1, 20) | field(b, 21, 10, 1) |
                           field(b, 20, 1, 11) | field(b, 12, 8, 12),
                       21);
  if ((b & 3) == 3)  // a branch
    return sign_extend(field(b, 31, 1, 12) | field(b, 25, 6, 5) |
                           field(b, 8, 4, 1) | field(b, 7, 1, 11),
                       13);
  if (field(b, 13, 3, 0) >= 6)  // c.beqz, c.bnez
    return sign_extend(field(b, 12, 1, 8) | field(b, 10, 2, 3) |
                           field(b, 5, 2, 6) | field(b, 3, 2, 1) |
                           field(b, 2, 1, 5),
                       9);
  return sign_extend(field(b, 12, 1, 11) | field(b, 11, 1, 4) |  // c.j
                         field(b, 9, 2, 8) | field(b, 8, 1, 10) |
                         field(b, 7, 1, 6) | field(b, 6, 1, 7) |
                         field(b, 3, 3, 1) | field(b, 2, 1, 5),
                     12);
}

enum class Successor : std::uint8_t { kNext, kBranch, kJump, kAnywhere, kTrap };

Successor successor(FlowKind kind) {
  switch (kind) {
    case FlowKind::kBranch:
      return Successor::kBranch;
    case FlowKind::kJump:
    case FlowKind::kCall:
      return Successor::kJump;
    case FlowKind::kIndirectJump:
    case FlowKind::kIndirectCall:
    case FlowKind::kReturn:
    case FlowKind::kSwapLink:
      return Successor::kAnywhere;
    case FlowKind::kEcall:
    case FlowKind::kBreak:
    case FlowKind::kXret:
      return Successor::kTrap;
    default:
      return Successor::kNext;
  }
}

void check_successor(std::int32_t next, std::uint32_t bits, Fit& fit) {
  const Flow flow = decode_riscv(bits, Xlen::k64);
  const Successor can = successor(flow.kind());
  if (next == CodeStep::kFar) {
    // Anything can be interrupted.
    if (can == Successor::kAnywhere || can == Successor::kTrap) fit.score += 3;
    return;
  }
  const bool goes_on = next == flow.length();
  if (goes_on && can != Successor::kJump && can != Successor::kAnywhere)
    fit.score += can == Successor::kBranch ? 2 : 1;
  else if ((can == Successor::kBranch || can == Successor::kJump) &&
           jump_distance(bits) == next)
    fit.score += 9;
  else if (can == Successor::kAnywhere && !goes_on)
    fit.score += 4;
  else
    ++fit.contradictions;
}

}  // namespace

void check_step(const CodeStep& step, const TextPageView& page, Fit& fit) {
  const std::optional<std::uint32_t> bits = page.instruction(step.offset);
  if (!bits) {
    ++fit.contradictions;
  } else if (step.has_bits) {
    if (*bits != step.bits)
      ++fit.contradictions;
    else
      fit.score += (*bits & 3) == 3 ? 10 : 6;
  } else if (step.next != CodeStep::kNotSeen) {
    check_successor(step.next, *bits, fit);
  }
}

bool PageEvidence::add(const CodeStep& step) {
  const std::size_t at = step.offset / 2 % (kTextPageSize / 2);
  const bool jumped = !step.has_bits && step.next != 2 && step.next != 4;
  if (!step.has_bits && step.next == CodeStep::kNotSeen) return false;
  auto& seen = jumped ? jumped_ : went_on_;
  if (seen[at] || full()) return false;
  seen[at] = true;
  // Of the instructions with words, the long ones are rarer.
  const bool telling = step.has_bits ? (step.bits & 3) == 3
                                     : jumped && step.next != CodeStep::kFar;
  (telling ? telling_ : plain_).push_back(step);
  return true;
}

Fit PageEvidence::fit(const TextPageView& page, std::uint32_t tolerated) const {
  Fit fit;
  for (const std::vector<CodeStep>* steps : {&telling_, &plain_})
    for (const CodeStep& step : *steps) {
      check_step(step, page, fit);
      if (fit.contradictions > tolerated) return fit;
    }
  return fit;
}

}  // namespace wick
