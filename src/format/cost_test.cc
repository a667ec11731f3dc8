// SPDX-License-Identifier: Apache-2.0
// Costs follow the input: twice as much of anything costs twice as much to
// read, transform and write, whatever it is. A table of inputs that once cost
// more, or would with the obvious code, is run at two sizes through every
// reader, transform and writer. Counted are the frames that were walked over,
// the bytes that were written and, in the sanitizers' build, allocations; time
// is not measured.
#include "builders/cost.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <utility>

#include "base/append.h"
#include "base/error.h"
#include "format/binary/pprof.h"
#include "format/binary/protobuf.h"
#include "format/registry.h"
#include "transform/diff.h"
#include "transform/merge.h"
#include "transform/select.h"

namespace wick {
namespace {

// --- Inputs of n parts -------------------------------------------------------

struct CostInput {
  std::string_view kind, format;
  std::string (*make)(int n);

  friend std::ostream& operator<<(std::ostream& out, const CostInput& input) {
    return out << input.kind;
  }
};

namespace inputs {

// A stack that grows frame by frame, with a sample at every depth.
std::string chain(int n) {
  std::string nodes, samples, deltas;
  for (int i = 1; i <= n; ++i) {
    append(nodes,
           R"({{"id":{},"callFrame":{{"functionName":"f{}"}},"parent":{}}},)",
           i, i % 7, i - 1);
    append(samples, "{},", i);
    deltas += "1,";
  }
  nodes.pop_back();
  samples.pop_back();
  deltas.pop_back();
  return R"({"startTime":0,"endTime":9,"nodes":[)" + nodes +
         R"(],"samples":[)" + samples + R"(],"timeDeltas":[)" + deltas + "]}";
}

// A deep stack with many leaves, each with a sample of a thread of its own.
std::string broom(int n) {
  std::string frames, samples;
  for (int i = 0; i < n; ++i)
    append(frames, R"("{}":{{"name":"f{}","parent":"{}"}},)", i, i % 7, i - 1);
  for (int i = 0; i < n; ++i) {
    append(frames, R"("{}":{{"name":"g{}","parent":"{}"}},)", n + i, i, n - 1);
    append(samples,
           R"({{"cpu":0,"tid":{},"ts":{},"name":"s","sf":"{}","weight":1}},)",
           i, i * i, n + i);
  }
  frames.pop_back();
  samples.pop_back();
  return R"({"traceEvents":[],"stackFrames":{)" + frames + R"(},"samples":[)" +
         samples + "]}";
}

// Two deep stacks in turn, which differ at the root only.
std::string comb(int n) {
  std::string stacks[2], samples, times;
  for (int side = 0; side < 2; ++side)
    for (int i = 0; i < n; ++i)
      append(stacks[side], "[{},{}],",
             i == 0 ? "null" : std::to_string(side * n + i - 1),
             i == 0 ? side : 2);
  for (int i = 0; i < n; ++i)
    append(samples, "[{},{},0],", i % 2 == 0 ? n - 1 : 2 * n - 1, i);
  stacks[1].pop_back();
  samples.pop_back();
  return R"({"meta":{"version":33,"startTime":0,"interval":1},"libs":[],)"
         R"("processes":[],"threads":[{"name":"GeckoMain","pid":1,"tid":1,)"
         R"("stringTable":["a","b","f"],)"
         R"("frameTable":{"schema":{"location":0},"data":[[0],[1],[2]]},)"
         R"("stackTable":{"schema":{"prefix":0,"frame":1},"data":[)" +
         stacks[0] + stacks[1] +
         R"(]},"samples":{"schema":{"stack":0,"time":1,"eventDelay":2},)"
         R"("data":[)" +
         samples + R"(]},"markers":{"schema":{},"data":[]}}]})";
}

// A location with many inlined frames, in all places of every sample.
std::string inlined(int n) {
  using namespace pprof;
  std::string out, location, sample;
  append_field(location, kLocationMessageId, 1);
  for (int i = 0; i < n; ++i) {
    std::string line;
    append_field(line, kFunctionOfLine, 1);
    append_field(line, kLineNumber, static_cast<std::uint64_t>(i));
    append_field(location, kLine, line);
  }
  append_field(out, kLocation, location);
  append_field(sample, kLocationId, std::string(20, '\1'));
  append_field(sample, kValue, "\1");
  for (int i = 0; i < n / 10; ++i) append_field(out, kSample, sample);
  for (const std::string_view text : {"", "f", "g"})
    append_field(out, kStringTable, text);
  return out;
}

std::string deep(int n) {
  std::string line;
  for (int i = 0; i < 10 * n; ++i) append(line, "f{};", i % 7);
  return line + "f 1\n";
}

std::string wide(int n) {
  std::string lines;
  for (int i = 0; i < n; ++i) append(lines, "main;n{};x 1\n", i);
  return lines;
}

std::string long_names(int n) {
  std::string lines;
  for (int i = 0; i < 20; ++i)
    append(lines, "{};f{} 1\n", std::string(static_cast<std::size_t>(n), 'x'),
           i);
  return lines;
}

std::string threads(int n) {
  std::string lines;
  for (int i = 0; i < n; ++i)
    append(lines, "t{} {} 1.0: 1 cycles:\n\t1 g (x)\n\t2 f (x)\n\n", i, i + 1);
  return lines;
}

std::string events(int n) {
  std::string lines;
  for (int i = 0; i < n; ++i)
    append(lines, "t 1 1.0: 1 e{}:\n\t1 g (/bin/m{})\n\n", i, i);
  return lines;
}

std::string stackless(int n) {
  std::string lines;
  for (int i = 0; i < n; ++i) append(lines, "t 1 {}.0: 1 cycles:\n\n", i);
  return lines;
}

std::string nested(int n) {
  std::string out;
  for (int i = 0; i < n; ++i) out += R"({"name":"f","value":1,"children":[)";
  for (int i = 0; i < n; ++i) out += "]}";
  return out;
}

std::string calls(int n) {
  std::string lines =
      "Version: 3.2.0\nFile format: 4\nTRACE START [2026-11-15 03:49:36]\n";
  for (int i = 0; i < n; ++i)
    append(lines, "{}\t{}\t0\t0.{:06}\t1\tf{}\t1\t/x\t0\t0\n", i + 1, i, i,
           i % 7);
  return lines;
}

}  // namespace inputs

constexpr CostInput kInputs[] = {
    {"chain", "cpuprofile", inputs::chain},
    {"broom", "chrome-trace", inputs::broom},
    {"comb", "firefox", inputs::comb},
    {"inlined", "pprof", inputs::inlined},
    {"deep", "folded", inputs::deep},
    {"wide", "folded", inputs::wide},
    {"long_names", "folded", inputs::long_names},
    {"threads", "perf-script", inputs::threads},
    {"events", "perf-script", inputs::events},
    {"stackless", "perf-script", inputs::stackless},
    {"nested", "d3", inputs::nested},
    {"calls", "xdebug", inputs::calls},
};

class Costs : public testing::TestWithParam<CostInput> {
 protected:
  static constexpr int kSize = 300;

  static Profile read(int n, bool keep_time = true) {
    const CostInput& input = GetParam();
    InputFile file = InputFile::from_memory("input", input.make(n));
    return read_profile(file, {.keep_time = keep_time}, input.format);
  }

  // Expects that `run` costs about twice as much for a profile of twice the
  // size.
  template <class Run>
  static void expect_linear(Run run) {
    Cost costs[2];
    for (int i = 0; i < 2; ++i) {
      Profile profile = read((i + 1) * kSize);
      costs[i] =
          cost_of([&](std::ostream& out) { run(std::move(profile), out); });
    }
    expect_doubled_at_most(costs[0], costs[1]);
  }
};

// Without what an output may always take, and with less than it may take for
// each byte of the input: small inputs show what large ones do.
void write_strictly(Profile& profile, const OutputFormat& format,
                    const WriteOptions& options, std::ostream& out) {
  const auto fit = [&](OutputCost cost) {
    cost.free_bytes = 0;
    cost.bytes_per_input_byte = 4;
    fit_to_output(profile, cost);
  };
  if (format.folds) fit(cost_of_fold(options.fold));
  fit(cost_of_output(format, options.fold));
  format.write(profile, options, out);
}

TEST_P(Costs, OfReadingDoubleAtMost) {
  for (const bool keep_time : {false, true}) {
    SCOPED_TRACE(keep_time);
    const auto cost = [&](int n) {
      return cost_of([&](std::ostream&) { read(n, keep_time); });
    };
    expect_doubled_at_most(cost(kSize), cost(2 * kSize));
  }
}

TEST_P(Costs, OfWritingDoubleAtMost) {
  for (const OutputFormat* format : output_formats()) {
    SCOPED_TRACE(format->name);
    expect_linear([&](Profile profile, std::ostream& out) {
      write_strictly(profile, *format, {}, out);
    });
  }
}

TEST_P(Costs, OfDrawingInOtherOrdersDoubleAtMost) {
  for (const FoldOptions& fold :
       {FoldOptions{.reversed = true}, FoldOptions{.flamechart = true},
        FoldOptions{.root = ThreadRoot::kCommPidTid, .min_share = 0.01}}) {
    SCOPED_TRACE(fold.reversed ? "reversed" : fold.flamechart ? "chart" : "");
    expect_linear([&](Profile profile, std::ostream& out) {
      write_strictly(profile, output_format("svg"), {.fold = fold}, out);
    });
  }
}

TEST(OutputCosts, OfAChartGrowWithEachSampleThatDiffers) {
  const OutputFormat& svg = output_format("svg");
  EXPECT_EQ(cost_of_output(svg, {}).repeats, Repeats::kThreads);
  EXPECT_EQ(cost_of_output(svg, {.flamechart = true}).repeats,
            Repeats::kChanges);
}

TEST_P(Costs, OfSelectingDoubleAtMost) {
  const Selection selections[] = {
      {.event = "*"},         {.comm = "t1"},
      {.focus = {"f3"}},      {.hide = {"f3"}},
      {.skip_after = {"f3"}}, {.base = {"f3"}},
      {.user_only = true},    {.merge_recursion = true},
  };
  for (const Selection& selection : selections) {
    SCOPED_TRACE(&selection - selections);
    expect_linear([&](Profile profile, std::ostream&) {
      try {
        select(std::move(profile), selection);
      } catch (const Error&) {
        // Nothing is left; to find what there is must not cost more either.
      }
    });
  }
}

TEST_P(Costs, OfComparingDoubleAtMost) {
  expect_linear([](Profile profile, std::ostream&) {
    Profile before;
    merge(before, profile);
    Profile difference =
        join_as_difference(std::move(before), std::move(profile), {});
    normalize(difference, Compat::kWick);
    compare(difference, {});
  });
}

INSTANTIATE_TEST_SUITE_P(, Costs, testing::ValuesIn(kInputs),
                         [](const testing::TestParamInfo<CostInput>& info) {
                           return std::string(info.param.kind);
                         });

}  // namespace
}  // namespace wick
