// SPDX-License-Identifier: Apache-2.0
// Split DWARF: the main file has a skeleton of each unit (addresses, lines);
// the rest is in one .dwo file per unit, or in a .dwp for all of them.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>

#include "object/dwarf/dwarf_unit.h"

namespace wick {

struct SplitUnit {
  std::shared_ptr<DwarfFile> file;
  Unit unit;
  std::shared_ptr<const AbbrevTable> table;
};

class SplitFiles {
 public:
  using Open = std::function<std::shared_ptr<const ElfFile>(
      std::string_view dwo_name, std::string_view comp_dir)>;
  explicit SplitFiles(Open open) : open_(std::move(open)) {}

  // Whether the unit is a skeleton.
  static bool is_skeleton(const Unit& unit);
  // The full unit of a skeleton; nothing if its file is missing or belongs to
  // another build. Thread-safe.
  std::optional<SplitUnit> open(const Unit& skeleton);

 private:
  std::shared_ptr<DwarfFile> open_file(const Unit& skeleton);

  Open open_;
  std::mutex mutex_;
  // Packages stay open; a .dwo is needed once.
  std::map<const ElfFile*, std::shared_ptr<DwarfFile>> packages_;
};

}  // namespace wick
