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

#include "io/input_file.h"
#include "itrace/formats/instruction.h"
#include "profile/diagnostics.h"
#include "profile/format.h"

namespace wick {

struct TraceInfo {
  // How many low bits of a pc the source has: 40 for stock TracerV, 64 for the
  // whole pc. See CodeMap for how code is found with fewer.
  int pc_bits = 64;
  bool has_bits = false;  // instruction words
  bool has_privilege = false;
  bool has_satp = false;
  bool has_traps = false;  // every trap has a TrapMark
  // "cycles", or "instructions" if the source has no clock: then each
  // instruction counts 1.
  std::string unit = "cycles";
  std::string clock_domain;  // from TracerV's header line, or ""
  std::string layout;        // detected or given, in words
};

class TraceReader {
 public:
  virtual ~TraceReader() = default;

  // Clears `block` and fills it with the next instructions of one hart, at most
  // kBlockSize; false at the end, with an empty block. Damage is noted and
  // skipped, never thrown.
  virtual bool next(TraceBlock& block) = 0;

  const TraceInfo& info() const { return info_; }
  const Diagnostics& diagnostics() const { return diagnostics_; }

  static constexpr std::size_t kBlockSize = 1 << 16;
  // A larger hart number is damage.
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
  // `file` must outlive the reader. Fails (wick::Error) only if the file cannot
  // have this format at all.
  std::unique_ptr<TraceReader> (*open)(InputFile& file,
                                       const TraceOptions& options);
};

// In the order of detection, which is also that of their evidence.
std::span<const TraceFormat* const> trace_formats();

// Opens a trace in the format of that name, or in the detected one if the name
// is "". If none fits, the error lists the formats; the caller adds the name of
// the file. `symbols` is for the functions that a trigger names.
std::unique_ptr<TraceReader> open_trace(InputFile& file,
                                        std::string_view format_name,
                                        const TraceOptions& options,
                                        const SymbolOptions& symbols = {});

}  // namespace wick
