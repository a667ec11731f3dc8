// SPDX-License-Identifier: Apache-2.0
#include "format/json/json.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"
#include "base/text.h"

namespace wick {
namespace {

// Empty values of each kind, for loops over missing ones.
struct Nothing {
  simdjson::dom::parser parser;
  simdjson::dom::array array;
  simdjson::dom::object object;
  Nothing() {
    const auto parts = parser.parse("[[],{}]", 7).get_array();
    array = parts.at(0).get_array().value_unsafe();
    object = parts.at(1).get_object().value_unsafe();
  }
};
const Nothing& nothing() {
  static const Nothing instance;
  return instance;
}

}  // namespace

Json Json::operator[](std::string_view key) const {
  simdjson::dom::object object;
  simdjson::dom::element value;
  if (!exists_ || element_.get(object) != simdjson::SUCCESS ||
      object.at_key(key).get(value) != simdjson::SUCCESS)
    return {};
  return Json(value);
}

Json::Items Json::items() const {
  simdjson::dom::array array;
  if (!exists_ || element_.get(array) != simdjson::SUCCESS)
    return Items(nothing().array);
  return Items(array);
}

Json::Members Json::members() const {
  simdjson::dom::object object;
  if (!exists_ || element_.get(object) != simdjson::SUCCESS)
    return Members(nothing().object);
  return Members(object);
}

std::string_view Json::text() const {
  std::string_view text;
  if (!exists_ || element_.get(text) != simdjson::SUCCESS) return {};
  return text;
}

std::optional<std::int64_t> Json::integer() const {
  if (!exists_) return {};
  std::int64_t value = 0;
  if (element_.get(value) == simdjson::SUCCESS) return value;
  const auto real = number();
  if (!real || std::trunc(*real) != *real || std::abs(*real) >= 0x1p63)
    return {};
  return static_cast<std::int64_t>(*real);
}

std::optional<double> Json::number() const {
  double value = 0;
  if (!exists_ || element_.get(value) != simdjson::SUCCESS) return {};
  return value;
}

std::optional<Decimal> Json::decimal() const {
  if (!exists_) return {};
  std::int64_t whole = 0;
  if (element_.get(whole) == simdjson::SUCCESS) return Decimal{whole, 0};
  const auto real = number();
  if (!real) return {};
  if (std::abs(*real) >= 1e18)
    return Decimal{*real < 0 ? INT64_MIN : INT64_MAX, 0};
  // The shortest digits that round to this double are those in the input.
  char digits[64];
  const auto end = std::to_chars(digits, digits + sizeof digits, *real,
                                 std::chars_format::fixed);
  if (end.ec == std::errc())
    return to_decimal({digits, static_cast<std::size_t>(end.ptr - digits)});
  return Decimal{0, 0};  // hundreds of zeros after the point
}

std::optional<bool> Json::truth() const {
  bool value = false;
  if (!exists_ || element_.get(value) != simdjson::SUCCESS) return {};
  return value;
}

JsonDocument::JsonDocument(std::string_view text, Diagnostics& diagnostics) {
  text = without_byte_order_mark(text);
  simdjson::dom::parser parser;
  const auto parse = [&](std::string_view json) {
    if (const auto error = parser.allocate(json.size(), kMaxDepth))
      return error;
    return parser.parse_into_document(document_, json.data(), json.size())
        .error();
  };
  auto error = parse(text);
  if (error == simdjson::SUCCESS) return;
  if (error == simdjson::CAPACITY || error == simdjson::MEMALLOC)
    fail("has {} bytes of JSON, which is too much", text.size());
  const RepairedJson repaired = repair_json(text);
  if (repaired.text.empty()) fail("is not JSON: {}", repaired.problem);
  error = parse(repaired.text);
  if (error != simdjson::SUCCESS)
    fail("is not JSON: {}", simdjson::error_message(error));
  if (!repaired.problem.empty())
    diagnostics.note_at(Problem::kTruncated, repaired.problem);
  if (repaired.fixes > 0) diagnostics.note(Problem::kBadRecord, repaired.fixes);
}

}  // namespace wick
