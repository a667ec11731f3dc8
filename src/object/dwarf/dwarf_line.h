// SPDX-License-Identifier: Apache-2.0
// The line program of a unit. It has far more rows than there are addresses to
// resolve, so it is run past the addresses and no rows are stored.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "object/dwarf/dwarf_unit.h"

namespace wick {

struct LineAt {
  bool found = false;
  std::uint32_t line = 0;
  std::uint64_t file = 0;
};

class LineTable {
 public:
  // The table that the unit's root refers to; nothing if there is none or its
  // header is damaged. `unit` must outlive the table.
  static std::optional<LineTable> open(const Unit& unit);

  // Runs the program: out[i] becomes the row for addresses[i] (ascending).
  // False if the program is damaged.
  bool find(std::span<const std::uint64_t> addresses, std::span<LineAt> out);

  // A file's path, with its directories; empty if there is no such file.
  std::string path(std::uint64_t file) const;

 private:
  struct FileName {
    std::string_view name;
    std::uint64_t directory = 0;
  };
  struct Row;
  class Machine;

  explicit LineTable(const Unit& unit) : unit_(&unit) {}
  bool read_header(std::uint64_t offset);
  void read_old_names(DwarfCursor& in);
  template <class Add>
  void read_names(DwarfCursor& in, Add&& add);
  // For a sequence whose rows are not ascending: sorts them first.
  void find_unsorted(std::uint64_t begin, std::uint64_t end,
                     std::span<const std::uint64_t> addresses,
                     std::span<LineAt> out);

  const Unit* unit_;
  DwarfEncoding encoding_;
  std::uint64_t program_ = 0, end_ = 0;  // in .debug_line
  std::uint8_t min_instruction_ = 1, max_operations_ = 1;
  std::uint8_t line_range_ = 1, opcode_base_ = 1;
  std::int8_t line_base_ = 0;
  std::uint8_t lengths_[256] = {};  // of standard opcodes, in operands
  std::vector<std::string_view> directories_;
  std::vector<FileName> files_;
  // The last instruction that added a file, so that running part of the program
  // again does not add it twice.
  std::uint64_t defined_ = 0;
};

}  // namespace wick
