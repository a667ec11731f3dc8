// SPDX-License-Identifier: Apache-2.0
#include "cli/process.h"

#include <gmock/gmock.h>
#include <sys/wait.h>

namespace wick {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(SplitWords, SplitsAtBlanks) {
  EXPECT_THAT(split_words("record  -g\t-F 99 "),
              ElementsAre("record", "-g", "-F", "99"));
  EXPECT_THAT(split_words(" "), IsEmpty());
}

TEST(SplitWords, KeepsWhatIsQuotedTogether) {
  EXPECT_THAT(split_words(R"(-o 'my file' "it's" a\ b "c\"d" '' x'y'z)"),
              ElementsAre("-o", "my file", "it's", "a b", "c\"d", "", "xyz"));
}

TEST(SplitWords, WantsQuotesClosed) {
  EXPECT_THROW(split_words("record 'x"), UsageError);
}

TEST(Child, HasItsOutputWhereItIsPut) {
  const UniqueFd said = make_memory_file();
  Child child({"sh", "-c", "echo word; exit 3"}, {.out = said.get()});
  const int status = child.wait();
  EXPECT_EQ(WEXITSTATUS(status), 3);
  EXPECT_EQ(content_of(said.get()), "word\n");
  EXPECT_EQ(describe_status(status), "exit status 3");
}

TEST(Child, EndedByASignalDiffersFromOneWithSuchAStatus) {
  const int by_signal = Child({"sh", "-c", "kill -SEGV $$"}, {}).wait();
  EXPECT_EQ(describe_status(by_signal), "signal 11 (Segmentation fault)");
  EXPECT_EQ(shell_status(by_signal), 139);
  const int by_itself = Child({"sh", "-c", "exit 139"}, {}).wait();
  EXPECT_EQ(describe_status(by_itself), "exit status 139");
  EXPECT_EQ(shell_status(by_itself), 139);
}

TEST(Child, ThatDoesNotExistIsAnError) {
  EXPECT_THROW(Child({"/nonexistent/program"}, {}), Error);
}

TEST(Child, IsKilledWithItsObject) {
  pid_t pid = -1;
  {
    const Child child({"sleep", "1000"}, {});
    pid = child.pid();
  }
  EXPECT_NE(::kill(pid, 0), 0);
}

}  // namespace
}  // namespace wick
