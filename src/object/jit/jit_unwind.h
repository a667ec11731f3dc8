// SPDX-License-Identifier: Apache-2.0
// Unwind rules of generated code, from the unwind information in a jitdump
// (records of type 4, which Python since 3.13, V8 and others write).
//
// The information of a function is an .eh_frame and an .eh_frame_hdr, as if
// placed behind its code at the next multiple of eight. perf and all producers
// known store the header last; the specification says first. Producers differ
// by a few bytes in what they add to the size of the code, so a single FDE
// counts for its function wherever it claims that to be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/memory_budget.h"
#include "io/unique_fd.h"
#include "object/elf/machine.h"
#include "object/unwind/unwind_rule.h"

namespace wick {

// Of one function.
struct JitUnwindInfo {
  std::uint64_t start = 0, size = 0;  // of its code, as it ran
  std::string_view bytes;             // both sections
  std::uint64_t eh_frame_hdr_size = 0;
};

// Nothing if the information has no rule for the address, or one that needs
// expressions.
std::optional<UnwindRule> rule_of_jit_code(Machine machine,
                                           const JitUnwindInfo& info,
                                           std::uint64_t address);

// The functions of a jitdump that its process may still be writing. Only what
// was appended since is read, and only the numbers that lead to the rules are
// kept. The file is untrusted: what it costs in memory and time is bounded.
class JitUnwindFile {
 public:
  // Takes memory for functions from `memory`, if there is any.
  JitUnwindFile(Machine machine, UniqueFd fd,
                std::shared_ptr<MemoryBudget> memory);

  // By the last function that was written for the address.
  std::optional<UnwindRule> find(std::uint64_t address);

  std::size_t size() const { return functions_.size(); }

 private:
  struct Function {
    std::uint64_t size = 0;
    std::uint64_t info_at = 0;  // in the file
    std::uint32_t info_size = 0, eh_frame_hdr_size = 0;
  };
  struct Pending {
    std::uint64_t at = 0;
    std::uint32_t size = 0, eh_frame_hdr_size = 0;
  };
  const Function* find_function(std::uint64_t address, std::uint64_t& start);
  void read_appended();
  bool read_header();
  bool read_record(std::uint64_t file_size);
  void add_function(std::uint64_t at);
  std::string read(std::uint64_t at, std::size_t size) const;

  Machine machine_;
  UniqueFd fd_;
  MemoryAccount memory_;
  bool has_header_ = false, is_bad_ = false;
  std::uint64_t next_ = 0;  // record
  std::uint64_t read_at_size_ = 0;
  std::uint64_t records_ = 0;
  Pending pending_;  // information of the next function
  std::map<std::uint64_t, Function> functions_;  // by start
};

}  // namespace wick
