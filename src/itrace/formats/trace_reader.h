// SPDX-License-Identifier: Apache-2.0
// A trace format: a name, a look at the first bytes, a function that opens it.
// A new one is one file that defines a TraceFormat and one line in
// itrace/trace_formats.cc. Every trace format is an input format, too:
// format/registry.cc takes them from that list.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/input_file.h"
#include "itrace/formats/instruction.h"
#include "profile/diagnostics.h"
#include "profile/format.h"

namespace wick {

struct TraceInfo {
  // How many low bits of a pc the source has: 40 for stock TracerV, 64 where
  // it is whole. What the others are is found by what fits (see CodeMap).
  int pc_bits = 64;
  bool has_bits = false;  // instruction words
  bool has_privilege = false;
  bool has_satp = false;
  bool has_traps = false;  // TrapMarks are given where there are traps
  // "cycles", or "instructions" where the source has no clock and counts one
  // for each.
  std::string unit = "cycles";
  std::string clock_domain;  // TracerV's header line; "" if there is none
  std::string layout;        // what was found or forced, in words
};

class TraceReader {
 public:
  virtual ~TraceReader() = default;

  // Fills `block` (cleared first) with the next instructions, at most
  // kBlockSize of them and of one hart; false at the end, and then the block is
  // empty. Damage is counted and skipped, never thrown.
  virtual bool next(TraceBlock& block) = 0;

  const TraceInfo& info() const { return info_; }
  const Diagnostics& diagnostics() const { return diagnostics_; }

  static constexpr std::size_t kBlockSize = 1 << 16;
  // Harts have smaller numbers; what names another one is damaged.
  static constexpr std::uint32_t kMaxHarts = 4096;

 protected:
  TraceInfo info_;
  Diagnostics diagnostics_;
};

struct TraceFormat {
  std::string_view name, description;
  // What sniff() relies on, the most certain first. Among the formats of
  // profiles, traces are tried by this (format/registry.cc).
  enum class Evidence : std::uint8_t {
    kMagic,       // a magic number
    kText,        // lines of a distinctive form
    kRegularity,  // records without any mark that repeat a layout
  };
  Evidence evidence;
  bool (*sniff)(std::string_view head);
  // `file` must outlive the reader. Fails (wick::Error) only if this cannot be
  // the format at all.
  std::unique_ptr<TraceReader> (*open)(InputFile& file,
                                       const TraceOptions& options);
};

// In the order of detection, which is also that of their evidence.
std::span<const TraceFormat* const> trace_formats();

// Opens a trace by what it looks like, or by the name of a format if that is
// not "". Fails with the formats' names if none fits; the file's own name is
// for the caller to add.
std::unique_ptr<TraceReader> open_trace(InputFile& file,
                                        std::string_view format_name,
                                        const TraceOptions& options);

}  // namespace wick
