// SPDX-License-Identifier: Apache-2.0
// What the raw bytes of a tracepoint's samples mean: perf record stores the
// kernel's description of every event it used (tracefs's events/*/*/format) as
// "tracing data".
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wick {

struct TracepointField {
  std::string name;  // "prev_pid"
  std::string type;  // "pid_t", "char[16]", "__data_loc char[]"
  std::uint32_t offset = 0, size = 0;
  bool is_signed = false;
  // The field is the offset and length of its value in the record.
  bool is_located = false;   // __data_loc
  bool is_relative = false;  // __rel_loc: relative to the end of the field
};

struct TracepointFormat {
  std::string system, name;  // "sched", "sched_switch"
  std::uint64_t id = 0;      // attr.config of the event
  std::vector<TracepointField> fields;
  bool swap = false;  // the raw bytes have the other byte order

  // Null if there is no such field.
  const TracepointField* field(std::string_view field_name) const;

  // The field's value in a sample's raw bytes, sign- or zero-extended; nothing
  // if it is outside of them.
  std::optional<std::int64_t> integer(const TracepointField& field,
                                      std::string_view raw) const;
  // A text field up to its first NUL.
  std::string_view text(const TracepointField& field,
                        std::string_view raw) const;
};

// Reads the tracing data of a perf.data file, up to the first damage.
std::vector<std::unique_ptr<const TracepointFormat>> read_tracing_data(
    std::string_view bytes);

}  // namespace wick
