// SPDX-License-Identifier: Apache-2.0
// All sources of names for one module: its symbol tables, its debug
// information, the kernel's list of symbols.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "object/images.h"
#include "object/resolved.h"
#include "profile/format.h"

namespace wick {

class ModuleSymbols {
 public:
  // Finds files, and reads none of them yet.
  ModuleSymbols(Images& images, DebugFiles& files, ImageId image,
                const SymbolOptions& options);

  // Of the file; the recorded one where there is none.
  const std::string& build_id() const {
    return binary_ && !binary_->build_id().empty() ? binary_->build_id()
                                                   : file_.build_id;
  }

  // Which files the names come from, and what may change about them.
  std::string sources() const;

  // Why some functions may have no names, and what would help.
  const std::string& why_no_names() const { return why_no_names_; }

  // Adds the frames of `addresses` (ascending, distinct) to `out`. Those of a
  // kernel are counted from `kernel_start`, where it began in memory.
  void resolve(std::span<const std::uint64_t> addresses,
               std::uint64_t kernel_start, int workers, Resolved& out);

 private:
  DebugFiles& files_;
  const SymbolOptions& options_;
  CodeFile file_;
  std::shared_ptr<const ElfFile> binary_, debug_, alternate_;
  std::string why_no_names_;
};

}  // namespace wick
