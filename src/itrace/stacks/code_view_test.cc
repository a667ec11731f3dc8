// SPDX-License-Identifier: Apache-2.0
#include "itrace/stacks/code_view.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "builders/elf_builder.h"

namespace wick {
namespace {

// Pages are where they are put.
class GivenPages final : public UserCode {
 public:
  void learn(const TraceBlock&, std::vector<SpaceChange>&) override {}
  std::optional<Place> find(SpaceId, std::uint64_t page_pc) override {
    const auto found = places.find(page_pc);
    if (found == places.end()) return {};
    return found->second;
  }
  std::uint32_t generation() const override { return 1; }
  std::string name(SpaceId) const override { return ""; }

  std::map<std::uint64_t, Place> places;
};

class CodeViewTest : public testing::Test {
 protected:
  CodeViewTest() {
    auto pages = std::make_unique<GivenPages>();
    pages_ = pages.get();
    map_.set_user_code(std::move(pages));
  }
  enum class Kind { kStatic, kProgram, kLibrary };
  CodeImageId add_file(const std::string& name, Kind kind) {
    ElfBuilder elf({.machine = EM_RISCV,
                    .type = static_cast<std::uint16_t>(
                        kind == Kind::kStatic ? ET_EXEC : ET_DYN)});
    elf.add_section({.name = ".text",
                     .flags = SHF_ALLOC | SHF_EXECINSTR,
                     .address = 0x10000,
                     .content = std::string(0x2000, '\x01')});
    elf.add_symbol({.name = name, .value = 0x10000, .size = 0x2000});
    if (kind == Kind::kProgram)
      elf.add_section({.name = ".interp",
                       .flags = SHF_ALLOC,
                       .address = 0x20000,
                       .content = "/lib/ld.so"});
    return map_.add_elf(elf.file(), name);
  }
  // Its function, with the file's text at `pc`.
  CodePoint mapped(CodeImageId image, std::uint64_t pc) {
    for (std::uint64_t offset : {0, 0x1000})
      pages_->places[pc + offset] = {image, 0x10000 + offset};
    CodePoint point{.pc = pc, .page = &view_.page_at(pc)};
    point.function = point.page->function(point.slot());
    return point;
  }
  std::optional<bool> are_one_process(const CodePoint& a, const CodePoint& b) {
    return view_.is_one_process(a.pc, a.function, b);
  }

  CodeMap map_{{}, {}};
  GivenPages* pages_ = nullptr;
  CodeView view_{map_};
};

TEST_F(CodeViewTest, AProcessRunsOneProgram) {
  const auto one = mapped(add_file("one", Kind::kProgram), 0x2a00000000);
  const auto two = mapped(add_file("two", Kind::kProgram), 0x2b00000000);
  EXPECT_EQ(are_one_process(one, two), false);
}

TEST_F(CodeViewTest, AStaticProgramHasNoLibraries) {
  const auto program = mapped(add_file("hard", Kind::kStatic), 0x10000);
  const auto dynamic = mapped(add_file("soft", Kind::kProgram), 0x2a00000000);
  const auto library = mapped(add_file("lib", Kind::kLibrary), 0x3f00000000);
  EXPECT_EQ(are_one_process(program, library), false);
  EXPECT_EQ(are_one_process(library, program), false);
  EXPECT_EQ(are_one_process(dynamic, library), std::nullopt);
}

TEST_F(CodeViewTest, AProcessHasALibraryAtOnePlace) {
  const CodeImageId library = add_file("lib", Kind::kLibrary);
  const auto here = mapped(library, 0x3f00000000);
  const auto there = mapped(library, 0x3f10000000);
  EXPECT_EQ(are_one_process(here, there), false);
  CodePoint next = here;
  next.pc += 0x1800;
  EXPECT_EQ(are_one_process(next, here), true);
}

TEST_F(CodeViewTest, UnknownCodeTellsNothing) {
  const auto program = mapped(add_file("hard", Kind::kStatic), 0x10000);
  CodePoint unknown{.pc = 0x3f00000000, .page = &view_.page_at(0x3f00000000)};
  EXPECT_EQ(are_one_process(program, unknown), std::nullopt);
}

}  // namespace
}  // namespace wick
