// SPDX-License-Identifier: Apache-2.0
#include "base/json_writer.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "base/append.h"
#include "base/text.h"

namespace wick {
namespace {

bool plain(unsigned char c) {
  return c >= 0x20 && c < 0x7f && c != '"' && c != '\\' && c != '<';
}

void append_escaped(std::string& out, char32_t c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\r':
      out += "\\r";
      return;
    default:
      break;
  }
  if (c < 0x20 || c == '<' || c == 0x7f || c == 0x2028 || c == 0x2029)
    append(out, "\\u{:04x}", static_cast<std::uint32_t>(c));
  else
    append_utf8(out, c);
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    std::size_t run = 0;
    while (run < text.size() && plain(static_cast<unsigned char>(text[run])))
      ++run;
    out += text.substr(0, run);
    text.remove_prefix(run);
    if (!text.empty()) append_escaped(out, take_utf8(text));
  }
  out += '"';
}

void JsonWriter::flush() {
  out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  buffer_.clear();
}

void JsonWriter::separate() {
  if (comma_) buffer_ += ',';
  comma_ = true;
  if (buffer_.size() > (64 << 10)) flush();
}

JsonWriter& JsonWriter::open(char bracket) {
  separate();
  buffer_ += bracket;
  comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  buffer_ += bracket;
  comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  append_json_string(buffer_, name);
  buffer_ += ':';
  comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  separate();
  append_json_string(buffer_, text);
  return *this;
}

JsonWriter& JsonWriter::value(std::int64_t number) {
  separate();
  const fmt::format_int digits(number);
  buffer_.append(digits.data(), digits.size());
  return *this;
}

JsonWriter& JsonWriter::value(std::uint64_t number) {
  separate();
  const fmt::format_int digits(number);
  buffer_.append(digits.data(), digits.size());
  return *this;
}

JsonWriter& JsonWriter::value(double number) {
  separate();
  if (std::isfinite(number))
    append(buffer_, "{}", number);
  else
    buffer_ += "null";
  return *this;
}

JsonWriter& JsonWriter::raw(std::string_view json) {
  separate();
  buffer_ += json;
  return *this;
}

}  // namespace wick
