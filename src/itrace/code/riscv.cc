// SPDX-License-Identifier: Apache-2.0
#include "itrace/code/riscv.h"

namespace wick {
namespace {

// The two registers that calls store return addresses in: ra, and t0 for
// millicode (save and restore of registers) and the PLT's resolver.
bool is_link(unsigned reg) { return reg == 1 || reg == 5; }

// The table of return-address-stack hints in the specification of JALR.
FlowKind jalr_kind(unsigned rd, unsigned rs1) {
  if (!is_link(rd))
    return is_link(rs1) ? FlowKind::kReturn : FlowKind::kIndirectJump;
  return is_link(rs1) && rs1 != rd ? FlowKind::kSwapLink
                                   : FlowKind::kIndirectCall;
}

Flow decode_compressed(std::uint32_t bits, Xlen xlen) {
  const unsigned quadrant = bits & 3, funct3 = bits >> 13 & 7;
  if (quadrant == 1) {
    if (funct3 == 5) return {FlowKind::kJump, 2};
    if (funct3 == 6 || funct3 == 7) return {FlowKind::kBranch, 2};
    // RV64 uses the encoding of c.jal for c.addiw.
    if (funct3 == 1 && xlen == Xlen::k32) return {FlowKind::kCall, 2};
  }
  if (quadrant == 2 && funct3 == 4) {
    const unsigned rs1 = bits >> 7 & 31, rs2 = bits >> 2 & 31;
    const bool high = (bits >> 12 & 1) != 0;
    if (rs2 == 0 && rs1 != 0) return {jalr_kind(high ? 1 : 0, rs1), 2};
    if (rs2 == 0 && high) return {FlowKind::kBreak, 2};
  }
  return {FlowKind::kPlain, 2};
}

Flow decode_system(std::uint32_t bits) {
  if ((bits >> 12 & 7) != 0) {
    // A CSR: csrrs and csrrc with x0 (or immediate 0) only read it.
    const unsigned funct3 = bits >> 12 & 3, source = bits >> 15 & 31;
    const bool writes = funct3 == 1 || source != 0;
    return {writes ? FlowKind::kFlush : FlowKind::kPlain, 4};
  }
  switch (bits) {
    case 0x00000073:
      return {FlowKind::kEcall, 4};
    case 0x00100073:
      return {FlowKind::kBreak, 4};
    case 0x00200073:  // uret
    case 0x10200073:  // sret
    case 0x30200073:  // mret
    case 0x70200073:  // mnret
    case 0x7b200073:  // dret
      return {FlowKind::kXret, 4};
    case 0x10500073:
      return {FlowKind::kWait, 4};
    default:
      return {FlowKind::kFlush, 4};  // sfence.vma and similar
  }
}

}  // namespace

Flow decode_riscv(std::uint32_t bits, Xlen xlen) {
  if ((bits & 3) != 3) return decode_compressed(bits & 0xffff, xlen);
  const unsigned rd = bits >> 7 & 31, rs1 = bits >> 15 & 31;
  switch (bits & 0x7f) {
    case 0x63:
      return {FlowKind::kBranch, 4};
    case 0x67:
      return {jalr_kind(rd, rs1), 4};
    case 0x6f:
      return {is_link(rd) ? FlowKind::kCall : FlowKind::kJump, 4};
    case 0x73:
      return decode_system(bits);
    case 0x0f:
      // fence.i, or a data fence.
      return {(bits >> 12 & 7) == 1 ? FlowKind::kFlush : FlowKind::kPlain, 4};
    default:
      return {FlowKind::kPlain, 4};
  }
}

std::int32_t riscv_distance(std::uint32_t bits, Xlen xlen) {
  // Bits `from` to `from + count - 1`, shifted to `to`.
  const auto field = [&](unsigned from, unsigned count, unsigned to) {
    return (bits >> from & ((1u << count) - 1)) << to;
  };
  const auto extended = [](std::uint32_t value, unsigned sign) {
    return static_cast<std::int32_t>(value << (31 - sign)) >> (31 - sign);
  };
  const FlowKind kind = decode_riscv(bits, xlen).kind();
  if (kind != FlowKind::kBranch && kind != FlowKind::kJump &&
      kind != FlowKind::kCall)
    return 0;
  if ((bits & 3) != 3)
    return kind == FlowKind::kBranch
               ? extended(field(12, 1, 8) | field(10, 2, 3) | field(5, 2, 6) |
                              field(3, 2, 1) | field(2, 1, 5),
                          8)
               : extended(field(12, 1, 11) | field(11, 1, 4) | field(9, 2, 8) |
                              field(8, 1, 10) | field(7, 1, 6) |
                              field(6, 1, 7) | field(3, 3, 1) | field(2, 1, 5),
                          11);
  return kind == FlowKind::kBranch
             ? extended(field(31, 1, 12) | field(25, 6, 5) | field(8, 4, 1) |
                            field(7, 1, 11),
                        12)
             : extended(field(31, 1, 20) | field(21, 10, 1) | field(20, 1, 11) |
                            field(12, 8, 12),
                        20);
}

}  // namespace wick
