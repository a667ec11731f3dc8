// SPDX-License-Identifier: Apache-2.0
// Tracing data is what perf's util/trace-event-info.c writes: a magic number,
// the byte order, two descriptions of the ring buffer, ftrace's own events,
// then the format texts by system:
//
//   name: sched_switch
//   ID: 316
//   format:
//           field:unsigned short common_type;  offset:0;  size:2;  signed:0;
//
//           field:char prev_comm[16];  offset:8;  size:16;  signed:0;
//   …
#include "perf/records/tracepoint.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "base/bytes.h"
#include "base/text.h"

namespace wick {
namespace {

constexpr std::string_view kMagic = "\x17\x08\x44tracing";

// A NUL-terminated text.
std::string_view read_text(ByteReader& in) {
  const std::size_t end = in.rest().find('\0');
  if (end == std::string_view::npos) {
    in.fail();
    return {};
  }
  const std::string_view result = in.read_bytes(end);
  in.read_bytes(1);
  return result;
}

std::uint64_t number(std::string_view text) {
  text = trim_left(text);
  return take_number<std::uint64_t>(text).value_or(0);
}

// "char prev_comm[16]" to type "char[16]" and name "prev_comm".
void read_declaration(std::string_view text, TracepointField& field) {
  text = trim(text);
  std::string_view array;
  if (text.ends_with(']')) {
    const std::size_t open = text.rfind('[');
    if (open == std::string_view::npos) return;
    // In "__data_loc char[] name" the brackets belong to the type.
    array = text.substr(open);
    text = trim(text.substr(0, open));
  }
  const std::size_t space = text.find_last_of(" \t*");
  if (space == std::string_view::npos) return;
  field.name = text.substr(space + 1);
  field.type = trim(text.substr(0, space + 1));
  field.type += array;
  field.is_relative = field.type.starts_with("__rel_loc ");
  field.is_located = field.is_relative || field.type.starts_with("__data_loc ");
}

std::optional<TracepointField> read_field(std::string_view line) {
  TracepointField field;
  for (std::string_view rest = line; !rest.empty();) {
    const std::size_t end = std::min(rest.find(';'), rest.size());
    const std::string_view item = trim(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const std::size_t colon = item.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view key = item.substr(0, colon);
    const std::string_view value = item.substr(colon + 1);
    if (key == "field" || key == "field special")
      read_declaration(value, field);
    else if (key == "offset")
      field.offset = static_cast<std::uint32_t>(number(value));
    else if (key == "size")
      field.size = static_cast<std::uint32_t>(number(value));
    else if (key == "signed")
      field.is_signed = number(value) != 0;
  }
  if (field.name.empty()) return std::nullopt;
  return field;
}

std::unique_ptr<const TracepointFormat> read_format_text(
    std::string_view system, std::string_view text, bool swap) {
  auto format = std::make_unique<TracepointFormat>();
  format->system = system;
  format->swap = swap;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with("name:")) {
      format->name = trim(line.substr(5));
    } else if (line.starts_with("ID:")) {
      format->id = number(line.substr(3));
    } else if (line.starts_with("field")) {
      if (auto field = read_field(line))
        format->fields.push_back(std::move(*field));
    } else if (line.starts_with("print fmt:")) {
      break;
    }
  }
  return format;
}

}  // namespace

const TracepointField* TracepointFormat::field(
    std::string_view field_name) const {
  for (const TracepointField& field : fields)
    if (field.name == field_name) return &field;
  return nullptr;
}

std::optional<std::int64_t> TracepointFormat::integer(
    const TracepointField& field, std::string_view raw) const {
  if (field.offset > raw.size()) return std::nullopt;
  ByteReader in(raw.substr(field.offset), swap);
  std::int64_t value = 0;
  switch (field.size) {
    case 1:
      value =
          field.is_signed ? in.read<std::int8_t>() : in.read<std::uint8_t>();
      break;
    case 2:
      value =
          field.is_signed ? in.read<std::int16_t>() : in.read<std::uint16_t>();
      break;
    case 4:
      value = field.is_signed ? std::int64_t{in.read<std::int32_t>()}
                              : std::int64_t{in.read<std::uint32_t>()};
      break;
    case 8:
      value = in.read<std::int64_t>();
      break;
    default:
      return std::nullopt;
  }
  if (in.failed()) return std::nullopt;
  return value;
}

std::string_view TracepointFormat::text(const TracepointField& field,
                                        std::string_view raw) const {
  std::uint64_t offset = field.offset, size = field.size;
  if (field.is_located) {
    if (offset > raw.size()) return {};
    ByteReader in(raw.substr(field.offset), swap);
    const auto where = in.read<std::uint32_t>();
    size = where >> 16;
    offset = where & 0xffff;
    if (field.is_relative) offset += std::uint64_t{field.offset} + 4;
  }
  if (offset > raw.size()) return {};
  const std::string_view bytes = raw.substr(static_cast<std::size_t>(offset),
                                            static_cast<std::size_t>(size));
  return bytes.substr(0, bytes.find('\0'));
}

std::vector<std::unique_ptr<const TracepointFormat>> read_tracing_data(
    std::string_view bytes) {
  std::vector<std::unique_ptr<const TracepointFormat>> result;
  if (!bytes.starts_with(kMagic)) return result;
  ByteReader start(bytes.substr(kMagic.size()));
  read_text(start);  // the version, "0.6"
  const bool big_endian = start.read<std::uint8_t>() != 0;
  const bool swap = big_endian != (std::endian::native == std::endian::big);
  ByteReader in(start.rest(), swap);
  in.read<std::uint8_t>();       // the size of a long
  in.read<std::uint32_t>();      // the size of a page
  for (int i = 0; i < 2; ++i) {  // header_page and header_event
    read_text(in);
    in.read_bytes(in.read<std::uint64_t>());
  }
  const auto ftrace_events = in.read<std::uint32_t>();
  for (std::uint32_t i = 0; i < ftrace_events && !in.failed(); ++i)
    in.read_bytes(in.read<std::uint64_t>());
  const auto systems = in.read<std::uint32_t>();
  for (std::uint32_t i = 0; i < systems && !in.failed(); ++i) {
    const std::string_view system = read_text(in);
    const auto events = in.read<std::uint32_t>();
    for (std::uint32_t k = 0; k < events && !in.failed(); ++k) {
      const auto size = in.read<std::uint64_t>();
      const std::string_view text = in.read_bytes(size);
      if (!in.failed() && !text.empty())
        result.push_back(read_format_text(system, text, swap));
    }
  }
  return result;
}

}  // namespace wick
