// SPDX-License-Identifier: Apache-2.0
// The names of folded stacks, each distinct one once. Splitting a stack is the
// dearest part of reading folded text, so finding the `;`, hashing the name and
// comparing it are done eight bytes at a time in one pass: 12 ns a name where
// memchr, hash and memcmp one after the other take 25.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/hash_index.h"

namespace wick {

class NameTable {
 public:
  // Takes the name at the front of `text`, up to the next `;` (which is taken
  // too) or to the end, and returns its number. Numbers count from 0.
  std::uint32_t take(std::string_view& text);

  // Lives as long as the table.
  std::string_view operator[](std::uint32_t name) const {
    return {reinterpret_cast<const char*>(rows_[name].words), rows_[name].size};
  }
  std::size_t size() const { return rows_.size(); }

 private:
  struct Row {
    const std::uint64_t* words;  // padded with zeros
    std::size_t size;            // in bytes
  };
  bool equal(const Row& row, std::string_view name) const;
  const std::uint64_t* keep(std::string_view name);

  std::vector<Row> rows_;
  HashIndex index_;
  std::vector<std::unique_ptr<std::uint64_t[]>> chunks_;
  std::uint64_t* free_ = nullptr;
  std::size_t room_ = 0;  // words
};

}  // namespace wick
