// SPDX-License-Identifier: Apache-2.0
// The places of a function that are counted separately: each distinct chain of
// inlined calls, with lines on request. Every two bytes of text belong to one
// of them; a function without debug information has a single place.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "itrace/code/code_map.h"
#include "object/resolved.h"

namespace wick {

class Places {
 public:
  enum class Detail : std::uint8_t { kFunctions, kInlines, kLines };

  Places(const CodeMap& map, Detail detail) : map_(map), detail_(detail) {}

  // The number of places of the function; never 0.
  std::uint32_t count(FunctionId function) { return of(function).count; }

  // Assigns places to the slots in `page` of the function at `slot`.
  void fill(CodePage& page, std::size_t slot) {
    if (page.place(slot) == CodePage::kNoPlace) fill_page(page, slot);
  }

  // Texts live as long as the map.
  struct Frame {
    std::string_view function;  // as users see it
    std::string_view file;
    std::uint32_t line = 0;  // 0: not known
    bool inlined = false;
    friend bool operator==(const Frame&, const Frame&) = default;
  };
  // The function itself and the inlined calls of a place, outermost first;
  // empty if only the symbol is known. Lives as long as this object.
  std::span<const Frame> frames(FunctionId function, std::uint32_t place);
  // An address of this place in the file.
  std::uint64_t elf_addr(FunctionId function, std::uint32_t place);

  // Puts what was resolved into the symbol cache.
  void save() const;

 private:
  struct FunctionPlaces {
    std::uint32_t count = 1;
    std::vector<std::uint16_t> of_slot;  // from the function's start on
    struct Place {
      std::uint64_t elf_addr;
      std::uint32_t first, frames;  // in `frames`
    };
    std::vector<Place> places;
    std::vector<Frame> frames;
  };
  FunctionPlaces& of(FunctionId function);
  void resolve(const CodeFunction& function, FunctionPlaces& out);
  void fill_page(CodePage& page, std::size_t slot);
  std::vector<Frame> chain(const Resolved& resolved,
                           std::span<const ResolvedFrame> frames) const;

  const CodeMap& map_;
  Detail detail_;
  std::vector<std::unique_ptr<FunctionPlaces>> functions_;
};

}  // namespace wick
