// SPDX-License-Identifier: Apache-2.0
// The layout of wick's own trace file (docs/formats/wick-trace.md), shared by
// its reader, its writer and the QEMU plugin.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

static_assert(std::endian::native == std::endian::little);

namespace wick::wick_trace {

inline constexpr std::string_view kMagic = "\x89wickT\r\n";
inline constexpr std::uint16_t kMajor = 1, kMinor = 0;
inline constexpr std::size_t kHeaderSize = 32, kChunkHeaderSize = 16;

// Flags of the header.
inline constexpr std::uint32_t kHasBits = 1;       // definitions have bytes
inline constexpr std::uint32_t kTimed = 2;         // instructions have cycles
inline constexpr std::uint32_t kHasPrivilege = 4;  // contexts have these
inline constexpr std::uint32_t kHasSatp = 8;
inline constexpr std::uint32_t kHasTraps = 16;  // every trap is marked
inline constexpr std::uint32_t kInCycles = 32;  // the unit, else instructions

constexpr std::uint32_t chunk_type(const char (&name)[5]) {
  std::uint32_t type = 0;
  for (int i = 3; i >= 0; --i)
    type = type << 8 | static_cast<unsigned char>(name[i]);
  return type;
}
inline constexpr std::uint32_t kInfoChunk = chunk_type("INFO");
inline constexpr std::uint32_t kDefsChunk = chunk_type("DEFS");
inline constexpr std::uint32_t kExecChunk = chunk_type("EXEC");

inline constexpr std::uint32_t kMaxPayload = 1 << 24;
// Instructions in one definition.
inline constexpr std::uint32_t kMaxBlock = 1024;
// The most instructions in an EXEC chunk: a fixed number plus some for each
// byte of its payload. Without a limit, a few bytes could stand for any number.
inline constexpr std::uint64_t kFreeInstructions = 1 << 16;
inline constexpr std::uint64_t kInstructionsPerByte = 1024;

// What follows a 1 in the operations of an EXEC chunk.
enum class Special : std::uint8_t {
  kLeftEarly = 1,
  kContext = 2,
  kTrap = 3,
  kTrapBetween = 4,
  kThread = 5,
  kMapping = 6,
  kUnmapAll = 7,
  kGap = 8,
};
enum ContextMask : std::uint8_t {
  kKnowsPrivilege = 1,
  kKnowsSatp = 2,
  kKnowsThreadPointer = 4
};

// Of a chunk's type, argument and payload, eight bytes at a time. It guards
// against damage, not malice.
inline std::uint32_t checksum(std::uint32_t type, std::uint32_t argument,
                              std::string_view payload) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto mix = [&](std::uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
  };
  mix(static_cast<std::uint64_t>(argument) << 32 | type);
  mix(payload.size());
  while (payload.size() >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, payload.data(), 8);
    mix(word);
    payload.remove_prefix(8);
  }
  std::uint64_t word = 0;
  if (!payload.empty()) std::memcpy(&word, payload.data(), payload.size());
  mix(word);
  return static_cast<std::uint32_t>(hash);
}

// The size in bytes of a RISC-V instruction that begins with `bits`.
constexpr std::uint32_t riscv_size(std::uint32_t bits) {
  return (bits & 3) == 3 ? 4 : 2;
}

}  // namespace wick::wick_trace
