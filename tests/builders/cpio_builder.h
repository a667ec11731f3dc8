// SPDX-License-Identifier: Apache-2.0
// cpio archives of the format "newc".
#pragma once

#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdint>
#include <string>

namespace wick {

struct CpioEntry {
  std::string name, data;
  std::uint32_t mode = S_IFREG | 0755;
  std::uint32_t inode = 1, links = 1;
};

inline void pad_cpio(std::string& archive) {
  archive.resize((archive.size() + 3) & ~std::size_t{3});
}

inline void add_cpio_entry(std::string& archive, const CpioEntry& entry) {
  archive += fmt::format(
      "070701{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}"
      "{:08x}{:08x}",
      entry.inode, entry.mode, 0, 0, entry.links, 0, entry.data.size(), 0, 0, 0,
      0, entry.name.size() + 1, 0);
  archive += entry.name;
  archive += '\0';
  pad_cpio(archive);
  archive += entry.data;
  pad_cpio(archive);
}

inline std::string cpio_archive(std::initializer_list<CpioEntry> entries) {
  std::string archive;
  for (const CpioEntry& entry : entries) add_cpio_entry(archive, entry);
  add_cpio_entry(archive, {.name = "TRAILER!!!", .data = "", .mode = 0});
  return archive;
}

}  // namespace wick
