// SPDX-License-Identifier: Apache-2.0
#include "object/dwarf/dwarf_names.h"

#include <algorithm>

namespace wick {
namespace {

// From a copy to its abstract instance to its declaration is two; only cycles
// are longer.
constexpr int kMaxReferences = 16;

}  // namespace

const FunctionNames::OpenUnit* FunctionNames::unit_of(const DieRef& ref) {
  const UnitHeader& own = home_.unit.header;
  if (ref.file == home_.unit.file && ref.offset >= own.first_die &&
      ref.offset < own.end)
    return &home_;
  // A split unit refers to nothing outside itself.
  const UnitHeader* header = ref.file->unit_at(ref.offset);
  if (header == nullptr || ref.file->kind() == DwarfFile::Kind::kSplit)
    return nullptr;
  auto [place, is_new] = others_.try_emplace(header);
  if (is_new) {
    const DwarfSections& sections = ref.file->sections();
    auto table = ref.file->abbrevs(*header, sections.abbrev);
    DwarfFile* alternate = ref.file->kind() == DwarfFile::Kind::kMain
                               ? home_.unit.alternate
                               : nullptr;
    if (auto unit = open_unit(*ref.file, alternate, *header, sections, *table))
      place->second = std::make_unique<OpenUnit>(*unit, std::move(table));
  }
  return place->second.get();
}

std::optional<FunctionNames::Values> FunctionNames::read(const DieRef& ref) {
  const OpenUnit* in_unit = unit_of(ref);
  if (in_unit == nullptr) return std::nullopt;
  const auto& [unit, table] = *in_unit;
  DwarfCursor in = unit.dies(ref.offset);
  const Abbrev* abbrev = table->find(in.uleb());
  if (abbrev == nullptr) return std::nullopt;
  const Values values{.unit = &unit, .die = table->read(*abbrev, in)};
  if (in.failed() || !ref.file->name_limit.spend(in.offset() - ref.offset))
    return std::nullopt;
  return values;
}

FunctionNames::Step FunctionNames::step(const DieRef& ref) {
  const auto values = read(ref);
  if (!values) return {};
  const auto& [unit, die] = *values;
  Step step;
  step.name.text = unit->text(die[Attr::kLinkageName]);
  step.name.is_linkage = !step.name.text.empty();
  if (step.name.is_linkage) return step;
  step.name.text = unit->text(die[Attr::kName]);
  step.next = unit->reference(die[Attr::kAbstractOrigin]);
  if (!step.next) step.next = unit->reference(die[Attr::kSpecification]);
  return step;
}

FunctionNames::Name FunctionNames::name_of_origin(DieRef ref) {
  const auto [known, is_new] = known_.try_emplace(ref);
  if (!is_new) return known->second;
  const DieRef first = ref;
  Name name;
  for (int i = 0; i < kMaxReferences; ++i) {
    const Step step = this->step(ref);
    if (step.name.is_linkage || name.text.empty()) name = step.name;
    if (!step.next) break;
    ref = *step.next;
  }
  known_[first] = name;
  return name;
}

FunctionNames::Name FunctionNames::name(std::uint64_t die) {
  const Step own = step({home_.unit.file, die});
  if (!own.next) return own.name;
  const Name origin = name_of_origin(*own.next);
  return origin.is_linkage || own.name.text.empty() ? origin : own.name;
}

std::string_view FunctionNames::source_name(std::uint64_t die) {
  const auto own = read({home_.unit.file, die});
  if (!own) return {};
  const std::string_view name = own->unit->text(own->die[Attr::kName]);
  const auto origin = own->unit->reference(own->die[Attr::kAbstractOrigin]);
  if (!name.empty() || !origin) return name;
  const auto abstract = read(*origin);
  return abstract ? abstract->unit->text(abstract->die[Attr::kName])
                  : std::string_view();
}

}  // namespace wick
