// SPDX-License-Identifier: Apache-2.0
#include "itrace/code/code_map.h"

#include <elf.h>
#include <gmock/gmock.h>

#include <fstream>

#include "base/error.h"
#include "builders/elf_builder.h"
#include "builders/test_folder.h"

namespace wick {
namespace {

constexpr std::uint64_t kKernel = 0xffffffff80002000;

// call; ret, as `first` and `second`, two bytes of padding after each.
std::shared_ptr<const ElfFile> two_functions(std::uint64_t at,
                                             std::uint16_t type = ET_EXEC) {
  ElfBuilder elf({.machine = EM_RISCV, .type = type});
  std::string text;
  elf.put<std::uint32_t>(text, 0x008000ef);  // jal ra, .+8
  elf.put<std::uint16_t>(text, 0x8082);      // ret
  elf.put<std::uint16_t>(text, 0);
  elf.put<std::uint16_t>(text, 0x8082);  // ret
  elf.put<std::uint16_t>(text, 0);
  elf.add_section({.name = ".text",
                   .flags = SHF_ALLOC | SHF_EXECINSTR,
                   .address = at,
                   .content = text});
  elf.add_symbol({.name = "first", .value = at, .size = 6});
  elf.add_symbol({.name = "second", .value = at + 8, .size = 2});
  return elf.file();
}

TEST(CodeMap, GivesFlowAndFunctionOfEverySlot) {
  CodeMap map({}, {});
  map.add_elf(two_functions(kKernel + 0x10), "vmlinux");
  const CodePage& page = map.page(SpaceId::kNone, kKernel + 0x10);
  EXPECT_EQ(page.layer, Layer::kKernel);
  EXPECT_EQ(page.elf_addr, kKernel);
  const auto name = [&](std::size_t slot) {
    return map.function(page.function(slot)).name;
  };
  EXPECT_EQ(name(8), "first");
  EXPECT_EQ(name(10), "first");
  EXPECT_EQ(name(11), "");  // padding
  EXPECT_EQ(name(12), "second");
  EXPECT_EQ(page.flow[8].kind(), FlowKind::kCall);
  EXPECT_TRUE(page.flow[8].is_entry());
  EXPECT_EQ(page.flow[10].kind(), FlowKind::kReturn);
  EXPECT_FALSE(page.flow[10].is_entry());
  EXPECT_EQ(page.flow[7].kind(), FlowKind::kUnknown);
}

TEST(CodeMap, CodeWithoutASymbolAfterAFunctionIsAnEntry) {
  CodeMap map({}, {});
  map.add_elf(two_functions(kKernel), "vmlinux");
  const CodePage& page = map.page(SpaceId::kNone, kKernel);
  EXPECT_TRUE(page.flow[3].is_entry());   // the padding after `first`
  EXPECT_FALSE(page.flow[2].is_entry());  // the end of `first`
}

TEST(CodeMap, FindsCodeByTheBitsThatTheTraceHas) {
  CodeMap map({}, {.pc_bits = 40});
  map.add_elf(two_functions(kKernel), "vmlinux");
  const CodePage& page = map.page(SpaceId::kNone, 0xff80002000);
  EXPECT_EQ(map.function(page.function(0)).name, "first");
  EXPECT_EQ(page.elf_addr, kKernel);
}

TEST(CodeMap, PlacesAModuleAtItsAddress) {
  CodeMap map({}, {});
  map.add_elf(two_functions(0x100, ET_DYN), "net.ko", 0xffffffff02000008);
  const CodePage& page = map.page(SpaceId::kNone, 0xffffffff02000008);
  EXPECT_EQ(page.layer, Layer::kKernel);
  EXPECT_EQ(map.function(page.function(4)).name, "first");
  EXPECT_TRUE(page.flow[4].is_entry());
}

TEST(CodeMap, TakesTheAddressesOfModulesFromTheConsole) {
  ElfBuilder elf({.machine = EM_RISCV, .type = ET_REL});
  std::string text;
  elf.put<std::uint32_t>(text, 0x00008067);  // ret
  elf.add_section(
      {.name = ".text", .flags = SHF_ALLOC | SHF_EXECINSTR, .content = text});
  elf.add_symbol({.name = "icenet_poll", .value = 0, .size = 4});
  const TestFolder folder;
  const std::string module = folder.path() + "/ice-net.ko";
  std::ofstream(module) << elf.bytes();
  TraceOptions options{.elfs = {module}};
  EXPECT_THROW(CodeMap(options, {}), Error);
  options.uartlog = folder.path() + "/uartlog";
  std::ofstream(options.uartlog)
      << "[    1.0] Linux\r\n"
         "ice_net 16384 0 - Live 0xffffffff02004000 (O)\r\n";
  CodeMap map(options, {});
  const CodePage& page = map.page(SpaceId::kNone, 0xffffffff02004000);
  EXPECT_EQ(map.function(page.function(0)).name, "icenet_poll");
  EXPECT_EQ(page.flow[0].kind(), FlowKind::kReturn);

  // One that the console does not list was not loaded, which is not an error.
  const std::string other = folder.path() + "/other.ko";
  std::ofstream(other) << elf.bytes();
  options.elfs.push_back(other);
  const CodeMap both(options, {});
  EXPECT_EQ(both.diagnostics().entries(),
            (std::vector<Diagnostics::Entry>{
                {Problem::kUnlistedModule, 1, 0, other}}));
  EXPECT_EQ(both.image_count(), map.image_count());

  // A console without a list does not show that it was not loaded.
  std::ofstream(options.uartlog) << "Welcome to Buildroot\r\n";
  options.elfs = {other};
  EXPECT_EQ(
      CodeMap(options, {}).diagnostics().entries(),
      (std::vector<Diagnostics::Entry>{{Problem::kNoModuleList, 1, 0, other}}));
}

TEST(CodeMap, ASystemMapHasNamesWithoutText) {
  CodeMap map({}, {});
  map.add_system_map(
      "ffffffff80002000 T _stext\n"
      "ffffffff80002004 t do_one_initcall\n",
      "System.map");
  const CodePage& page = map.page(SpaceId::kNone, kKernel);
  EXPECT_EQ(map.function(page.function(2)).name, "do_one_initcall");
  EXPECT_TRUE(page.flow[2].is_entry());
  EXPECT_EQ(page.flow[2].kind(), FlowKind::kUnknown);
}

TEST(CodeMap, UnknownCodeHasItsOwnPages) {
  CodeMap map({}, {});
  CodePage& page = map.page(SpaceId{1}, 0x5555000);
  EXPECT_EQ(page.layer, Layer::kUser);
  EXPECT_EQ(map.function(page.function(0)).name, "");
  EXPECT_EQ(&map.page(SpaceId{1}, 0x5555ffe), &page);
  EXPECT_NE(&map.page(SpaceId{2}, 0x5555000), &page);
}

TEST(CodeMap, AProgramWithFixedAddressesIsPlacedThere) {
  CodeMap map({}, {});
  map.add_elf(two_functions(0x10000), "static");
  EXPECT_EQ(map.page(SpaceId{1}, 0x10000).layer, Layer::kUser);
  EXPECT_EQ(map.find_function("second"),
            map.page(SpaceId{1}, 0x10000).function(4));
}

TEST(CodeMap, FirmwareLinkedAtZeroRunsWhereDramBegins) {
  for (const int pc_bits : {40, 64}) {
    CodeMap map({}, {.pc_bits = pc_bits});
    map.add_elf(two_functions(0, ET_DYN), "fw_dynamic.elf");
    const CodePage& page = map.page(SpaceId{1}, 0x80000000);
    EXPECT_EQ(map.function(page.function(0)).name, "first");
    EXPECT_EQ(page.layer, Layer::kMachine);
    EXPECT_EQ(map.find_function("second"), page.function(4));
    EXPECT_EQ(map.page(SpaceId{1}, 0).image, CodeImageId::kNone);
  }
}

TEST(CodeMap, FirmwareElsewhereIsPlacedAsTold) {
  CodeMap map({}, {});
  map.add_elf(two_functions(0, ET_DYN), "fw_dynamic.elf", 0x40000000);
  const CodePage& page = map.page(SpaceId{1}, 0x40000000);
  EXPECT_EQ(map.function(page.function(0)).name, "first");
  EXPECT_EQ(page.layer, Layer::kMachine);
  EXPECT_EQ(map.page(SpaceId{1}, 0x80000000).image, CodeImageId::kNone);
}

TEST(CodeMap, LabelsLeftInStrippedFirmwareNameNothing) {
  ElfBuilder elf({.machine = EM_RISCV, .type = ET_DYN});
  elf.add_section({.name = ".text",
                   .flags = SHF_ALLOC | SHF_EXECINSTR,
                   .content = std::string(64, '\x01')});
  elf.add_symbol({.name = "__sbi_expected_trap_hext",
                  .value = 8,
                  .type = STT_NOTYPE,
                  .dynamic = true});
  CodeMap map({}, {});
  map.add_elf(elf.file(), "fw_dynamic.elf");
  const CodePage& page = map.page(SpaceId::kNone, 0x80000000);
  EXPECT_EQ(map.function(page.function(8)).name, "");
  EXPECT_EQ(page.layer, Layer::kMachine);
}

TEST(CodeMap, AFileOfAnotherMachineIsRefused) {
  CodeMap map({}, {});
  EXPECT_THROW(map.add_elf(ElfBuilder().file(), "x86"), Error);
}

// A library that is mapped at different addresses in two spaces.
class TwoSpaces : public UserCode {
 public:
  explicit TwoSpaces(CodeImageId library) : library_(library) {}
  void learn(const TraceBlock&, std::vector<SpaceChange>& out) override {
    out.push_back({0, SpaceId{1}});
    ++generation_;
  }
  std::optional<Place> find(SpaceId space, std::uint64_t page_pc) override {
    if (generation_ == 0 || page_pc != 0x7000000 + index(space) * 0x1000)
      return {};
    return Place{library_, 0x1000};
  }
  std::uint32_t generation() const override { return generation_; }
  std::string name(SpaceId) const override { return "satp"; }

 private:
  CodeImageId library_;
  std::uint32_t generation_ = 0;
};

TEST(CodeMap, AsksForUserCodeByAddressSpace) {
  CodeMap map({}, {});
  const CodeImageId library =
      map.add_elf(two_functions(0x1000, ET_DYN), "libc.so.6");
  map.set_user_code(std::make_unique<TwoSpaces>(library));
  EXPECT_EQ(map.page(SpaceId{1}, 0x7001000).image, CodeImageId::kNone);
  const std::uint32_t before = map.generation();
  EXPECT_EQ(map.learn({})[0].space, SpaceId{1});
  EXPECT_NE(map.generation(), before);
  const CodePage& page = map.page(SpaceId{1}, 0x7001000);
  EXPECT_EQ(map.function(page.function(0)).name, "first");
  EXPECT_EQ(&map.page(SpaceId{2}, 0x7002000), &page);
}

// Files of the sysroot are added while the trace is read.
TEST(CodeMap, AProgramFoundLaterRunsOnlyWhereUserCodeSaysSo) {
  CodeMap map({}, {});
  const CodeImageId library =
      map.add_elf(two_functions(0x1000, ET_DYN), "libc.so.6");
  map.set_user_code(std::make_unique<TwoSpaces>(library));
  map.add_elf(two_functions(0x7001000), "static");
  EXPECT_EQ(map.page(SpaceId{1}, 0x7001000).image, CodeImageId::kNone);
}

}  // namespace
}  // namespace wick
