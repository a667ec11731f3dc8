// SPDX-License-Identifier: Apache-2.0
// The layout of wick's own file, shared by its reader and its writer;
// docs/formats/wick.md describes it byte by byte.
//
//   header | section | section | … | end section
//
// A section is a piece of one table, stored by columns and compressed. Every
// section can be checked and read by itself, so damage costs one section.
#pragma once

#include <cstdint>
#include <string_view>

#include "profile/profile.h"

namespace wick::wick_file {

// The first byte and the line end show damage by text tools, as in PNG.
inline constexpr std::string_view kMagic("\x89wick\r\n\x1a", 8);
inline constexpr std::uint16_t kMajor = 1, kMinor = 5;
// The minor versions that added columns.
inline constexpr std::uint16_t kMinorOfNoNames = 1, kMinorOfTimeKinds = 2,
                               kMinorOfFunctionStarts = 3,
                               kMinorOfLostShares = 5;
// Flags of the header.
inline constexpr std::uint32_t kHasTime = 1, kIsTrace = 2;
inline constexpr std::size_t kHeaderSize = 20;

constexpr std::uint32_t tag(const char (&name)[5]) {
  std::uint32_t value = 0;
  for (int i = 3; i >= 0; --i)
    value = value << 8 | static_cast<unsigned char>(name[i]);
  return value;
}

inline constexpr std::uint32_t kStrings = tag("STRS"), kModules = tag("MODS"),
                               kFrames = tag("FRAM"), kStacks = tag("STAK"),
                               kThreads = tag("THRD"), kEvents = tag("EVNT"),
                               kAbout = tag("ABOU"), kDiagnostics = tag("DIAG"),
                               kSamples = tag("SAMP"), kEnd = tag("END ");

enum class Encoding : std::uint32_t { kPlain, kZstd };

struct SectionHeader {
  std::uint32_t type = 0;
  Encoding encoding = Encoding::kPlain;
  std::uint32_t first_row = 0;  // of the table, that this section has
  std::uint32_t rows = 0;
  std::uint64_t stored_size = 0;  // bytes that follow
  std::uint32_t plain_size = 0;   // when decompressed
  std::uint32_t checksum =
      0;  // CRC-32 of the fields before and the bytes after
};
inline constexpr std::size_t kSectionHeaderSize = 32;

inline constexpr std::uint32_t kMaxPlainSize = 1 << 30;

// The most bytes that a file of `stored` bytes may decompress to: a few bytes
// must not fill the memory. The writer leaves sections beyond that
// uncompressed.
constexpr std::uint64_t plain_limit(std::uint64_t stored) {
  return (std::uint64_t{64} << 20) + 100 * stored;
}

// The numbers of these enumerations are part of the format.
static_assert(static_cast<int>(FrameKind::kUser) == 0 &&
              static_cast<int>(FrameKind::kKernel) == 1 &&
              static_cast<int>(FrameKind::kInlined) == 2 &&
              static_cast<int>(FrameKind::kJit) == 3 &&
              static_cast<int>(FrameKind::kLabel) == 4 &&
              static_cast<int>(FrameKind::kOffCpu) == 5 &&
              static_cast<int>(FrameKind::kWasm) == 6);
static_assert(static_cast<int>(OffCpuReason::kNone) == 0 &&
              static_cast<int>(OffCpuReason::kBlocked) == 1 &&
              static_cast<int>(OffCpuReason::kInIo) == 2 &&
              static_cast<int>(OffCpuReason::kPreempted) == 3 &&
              static_cast<int>(OffCpuReason::kNearby) == 4 &&
              static_cast<int>(OffCpuReason::kSinceBefore) == 5 &&
              static_cast<int>(OffCpuReason::kFirstRun) == 6 &&
              static_cast<int>(OffCpuReason::kNotSampled) == 7);
static_assert(static_cast<int>(TimeKind::kNone) == 0 &&
              static_cast<int>(TimeKind::kOnCpu) == 1 &&
              static_cast<int>(TimeKind::kOffCpu) == 2 &&
              static_cast<int>(TimeKind::kWall) == 3 &&
              static_cast<int>(TimeKind::kTraceClock) == 4);
static_assert(static_cast<int>(EventRole::kPlain) == 0 &&
              static_cast<int>(EventRole::kBefore) == 1 &&
              static_cast<int>(EventRole::kAfter) == 2);

}  // namespace wick::wick_file
