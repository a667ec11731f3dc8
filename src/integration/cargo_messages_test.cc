// SPDX-License-Identifier: Apache-2.0
#include "integration/cargo_messages.h"

#include <gmock/gmock.h>

namespace wick {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

CargoProgram only_program(std::string_view text) {
  const CargoMessages messages = read_cargo_messages(text);
  EXPECT_THAT(messages.programs, SizeIs(1));
  return messages.programs.empty() ? CargoProgram{} : messages.programs.front();
}

TEST(CargoMessages, AnArtifactWithAnExecutableIsAProgram) {
  const CargoProgram program = only_program(
      R"({"reason":"compiler-artifact","package_id":"path+file:///p#0.1.0",)"
      R"("manifest_path":"/p/Cargo.toml",)"
      R"("target":{"kind":["bin"],"crate_types":["bin"],"name":"a"},)"
      R"("profile":{"debuginfo":2,"test":false},)"
      R"("executable":"/p/target/release/a","fresh":true})");
  EXPECT_EQ(program.name, "a");
  EXPECT_EQ(program.package_id, "path+file:///p#0.1.0");
  EXPECT_EQ(program.manifest_path, "/p/Cargo.toml");
  EXPECT_EQ(program.executable, "/p/target/release/a");
  EXPECT_TRUE(program.is("bin"));
  EXPECT_FALSE(program.is_of_library());
  EXPECT_FALSE(program.is_test);
  EXPECT_TRUE(program.has_debug_info);
}

TEST(CargoMessages, ALibraryIsNotAProgramButItsUnitTestsAre) {
  const CargoProgram program = only_program(
      R"({"reason":"compiler-artifact","target":{"kind":["lib"],"name":"l"},)"
      R"("profile":{"test":false},"executable":null})"
      "\n"
      R"({"reason":"compiler-artifact","target":{"kind":["lib"],"name":"l"},)"
      R"("profile":{"test":true},"executable":"/t/l-1"})"
      "\n");
  EXPECT_EQ(program.executable, "/t/l-1");
  EXPECT_TRUE(program.is_test);
  EXPECT_TRUE(program.is_of_library());
}

bool has_debug_info(std::string_view level) {
  return only_program(R"({"reason":"compiler-artifact","target":{"name":"a"},)"
                      R"("profile":{"debuginfo":)" +
                      std::string(level) + R"(},"executable":"/a"})")
      .has_debug_info;
}

TEST(CargoMessages, LinesAreDebugInfoAndNullIsNone) {
  EXPECT_TRUE(has_debug_info("1"));
  EXPECT_TRUE(has_debug_info("\"line-tables-only\""));
  EXPECT_FALSE(has_debug_info("0"));
  EXPECT_FALSE(has_debug_info("null"));
}

TEST(CargoMessages, OtherLinesAreLeftOut) {
  const CargoMessages messages = read_cargo_messages(
      "a line of a build script\n"
      "\n"
      "{\"reason\":\"build-finished\",\"success\":true}\n"
      "{\"reason\":\"compiler-artifact\",\"target\":7}\n"
      "{\"reason\":\"compiler-arti");
  EXPECT_THAT(messages.programs, IsEmpty());
}

TEST(CargoMessages, BuildScriptsNameFoldersOfLibraries) {
  const CargoMessages messages =
      read_cargo_messages(R"({"reason":"build-script-executed",)"
                          R"("linked_paths":["native=/t/out","/usr/lib/x"]})");
  EXPECT_THAT(messages.library_folders, ElementsAre("/t/out", "/usr/lib/x"));
}

TEST(CargoMessages, ADylibNeedsRustsOwnLibraries) {
  EXPECT_TRUE(read_cargo_messages(
                  R"({"reason":"compiler-artifact",)"
                  R"("target":{"crate_types":["dylib"]},"executable":null})")
                  .has_rust_library);
}

TEST(CargoMessages, DefaultRunIsKnownByPackage) {
  EXPECT_THAT(
      read_default_runs(R"({"packages":[{"id":"p#1","default_run":"a"},)"
                        R"({"id":"q#1","default_run":null}],"version":1})"),
      ElementsAre(Pair("p#1", "a")));
}

}  // namespace
}  // namespace wick
