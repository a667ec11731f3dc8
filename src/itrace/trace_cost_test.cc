// SPDX-License-Identifier: Apache-2.0
// The cost of a trace follows its length, whatever it jumps to and however many
// harts and address spaces it has.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "builders/cost.h"
#include "builders/one_block.h"
#include "builders/trace_builder.h"
#include "builders/traced_code.h"
#include "itrace/trace_profile.h"

namespace wick {
namespace {

constexpr int kLength = 3000;

// A function that calls itself.
TracedCode code() {
  TracedCode code;
  code.function("main", "nop call nop ret");
  return code;
}

Cost cost_of_trace(const std::string& trace) {
  const TracedCode program = code();
  TraceBlock block = program.trace(trace);
  return cost_of([&](std::ostream&) {
    OneBlock reader(std::move(block));
    CodeMap map({}, {});
    program.add_to(map);
    read_trace(reader, map, {});
  });
}

std::string repeated(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) (out += text) += ' ';
  return out;
}

TEST(TraceCosts, OfCallsWithoutReturnsDoubleAtMost) {
  expect_doubled_at_most(cost_of_trace(repeated("main:0-1", kLength)),
                         cost_of_trace(repeated("main:0-1", 2 * kLength)));
}

TEST(TraceCosts, OfReturnsWithoutCallsDoubleAtMost) {
  expect_doubled_at_most(cost_of_trace(repeated("main:3", kLength)),
                         cost_of_trace(repeated("main:3", 2 * kLength)));
}

TEST(TraceCosts, OfAStackThatGrowsAndShrinksDoubleAtMost) {
  const auto zigzag = [](int times) {
    return repeated(repeated("main:0-1", 20) + repeated("main:2-3", 20),
                    times / 40);
  };
  expect_doubled_at_most(cost_of_trace(zigzag(kLength)),
                         cost_of_trace(zigzag(2 * kLength)));
}

TEST(TraceCosts, OfTrapsWithoutReturnsDoubleAtMost) {
  expect_doubled_at_most(
      cost_of_trace(repeated("main:0 !main:2", kLength)),
      cost_of_trace(repeated("main:0 !main:2", 2 * kLength)));
}

// Every instruction by another hart, or in another address space.
TEST(TraceCosts, OfHartsAndAddressSpacesDoubleAtMost) {
  for (const bool harts : {false, true}) {
    SCOPED_TRACE(harts);
    const auto cost = [&](int n) {
      Steps steps;
      for (int i = 0; i < n; ++i)
        steps.push_back({.cycle = static_cast<std::uint64_t>(i),
                         .pc = 0x80000000 + static_cast<std::uint64_t>(4 * i),
                         .satp = harts ? 0 : static_cast<std::uint64_t>(i + 1),
                         .hart = harts ? static_cast<std::uint32_t>(i) : 0});
      const std::string text =
          harts ? cospike_text(steps) : tracerv_user_text(steps);
      return cost_of([&](std::ostream&) { read_trace(text); });
    };
    expect_doubled_at_most(cost(kLength), cost(2 * kLength));
  }
}

}  // namespace
}  // namespace wick
