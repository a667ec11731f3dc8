// SPDX-License-Identifier: Apache-2.0
#include "format/java/java_frame.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

std::string name_of(std::string_view text, const ReadOptions& options = {}) {
  const auto frame = parse_java_frame(text);
  return frame ? java_name(*frame, options) : "none";
}

TEST(JavaFrame, HasANameAFileAndALine) {
  const auto frame = parse_java_frame("com.shop.Cart.add(Cart.java:12)");
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->name, "com.shop.Cart.add");
  EXPECT_EQ(frame->file, "Cart.java");
  EXPECT_EQ(frame->line, 12u);
}

TEST(JavaFrame, HasNoFileForNativeMethods) {
  const auto frame = parse_java_frame("a.B.c(java.base@17.0.15/Native Method)");
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->file, "");
}

TEST(JavaFrame, LosesModuleAndClassLoader) {
  EXPECT_EQ(name_of("java.base@17.0.15/java.lang.Thread.run(Thread.java:8)"),
            "java.lang.Thread.run");
  EXPECT_EQ(name_of("java.base/java.lang.Thread.run(Thread.java:8)"),
            "java.lang.Thread.run");
  EXPECT_EQ(name_of("app//Main.main(Main.java:1)"), "Main.main");
  EXPECT_EQ(name_of("java/lang/Thread.run(Thread.java:8(Compiled Code))"),
            "java/lang/Thread.run");
}

TEST(JavaFrame, LosesTheAddressOfALambda) {
  EXPECT_EQ(name_of("a.S$$Lambda$1/0x00007f9334000a08.call(Unknown Source)"),
            "a.S$$Lambda$1.call");
  EXPECT_EQ(name_of("a.S$$Lambda$1/1828972342.call(Unknown Source)"),
            "a.S$$Lambda$1.call");
  EXPECT_EQ(name_of("a.S$$Lambda$1/0x0a08.call(Unknown Source)",
                    {.compat = Compat::kPerl}),
            "a.S$$Lambda$1/0x0a08.call");
}

TEST(JavaFrame, IsNoneWithoutBracketsOrClass) {
  EXPECT_EQ(name_of("com.shop.Cart.add"), "none");
  EXPECT_EQ(name_of("noon (maybe)"), "none");
  EXPECT_EQ(name_of("(x.y)"), "none");
}

TEST(JavaFrame, ShortensPackages) {
  EXPECT_EQ(with_short_packages("org.example.Foo.bar"), "o.e.Foo.bar");
  EXPECT_EQ(with_short_packages("org/example/Foo.bar"), "o/e/Foo.bar");
  EXPECT_EQ(with_short_packages("Foo.bar"), "Foo.bar");
  EXPECT_EQ(with_short_packages("bar"), "bar");
}

TEST(JavaFrame, LosesPackages) {
  EXPECT_EQ(without_packages("com.shop.Stock.take"), "Stock.take");
  EXPECT_EQ(without_packages("com/shop/Stock.take"), "Stock.take");
  EXPECT_EQ(without_packages("Stock.take"), "Stock.take");
  EXPECT_EQ(without_packages(""), "");
}

TEST(JavaFrame, KnowsWhereThreadsWait) {
  EXPECT_TRUE(is_waiting_method("sun.nio.ch.EPollArrayWrapper.epollWait",
                                Compat::kPerl));
  EXPECT_TRUE(is_waiting_method("java/net/SocketInputStream.socketRead0",
                                Compat::kWick));
  EXPECT_TRUE(is_waiting_method("sun.nio.ch.Net.accept", Compat::kWick));
  EXPECT_FALSE(is_waiting_method("sun.nio.ch.Net.accept", Compat::kPerl));
  EXPECT_FALSE(is_waiting_method("com.shop.MyNet.accept", Compat::kWick));
}

}  // namespace
}  // namespace wick
