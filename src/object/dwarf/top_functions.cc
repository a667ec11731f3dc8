// SPDX-License-Identifier: Apache-2.0
#include "object/dwarf/top_functions.h"

#include <elf.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/parallel.h"
#include "object/dwarf/dwarf_constants.h"
#include "object/dwarf/dwarf_names.h"
#include "object/dwarf/dwarf_unit.h"

namespace wick {
namespace {

class TopLevel {
 public:
  TopLevel(const Unit& unit, std::shared_ptr<const AbbrevTable> table,
           std::vector<TopFunction>& out)
      : unit_(unit), table_(table), names_(unit, std::move(table)), out_(out) {}

  // Damage ends the walk.
  void walk() {
    DwarfCursor in = unit_.dies(unit_.header.first_die);
    std::uint64_t depth = 0;
    while (!in.at_end()) {
      const std::uint64_t die = in.offset();
      const std::uint64_t code = in.uleb();
      if (code == 0) {
        if (depth <= 1) return;
        --depth;
        continue;
      }
      const Abbrev* abbrev = table_->find(code);
      if (abbrev == nullptr) return;
      if (depth == 0 || abbrev->kind == DieKind::kOther) {
        table_->skip(*abbrev, in);
        if (abbrev->has_children) ++depth;
      } else {
        const Die values = table_->read(*abbrev, in);
        if (in.failed()) return;
        if (depth == 1 && abbrev->tag == DW_TAG_subprogram) add(values, die);
        if (abbrev->has_children && !go_to_sibling(values, in)) ++depth;
      }
      if (depth == 0 || in.failed()) return;
    }
  }

 private:
  void add(const Die& values, std::uint64_t die) {
    const auto begin = unit_.address(values[Attr::kLowPc]);
    const FormValue& high = values[Attr::kHighPc];
    if (!begin || !high || unit_.file->is_dead(*begin, unit_.encoding()))
      return;
    const std::uint64_t end = unit_.address(high).value_or(*begin + high.value);
    const std::string_view name = names_.source_name(die);
    if (!name.empty()) out_.push_back({name, *begin, end});
  }

  bool go_to_sibling(const Die& values, DwarfCursor& in) const {
    const auto sibling = unit_.reference(values[Attr::kSibling]);
    // A sibling before this DIE would make an endless loop.
    if (!sibling || sibling->offset <= in.offset() ||
        sibling->offset >= unit_.header.end)
      return false;
    in.go_forward(sibling->offset);
    return true;
  }

  const Unit& unit_;
  std::shared_ptr<const AbbrevTable> table_;
  FunctionNames names_;
  std::vector<TopFunction>& out_;
};

}  // namespace

std::vector<TopFunction> top_functions(std::shared_ptr<const ElfFile> elf,
                                       int workers) {
  if (elf->type() == ET_REL) return {};
  DwarfFile file(std::move(elf), DwarfFile::Kind::kMain, workers);
  std::vector<std::vector<TopFunction>> found(file.units().size());
  parallel_for(found.size(), workers, [&](std::size_t i) {
    const UnitHeader& header = file.units()[i];
    const auto table = file.abbrevs(header, file.sections().abbrev);
    if (const auto unit =
            open_unit(file, nullptr, header, file.sections(), *table))
      TopLevel(*unit, table, found[i]).walk();
  });
  std::vector<TopFunction> all;
  for (std::vector<TopFunction>& functions : found)
    std::ranges::move(functions, std::back_inserter(all));
  return all;
}

}  // namespace wick
