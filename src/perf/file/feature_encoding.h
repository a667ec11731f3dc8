// SPDX-License-Identifier: Apache-2.0
// Encodes feature sections as perf does (write_* in its util/header.c);
// features.cc reads them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "perf/file/header.h"

namespace wick {

struct RecordedEvent;

// Texts: hostname, release, version, architecture, cpu description, cpuid.
std::string encode_text(std::string_view text);
std::string encode_cpus(std::uint32_t online, std::uint32_t available);
std::string encode_number(std::uint64_t number);
std::string encode_numbers(std::uint64_t first, std::uint64_t second);
std::string encode_words(std::span<const std::string> words);
// All attrs have the same size.
std::string encode_events(std::span<const RecordedEvent> events);
// Ids that are not hexadecimal, and names longer than a record, are left out.
std::string encode_build_ids(std::span<const PerfHeader::BuildId> ids);
std::string encode_clock(const PerfHeader::ClockData& clock);
std::string encode_pmus(std::span<const PerfHeader::Pmu> pmus);
std::string encode_groups(std::span<const PerfHeader::Group> groups);
// Of COMPRESSED records, each of which unpacks to at most `largest` bytes.
std::string encode_compression(int level, double ratio, std::uint32_t largest);

}  // namespace wick
