// SPDX-License-Identifier: Apache-2.0
#include "itrace/code/places.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "base/hash_index.h"

namespace wick {
namespace {

// Larger functions are data with a symbol, or damaged symbols.
constexpr std::uint64_t kMaxFunction = 1 << 20;
constexpr std::uint32_t kMaxPlaces = 4096;

}  // namespace

Places::FunctionPlaces& Places::of(FunctionId function) {
  if (index(function) >= functions_.size())
    functions_.resize(
        std::max<std::size_t>(map_.function_count(), index(function) + 1));
  std::unique_ptr<FunctionPlaces>& places = functions_[index(function)];
  if (places == nullptr) {
    places = std::make_unique<FunctionPlaces>();
    if (detail_ != Detail::kFunctions)
      resolve(map_.function(function), *places);
  }
  return *places;
}

std::vector<Places::Frame> Places::chain(
    const Resolved& resolved, std::span<const ResolvedFrame> frames) const {
  std::vector<Frame> out;
  for (const ResolvedFrame& frame : frames)
    out.push_back({.function = resolved[frame.function],
                   .file = resolved[frame.file],
                   // Without lines, call sites are not told apart either.
                   .line = detail_ == Detail::kLines ? frame.line : 0,
                   .inlined = frame.inlined});
  return out;
}

void Places::resolve(const CodeFunction& function, FunctionPlaces& out) {
  if (function.image == CodeImageId::kNone || function.name.empty() ||
      function.size > kMaxFunction)
    return;
  ModuleSymbols* names = map_.image(function.image).names.get();
  if (names == nullptr || !names->has_debug_info()) return;
  std::vector<std::uint64_t> addresses;
  for (std::uint64_t at = 0; at < function.size; at += 2)
    addresses.push_back(function.start + at);
  const Resolved& resolved = names->resolve(addresses);
  out.of_slot.resize(addresses.size());
  const auto is_same = [&](const ResolvedFrame& a, const ResolvedFrame& b) {
    return a.function == b.function && a.file == b.file &&
           a.inlined == b.inlined &&
           (a.line == b.line || detail_ != Detail::kLines);
  };
  // Equal chains are one place.
  absl::flat_hash_map<std::uint64_t, std::vector<std::uint32_t>> by_hash;
  std::span<const ResolvedFrame> before;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const Resolved::Row* const row = resolved.find(addresses[i]);
    const std::span<const ResolvedFrame> frames =
        row == nullptr ? std::span<const ResolvedFrame>()
                       : resolved.frames(*row);
    if (i > 0 && std::ranges::equal(frames, before, is_same)) {
      out.of_slot[i] = out.of_slot[i - 1];
      continue;
    }
    before = frames;
    const std::vector<Frame> chain = this->chain(resolved, frames);
    std::uint64_t hash = chain.size();
    for (const Frame& frame : chain)
      hash = hash_pair(hash, hash_bytes(frame.function) + frame.line);
    std::vector<std::uint32_t>& rows = by_hash[hash];
    const auto equal = [&](std::uint32_t row) {
      const auto& place = out.places[row];
      return std::ranges::equal(
          std::span(out.frames).subspan(place.first, place.frames), chain);
    };
    auto found = std::ranges::find_if(rows, equal);
    if (found == rows.end() && out.places.size() >= kMaxPlaces) {
      out.of_slot[i] = 0;
      continue;
    }
    if (found == rows.end()) {
      rows.push_back(static_cast<std::uint32_t>(out.places.size()));
      out.places.push_back({addresses[i],
                            static_cast<std::uint32_t>(out.frames.size()),
                            static_cast<std::uint32_t>(chain.size())});
      out.frames.insert(out.frames.end(), chain.begin(), chain.end());
      found = rows.end() - 1;
    }
    out.of_slot[i] = static_cast<std::uint16_t>(*found);
  }
  out.count =
      std::max<std::uint32_t>(1, static_cast<std::uint32_t>(out.places.size()));
}

void Places::fill_page(CodePage& page, std::size_t slot) {
  const FunctionId id = page.function(slot);
  const FunctionPlaces& places = of(id);
  const CodeFunction& function = map_.function(id);
  if (places.of_slot.empty()) {
    for (CodePage::Spot& spot : page.spots)
      if (spot.function == id) spot.place = 0;
    return;
  }
  // By place and the first slot of the part of the function.
  absl::flat_hash_map<std::uint32_t, std::uint16_t> spots;
  const auto spot_of = [&](CodePage::Spot part, std::uint16_t place) {
    const auto [known, is_new] =
        spots.try_emplace(std::uint32_t{part.first} << 16 | place,
                          static_cast<std::uint16_t>(page.spots.size()));
    part.place = place;
    if (is_new) page.spots.push_back(part);
    return known->second;
  };
  for (std::size_t i = 0; i < CodePage::kSlots; ++i) {
    if (page.function(i) != id) continue;
    const std::uint64_t at = (page.elf_addr + 2 * i - function.start) / 2;
    page.spot[i] = spot_of(page.spots[page.spot[i]],
                           at < places.of_slot.size() ? places.of_slot[at] : 0);
  }
  // The previous instruction has two bytes or four.
  for (std::size_t i = 1; i < CodePage::kSlots; ++i)
    page.flow[i] =
        page.flow[i].as_place(page.spot[i] != page.spot[i - 1] ||
                              (i > 1 && page.spot[i] != page.spot[i - 2]));
}

std::span<const Places::Frame> Places::frames(FunctionId function,
                                              std::uint32_t place) {
  const FunctionPlaces& places = of(function);
  if (place >= places.places.size()) return {};
  return std::span(places.frames)
      .subspan(places.places[place].first, places.places[place].frames);
}

std::uint64_t Places::elf_addr(FunctionId function, std::uint32_t place) {
  const FunctionPlaces& places = of(function);
  return place < places.places.size() ? places.places[place].elf_addr
                                      : map_.function(function).start;
}

void Places::save() const {
  for (std::uint32_t i = 0; i < map_.image_count(); ++i)
    if (const auto& names = map_.image(CodeImageId{i}).names) names->save();
}

}  // namespace wick
