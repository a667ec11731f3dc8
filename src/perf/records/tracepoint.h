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
  // The field holds where in the record the value is, and its length.
  bool is_located = false;   // __data_loc
  bool is_relative = false;  // __rel_loc: counted from behind the field
};

struct TracepointFormat {
  std::string system, name;  // "sched", "sched_switch"
  std::uint64_t id = 0;      // attr.config of the event
  std::vector<TracepointField> fields;
  bool swap = false;  // the raw bytes are of the other byte order

  // Null if there is no such field.
  const TracepointField* field(std::string_view field_name) const;

  // The field's value in a sample's raw bytes, extended from its size; nothing
  // if it lies outside of them.
  std::optional<std::int64_t> integer(const TracepointField& field,
                                      std::string_view raw) const;
  // The bytes of a text field up to its first zero.
  std::string_view text(const TracepointField& field,
                        std::string_view raw) const;
};

// Reads the tracing data of a perf.data file as far as it goes.
std::vector<std::unique_ptr<const TracepointFormat>> read_tracing_data(
    std::string_view bytes);

}  // namespace wick
