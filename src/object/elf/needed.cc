// SPDX-License-Identifier: Apache-2.0
#include "object/elf/needed.h"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace wick {
namespace {

constexpr std::size_t kMostLibraries = 1024;
constexpr std::size_t kLongestPath = 4096;

std::string_view segment_bytes(const ElfFile& file, std::uint32_t type) {
  const auto segments = file.segments();
  const auto found = std::ranges::find(segments, type, &ElfFile::Segment::type);
  if (found == segments.end()) return {};
  return file.bytes_at(found->address, found->file_size);
}

std::string text_at(std::string_view texts, std::uint64_t offset) {
  if (offset >= texts.size()) return {};
  return std::string(
      until_nul(texts.substr(static_cast<std::size_t>(offset), kLongestPath)));
}

}  // namespace

Needed needed_by(const ElfFile& file) {
  ByteReader in = file.reader(segment_bytes(file, PT_DYNAMIC));
  const auto word = [&] {
    return file.is_64() ? in.read<std::uint64_t>() : in.read<std::uint32_t>();
  };
  std::vector<std::uint64_t> libraries;
  std::uint64_t texts = 0, texts_size = 0, paths = 0, name = 0;
  Needed needed;
  while (!in.at_end()) {
    const std::uint64_t tag = word(), value = word();
    if (tag == DT_NULL) break;
    if (tag == DT_STRTAB) texts = value;
    if (tag == DT_STRSZ) texts_size = value;
    if (tag == DT_NEEDED && libraries.size() < kMostLibraries)
      libraries.push_back(value);
    if (tag == DT_SONAME) name = value;
    if (tag == DT_FLAGS_1) needed.is_pie = (value & DF_1_PIE) != 0;
    if (tag == DT_RUNPATH || (tag == DT_RPATH && paths == 0)) paths = value;
  }
  const std::string_view strings = file.bytes_at(texts, texts_size);
  for (const std::uint64_t offset : libraries)
    if (std::string name = text_at(strings, offset); !name.empty())
      needed.libraries.push_back(std::move(name));
  if (paths != 0) needed.search_path = text_at(strings, paths);
  if (name != 0) needed.name = text_at(strings, name);
  needed.loader = std::string(
      until_nul(segment_bytes(file, PT_INTERP).substr(0, kLongestPath)));
  return needed;
}

bool is_main_program(const ElfFile& file) {
  if (file.type() == ET_EXEC) return true;
  if (file.type() != ET_DYN) return false;
  const Needed needed = needed_by(file);
  // Linkers before 2017 do not mark position-independent programs.
  return needed.is_pie || (!needed.loader.empty() && needed.name.empty());
}

}  // namespace wick
