// SPDX-License-Identifier: Apache-2.0
// Text traces: those of TracerV, Cospike, TraceDoctor, Spike and QEMU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "builders/trace_builder.h"
#include "io/compress.h"

namespace wick {
namespace {

// privilege and satp of each instruction, "?" where the privilege is unknown.
std::string contexts(const ReadTrace& read) {
  std::string out;
  for (const Step& step : read.steps()) {
    if (!out.empty()) out += ' ';
    out += step.privilege == 0xff ? "?" : std::to_string(step.privilege);
    out += "/" + std::to_string(step.satp);
  }
  return out;
}

TEST(TracervText, ReadsCyclesAsDecimalAndPcsAsHexadecimal) {
  const ReadTrace read =
      read_trace("Cycle: 0000000000000337 I1: 0000000000010014\n");
  EXPECT_EQ(read.text(), "337:10014");
  EXPECT_EQ(read.info.pc_bits, 40);
}

TEST(TracervText, ReadsCyclesOfFireSim19AsHexadecimal) {
  EXPECT_EQ(read_trace("C0: 0000010000010040, cycle: 0000000000000046\n"
                       "C1: 0000010000020040, cycle: 0000000000000046\n"
                       "C0: 0000000000010044, cycle: 0000000000000047\n")
                .text(),
            "70:10040 1/70:20040");
}

TEST(TracervText, ReadsThePrefixOfFireSim18) {
  EXPECT_EQ(
      read_trace("TRACEPORT C0: 0000010000010040, cycle: 0000000000000046\n")
          .text(),
      "70:10040");
}

TEST(TracervText, ReadsBeatsPrintedForTests) {
  const std::string zeros(96, '0');
  EXPECT_EQ(
      read_trace("TRACEPORT: " + zeros + "80000000000100400000000000000046\n" +
                 "TRACEPORT: " + zeros + "80000000000100440000000000000047\n")
          .text(),
      "70:10040 71:10044");
}

TEST(TracervText, KeepsOnlyTheRecordedBitsOfAPc) {
  const ReadTrace read = read_trace(
      "ffffffe0000000400000000000000046\n"
      "00000000000100400000000000000047\n");
  EXPECT_EQ(read.text(), "70:e000000040 71:10040");
  EXPECT_EQ(read.info.pc_bits, 40);
}

// In M-mode at first, then in a kernel with Sv48.
Steps kernel_behind(std::uint64_t count) {
  Steps steps;
  for (std::uint64_t i = 0; i < count; ++i)
    steps.push_back({.cycle = i, .pc = 0x80000000 + 4 * i});
  for (std::uint64_t i = 0; i < count; ++i)
    steps.push_back({.cycle = count + i, .pc = 0x8f00'0020'0000 + 4 * i});
  return steps;
}

int pc_bits_when_opened(std::string bytes) {
  InputFile file = InputFile::from_memory("x", std::move(bytes));
  return open_trace(file, "", {})->info().pc_bits;
}

TEST(TextTraces, FindWidePcsWhenOpened) {
  EXPECT_EQ(pc_bits_when_opened(tracerv_text(kernel_behind(9000))), 48);
  EXPECT_EQ(pc_bits_when_opened(tracedoctor_text(kernel_behind(9000))), 48);
  // Of compressed files, only the beginning is examined.
  EXPECT_EQ(pc_bits_when_opened(gzip(tracerv_text(kernel_behind(100)))), 48);
  EXPECT_EQ(pc_bits_when_opened(as_beat_lines(
                tracerv_records(kernel_behind(9), {.words = 8, .slots = 7}))),
            48);
  EXPECT_EQ(pc_bits_when_opened(tracerv_text({{.cycle = 1, .pc = 2}})), 40);
}

TEST(TracervText, ReadsARunWithoutInstructions) {
  const ReadTrace read = read_trace(std::string(kClockHeader));
  EXPECT_EQ(read.text(), "");
  EXPECT_TRUE(read.diagnostics.empty());
}

TEST(TracervText, NotesALineThatIsCutOff) {
  const ReadTrace read = read_trace(
      "Cycle: 0000000000000337 I0: 0000000000010014\n"
      "Cycle: 0000000000000338 I0: 00000000000100");
  EXPECT_EQ(read.text(), "337:10014");
  EXPECT_EQ(read.diagnostics.count(Problem::kBadLine), 1u);
}

TEST(TracervText, NotesTimeThatGoesBackwards) {
  const ReadTrace read = read_trace(
      "Cycle: 0000000000000337 I0: 0000000000010014\n"
      "Cycle: 0000000000000336 I0: 0000000000010018\n");
  EXPECT_EQ(read.text(), "337:10014 336:10018");
  EXPECT_EQ(read.diagnostics.count(Problem::kTimeDisorder), 1u);
}

TEST(TracervText, CorrectsASingleCycleThatIsTooLate) {
  const ReadTrace read = read_trace(
      "Cycle: 0000000000000337 I0: 0000000000010014\n"
      "Cycle: 0000000009000338 I0: 0000000000010018\n"
      "Cycle: 0000000000000339 I0: 000000000001001c\n");
  EXPECT_EQ(read.text(), "337:10014 337:10018 339:1001c");
  EXPECT_EQ(read.diagnostics.count(Problem::kTimeDisorder), 1u);
}

TEST(TracervText, ReadsSatpAndPrivilege) {
  const ReadTrace read = read_trace(
      "Cycle: 0000000000000337 I0: ffffffff80001234 Inst: 0000000000000073 "
      "satp: 0000000000000007 priv: 0000000000000001\n"
      "Cycle: 0000000000000338 I0: 0000000080000000 Inst: 0000000000004501 "
      "satp: 0000000000000007 priv: 0000000000000003\n");
  EXPECT_EQ(read.text(), "337:ff80001234 338:80000000");
  EXPECT_EQ(contexts(read), "1/7 3/7");
  EXPECT_EQ(read.steps().at(1).bits, 0x4501u);
}

TEST(Cospike, MarksInstructionsThatTrapped) {
  const ReadTrace read = read_trace(
      "0 1403 ffffffff80002a1c 1 0 0 1 0 8000\n"
      "0 1404 ffffffff80002a20 1 1 0 0 9 0\n"
      "0 1410 80000100 1 1 1 0 9223372036854775815 0\n");
  EXPECT_EQ(read.text(),
            "1403:ffffffff80002a1c 1404:ffffffff80002a20! 1410:80000100!");
  EXPECT_EQ(read.steps().at(1).cause, 9u);
  EXPECT_FALSE(read.steps().at(1).interrupt);
  EXPECT_EQ(read.steps().at(2).cause, 7u);
  EXPECT_TRUE(read.steps().at(2).interrupt);
}

TEST(Cospike, SkipsInvalidLines) {
  EXPECT_EQ(read_trace("1 1403 80002a1c 1 0 0 0 0 0\n"
                       "1 1404 80002a20 0 0 0 0 0 0\n"
                       "1 1405 80002a24 0 1 0 0 2 0\n")
                .text(),
            "1/1403:80002a1c");
}

// BOOM's: the line names another instruction.
TEST(Cospike, MarksATrapThatIsNotOfAValidLine) {
  const ReadTrace read = read_trace(
      "0 1403 80002a1c 1 0 0 0 0 0\n"
      "0 1405 80002a24 0 1 1 0 7 0\n"
      "0 1409 80000100 1 0 0 0 7 0\n");
  EXPECT_EQ(read.text(), "1403:80002a1c !1409:80000100");
  EXPECT_TRUE(read.steps().at(1).interrupt);
}

TEST(TraceDoctor, SkipsSlotsThatAreZero) {
  EXPECT_EQ(read_trace("cycle;instr0;instr1;instr2\n"
                       "1403;0x80002a1c;0x0;0x80002a20\n"
                       "1404;0x0;0x0;0x0\n")
                .text(),
            "1403:80002a1c 1403:80002a20");
}

TEST(Spike, TakesPrivilegeSatpAndThreadPointerFromCommits) {
  const ReadTrace read = read_trace(
      "core   0: 3 0x0000000080000000 (0x00000297) x5  0x0000000080000000\n"
      "core   0: 1 0xffffffff80002a20 (0x18051073) c384_satp "
      "0x0000000000000009\n"
      "core   0: 1 0xffffffff80002a24 (0x8082)\n"
      "core   0: 0 0x0000000000010040 (0x4212) x4  0x0000003f12345678 mem "
      "0x0000003fffff0000\n"
      "core   0: 0 0x0000000000010042 (0x0001)\n");
  EXPECT_EQ(contexts(read), "3/0 1/0 1/9 0/9 0/9");
  EXPECT_EQ(read.info.unit, "instructions");
  const auto& rows = read.blocks.at(0).contexts;
  EXPECT_FALSE(rows.at(3).has_thread_pointer);
  EXPECT_EQ(rows.at(4).thread_pointer, 0x3f12345678u);
  EXPECT_EQ(rows.at(4).from, 4u);
}

TEST(Spike, MarksAnInstructionThatTrappedInTheLog) {
  const ReadTrace read = read_trace(
      "core   0: >>>>  trap_here\n"
      "core   0: 0x0000000080000000 (0x00000073) ecall\n"
      "core   0: exception trap_machine_ecall, epc 0x0000000080000000\n"
      "core   0:           tval 0x0000000000000000\n"
      "core   0: 0x0000000080000100 (0x30200073) mret\n"
      "core   0: exception interrupt #7, epc 0x0000000080000004\n"
      "core   0: 0x0000000080000100 (0x30200073) mret\n");
  EXPECT_EQ(read.text(), "0:80000000! 1:80000100 !2:80000100");
  EXPECT_EQ(read.steps().at(0).cause, 11u);
  EXPECT_EQ(read.steps().at(2).cause, 7u);
  EXPECT_TRUE(read.steps().at(2).interrupt);
  EXPECT_TRUE(read.diagnostics.empty());
}

// It has no line of its own.
TEST(Spike, MarksATrapOfAnInstructionThatCouldNotBeFetched) {
  const ReadTrace read = read_trace(
      "core   0: 0x0000000080000000 (0x00008067) ret\n"
      "core   0: exception trap_instruction_page_fault, epc "
      "0x0000000000001000\n"
      "core   0:           tval 0x0000000000001000\n"
      "core   0: 0x0000000080000100 (0x30200073) mret\n");
  EXPECT_EQ(read.text(), "0:80000000 !1:80000100");
  EXPECT_EQ(read.steps().at(1).cause, 12u);
  EXPECT_FALSE(read.steps().at(1).interrupt);
}

TEST(Spike, CountsAnInstructionOnceIfBothLogsAreMixed) {
  const ReadTrace read = read_trace(
      "core   0: 0x0000000080000000 (0x00000297) auipc   t0, 0x0\n"
      "core   0: 3 0x0000000080000000 (0x00000297) x5  0x0000000080000000\n"
      "core   0: 0x0000000080000004 (0x00000073) ecall\n"
      "core   0: exception trap_machine_ecall, epc 0x0000000080000004\n"
      "core   0: 0x0000000080000100 (0x30200073) mret\n"
      "core   0: 3 0x0000000080000100 (0x30200073)\n");
  EXPECT_EQ(read.text(), "0:80000000 1:80000004! 2:80000100");
}

TEST(Spike, CountsEachCoreSeparately) {
  EXPECT_EQ(read_trace("core   0: 3 0x0000000080000000 (0x00000297)\n"
                       "core   1: 3 0x0000000080000000 (0x00000297)\n"
                       "core   0: 3 0x0000000080000004 (0x00000297)\n")
                .text(),
            "0:80000000 1:80000004 1/0:80000000");
}

TEST(Execlog, TakesRegistersThatAnInstructionChanged) {
  const ReadTrace read = read_trace(
      "0, 0x80002a1c, 0x18051073, \"csrw satp,a0\", satp -> "
      "0x0000000000000009, priv -> 0x0000000000000001\n"
      "0, 0x80002a20, 0x10200073, \"sret\", priv -> 0x0000000000000000, tp -> "
      "0x0000000000000042\n"
      "0, 0x10040, 0x612c4501, \"li a0,0\", load, 0x0000003f, RAM\n");
  EXPECT_EQ(contexts(read), "?/0 1/9 0/9");
  EXPECT_EQ(read.steps().at(2).bits, 0x4501u);
  EXPECT_EQ(read.blocks.at(0).contexts.at(1).thread_pointer, 0x42u);
  EXPECT_TRUE(read.info.has_satp);
}

TEST(TraceCsv, MarksInstructionsThatTrapped) {
  const ReadTrace read = read_trace(
      "VALID,ADDRESS,INSN,PRIVILEGE,EXCEPTION,ECAUSE,TVAL,INTERRUPT\n"
      "1,8000005c,3a079073,3,1,2,0,0\n"
      "1,80000038,716d,3,0,2,0,0\n"
      "0,0,0,0,0,0,0,0\n");
  EXPECT_EQ(read.text(), "0:8000005c! 1:80000038");
  EXPECT_EQ(read.steps().at(0).cause, 2u);
}

TEST(TraceCsv, FindsColumnsByName) {
  const ReadTrace read = read_trace(
      "VALID,PRIVILEGE,ADDRESS\n"
      "1,0,8000005c\n"
      "1,1\n");
  EXPECT_EQ(read.text(), "0:8000005c");
  EXPECT_FALSE(read.info.has_bits);
  EXPECT_EQ(read.diagnostics.count(Problem::kBadLine), 1u);
}

TEST(TraceCsv, IsDetectedByItsColumnsInAnyOrder) {
  const ReadTrace read = read_trace(
      "INSN,ADDRESS,VALID\n"
      "13,8000005c,1\n");
  EXPECT_EQ(read.text(), "0:8000005c");
}

}  // namespace
}  // namespace wick
