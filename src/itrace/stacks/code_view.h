// SPDX-License-Identifier: Apache-2.0
// The code of the address space that a hart runs in.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "itrace/code/code_map.h"
#include "itrace/stacks/code_point.h"

namespace wick {

class CodeView {
 public:
  explicit CodeView(CodeMap& map) : map_(map) {}

  CodeMap& map() const { return map_; }
  SpaceId space() const { return space_; }
  void enter(SpaceId space);
  // Looks again for what was not known before; false if nothing has changed.
  bool refresh();

  CodePage& page_at(std::uint64_t pc);
  // All code of a file without symbols is one function without a name.
  bool has_name(FunctionId function) const {
    return !map_.function(function).name.empty();
  }
  // The first instruction of a program.
  bool is_program_entry(const CodePoint& at) const;
  // The instruction in the file of `page`; 0 if not known.
  std::uint32_t word_at(std::uint64_t pc, const CodePage& page) const;
  // The function that a direct jump leads to; kNone if that is not known.
  FunctionId function_ahead(const CodePoint& from);
  // Whether `from` jumps exactly to `pc`; nothing if its target is not known.
  std::optional<bool> leads_to(const CodePoint& from, std::uint64_t pc) const;

 private:
  std::optional<std::uint64_t> target_of(const CodePoint& from) const;

  CodeMap& map_;
  SpaceId space_ = SpaceId::kNone;
  std::uint32_t generation_ = 0;
  struct NearPage {
    std::uint64_t page_pc = 0;
    CodePage* page = nullptr;
  };
  std::array<NearPage, 256> near_pages_{};  // of space_
};

}  // namespace wick
