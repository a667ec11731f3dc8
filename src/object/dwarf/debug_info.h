// SPDX-License-Identifier: Apache-2.0
// DWARF 2 to 5: which function, file and line an address belongs to, and
// through which inlined calls. Only units that cover a requested address are
// read, each once. The bytes are untrusted.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "object/elf/elf_file.h"

namespace wick {

struct SourceFrame {
  std::string_view function;  // the linkage name if there is one; mangled
  std::string_view file;      // with its directory, as addr2line prints it
  std::uint32_t line = 0;     // 0: unknown
  bool inlined = false;
  // `function` is the linkage name, which is also the symbol's. Otherwise it
  // is the plain name, such as "~Shape"; if the function is not inlined, its
  // symbol's name is more precise.
  bool is_linkage_name = false;
};

class DebugInfo {
 public:
  struct Files {
    std::shared_ptr<const ElfFile> main;       // has .debug_info
    std::shared_ptr<const ElfFile> alternate;  // dwz; may be null
    // Opens a split unit's file (a .dwo, or the .dwp next to `main`); returns
    // null if there is none. May be empty. Called by one thread at a time.
    std::function<std::shared_ptr<const ElfFile>(std::string_view dwo_name,
                                                 std::string_view comp_dir)>
        open_dwo;
  };
  explicit DebugInfo(Files files);
  ~DebugInfo();

  // Resolves addresses (ascending, distinct) on up to `workers` threads. Frames
  // are outermost first: the function, then the calls inlined into it; none if
  // no unit covers the address. What the frames point to lives as long as this
  // object. In a relocatable file (.o, .ko), addresses are offsets in the file,
  // as in SymbolTable.
  using Found = std::function<void(std::size_t index,
                                   std::span<const SourceFrame> frames)>;
  // `found` is called from one thread at a time, in any order.
  void resolve(std::span<const std::uint64_t> elf_addrs, int workers,
               const Found& found);

  // Units that could not be read completely.
  std::uint64_t damaged_units() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace wick
