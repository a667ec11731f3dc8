// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "builders/read.h"

namespace wick {
namespace {

TEST(EuStack, ReadsASampleOfEachThread) {
  EXPECT_EQ(folded(read_text("eu-stack",
                             "PID 5 - process\nTID 5:\n#0  0x01 read\n"
                             "#1  0x02 main\nTID 6:\n#0  0x03 f(int)\n"
                             "PID 5 - process\nTID 5:\n#0  0x04 read\n"
                             "#1  0x05 main\n")),
            "f 1\nmain;read 2\n");
}

TEST(EuStack, KeepsProcessAndThread) {
  const Profile profile =
      read_text("eu-stack", "PID 5 - process\nTID 6:\n#0  0x01 f\n");
  EXPECT_EQ(profile.threads[ThreadId{1}].pid, 5);
  EXPECT_EQ(profile.threads[ThreadId{1}].tid, 6);
}

TEST(EuStack, ReadsModulesAndLines) {
  const Profile profile =
      read_text("eu-stack",
                "TID 6:\n"
                "#0  0x01     f(int) - /bin/shop\n    /src/a.cc:9:74\n"
                "#1  0x02 - 1 main - /bin/shop\n    /src/a.cc:12\n"
                "#2  0x03 - 1 - /lib/libc.so.6\n    [93ac]@0x7f82+0x85f16\n#3  "
                "0x04 - 1\n");
  EXPECT_EQ(folded(profile, {.detail = NameDetail::kLine}),
            "[unknown];[libc.so.6];main:a.cc:12;f:a.cc:9 1\n");
  EXPECT_TRUE(profile.diagnostics.empty());
}

TEST(EuStack, SeesWhatWasInlined) {
  EXPECT_EQ(folded(read_text("eu-stack",
                             "TID 6:\n#0  0x01 tax\n#1  0x01 add\n"
                             "#2  0x02 again\n#3  0x02 again\n"),
                   {.annotate_inlined = true}),
            "again;again;add;tax_[i] 1\n");
}

TEST(EuStack, KeepsArgumentsIfAsked) {
  EXPECT_EQ(folded(read_text("eu-stack", "TID 6:\n#0  0x01 f(int) - /bin/x\n",
                             {.full_names = true})),
            "f(int) 1\n");
}

TEST(EuStack, CountsWhatItCannotRead) {
  const Profile profile = read_text(
      "eu-stack", "TID 6:\n#0  0x01 f\neu-stack: tid 7: no DWARF\n#x  0x2 g\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kBadLine), 2u);
  EXPECT_EQ(folded(profile), "f 1\n");
}

}  // namespace
}  // namespace wick
