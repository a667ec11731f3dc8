// SPDX-License-Identifier: Apache-2.0
// The names of functions. A DIE with code seldom has a name: it refers to the
// abstract instance that all its copies share, which refers to the declaration
// in a class, and either may be in another unit or in dwz's file.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "object/dwarf/dwarf_unit.h"

namespace wick {

class FunctionNames {
 public:
  // For DIEs of `unit`, which must outlive this object.
  FunctionNames(const Unit& unit, std::shared_ptr<const AbbrevTable> table)
      : home_{unit, std::move(table)} {}

  struct Name {
    std::string_view text;  // points into a section
    bool is_linkage = false;
  };
  // The linkage name, else the name, else nothing.
  Name name(std::uint64_t die);
  // The name alone, of the DIE or else of its abstract instance.
  std::string_view source_name(std::uint64_t die);

 private:
  struct OpenUnit {
    Unit unit;
    std::shared_ptr<const AbbrevTable> table;
  };
  struct Values {
    const Unit* unit;
    Die die;
  };
  // What one DIE has: a name, a reference to the DIE that may have more.
  struct Step {
    Name name;
    std::optional<DieRef> next;
  };
  const OpenUnit* unit_of(const DieRef& ref);
  std::optional<Values> read(const DieRef& ref);
  Step step(const DieRef& ref);
  Name name_of_origin(DieRef ref);

  OpenUnit home_;
  absl::flat_hash_map<const UnitHeader*, std::unique_ptr<OpenUnit>> others_;
  absl::flat_hash_map<DieRef, Name> known_;  // many DIEs share an origin
};

}  // namespace wick
