// SPDX-License-Identifier: Apache-2.0
#include "cli/options/trace_options.h"

#include <gmock/gmock.h>

#include <fstream>

#include "builders/test_folder.h"

namespace wick {
namespace {

using testing::HasSubstr;

struct Given {
  std::string error, from, until;
};

Given given(const std::vector<std::string>& words) {
  OptionSet set;
  TraceOptions trace;
  add_trace_options(set, trace);
  const std::string error = set.parse(words).error;
  return {error, trace.trigger.from, trace.trigger.until};
}

TEST(TraceOptions, TakeATriggerFromOneSource) {
  const TestFolder folder;
  const std::string config = folder.path() + "/config_runtime.yaml";
  std::ofstream(config) << "tracing:\n  selector: 2\n  start: 80\n  end: 90\n";
  const std::vector<std::vector<std::string>> sources = {
      {"--from", "pc:10"},
      {"--trace-select", "0"},
      {"--runtime-config", config}};
  EXPECT_EQ(given({"--from", "pc:10", "--until", "pc:20"}).until, "pc:20");
  EXPECT_EQ(given({"--runtime-config", config}).from, "pc:80");
  for (const auto& one : sources)
    for (const auto& other : sources) {
      if (one == other) continue;
      std::vector<std::string> words = one;
      words.insert(words.end(), other.begin(), other.end());
      SCOPED_TRACE(one.front() + " " + other.front());
      EXPECT_THAT(given(words).error, HasSubstr("excludes"));
    }
  EXPECT_THAT(given({"--until", "pc:1", "--trace-select", "0"}).error,
              HasSubstr("excludes"));
  EXPECT_THAT(given({"--until", "pc:1", "--runtime-config", config}).error,
              HasSubstr("excludes"));
}

}  // namespace
}  // namespace wick
