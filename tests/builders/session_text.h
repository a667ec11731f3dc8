// SPDX-License-Identifier: Apache-2.0
// For tests: records in, stacks out. Frames are shown as "file+offset",
// outermost first; no file of these tests exists, so addresses are offsets in
// it.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "builders/perf_data_builder.h"
#include "perf/session/session.h"

namespace wick {

inline constexpr std::uint64_t kBase = sample_type::kIp | sample_type::kTid |
                                       sample_type::kTime |
                                       sample_type::kPeriod;
inline constexpr EventAttr kChains{
    .sample_type = kBase | sample_type::kCallchain,
    .flags = attr_flag::kSampleIdAll};

// "comm pid/tid: a.out+10;a.out+20 weight", one line a sample.
inline std::string shown(const Profile& profile, bool with_time = false) {
  std::string out;
  std::vector<FrameId> frames;
  for (const Sample& sample : profile.samples) {
    const Thread& thread = profile.threads[sample.thread];
    if (with_time) out += fmt::format("{} ", sample.time);
    out += fmt::format("{} {}/{}:", profile.strings[thread.comm], thread.pid,
                       thread.tid);
    profile.stacks.frames_of(sample.stack, frames);
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const Frame& frame = profile.frames[frames[i]];
      const std::string_view path =
          profile.strings[profile.modules[frame.module].path];
      const std::string_view function = profile.strings[frame.function];
      out += fmt::format(
          "{}{}", i == 0 ? " " : ";",
          function.empty()
              ? fmt::format("{}+{:x}", path.empty() ? "?" : path, frame.address)
              : std::string(function));
    }
    out += fmt::format(" {}\n", sample.weight);
  }
  return out;
}

inline Profile read(const PerfDataBuilder& file,
                    const ReadOptions& options = {}) {
  InputFile input = file.input();
  PerfData data(input);
  DebugFiles files({});
  Images images(files);
  SessionResult result = read_session(data, images, options);
  sort_samples(result.profile);
  EXPECT_EQ(check(result.profile), "");
  return std::move(result.profile);
}

inline Bytes mmap(std::uint32_t pid, std::uint64_t start, std::uint64_t size,
                  std::uint64_t offset, std::string_view path) {
  return Bytes().u32(pid).u32(pid).u64(start).u64(size).u64(offset).name(path);
}

inline Bytes task(std::uint32_t pid, std::uint32_t parent_pid,
                  std::uint32_t tid, std::uint32_t parent_tid,
                  std::uint64_t time) {
  return Bytes().u32(pid).u32(parent_pid).u32(tid).u32(parent_tid).u64(time);
}

inline PerfDataBuilder one_program() {
  PerfDataBuilder file;
  file.event(kChains, "cycles");
  file.comm(7, 7, "prog", 1);
  file.record(RecordType::kMmap, misc::kUser,
              mmap(7, 0x1000, 0x1000, 0x100, "/no/a.out"),
              {.pid = 7, .tid = 7, .time = 1});
  return file;
}

}  // namespace wick
