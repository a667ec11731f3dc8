// SPDX-License-Identifier: Apache-2.0
#include "builders/read.h"

#include <gtest/gtest.h>

#include <random>
#include <sstream>

#include "base/bytes.h"
#include "base/text.h"
#include "format/registry.h"

namespace wick {

Profile read_text(std::string_view format, std::string_view text,
                  const ReadOptions& options) {
  InputFile file = InputFile::from_memory("input", std::string(text));
  Profile profile = read_profile(file, options, format);
  EXPECT_EQ(check(profile), "");
  return profile;
}

std::string folded(const Profile& profile, const FoldOptions& options) {
  return written("folded", profile, {.fold = options});
}

std::string written(std::string_view format, const Profile& profile,
                    const WriteOptions& options) {
  std::ostringstream out;
  output_format(format).write(profile, options, out);
  return out.str();
}

std::int64_t whole_weight(const Profile& profile) {
  std::int64_t sum = 0;
  for (const Sample& sample : profile.samples)
    sum = saturating_add(sum, sample.weight);
  return sum;
}

double whole_value(const Profile& profile) {
  double sum = 0;
  for (const EventId event : profile.events.ids())
    sum += static_cast<double>(total_weight(profile, event)) /
           static_cast<double>(power_of_ten(profile.events[event].decimals));
  return sum;
}

Profile random_profile(std::uint32_t seed) {
  static constexpr std::string_view kNames[] = {
      "main",      "operator()",
      "a b",       "<script>",
      "x&y",       "\"q\"",
      "core::fmt", "do_it",
      "ünï",       "std::vector<int>::push_back"};
  std::mt19937 random(seed);
  const auto below = [&](std::uint32_t n) {
    return static_cast<std::uint32_t>(random() % n);
  };
  Profile p;
  p.has_time = true;
  for (int i = 0; i < 3; ++i) {
    const auto number = static_cast<std::int32_t>(100 + i);
    p.threads.push_back(
        {number, number + 10, p.strings.intern("task " + std::to_string(i))});
  }
  p.event_id("cycles");
  if (below(2) == 0) p.event_id("faults", "faults");
  const ModuleId x = p.module_id("/bin/x", "ab12");
  p.modules[x].no_names = p.strings.intern("it has no symbols");
  const ModuleId modules[] = {ModuleId::kUnknown, x,
                              p.module_id("[kernel.kallsyms]")};
  std::vector<StackId> stacks{StackId::kRoot};
  for (std::uint32_t i = 0; i < 60; ++i) {
    const std::uint32_t m = below(3);
    Frame frame{.function = p.strings.intern(kNames[below(10)]),
                .module = modules[m],
                .kind = m == 2 ? FrameKind::kKernel : FrameKind::kUser};
    if (below(2) == 0) {
      frame.file = p.strings.intern("src/file.cc");
      frame.line = 1 + below(50);
      frame.address = 0x1000 + below(64) * 16;
    }
    stacks.push_back(
        p.stacks.push(stacks[below(static_cast<std::uint32_t>(stacks.size()))],
                      p.frames.intern(frame)));
  }
  std::uint64_t time = 1'000'000'000;
  for (std::uint32_t i = 0; i < 200; ++i) {
    time += below(5000);
    p.samples.push_back(
        {.time = time,
         .weight = static_cast<std::int64_t>(1 + below(1000)),
         .stack =
             stacks[1 + below(static_cast<std::uint32_t>(stacks.size()) - 1)],
         .thread = ThreadId{1 + below(3)},
         .event = EventId{below(static_cast<std::uint32_t>(p.events.size()))},
         .cpu = below(4)});
  }
  return p;
}

}  // namespace wick
