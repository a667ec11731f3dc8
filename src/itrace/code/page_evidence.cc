// SPDX-License-Identifier: Apache-2.0
#include "itrace/code/page_evidence.h"

namespace wick {
namespace {

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

void check_successor(std::int32_t next, std::uint32_t bits, Xlen xlen,
                     Fit& fit) {
  const Flow flow = decode_riscv(bits, xlen);
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
           riscv_distance(bits, xlen) == next)
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
    check_successor(step.next, *bits, page.xlen, fit);
  }
}

bool PageEvidence::add(const CodeStep& step) {
  const std::size_t at = step.offset / 2 % (kTextPageSize / 2);
  const bool jumped = !step.has_bits && step.next != 2 && step.next != 4;
  if (!step.has_bits && step.next == CodeStep::kNotSeen) return false;
  auto& seen = jumped ? jumped_ : went_on_;
  if (seen[at] || full()) return false;
  seen[at] = true;
  // With instruction words, the long ones are more distinctive.
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
