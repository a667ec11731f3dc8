// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/error.h"
#include "builders/read.h"
#include "format/registry.h"

namespace wick {
namespace {

std::string fold_instruments(std::string_view text) {
  return folded(read_text("instruments", text));
}

TEST(Instruments, CountsMillisecondsAndKeepsDecimals) {
  EXPECT_EQ(fold_instruments("Weight\tSelf Weight\t\tSymbol Name\n"
                             "1.00 min  100.0%\t0 s\t \tapp (42)\n"
                             "1.00 min  100.0%\t1.25 s\t \t main\n"
                             "1.50 ms    0.0%\t1.50 ms\t \t  read\n"
                             "1.00 min   0.0%\t1.00 min\t \t  sleep\n"
                             "5.00 µs    0.0%\t5.00 µs\t \t  exit\n"),
            "app (42);main 1250\napp (42);main;exit 0.005\n"
            "app (42);main;read 1.5\napp (42);main;sleep 60000\n");
}

TEST(Instruments, ReadsTheOlderHeader) {
  EXPECT_EQ(fold_instruments("Running Time\tSelf (ms)\t\tSymbol Name\n"
                             "12.5ms  100.0%\t2.5\t \tmain\n"
                             "10.0ms   80.0%\t10.0\t \t f\n"),
            "main 2.5\nmain;f 10\n");
}

TEST(Instruments, CountsALineThatEndsBeforeTheColumnOfSelf) {
  const Profile profile = read_text("instruments",
                                    "Weight\tSymbol Name\tSelf Weight\n"
                                    "3.00 s\tmain\t1.00 s\n"
                                    "2.00 s\t read\n");
  EXPECT_EQ(folded(profile), "main 1000\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kBadLine), 1u);
}

TEST(Instruments, GivesWhatCalleesLeaveWhereThereIsNoSelfColumn) {
  EXPECT_EQ(fold_instruments("Bytes Used\tCount\t\tSymbol Name\n"
                             "4.00 KB 100.0%\t12\t \tmain\n"
                             "1.00 KB  25.0%\t3\t \t f\n"
                             "512 Bytes  12.5%\t3\t \t  malloc\n"),
            "main 3072\nmain;f 512\nmain;f;malloc 512\n");
}

TEST(Instruments, AddsUpEqualStacksAndReplacesTheSeparator) {
  EXPECT_EQ(fold_instruments("Weight\tSelf Weight\t\tSymbol Name\n"
                             "3.00 s 100.0%\t1.00 s\t \ta;b\n"
                             "3.00 s 100.0%\t2.00 s\t \ta;b\n"),
            "a:b 3000\n");
}

TEST(Instruments, CountsLinesThatItCannotRead) {
  const Profile profile = read_text("instruments",
                                    "Weight\tSelf Weight\t\tSymbol Name\n"
                                    "3.00 s 100.0%\t1.00 x\t \ta\n3.00 s\t1\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kBadLine), 2u);
}

TEST(Instruments, NeedsItsHeader) {
  EXPECT_THROW(fold_instruments("1.00 s 100.0%\t1.00 s\t \ta\n"), Error);
}

TEST(Instruments, IsRecognised) {
  EXPECT_EQ(detect("Weight\tSelf Weight\t\tSymbol Name\n")->name,
            "instruments");
}

}  // namespace
}  // namespace wick
