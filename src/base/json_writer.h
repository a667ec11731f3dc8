// SPDX-License-Identifier: Apache-2.0
// Writes JSON to a stream without building a tree. The writer adds commas; the
// caller must balance begin/end and key/value.
//
// Strings come from untrusted names: invalid UTF-8 becomes U+FFFD, and `<`,
// U+2028 and U+2029 are escaped, so that a script element may contain the
// result.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

namespace wick {

class JsonWriter {
 public:
  explicit JsonWriter(std::ostream& out) : out_(out) {}
  JsonWriter(const JsonWriter&) = delete;
  JsonWriter& operator=(const JsonWriter&) = delete;
  ~JsonWriter() { flush(); }

  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  JsonWriter& key(std::string_view name);
  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(std::int64_t number);
  JsonWriter& value(std::uint64_t number);
  JsonWriter& value(int number) { return value(std::int64_t{number}); }
  JsonWriter& value(std::uint32_t number) {
    return value(std::uint64_t{number});
  }
  JsonWriter& value(double number);
  JsonWriter& value(bool truth) { return raw(truth ? "true" : "false"); }
  JsonWriter& null() { return raw("null"); }
  // Writes `json` verbatim.
  JsonWriter& raw(std::string_view json);

  template <class T>
  JsonWriter& member(std::string_view name, T&& content) {
    key(name);
    return value(std::forward<T>(content));
  }

  void flush();

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  void separate();

  std::ostream& out_;
  std::string buffer_;
  bool comma_ = false;
};

// Appends `text`, quoted and escaped.
void append_json_string(std::string& out, std::string_view text);

}  // namespace wick
