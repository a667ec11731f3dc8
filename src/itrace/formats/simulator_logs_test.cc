// SPDX-License-Identifier: Apache-2.0
// What simulations of a processor in Verilator or VCS print: logs of Rocket,
// commit logs of Rocket and BOOM, and CSV of RVFI signals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "builders/trace_builder.h"

namespace wick {
namespace {

std::uint64_t bad_lines(const ReadTrace& read) {
  return read.diagnostics.count(Problem::kBadLine);
}

// The privileges of all instructions: "3310".
std::string privileges(const ReadTrace& read) {
  std::string out;
  for (const Step& step : read.steps()) out += std::to_string(step.privilege);
  return out;
}

std::string recognised_as(std::string_view bytes) {
  std::string names;
  for (const TraceFormat* format : trace_formats())
    if (format->sniff(bytes)) names += std::string(format->name) + ' ';
  return names;
}

TEST(RocketLog, HasCycleAndInstruction) {
  const ReadTrace read = read_trace(
      "C0:       7564 [1] pc=[0000000080000040] W[r 5=0000000080000040][1] "
      "R[r 0=0000000000000000] R[r 0=0000000000000000] inst=[00000297] "
      "DASM(00000297)\n"
      "C0:       7570 [1] pc=[ffffffff80000044] W[r 0=0000000000000000][0] "
      "R[r 5=0000000080000040] R[r 0=0000000000000000] inst=[00008282] "
      "c.jr    t0\n");
  EXPECT_EQ(read.text(), "7564:80000040 7570:ffffffff80000044");
  EXPECT_EQ(read.steps().at(0).bits, 0x297u);
  EXPECT_EQ(read.steps().at(1).bits, 0x8282u);
  EXPECT_EQ(read.info.unit, "cycles");
  EXPECT_TRUE(read.diagnostics.empty());
}

TEST(RocketLog, HasAHartForEachCore) {
  EXPECT_EQ(
      read_trace(
          "C0:         10 [1] pc=[0000000080000000] inst=[00000013] nop\n"
          "C1:         10 [1] pc=[0000000080000000] inst=[00000013] nop\n"
          "C 1:        11 [1] pc=[0000000080000004] inst=[00000013] nop\n"
          "C0:         11 [1] pc=[0000000080000004] inst=[00000013] nop\n")
          .text(),
      "10:80000000 11:80000004 1/10:80000000 1/11:80000004");
}

// Nothing retires in the cycles after a trap.
TEST(RocketLog, MarksAnInstructionThatTrapped) {
  const ReadTrace read = read_trace(
      "C0:         10 [1] pc=[0000000080000000] inst=[00000013] nop\n"
      "C0:         11 [0] pc=[0000000080000004] inst=[00000073] ecall\n"
      "C0:         16 [1] pc=[0000000080000100] inst=[00000013] nop\n");
  EXPECT_EQ(read.text(), "10:80000000 11:80000004! 16:80000100");
  EXPECT_TRUE(read.info.has_traps);
}

TEST(RocketLog, LeavesOutCyclesInWhichNothingRetired) {
  const ReadTrace read = read_trace(
      "C0:         10 [1] pc=[0000000080000000] inst=[00000013] nop\n"
      "C0:         11 [0] pc=[0000000080000000] inst=[00000013] nop\n"
      "C0:         12 [0] pc=[0000000080000000] inst=[00000013] nop\n"
      "C0:         13 [1] pc=[0000000080000004] inst=[00000013] nop\n");
  EXPECT_EQ(read.text(), "10:80000000 13:80000004");
  EXPECT_FALSE(read.info.has_traps);
}

TEST(RocketLog, TellsATrapByTheLinesOfItsOwnHart) {
  EXPECT_EQ(
      read_trace("C0:         11 [0] pc=[0000000080000004] inst=[00000073] x\n"
                 "C1:         12 [1] pc=[0000000080000000] inst=[00000013] x\n"
                 "C0:         16 [1] pc=[0000000080000100] inst=[00000013] x\n")
          .text(),
      "11:80000004! 16:80000100 1/12:80000000");
}

TEST(RocketLog, ExtendsTheSignOfShortPcs) {
  EXPECT_EQ(read_trace("C0: 10 [1] pc=[ffe0000040] inst=[00000013] nop\n"
                       "C0: 11 [1] pc=[0080000040] inst=[00000013] nop\n"
                       "C0: 12 [1] pc=[80000040] inst=[00000013] nop\n")
                .text(),
            "10:ffffffffe0000040 11:80000040 12:80000040");
}

TEST(RocketLog, SkipsOtherOutput) {
  const ReadTrace read = read_trace(
      "using random seed 1700000000\n"
      "Listening on port 40000\n"
      "C0:         10 [1] pc=[0000000080000000] inst=[00000013] nop\n"
      "Hello world from core 0!\n"
      "C3PO: hello\n"
      "\n"
      "*** PASSED *** Completed after 17 cycles\n");
  EXPECT_EQ(read.text(), "10:80000000");
  EXPECT_TRUE(read.diagnostics.empty());
}

TEST(RocketLog, ContinuesALineOfTheConsole) {
  const ReadTrace read = read_trace(
      "CPU: C0:         10 [1] pc=[0000000080000000] inst=[00000013] nop\n");
  EXPECT_EQ(read.text(), "10:80000000");
  EXPECT_TRUE(read.diagnostics.empty());
}

TEST(RocketLog, NotesBrokenLines) {
  const ReadTrace read = read_trace(
      "C0:         10 [1] pc=[0000000080000000] inst=[00000013] nop\n"
      "C0:         11 [1] pc=[00000000800\n"
      "[1] pc=[0000000080000000] inst=[00000013] nop\n"
      "C0:         12 [1] pc=[0000000080000000] inst=[000\n"
      "C0:         13 [1] pc=[0000000080000000] W[r 0C0:         14 [1] "
      "pc=[0000000080000000] inst=[00000013] nop\n"
      "C0:         1");
  EXPECT_EQ(read.text(), "10:80000000");
  EXPECT_EQ(bad_lines(read), 5u);
}

TEST(RocketLog, NotesAnImpossibleHart) {
  const ReadTrace read = read_trace(
      "C0:         10 [1] pc=[0000000080000000] inst=[00000013] nop\n"
      "C4294967295: 10 [1] pc=[0000000080000000] inst=[00000013] nop\n");
  EXPECT_EQ(read.text(), "10:80000000");
  EXPECT_EQ(bad_lines(read), 1u);
}

constexpr std::string_view kOfRocket =
    "C0:         70 [1] pc=[0000000000010040] inst=[00000013] nop\n";
constexpr std::string_view kOfFireSim =
    "C0: 0000010000010040, cycle: 0000000000000046\n";

TEST(RocketLog, IsNotALogOfFireSim) {
  EXPECT_EQ(recognised_as(kOfRocket), "rocket ");
  EXPECT_EQ(recognised_as(kOfFireSim), "tracerv-text ");
  EXPECT_EQ(read_trace(std::string(kOfRocket)).text(), "70:10040");
  EXPECT_EQ(read_trace(std::string(kOfFireSim)).text(), "70:10040");
}

TEST(RocketLog, HasNoLinesOfFireSim) {
  const ReadTrace rocket =
      read_trace(std::string(kOfRocket) + std::string(kOfFireSim));
  EXPECT_EQ(rocket.text(), "70:10040");
  const ReadTrace firesim = read_trace(
      std::string(kOfFireSim) + std::string(kOfRocket), "tracerv-text");
  EXPECT_EQ(firesim.text(), "70:10040");
  EXPECT_EQ(bad_lines(firesim), 1u);
}

TEST(RocketLog, IsRecognisedAfterOtherOutput) {
  std::string log;
  for (int i = 0; i < 200; ++i) log += "a line of the console\n";
  EXPECT_EQ(recognised_as(log + std::string(kOfRocket)), "rocket ");
}

TEST(CommitLog, NeedsNoCore) {
  const ReadTrace read = read_trace(
      "3 0x0000000080000000 (0x00000297) x 5 0x0000000080000000\n"
      "1 0xffffffff80002a20 (0x4501) x10 0x0000000000000000\n"
      "0 0x0000000000010040 (0x00002007) f 0 0x3ff0000000000000\n"
      "0 0x0000000000010044 (0x00000013)\n");
  EXPECT_EQ(read.text(), "0:80000000 1:ffffffff80002a20 2:10040 3:10044");
  EXPECT_EQ(privileges(read), "3100");
  EXPECT_EQ(read.steps().at(1).bits, 0x4501u);
  EXPECT_EQ(read.info.unit, "instructions");
  EXPECT_TRUE(read.diagnostics.empty());
}

TEST(CommitLog, TakesTheThreadPointerAlsoIfWrittenLater) {
  const ReadTrace read = read_trace(
      "1 0xffffffff80002a20 (0x00000213) x 4 0x0000000000000007\n"
      "1 0xffffffff80002a24 (0x00053203) x 4 p 4 0xXXXXXXXXXXXXXXXX\n"
      "x 4 p 4 0x0000000000000009\n"
      "1 0xffffffff80002a28 (0x00000013)\n"
      "f 4 p36 0x0000000000000000\n");
  const auto& rows = read.blocks.at(0).contexts;
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[1].thread_pointer, 7u);
  EXPECT_EQ(rows[2].thread_pointer, 9u);
  EXPECT_EQ(rows[2].from, 2u);
  EXPECT_TRUE(read.diagnostics.empty());
}

TEST(CommitLog, ExtendsTheSignOfShortPcs) {
  EXPECT_EQ(read_trace("1 0xff80002a20 (0x00000013)\n").text(),
            "0:ffffffff80002a20");
}

TEST(CommitLog, SkipsOtherOutput) {
  const ReadTrace read = read_trace(
      "using random seed 1700000000\n"
      "3 0x0000000080000000 (0x00000013)\n"
      "Hello world!\n"
      "2 tests left3 0x0000000080000004 (0x00000013)\n"
      "*** PASSED ***\n");
  EXPECT_EQ(read.text(), "0:80000000 1:80000004");
  EXPECT_TRUE(read.diagnostics.empty());
}

TEST(CommitLog, NotesBrokenLines) {
  const ReadTrace read = read_trace(
      "3 0x0000000080000000 (0x00000013)\n"
      "3 0x00000000800000\n"
      "3 0x0000000080000000 (0x000\n"
      "0x0000000080000000 (0x00000013)\n"
      "9 0x0000000080000000 (0x00000013)\n");
  EXPECT_EQ(read.text(), "0:80000000");
  EXPECT_EQ(bad_lines(read), 4u);
}

// One of two logs in a file, such as that of the core and that of the Spike
// that checks it.
TEST(CommitLog, IsEitherWithCoresOrWithout) {
  const std::string without = "3 0x0000000080000000 (0x00000013)\n";
  const std::string with = "core   0: 3 0x0000000080000000 (0x00000013)\n";
  for (const std::string& log : {without + with, with + without}) {
    const ReadTrace read = read_trace(log);
    EXPECT_EQ(read.text(), "0:80000000");
    EXPECT_EQ(bad_lines(read), 1u);
  }
}

TEST(Spike, SkipsTheOutputOfTheProgram) {
  const ReadTrace read = read_trace(
      "core   0: 3 0x0000000080000000 (0x00000013)\n"
      "Hello world!\n"
      "core   0: 3 0x0000000080\n");
  EXPECT_EQ(read.text(), "0:80000000");
  EXPECT_EQ(bad_lines(read), 1u);
}

TEST(RvfiCsv, HasCycleInstructionPrivilegeAndTraps) {
  const ReadTrace read = read_trace(
      "order,insn,trap,mode,pc_rdata,cycle\n"
      "17,00000297,0,3,80000040,7564\n"
      "18,00000073,1,0,80000044,7570\n");
  EXPECT_EQ(read.text(), "7564:80000040 7570:80000044!");
  EXPECT_EQ(privileges(read), "30");
  EXPECT_EQ(read.steps().at(0).bits, 0x297u);
  EXPECT_EQ(read.info.unit, "cycles");
  EXPECT_FALSE(read.info.has_traps);  // interrupts are not known
}

TEST(RvfiCsv, MarksTrapsByTheFirstInstructionsOfHandlers) {
  const ReadTrace read = read_trace(
      "trap,intr,pc_rdata\n"
      "0,0,80000040\n"
      "0,1,80000100\n"
      "1,0,80000104\n"
      "0,1,80000100\n");
  EXPECT_EQ(read.text(), "0:80000040 !1:80000100 2:80000104! 3:80000100");
  EXPECT_TRUE(read.info.has_traps);
  EXPECT_TRUE(read.steps().at(1).interrupt);
  EXPECT_FALSE(read.steps().at(2).interrupt);
}

TEST(RvfiCsv, CountsInstructionsWithoutACycle) {
  const ReadTrace read = read_trace(
      "pc_rdata\n"
      "80000040\n"
      "80000044\n");
  EXPECT_EQ(read.text(), "0:80000040 1:80000044");
  EXPECT_EQ(read.info.unit, "instructions");
  EXPECT_FALSE(read.info.has_bits);
  EXPECT_FALSE(read.info.has_privilege);
  EXPECT_FALSE(read.info.has_traps);
}

TEST(RvfiCsv, FindsColumnsByNameAndIgnoresOthers) {
  EXPECT_EQ(read_trace("time,cycle,rvfi_rd_wdata,rvfi_pc_rdata,text\n"
                       "1.5 ns,10,xxxx,80000040,\"addi a0, a0, 1\"\n"
                       "2.5 ns,12,,0x80000044,\n")
                .text(),
            "10:80000040 12:80000044");
}

TEST(RvfiCsv, ReadsHexadecimalWithAndWithoutPrefix) {
  const ReadTrace read = read_trace(
      "pc_rdata,insn,cycle\n"
      "0x10,0X13,10\n"
      "10,13,0x10\n");
  EXPECT_EQ(read.text(), "10:10 16:10");
  EXPECT_EQ(read.steps().at(0).bits, 0x13u);
  EXPECT_EQ(read.steps().at(1).bits, 0x13u);
}

TEST(RvfiCsv, ReadsWhatSpreadsheetsWrite) {
  EXPECT_EQ(
      read_trace("\xEF\xBB\xBF\"disassembly\",\"pc_rdata\" , \"cycle\"\r\n"
                 "\"li a0, \"\"x\"\"\", \"80000040\" ,\"10\"\r\n")
          .text(),
      "10:80000040");
}

TEST(RvfiCsv, HasHarts) {
  for (const std::string name : {"hart", "hartid", "rvfi_hartid"})
    EXPECT_EQ(read_trace(name + ",pc_rdata\n0,40\n11,40\n").text(),
              "0:40 11/0:40");
}

TEST(RvfiCsv, LeavesOutInvalidLines) {
  EXPECT_EQ(read_trace("rvfi_valid,rvfi_pc_rdata\n1,40\n0,44\n1,48\n").text(),
            "0:40 1:48");
}

TEST(RvfiCsv, NotesBrokenLines) {
  const ReadTrace read = read_trace(
      "insn,pc_rdata,hart\n"
      "13,40,0\n"
      "13\n"
      "13,xxxxxxxx,0\n"
      "13,,0\n"
      "13,\"40,0\n"
      "100000013,40,0\n"
      "13,11112222333344445,0\n"
      "13,40,4096\n");
  EXPECT_EQ(read.text(), "0:40");
  EXPECT_EQ(bad_lines(read), 7u);
}

TEST(RvfiCsv, SkipsARepeatedHeader) {
  const ReadTrace read = read_trace("pc_rdata\n40\npc_rdata\n44\n");
  EXPECT_EQ(read.text(), "0:40 1:44");
  EXPECT_TRUE(read.diagnostics.empty());
}

TEST(RvfiCsv, RefusesAHeaderWithoutPcs) {
  try {
    read_trace("order,insn\n0,13\n", "rvfi-csv");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("lacks the column pc_rdata"));
  }
}

}  // namespace
}  // namespace wick
