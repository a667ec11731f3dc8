// SPDX-License-Identifier: Apache-2.0
#include "itrace/trigger/runtime_config.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace wick {
namespace {

TEST(RuntimeConfig, ReadsTracingFromYaml) {
  const RuntimeConfig config = parse_runtime_config(
      "# RUNTIME configuration\n"
      "target_config:\n"
      "    topology: no_net_config\n"
      "    selector: 9   # of something else\n"
      "\n"
      "tracing:\n"
      "    enable: yes\n"
      "\n"
      "    # 0 = text; 1 = binary: raw data\n"
      "    output_format: 1\n"
      "    selector: 3\n"
      "    start: \"ffffffff00008013\"  # marker\n"
      "    end: ffffffff00010013\n"
      "workload:\n"
      "    workload_name: br-base.json\n");
  EXPECT_TRUE(config.has_tracing);
  EXPECT_TRUE(config.enabled);
  EXPECT_EQ(config.output_format, 1);
  EXPECT_EQ(config.selector, 3);
  EXPECT_EQ(config.start, "ffffffff00008013");
  EXPECT_EQ(config.end, "ffffffff00010013");
  EXPECT_EQ(config.workload, "br-base.json");
}

TEST(RuntimeConfig, ReadsTracingFromIni) {
  const RuntimeConfig config = parse_runtime_config(
      "# comment\n"
      "[tracing]\r\n"
      "enable=no\r\n"
      "; another\n"
      "selector = 1\n"
      "start = 1000\n"
      "end=-1\n"
      "[autocounter]\n"
      "start=7\n"
      "[workload]\n"
      "workloadname=linux-uniform.json\n");
  EXPECT_FALSE(config.enabled);
  EXPECT_EQ(config.selector, 1);
  EXPECT_EQ(config.start, "1000");
  EXPECT_EQ(config.end, "-1");
  EXPECT_EQ(config.workload, "linux-uniform.json");
}

TEST(RuntimeConfig, TakesTheCyclesOfOldVersionsAsSelectorOne) {
  const RuntimeConfig config = parse_runtime_config(
      "[tracing]\nenable=yes\nstartcycle=5\nendcycle=-1\n");
  EXPECT_EQ(config.selector, 1);
  EXPECT_EQ(config.start, "5");
}

TEST(RuntimeConfig, RefusesAnInvalidNumber) {
  EXPECT_THROW(parse_runtime_config("tracing:\n  selector: cycle\n"), Error);
}

TEST(RuntimeConfig, HasNoTracingWithoutItsSection) {
  for (const char* text : {"", "\n\n", "[", "[tracing", "a", "\t:", "x: {"})
    EXPECT_FALSE(parse_runtime_config(text).enabled) << text;
  EXPECT_FALSE(parse_runtime_config("workload:\n  a: b\n").has_tracing);
}

}  // namespace
}  // namespace wick
