// SPDX-License-Identifier: Apache-2.0
// What every reader must bear, tried with every golden input: the file cut off
// anywhere, or one byte of it changed, gives a profile whose invariants hold or
// a wick::Error; never a crash, a hang, or weight out of nowhere.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <optional>

#include "base/error.h"
#include "builders/read.h"
#include "builders/stored_inputs.h"
#include "format/registry.h"
#include "io/compress.h"

namespace wick {
namespace {

// What the reader of `format` makes of `bytes`; nothing if it refuses them.
// Reads with and without times by turns.
std::optional<double> value_of(const std::string& format, std::string bytes) {
  static bool keep_time = false;
  keep_time = !keep_time;
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  std::optional<double> value;
  try {
    InputFile file = InputFile::from_memory("input", std::move(bytes));
    const Profile profile = read_profile(
        file,
        {.keep_time = keep_time, .threads = 1, .symbols = {.use_cache = false}},
        format);
    EXPECT_EQ(check(profile), "");
    value = whole_value(profile);
  } catch (const Error& error) {
    EXPECT_FALSE(std::string_view(error.what()).empty());
  }
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(5));
  return value;
}

class Damage : public testing::TestWithParam<StoredInput> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Damage);
INSTANTIATE_TEST_SUITE_P(, Damage, testing::ValuesIn(golden_inputs()),
                         [](const auto& info) {
                           return test_name(info.param);
                         });

TEST_P(Damage, APrefixNeverHasMoreWeightThanTheWhole) {
  const auto& [format, name, path] = GetParam();
  const std::string whole = GetParam().bytes();
  ASSERT_LE(whole.size(), 8192u) << "golden inputs are small";
  const std::optional<double> value_of_whole = value_of(format, whole);
  ASSERT_TRUE(value_of_whole);
  const double limit = *value_of_whole;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    SCOPED_TRACE(testing::Message() << "the first " << size << " bytes");
    const std::optional<double> value = value_of(format, whole.substr(0, size));
    ASSERT_LE(value.value_or(0), limit + std::abs(limit) * 1e-9);
    if (HasFailure()) return;
  }
}

TEST_P(Damage, AChangedByteGivesAProfileOrAnError) {
  const std::string whole = GetParam().bytes();
  // A flipped bit, and characters that mean something to one format or another.
  static constexpr std::array<char, 12> kBytes = {
      '\0', '\n', ' ', '9', '-', '"', '}', ';', '(', '<', '\x7f', '\xff'};
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    for (const char byte :
         {static_cast<char>(whole[at] ^ (1 << at % 8)),
          kBytes[at % kBytes.size()], kBytes[(at / 3 + 5) % kBytes.size()]}) {
      if (byte == whole[at]) continue;
      SCOPED_TRACE(testing::Message()
                   << "byte " << at << " is " << static_cast<int>(byte));
      changed[at] = byte;
      value_of(GetParam().format, changed);
      if (HasFailure()) return;
    }
  }
}

InputFile cut_in_its_compressed_data() {
  std::string packed = gzip("some text\n");
  packed.resize(packed.size() - 9);
  InputFile file = InputFile::from_memory("input", std::move(packed));
  file.bytes();
  return file;
}

TEST(NoteDamage, OfOneFileIsOneEndWithItsReason) {
  Diagnostics diagnostics;
  diagnostics.note_at(Problem::kTruncated, "in the middle of a record");
  note_damage(cut_in_its_compressed_data(), diagnostics);
  EXPECT_THAT(describe(diagnostics),
              testing::Contains(
                  "1 input ends in the middle (the compressed data is damaged "
                  "or cut off)"));
}

TEST(NoteDamage, IsNotedWhereTheReaderSawNone) {
  Diagnostics diagnostics;
  note_damage(cut_in_its_compressed_data(), diagnostics);
  EXPECT_EQ(diagnostics.count(Problem::kTruncated), 1u);
}

TEST(NoteDamage, KeepsTheWeightThatTheReaderMissed) {
  Diagnostics diagnostics;
  diagnostics.note(Problem::kTruncated, 1, 6);
  note_damage(cut_in_its_compressed_data(), diagnostics);
  EXPECT_EQ(diagnostics.weight(Problem::kTruncated), 6);
}

// Compression leaves next to nothing of it. Long lines are quick to read.
std::string endless_stacks() {
  const std::string line = std::string(9998, 'a') + " 1\n";
  std::string text;
  while (text.size() <= Decompressor::kExpansionGrace) text += line;
  return text;
}

std::string error_of(std::string bytes) {
  try {
    InputFile file = InputFile::from_memory("input", std::move(bytes));
    read_profile(file, {});
    return "none";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(DecompressionBomb, OfGzipEndsWithAClearError) {
  EXPECT_THAT(error_of(gzip(endless_stacks(), 9)),
              testing::HasSubstr("decompression bomb"));
}

TEST(DecompressionBomb, OfZstdEndsWithAClearError) {
  EXPECT_THAT(error_of(zstd_compress(endless_stacks())),
              testing::HasSubstr("decompression bomb"));
}

TEST(DecompressionBomb, IsRefusedByEveryReader) {
  const std::string zeros = zstd_compress(std::string(128 << 20, '\0'));
  for (const InputFormat* format : input_formats()) {
    SCOPED_TRACE(format->name);
    InputFile file = InputFile::from_memory("input", zeros);
    EXPECT_THROW(read_profile(file, {}, format->name), Error);
  }
}

}  // namespace
}  // namespace wick
