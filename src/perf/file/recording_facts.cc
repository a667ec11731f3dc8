// SPDX-License-Identifier: Apache-2.0
#include "perf/file/recording_facts.h"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <span>

#include "base/append.h"
#include "base/text.h"

namespace wick {
namespace {

constexpr std::string_view kFinished = "wick notes 1";
constexpr std::string_view kUnfinished = "wick notes 1, recording";
constexpr std::string_view kBegin = "begin";
constexpr std::string_view kNamesAt = "names-at", kNamesSize = "names-size";
constexpr std::string_view kCopiedBytes = "copied-bytes";
constexpr std::string_view kCpuTime = "cpu-time";

// What a recorder counts; stored as the problem's key and the count.
constexpr std::array kLosses = {
    Problem::kStackBeyondCopy, Problem::kStackBeyondAll,
    Problem::kStackNotCopied,  Problem::kNoUnwindRule,
    Problem::kBadStack,        Problem::kInGoneFile,
    Problem::kInForbiddenFile, Problem::kInNetworkFile,
    Problem::kDeepStack,       Problem::kBadRecord,
    Problem::kLostSamples,     Problem::kLargeFile,
    Problem::kLargeProcess,    Problem::kNamesNotKept};
constexpr std::array kShortCopies = {Problem::kStackTooShort,
                                     Problem::kReducedCopy};
constexpr std::array kUnsampled = {
    Problem::kShortLived, Problem::kKernelOrShortLived,
    Problem::kMayNotBeSampled, Problem::kNotSampled,
    Problem::kShortLivedChildren};

void read_fact(std::string_view key, std::uint64_t value,
               RecordingFacts& facts) {
  if (key == kBegin) facts.begin_time = value;
  if (key == kNamesAt) facts.names.offset = value;
  if (key == kNamesSize) facts.names.size = value;
  if (key == kCopiedBytes) facts.copied_bytes = value;
  if (key == kCpuTime) facts.cpu_time = value;
  for (const Problem problem : kLosses)
    if (key == info(problem).key) facts.losses.note(problem, value);
  // They come after the size of the copies, and these after the time that they
  // are a part of.
  for (const Problem problem : kShortCopies)
    if (key == info(problem).key)
      facts.losses.note_short_copies(problem, value, facts.copied_bytes);
  for (const Problem problem : kUnsampled)
    if (key == info(problem).key)
      facts.losses.note_time(problem, value, facts.cpu_time);
}

}  // namespace

std::string encode_facts(const RecordingFacts& facts) {
  std::string out(facts.is_finished ? kFinished : kUnfinished);
  out += '\n';
  const auto add = [&](std::string_view key, std::uint64_t value) {
    append(out, "{}: {}\n", key, value);
  };
  if (facts.begin_time) add(kBegin, *facts.begin_time);
  if (facts.names.size > 0) {
    add(kNamesAt, facts.names.offset);
    add(kNamesSize, facts.names.size);
  }
  const auto add_counts = [&](std::span<const Problem> problems) {
    for (const Problem problem : problems)
      if (const std::uint64_t count = facts.losses.count(problem); count > 0)
        add(info(problem).key, count);
  };
  add_counts(kLosses);
  if (facts.copied_bytes > 0) add(kCopiedBytes, facts.copied_bytes);
  add_counts(kShortCopies);
  if (facts.cpu_time > 0) add(kCpuTime, facts.cpu_time);
  add_counts(kUnsampled);
  return out;
}

std::optional<RecordingFacts> read_facts(std::string_view text) {
  const std::string_view first = take_line(text);
  if (first != kFinished && first != kUnfinished) return std::nullopt;
  RecordingFacts facts;
  facts.is_finished = first == kFinished;
  while (!text.empty()) {
    std::string_view line = take_line(text);
    const std::string_view key = take_until(line, ':');
    if (const auto value = to_number<std::uint64_t>(trim_left(line)))
      read_fact(key, *value, facts);
  }
  return facts;
}

}  // namespace wick
