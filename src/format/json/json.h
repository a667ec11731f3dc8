// SPDX-License-Identifier: Apache-2.0
// JSON inputs. Only this file and its .cc use simdjson.
//
// Profiles are truncated and contain invalid UTF-8, NaN, trailing commas and
// numbers beyond 64 bits. A JsonDocument reads as much as possible: text that
// simdjson refuses is repaired (up to the first place that makes no sense),
// read again, and noted.
//
// A Json is a value of a document, or nothing. A lookup that fails returns
// nothing, so readers check results rather than structure:
//
//   for (const Json frame : document.root()["shared"]["frames"].items())
//     names.push_back(frame["name"].text());
//
// Values may be nested kMaxDepth deep: walk them with a stack, not recursion.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "profile/diagnostics.h"

namespace wick {

class Json {
 public:
  class Items;
  class Members;

  Json() = default;  // nothing
  explicit Json(simdjson::dom::element element)
      : element_(element), exists_(true) {}

  explicit operator bool() const { return exists_; }
  bool is_object() const { return exists_ && element_.is_object(); }
  bool is_array() const { return exists_ && element_.is_array(); }
  bool is_string() const { return exists_ && element_.is_string(); }
  bool is_number() const { return exists_ && element_.is_number(); }

  // The first member of that name; linear in the number of members.
  Json operator[](std::string_view key) const;

  // The elements of an array; none if this is not one.
  Items items() const;
  // The members of an object as pairs (key, value); none if this is not one.
  Members members() const;

  // The string, valid as long as the document; "" if this is not one.
  std::string_view text() const;
  // Integers, including doubles without a fraction.
  std::optional<std::int64_t> integer() const;
  std::optional<double> number() const;
  // As written in the document if it has at most 15 digits; rounded to
  // kMaxDecimals decimals.
  std::optional<Decimal> decimal() const;
  std::optional<bool> truth() const;

 private:
  simdjson::dom::element element_;
  bool exists_ = false;
};

class Json::Items {
 public:
  explicit Items(simdjson::dom::array array) : array_(array) {}
  struct Iterator {
    simdjson::dom::array::iterator at;
    Json operator*() const { return Json(*at); }
    Iterator& operator++() {
      ++at;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at != other.at; }
  };
  Iterator begin() const { return {array_.begin()}; }
  Iterator end() const { return {array_.end()}; }

 private:
  simdjson::dom::array array_;
};

class Json::Members {
 public:
  explicit Members(simdjson::dom::object object) : object_(object) {}
  struct Iterator {
    simdjson::dom::object::iterator at;
    std::pair<std::string_view, Json> operator*() const {
      return {at.key(), Json(at.value())};
    }
    Iterator& operator++() {
      ++at;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at != other.at; }
  };
  Iterator begin() const { return {object_.begin()}; }
  Iterator end() const { return {object_.end()}; }

 private:
  simdjson::dom::object object_;
};

class JsonDocument {
 public:
  static constexpr std::size_t kMaxDepth = 100'000;

  // Reads `text`, which is not needed afterwards. Notes kTruncated if it is
  // truncated and kBadRecord if it was repaired; fails if it is not JSON.
  JsonDocument(std::string_view text, Diagnostics& diagnostics);

  Json root() const { return Json(document_.root()); }

 private:
  simdjson::dom::document document_;
};

// For sniffing: the keys of the object that `head` begins with (or of the first
// object of the array that it begins with), as far as `head` goes. Keys with
// escapes are left out.
std::vector<std::string_view> json_keys(std::string_view head);

// Repairs `text`: keeps everything up to the end or to the first place that
// makes no sense, and closes open brackets.
struct RepairedJson {
  std::string text;       // empty if there is no value at all
  std::string problem;    // why it ends early; empty if it does not
  std::size_t fixes = 0;  // bytes and values that were replaced on the way
};
RepairedJson repair_json(std::string_view text);

}  // namespace wick
