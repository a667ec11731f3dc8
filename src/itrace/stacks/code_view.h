// SPDX-License-Identifier: Apache-2.0
// The code of the address space that a hart runs in.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

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
  // The first instruction of a program, or of its loader.
  bool is_program_entry(const CodePoint& at) const;
  // Of a program, not of a loader.
  bool is_entry_of_program(const CodePoint& at);
  // Of a program, not of a library or loader.
  bool is_of_program(const CodePoint& at) {
    return role(at.page->image) >= Role::kProgram;
  }
  // Whether a process can have both, code of `function` at `pc` and `other`,
  // which is user code: it runs one program and maps each file at one place.
  // Nothing if that does not tell.
  std::optional<bool> is_one_process(std::uint64_t pc, FunctionId function,
                                     const CodePoint& other);
  // The instruction in the file of `page`; 0 if not known.
  std::uint32_t word_at(std::uint64_t pc, const CodePage& page) const;
  // The function that a direct jump leads to; kNone if that is not known.
  FunctionId function_ahead(const CodePoint& from);
  // Whether `from` jumps exactly to `pc`; nothing if its target is not known.
  std::optional<bool> leads_to(const CodePoint& from, std::uint64_t pc) const;

 private:
  std::optional<std::uint64_t> target_of(const CodePoint& from) const;
  enum class Role : std::uint8_t {
    kUnknown,  // also of the kernel, and of its code in every process
    kLibrary,
    kProgram,
    kStaticProgram  // which has no libraries
  };
  static Role role_of(const CodeImage& image);
  Role role(CodeImageId image);

  CodeMap& map_;
  std::vector<std::optional<Role>> roles_;  // by image
  SpaceId space_ = SpaceId::kNone;
  std::uint32_t generation_ = 0;
  struct NearPage {
    std::uint64_t page_pc = 0;
    CodePage* page = nullptr;
  };
  std::array<NearPage, 256> near_pages_{};  // of space_
};

}  // namespace wick
