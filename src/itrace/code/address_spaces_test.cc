// SPDX-License-Identifier: Apache-2.0
#include "itrace/code/address_spaces.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "builders/elf_builder.h"
#include "builders/riscv_program.h"

namespace wick {
namespace {

constexpr std::uint64_t kKernelCode = 0xffffffff80002000;

struct Knows {
  bool bits = true, privilege = true, satp = true;
  int pc_bits = 64;
};
constexpr Knows kAll{};
// As stock TracerV.
constexpr Knows kLeast{
    .bits = false, .privilege = false, .satp = false, .pc_bits = 40};

// Runs programs somewhere and asks afterwards where each instruction was found.
class Machine {
 public:
  explicit Machine(const Knows& knows)
      : knows_(knows), kernel_(99, 3, kKernelCode) {
    info_.pc_bits = knows.pc_bits;
    info_.has_bits = knows.bits;
    info_.has_privilege = knows.privilege;
    info_.has_satp = knows.satp;
    map_ = std::make_unique<CodeMap>(TraceOptions{}, info_);
    map_->add_elf(kernel_.elf(ET_EXEC, "vmlinux"), "vmlinux");
  }

  void add(const RiscvProgram& program, std::uint16_t type,
           const std::string& name) {
    add(program.elf(type, name), name);
  }
  void add(const std::shared_ptr<const ElfFile>& elf, const std::string& name) {
    map_->add_elf(elf, name);
  }

  // `count` instructions of `program`, which is mapped `bias` bytes from its
  // own addresses, near `from` (as the file counts). The kernel runs before.
  void run(const RiscvProgram& program, const std::string& name,
           std::uint64_t satp, std::uint64_t bias, std::uint64_t from,
           std::size_t count = 300, std::uint64_t reach = 2000) {
    step_into(Privilege::kSupervisor, satp);
    for (const auto& at : kernel_.walk(random_, kKernelCode, 40))
      put(at, 0, "vmlinux");
    step_into(Privilege::kUser, satp);
    for (const auto& at : program.walk(random_, from, count, reach))
      put(at, bias, name);
  }
  // At its own addresses or `bias` bytes from them, without a kernel.
  void run_as(Privilege privilege, const RiscvProgram& program,
              const std::string& name, std::uint64_t satp,
              std::size_t count = 300, std::uint64_t bias = 0) {
    step_into(privilege, satp);
    for (const auto& at :
         program.walk(random_, program.elf_addr(), count, 2000))
      put(at, bias, name);
  }
  // As run(), without the kernel in between.
  void run_on(const RiscvProgram& program, const std::string& name,
              std::uint64_t bias, std::uint64_t from, std::size_t count,
              std::uint64_t reach) {
    for (const auto& at : program.walk(random_, from, count, reach))
      put(at, bias, name);
  }
  void tell(SideBandFact fact) {
    fact.from = static_cast<std::uint32_t>(block_.instructions.size());
    block_.facts.push_back(std::move(fact));
  }

  struct Result {
    std::size_t right = 0, unknown = 0, wrong = 0;
  };
  // Gives what ran since the last time to learn() and counts how it is found.
  Result look() {
    if (spaces_ == nullptr) {
      auto made = std::make_unique<AddressSpaces>(*map_, info_,
                                                  Sysroot{.path = sysroot});
      spaces_ = made.get();
      map_->set_user_code(std::move(made));
    }
    const auto changes = map_->learn(block_);
    Result result;
    auto change = changes.begin();
    for (std::uint32_t i = 0; i < block_.instructions.size(); ++i) {
      for (; change != changes.end() && change->from <= i; ++change)
        space_ = change->space;
      const std::uint64_t pc = block_.instructions[i].pc;
      const CodePage& page = map_->page(space_, pc);
      if (page.image == CodeImageId::kNone)
        ++result.unknown;
      else if (map_->image(page.image).path == expected_[i].name &&
               page.elf_addr + pc % 4096 == expected_[i].elf_addr)
        ++result.right;
      else
        ++result.wrong;
    }
    block_.clear();
    expected_.clear();
    in_privilege_ = Privilege::kUnknown;
    return result;
  }
  // All that ran since the last time is found.
  bool is_all_right() {
    const Result result = look();
    return result.right > 0 && result.unknown == 0 && result.wrong == 0;
  }

  const AddressSpaces& spaces() const { return *spaces_; }
  Layer layer_at(std::uint64_t pc) { return map_->page(space_, pc).layer; }
  std::mt19937& random() { return random_; }
  std::string sysroot;

 private:
  struct Expected {
    std::string name;
    std::uint64_t elf_addr;
  };
  void step_into(Privilege privilege, std::uint64_t satp) {
    if (privilege == in_privilege_ && satp == in_satp_) return;
    in_privilege_ = privilege;
    in_satp_ = satp;
    if (!knows_.privilege && !knows_.satp) return;
    ContextChange change{
        .from = static_cast<std::uint32_t>(block_.instructions.size())};
    if (knows_.privilege) change.privilege = privilege;
    if (knows_.satp) {
      change.has_satp = true;
      change.satp = satp;
    }
    block_.contexts.push_back(change);
  }
  void put(const RiscvProgram::Instruction& at, std::uint64_t bias,
           const std::string& name) {
    block_.instructions.push_back(
        {++cycle_, (at.elf_addr + bias) & map_->pc_mask()});
    if (knows_.bits) block_.bits.push_back(at.bits);
    expected_.push_back({name, at.elf_addr});
  }

  Knows knows_;
  RiscvProgram kernel_;
  TraceInfo info_;
  std::unique_ptr<CodeMap> map_;
  AddressSpaces* spaces_ = nullptr;
  TraceBlock block_;
  std::vector<Expected> expected_;
  std::mt19937 random_{1};
  std::uint64_t cycle_ = 0;
  SpaceId space_ = SpaceId::kNone;
  Privilege in_privilege_ = Privilege::kUnknown;
  std::uint64_t in_satp_ = 0;
};

constexpr std::uint64_t kSatp = 0xa000'5000'0009'03a5;
constexpr std::uint64_t kOtherSatp = 0xa000'7000'0009'03a8;

class EveryTrace : public testing::TestWithParam<Knows> {};
INSTANTIATE_TEST_SUITE_P(
    AddressSpaces, EveryTrace,
    testing::Values(kAll, kLeast, Knows{.bits = false},
                    Knows{.privilege = false, .satp = false},
                    Knows{.privilege = false, .satp = false, .pc_bits = 40},
                    Knows{.bits = false, .satp = false, .pc_bits = 40}));

TEST_P(EveryTrace, FindsLibrariesAtRandomAddresses) {
  Machine machine(GetParam());
  std::vector<RiscvProgram> programs;
  for (unsigned i = 0; i < 6; ++i) {
    programs.emplace_back(100 + i, 12, 0x1000);
    machine.add(programs[i], ET_DYN, "lib" + std::to_string(i));
  }
  // Two processes, each with every library somewhere in the upper gigabyte of
  // the lower half, which looks like the kernel's if pcs are cut.
  std::uint64_t biases[2][6];
  for (unsigned process = 0; process < 2; ++process)
    for (unsigned i = 0; i < 6; ++i)
      biases[process][i] = 0x7fff90000000 +
                           (process * 6 + i) * std::uint64_t{0x1000000} +
                           machine.random()() % 0x800 * 0x1000;
  for (int blocks = 0; blocks < 4; ++blocks) {
    for (int runs = 0; runs < 40; ++runs) {
      const unsigned process = machine.random()() % 2;
      const unsigned i = machine.random()() % 6;
      machine.run(programs[i], "lib" + std::to_string(i),
                  process == 0 ? kSatp : kOtherSatp, biases[process][i],
                  0x1000 + machine.random()() % 0xa000);
    }
    const Machine::Result result = machine.look();
    EXPECT_EQ(result.wrong, 0u);
    EXPECT_LE(result.unknown, result.right / 200) << blocks;
  }
}

TEST_P(EveryTrace, TellsProgramsWithTheSameFixedAddressesApart) {
  Machine machine(GetParam());
  const RiscvProgram one(1, 3, 0x10000), two(2, 3, 0x10000);
  machine.add(one, ET_EXEC, "one");
  machine.add(two, ET_EXEC, "two");
  machine.run(one, "one", kSatp, 0, 0x10000);
  EXPECT_TRUE(machine.is_all_right());
  for (int i = 0; i < 8; ++i) {
    machine.run(two, "two", kOtherSatp, 0, 0x10000);
    machine.run(one, "one", kSatp, 0, 0x10000);
    machine.run(one, "one", kSatp, 0, 0x11000);
    EXPECT_TRUE(machine.is_all_right()) << i;
  }
  EXPECT_EQ(machine.spaces().space_count(), 2u);
  EXPECT_EQ(machine.spaces().spaces_relearnt(), 0u);
}

TEST_P(EveryTrace, FindsTheCodeOfForkedAndRepeatedProcesses) {
  Machine machine(GetParam());
  const RiscvProgram program(1, 8, 0x1000);
  machine.add(program, ET_DYN, "program");
  machine.run(program, "program", kSatp, 0x5500000000, 0x1000);
  EXPECT_TRUE(machine.is_all_right());
  machine.run(program, "program", kOtherSatp, 0x5500000000, 0x1000, 12);
  EXPECT_TRUE(machine.is_all_right());
}

TEST_P(EveryTrace, OnePageShowsWhereTheWholeFileIs) {
  Machine machine(GetParam());
  const RiscvProgram program(1, 8, 0x1000);
  machine.add(program, ET_DYN, "program");
  machine.run(program, "program", kSatp, 0x5500000000, 0x1000, 400);
  machine.run(program, "program", kSatp, 0x5500000000, 0x6000, 3, 100);
  EXPECT_TRUE(machine.is_all_right());
}

TEST_P(EveryTrace, CodeInNoFileStaysUnknown) {
  Machine machine(GetParam());
  const RiscvProgram known(1, 8, 0x1000), jitted(2, 8, 0x1000);
  machine.add(known, ET_DYN, "known");
  for (int i = 0; i < 20; ++i) {
    machine.run(known, "known", kSatp, 0x5500000000, 0x1000);
    machine.run(jitted, "jitted", kSatp, 0x5600000000, 0x1000 + 512 * i);
  }
  const Machine::Result result = machine.look();
  EXPECT_EQ(result.wrong, 0u);
  EXPECT_EQ(result.unknown, 20u * 300);
}

TEST_P(EveryTrace, EqualPagesStayUnknownUntilANeighbourDecides) {
  // The second library is the first with another last page.
  const RiscvProgram one(1, 2, 0x1000);
  Machine machine(GetParam());
  std::string text = one.text();
  for (std::size_t i = 0x1000; i < text.size(); i += 2) text[i] = '\x01';
  ElfBuilder elf({.machine = EM_RISCV, .type = ET_DYN});
  elf.add_section({.name = ".text",
                   .flags = SHF_ALLOC | SHF_EXECINSTR,
                   .address = 0x1000,
                   .content = text});
  machine.add(one, ET_DYN, "one");
  machine.add(elf.file(), "two");
  machine.run(one, "one", kSatp, 0x5500000000, 0x1000, 400, 1000);
  EXPECT_EQ(machine.look().wrong, 0u);
  machine.run(one, "one", kSatp, 0x5500000000, 0x1f00, 600);
  machine.run(one, "one", kSatp, 0x5500000000, 0x1000, 300, 1000);
  EXPECT_TRUE(machine.is_all_right());
}

// Too few to tell whose they are.
TEST_P(EveryTrace, FewInstructionsAreFoundByWhatOtherProcessesHaveThere) {
  Machine machine(GetParam());
  const RiscvProgram one(1, 4, 0x10000), two(2, 4, 0x10000);
  const RiscvProgram moving(3, 4, 0x1000);
  machine.add(one, ET_EXEC, "one");
  machine.add(two, ET_EXEC, "two");
  machine.add(moving, ET_DYN, "moving");
  machine.run(one, "one", kSatp, 0, 0x10000);
  machine.run(moving, "moving", kSatp + 1, 0x5500000000, 0x1000);
  machine.run(two, "two", kSatp + 2, 0, 0x10000);
  EXPECT_TRUE(machine.is_all_right());
  for (int i = 0; i < 4; ++i) {
    machine.run(two, "two", kSatp + 2, 0, 0x10000);
    machine.run(moving, "moving", kSatp + 1, 0x5500000000, 0x1000, 2);
    EXPECT_TRUE(machine.is_all_right()) << i;
  }
}

TEST_P(EveryTrace, AProcessMayMapALibraryAgainElsewhere) {
  Machine machine(GetParam());
  const RiscvProgram program(1, 4, 0x1000), plugin(2, 4, 0x1000);
  machine.add(program, ET_DYN, "program");
  machine.add(plugin, ET_DYN, "plugin.so");
  for (unsigned turn = 0; turn < 6; ++turn) {
    machine.run(program, "program", kSatp, 0x5500000000, 0x1000);
    machine.run_on(plugin, "plugin.so", 0x7fff80000000 + turn * 0x10000, 0x1000,
                   300, 2000);
    machine.run_on(program, "program", 0x5500000000, 0x1000, 300, 2000);
    EXPECT_TRUE(machine.is_all_right()) << turn;
  }
}

// OpenSBI since 1.5.
TEST_P(EveryTrace, FirmwareLinkedAtZeroIsNotALibrary) {
  Machine machine(GetParam());
  const RiscvProgram firmware(1, 8, 0), library(2, 8, 0x1000);
  machine.add(firmware, ET_DYN, "fw_dynamic.elf");
  machine.add(library, ET_DYN, "library");
  for (int i = 0; i < 4; ++i) {
    machine.run(library, "library", kSatp, 0x5500000000, 0x1000);
    machine.run_as(Privilege::kMachine, firmware, "fw_dynamic.elf", kSatp, 300,
                   0x80000000);
  }
  EXPECT_TRUE(machine.is_all_right());
  EXPECT_EQ(machine.layer_at(0x80000000), Layer::kMachine);
  EXPECT_EQ(machine.layer_at(0x5500001000), Layer::kUser);
}

TEST(AddressSpaces, APageTableWithANewOwnerIsLearntAnew) {
  for (const bool bits : {true, false}) {
    Machine machine({.bits = bits});
    const RiscvProgram one(1, 3, 0x10000), two(2, 3, 0x10000);
    machine.add(one, ET_EXEC, "one");
    machine.add(two, ET_EXEC, "two");
    machine.run(one, "one", kSatp, 0, 0x10000);
    EXPECT_TRUE(machine.is_all_right());
    machine.run(two, "two", kSatp, 0, 0x10000);
    machine.run(two, "two", kSatp, 0, 0x11000);
    EXPECT_TRUE(machine.is_all_right());
    EXPECT_EQ(machine.spaces().spaces_relearnt(), 1u);
  }
}

TEST(AddressSpaces, ANewOwnerOfAPageTableHadItFromItsFirstInstruction) {
  Machine machine(kAll);
  const RiscvProgram one(1, 3, 0x10000), two(2, 3, 0x10000);
  machine.add(one, ET_EXEC, "one");
  machine.add(two, ET_EXEC, "two");
  machine.run(one, "one", kSatp, 0, 0x10000);
  machine.run(one, "one", kOtherSatp, 0, 0x10000);
  EXPECT_TRUE(machine.is_all_right());
  // A page that `one` did not execute, then one that it did.
  machine.run(two, "two", kSatp, 0, 0x11000, 300, 500);
  machine.run_on(two, "two", 0, 0x10000, 20, 500);
  EXPECT_TRUE(machine.is_all_right());
  EXPECT_EQ(machine.spaces().spaces_relearnt(), 1u);
}

TEST(AddressSpaces, ALibraryThatReplacedAnotherIsFound) {
  Machine machine(kAll);
  const RiscvProgram main(1, 2, 0x10000), one(2, 2, 0x1000), two(3, 2, 0x1000);
  machine.add(main, ET_EXEC, "main");
  machine.add(one, ET_DYN, "one");
  machine.add(two, ET_DYN, "two");
  machine.run(main, "main", kSatp, 0, 0x10000);
  machine.run(one, "one", kSatp, 0x5500000000, 0x1000);
  EXPECT_TRUE(machine.is_all_right());
  // main loads the other within one time slice; that is noticed by one of the
  // looks that are taken now and then.
  for (int i = 0; i < 200; ++i)
    machine.run_on(two, "two", 0x5500000000, 0x1f80, 300, 0x100);
  machine.look();
  machine.run(two, "two", kSatp, 0x5500000000, 0x1000);
  EXPECT_TRUE(machine.is_all_right());
  EXPECT_GT(machine.spaces().pages_relearnt(), 0u);
}

TEST(AddressSpaces, AnASIDIsNotAnAddressSpace) {
  Machine machine(kAll);
  const RiscvProgram program(1, 2, 0x10000);
  machine.add(program, ET_EXEC, "program");
  machine.run(program, "program", kSatp, 0, 0x10000);
  machine.run(program, "program", kSatp ^ 0x0001'0000'0000'0000, 0, 0x10000);
  EXPECT_TRUE(machine.is_all_right());
  EXPECT_EQ(machine.spaces().space_count(), 1u);
}

TEST(AddressSpaces, UserCodeBeforeTheFirstSatpBelongsToIt) {
  Machine machine(kAll);
  const RiscvProgram program(1, 2, 0x10000);
  machine.add(program, ET_EXEC, "program");
  machine.run(program, "program", 0, 0, 0x10000, 2);
  machine.run(program, "program", kSatp, 0, 0x10000);
  EXPECT_TRUE(machine.is_all_right());
}

// As on a core that protects memory with PMP alone.
TEST(AddressSpaces, UserCodeMayRunWithoutTranslation) {
  const RiscvProgram program(5, 8, 0x10000);
  Machine machine(kAll);
  machine.add(program, ET_EXEC, "static");
  machine.run_as(Privilege::kMachine, program, "static", 0, 100);
  machine.run_as(Privilege::kUser, program, "static", 0);
  EXPECT_TRUE(machine.is_all_right());
}

TEST(AddressSpaces, SatpMayBeReportedSomeInstructionsLate) {
  Machine machine(kAll);
  const RiscvProgram one(1, 3, 0x10000), two(2, 3, 0x10000);
  machine.add(one, ET_EXEC, "one");
  machine.add(two, ET_EXEC, "two");
  machine.run(one, "one", kSatp, 0, 0x10000);
  machine.look();
  machine.run(two, "two", kSatp, 0, 0x10000, 2);
  machine.run(two, "two", kOtherSatp, 0, 0x10000);
  machine.run(one, "one", kSatp, 0, 0x10000);
  const Machine::Result result = machine.look();
  EXPECT_EQ(result.wrong, 2u);
  EXPECT_EQ(result.unknown, 0u);
  EXPECT_EQ(machine.spaces().spaces_relearnt(), 0u);
}

// Where the trace has privilege; satp is 0 where it has that.
class EveryPrivilegedTrace : public testing::TestWithParam<Knows> {
 protected:
  // Of a run of it, nothing is named, and nothing wrongly.
  static void expect_unknown(const Machine::Result& result) {
    EXPECT_EQ(result.wrong, 0u);
    EXPECT_EQ(result.unknown, 300u);
  }
  // A boot ROM, and a program that lies at the same address.
  const RiscvProgram rom_{1, 1, 0x10000}, program_{2, 3, 0x10000};
};
INSTANTIATE_TEST_SUITE_P(
    AddressSpaces, EveryPrivilegedTrace,
    testing::Values(kAll, Knows{.bits = false}, Knows{.satp = false},
                    Knows{.bits = false, .satp = false, .pc_bits = 40}));

TEST_P(EveryPrivilegedTrace, FindsAProgramWithoutAnOperatingSystem) {
  Machine machine(GetParam());
  const RiscvProgram program(1, 3, 0x20400000), other(2, 3, 0x10000);
  machine.add(program, ET_EXEC, "flash");
  machine.add(other, ET_EXEC, "other");
  machine.run_as(Privilege::kMachine, program, "flash", 0);
  EXPECT_TRUE(machine.is_all_right());
  EXPECT_EQ(machine.layer_at(0x20400000), Layer::kMachine);
}

TEST_P(EveryPrivilegedTrace, FindsAKernelAtTheAddressesOfPrograms) {
  Machine machine(GetParam());
  const RiscvProgram program(1, 3, 0x10000);
  machine.add(program, ET_EXEC, "kernel");
  machine.run_as(Privilege::kSupervisor, program, "kernel", kSatp);
  EXPECT_TRUE(machine.is_all_right());
  EXPECT_EQ(machine.layer_at(0x10000), Layer::kKernel);
}

TEST_P(EveryPrivilegedTrace, ABootRomIsNotMistakenForAProgramAtItsAddress) {
  Machine machine(GetParam());
  machine.add(program_, ET_EXEC, "program");
  machine.run_as(Privilege::kMachine, rom_, "rom", 0);
  expect_unknown(machine.look());
  machine.run(program_, "program", kSatp, 0, 0x10000);
  EXPECT_TRUE(machine.is_all_right());
  EXPECT_EQ(machine.layer_at(0x10000), Layer::kUser);
}

TEST_P(EveryPrivilegedTrace,
       TheFileOfABootRomIsNotMistakenForTheProgramEither) {
  Machine machine(GetParam());
  machine.add(rom_, ET_EXEC, "rom");
  machine.add(program_, ET_EXEC, "program");
  machine.run_as(Privilege::kMachine, rom_, "rom", 0);
  EXPECT_TRUE(machine.is_all_right());
  machine.run(program_, "program", kSatp, 0, 0x10000);
  EXPECT_TRUE(machine.is_all_right());
}

TEST_P(EveryPrivilegedTrace, AProgramWithoutAFileIsNotMistakenForTheBootRom) {
  Machine machine(GetParam());
  machine.add(rom_, ET_EXEC, "rom");
  machine.run_as(Privilege::kMachine, rom_, "rom", 0);
  EXPECT_TRUE(machine.is_all_right());
  machine.run(program_, "program", kSatp, 0, 0x10000);
  expect_unknown(machine.look());
}

TEST_P(EveryPrivilegedTrace, NorIsOneThatRanBeforeTheRom) {
  Machine machine(GetParam());
  machine.add(rom_, ET_EXEC, "rom");
  machine.run(program_, "program", kSatp, 0, 0x10000);
  machine.run_as(Privilege::kMachine, rom_, "rom", 0);
  machine.look();
  machine.run(program_, "program", kSatp, 0, 0x10000);
  expect_unknown(machine.look());
}

// It is asked for before any of its code was learnt from.
TEST_P(EveryPrivilegedTrace, TheCodeOfAProcessReplacesAnEarlierAnswer) {
  Machine machine(GetParam());
  machine.add(rom_, ET_EXEC, "rom");
  machine.run(program_, "program", kSatp, 0, 0x12000);
  machine.run_as(Privilege::kMachine, rom_, "rom", 0);
  machine.look();
  EXPECT_EQ(machine.layer_at(0x10000), Layer::kMachine);
  machine.run(program_, "program", kSatp, 0, 0x10000, 3);
  EXPECT_EQ(machine.look().wrong, 0u);
}

TEST_P(EveryPrivilegedTrace, PrivilegeMayEndSomeInstructionsLate) {
  Machine machine(GetParam());
  const RiscvProgram program(1, 3, 0x10000);
  machine.add(program, ET_EXEC, "program");
  for (int i = 0; i < 100; ++i) {
    machine.run(program, "program", kSatp, 0, 0x10000, 0);  // the kernel alone
    machine.run_as(Privilege::kSupervisor, program, "program", kSatp, 4);
    machine.run(program, "program", kSatp, 0, 0x10000, 20);
  }
  EXPECT_TRUE(machine.is_all_right());
  EXPECT_EQ(machine.layer_at(0x10000), Layer::kUser);
}

TEST(AddressSpaces, MappingsInTheTraceDecideImmediately) {
  Machine machine(kLeast);
  const RiscvProgram program(1, 4, 0x1000);
  const auto elf = program.elf(ET_DYN, "libtold.so");
  machine.add(elf, "build/libtold.so");
  machine.tell({.kind = SideBandFact::Kind::kMapping,
                .start = 0x7fff90001000,
                .end = 0x7fff90005000,
                .file_off = elf->segments()[0].offset,
                .name = "/usr/lib/libtold.so"});
  machine.run(program, "build/libtold.so", 0, 0x7fff90000000, 0x3000, 1);
  EXPECT_TRUE(machine.is_all_right());
}

TEST(AddressSpaces, FindsCodeThatRanBeforeItsMappingWasReported) {
  Machine machine(kLeast);
  const RiscvProgram program(1, 4, 0x1000);
  const auto elf = program.elf(ET_DYN, "libtold.so");
  machine.add(elf, "libtold.so");
  machine.run(program, "libtold.so", 0, 0x7fff90000000, 0x3000, 2);
  machine.tell({.kind = SideBandFact::Kind::kMapping,
                .start = 0x7fff90001000,
                .end = 0x7fff90005000,
                .file_off = elf->segments()[0].offset,
                .name = "/usr/lib/libtold.so"});
  machine.run(program, "libtold.so", 0, 0x7fff90000000, 0x1000, 2);
  EXPECT_TRUE(machine.is_all_right());
}

TEST(AddressSpaces, AMappedButMissingFileIsFoundByItsCode) {
  Machine machine(kAll);
  const RiscvProgram program(1, 4, 0x1000);
  machine.add(program, ET_DYN, "other");
  machine.tell({.kind = SideBandFact::Kind::kMapping,
                .satp = kSatp,
                .start = 0x7fff80001000,
                .end = 0x7fff80005000,
                .name = "/usr/lib/missing.so"});
  machine.run(program, "other", kSatp, 0x7fff80000000, 0x1000);
  EXPECT_TRUE(machine.is_all_right());
}

TEST(AddressSpaces, AfterExecNothingIsKnown) {
  Machine machine(kAll);
  const RiscvProgram program(1, 4, 0x1000);
  machine.add(program, ET_DYN, "program");
  machine.tell({.kind = SideBandFact::Kind::kMapping,
                .satp = kSatp,
                .start = 0x7fff80001000,
                .end = 0x7fff80005000,
                .name = "/missing"});
  machine.tell({.kind = SideBandFact::Kind::kUnmapAll, .satp = kSatp});
  machine.run(program, "program", kSatp, 0x7fff80000000, 0x1000);
  EXPECT_TRUE(machine.is_all_right());
}

TEST(AddressSpaces, RandomPcsTakeBoundedMemory) {
  CodeMap map({}, {.pc_bits = 64});
  AddressSpaces spaces(map, {});
  TraceBlock block;
  std::vector<SpaceChange> changes;
  std::mt19937_64 random(1);
  for (int blocks = 0; blocks < 12; ++blocks) {
    block.clear();
    for (std::size_t i = 0; i < TraceReader::kBlockSize; ++i)
      block.instructions.push_back({i, random()});
    spaces.learn(block, changes);
  }
  EXPECT_FALSE(spaces.find(SpaceId{1}, block.instructions[0].pc & ~4095ull));
}

}  // namespace
}  // namespace wick
