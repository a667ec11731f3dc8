// SPDX-License-Identifier: Apache-2.0
// What every writer must keep, tried with every golden input and with random
// profiles: read back, the weight of the whole is the same, or the difference
// is said.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <string>

#include "builders/read.h"
#include "builders/stored_inputs.h"
#include "format/common/event_label.h"
#include "format/registry.h"
#include "profile/transform.h"

namespace wick {
namespace {

const InputFormat* reader_of(const OutputFormat& output) {
  for (const InputFormat* input : input_formats())
    if (input->name == output.name) return input;
  return nullptr;
}

double noted_weight(const Profile& profile) {
  double sum = 0;
  for (const auto& entry : profile.diagnostics.entries())
    sum += static_cast<double>(entry.weight);
  return sum;
}

// Formats without decimals write milliseconds as microseconds.
double whole_in_seconds(const Profile& profile) {
  if (profile.events.empty()) return 0;
  const int decimals =
      time_unit_decimals(profile.strings[profile.events[EventId{0}].unit]);
  return whole_value(profile) / std::pow(10, std::max(decimals, 0));
}

bool about_equal(double whole, double other, double tolerance) {
  return std::abs(whole - other) <= std::abs(whole) * tolerance;
}

// Whether `after` has the weight of `before`, or notes the rest.
bool is_accounted_for(const Profile& before, const Profile& after) {
  const double whole = whole_value(before);
  const double noted = noted_weight(after) - noted_weight(before);
  const bool rounded = after.diagnostics.count(Problem::kRounded) > 0;
  const double tolerance = rounded ? 1e-6 : 1e-9;
  return about_equal(whole, whole_value(after), tolerance) ||
         about_equal(whole, whole_value(after) + noted, tolerance) ||
         about_equal(whole_in_seconds(before), whole_in_seconds(after),
                     tolerance);
}

void expect_kept_by_every_writer(const Profile& profile) {
  for (const OutputFormat* output : output_formats()) {
    SCOPED_TRACE(testing::Message() << "written as " << output->name);
    const std::string text = written(output->name, profile);
    EXPECT_FALSE(text.empty());
    if (reader_of(*output) == nullptr) continue;
    const Profile back = read_text(output->name, text);
    EXPECT_TRUE(is_accounted_for(profile, back))
        << whole_value(profile) << " became " << whole_value(back);
  }
}

class Conversion : public testing::TestWithParam<StoredInput> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Conversion);
INSTANTIATE_TEST_SUITE_P(, Conversion, testing::ValuesIn(golden_inputs()),
                         [](const auto& info) {
                           return test_name(info.param);
                         });

TEST_P(Conversion, KeepsTheWeightThroughEveryWriter) {
  const Profile profile =
      select(read_text(GetParam().format, GetParam().bytes()), {});
  expect_kept_by_every_writer(profile);
}

TEST_P(Conversion, FindsTheFormatByTheContent) {
  const InputFormat* found = detect(GetParam().bytes());
  ASSERT_NE(found, nullptr);
  // Scheduler events are perf script's text, read in another way if asked.
  EXPECT_EQ(found->name, GetParam().format == "perf-sched" ? "perf-script"
                                                           : GetParam().format);
}

TEST(ConversionOfRandomProfiles, KeepsTheWeightThroughEveryWriter) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    expect_kept_by_every_writer(select(random_profile(seed), {}));
  }
}

TEST(ConversionOfRandomProfiles, CountsTheSamplesOfOtherEvents) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const std::size_t all = random_profile(seed).samples.size();
    const Profile selected = select(random_profile(seed), {});
    EXPECT_EQ(selected.samples.size() +
                  selected.diagnostics.count(Problem::kOtherEvent),
              all);
  }
}

TEST(ConversionOfRandomProfiles, FoldsTheWholeWeight) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Profile profile = random_profile(seed);
    EXPECT_EQ(fold(profile, {}).total[NodeId::kRoot], whole_weight(profile));
  }
}

}  // namespace
}  // namespace wick
