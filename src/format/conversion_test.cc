// SPDX-License-Identifier: Apache-2.0
// What every writer must keep, tried with every golden input and with random
// profiles: read back, the weight of the whole is the same, or the difference
// is said.
#include <gtest/gtest.h>

#include <cmath>

#include "builders/read.h"
#include "builders/stored_inputs.h"
#include "format/registry.h"
#include "profile/transform.h"

namespace wick {
namespace {

const InputFormat* reader_of(const OutputFormat& output) {
  for (const InputFormat* input : input_formats())
    if (input->name == output.name) return input;
  return nullptr;
}

// Whether `after` has the weight `before`, or its diagnostics name the rest.
bool is_accounted_for(double before, const Profile& after) {
  double missing = before - whole_value(after);
  for (const auto& entry : after.diagnostics.entries())
    missing -= static_cast<double>(entry.weight);
  const bool rounded = after.diagnostics.count(Problem::kRounded) > 0;
  return std::abs(missing) <= std::abs(before) * (rounded ? 1e-6 : 1e-9);
}

void expect_kept_by_every_writer(const Profile& profile) {
  const double before = whole_value(profile);
  for (const OutputFormat* output : output_formats()) {
    SCOPED_TRACE(testing::Message() << "written as " << output->name);
    const std::string text = written(output->name, profile);
    EXPECT_FALSE(text.empty());
    if (reader_of(*output) == nullptr) continue;
    const Profile back = read_text(output->name, text);
    EXPECT_TRUE(is_accounted_for(before, back))
        << before << " became " << whole_value(back);
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
  EXPECT_EQ(found->name, GetParam().format);
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
