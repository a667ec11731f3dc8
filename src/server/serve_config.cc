// SPDX-License-Identifier: Apache-2.0
#include "server/serve_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <optional>
#include <sstream>
#include <toml.hpp>

#include "base/edit_distance.h"
#include "base/error.h"
#include "base/text.h"

namespace wick {
namespace {

// --- Values in words ---------------------------------------------------------

struct Unit {
  std::string_view name;
  std::uint64_t value;
};

// "30d": a whole number and one of the units.
template <std::size_t N>
std::optional<std::uint64_t> measured(std::string_view text,
                                      const std::array<Unit, N>& units) {
  const auto number = take_number<std::uint64_t>(text);
  const auto unit = std::ranges::find(units, text, &Unit::name);
  if (!number || unit == units.end()) return std::nullopt;
  if (*number > std::numeric_limits<std::uint64_t>::max() / unit->value)
    return std::nullopt;
  return *number * unit->value;
}

std::chrono::seconds age(std::string_view text) {
  static constexpr std::array kUnits = {Unit{"h", 3600}, Unit{"d", 86400},
                                        Unit{"w", 7 * 86400},
                                        Unit{"y", 365 * 86400}};
  constexpr std::uint64_t kLongest = std::uint64_t{100} * 365 * 86400;
  const auto seconds = measured(text, kUnits);
  if (!seconds || *seconds == 0 || *seconds > kLongest)
    fail("'{}' is not an age such as 12h, 30d, 8w or 1y", excerpt(text));
  return std::chrono::seconds(*seconds);
}

std::uint64_t size(std::string_view text) {
  static constexpr std::array kUnits = {Unit{"M", std::uint64_t{1} << 20},
                                        Unit{"G", std::uint64_t{1} << 30},
                                        Unit{"T", std::uint64_t{1} << 40}};
  constexpr std::uint64_t kLeast = std::uint64_t{16} << 20;
  const auto bytes = measured(text, kUnits);
  if (!bytes || *bytes < kLeast)
    fail("'{}' is not a size of at least 16M, such as 500M, 2G or 1T",
         excerpt(text));
  return *bytes;
}

int frequency(std::string_view text) {
  const auto number = to_number<int>(text);
  if (!number || *number < 1 || *number > 999)
    fail("'{}' is not a number of samples per second from 1 to 999",
         excerpt(text));
  return *number;
}

// As a link has it between "//" and the port.
std::string_view host(std::string_view text) {
  const bool is_name =
      !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
        return c >= 0x80 || std::isalnum(c) != 0 || c == '.' || c == '-' ||
               c == '_';
      });
  const bool is_version_6 =
      std::ranges::count(text, ':') > 1 &&
      text.find_first_not_of("0123456789abcdefABCDEF:.") == text.npos;
  if (!is_name && !is_version_6)
    fail(
        "'{}' is not the name or address of a machine, such as "
        "build7.example.com, without http:// and port",
        excerpt(text));
  return text;
}

bool truth(std::string_view text) {
  if (text != "true" && text != "false")
    fail("'{}' is neither true nor false", excerpt(text));
  return text == "true";
}

// "127.0.0.1:7373", "[::1]:7373", "0.0.0.0", ":7373".
void listen(ServeConfig& config, std::string_view text) {
  const std::string_view whole = text;
  std::string_view address = text;
  std::optional<std::uint16_t> port = config.port;
  const std::size_t colon = text.rfind(':');
  if (colon != std::string_view::npos && !text.ends_with(']')) {
    address = text.substr(0, colon);
    port = to_number<std::uint16_t>(text.substr(colon + 1));
  }
  const bool in_brackets = address.starts_with('[') && address.ends_with(']');
  if (in_brackets) address = address.substr(1, address.size() - 2);
  if (!port || in_brackets != (address.find(':') != std::string_view::npos) ||
      address.find_first_not_of("0123456789abcdefABCDEF.:%") !=
          std::string_view::npos)
    fail("'{}' is not an address such as 127.0.0.1:7373 or [::1]:7373",
         excerpt(whole));
  if (!address.empty()) config.address = address;
  config.port = *port;
}

// --- Keys --------------------------------------------------------------------

enum class Kind { kText, kTruth, kNumber, kList };

struct Key {
  std::string_view name;
  Kind kind;
  void (*set)(ServeConfig&, std::string_view);
};

using Text = std::string_view;
constexpr Key kKeys[] = {
    {"freq", Kind::kNumber,
     [](ServeConfig& c, Text t) { c.frequency = frequency(t); }},
    {"hosts", Kind::kList,
     [](ServeConfig& c, Text t) { c.hosts.emplace_back(host(t)); }},
    {"insecure", Kind::kTruth,
     [](ServeConfig& c, Text t) { c.insecure = truth(t); }},
    {"keep", Kind::kText, [](ServeConfig& c, Text t) { c.keep = age(t); }},
    {"listen", Kind::kText, listen},
    {"live-freq", Kind::kNumber,
     [](ServeConfig& c, Text t) { c.live_frequency = frequency(t); }},
    {"max-size", Kind::kText,
     [](ServeConfig& c, Text t) { c.max_size = size(t); }},
    {"off-cpu", Kind::kTruth,
     [](ServeConfig& c, Text t) { c.off_cpu = truth(t); }},
    {"record", Kind::kTruth,
     [](ServeConfig& c, Text t) { c.record = truth(t); }},
    {"tls-cert", Kind::kText,
     [](ServeConfig& c, Text t) { c.tls_certificate = t; }},
    {"tls-key", Kind::kText, [](ServeConfig& c, Text t) { c.tls_key = t; }},
    {"token-file", Kind::kText,
     [](ServeConfig& c, Text t) { c.token_file = t; }},
};

const Key& key_of(std::string_view name) {
  const auto found = std::ranges::find(kKeys, name, &Key::name);
  if (found != std::end(kKeys)) return *found;
  const auto distance = [&](const Key& key) {
    return edit_distance(key.name, name);
  };
  const Key& nearest = *std::ranges::min_element(kKeys, {}, distance);
  const bool is_near = distance(nearest) <= 2;
  fail("there is no '{}'{}", excerpt(name),
       is_near ? fmt::format(" (did you mean {}?)", nearest.name) : "");
}

void set(ServeConfig& config, const Key& key, const toml::value& value) {
  switch (key.kind) {
    case Kind::kText:
      if (!value.is_string()) fail("it is a text in quotes");
      return key.set(config, value.as_string().str);
    case Kind::kTruth:
      if (!value.is_boolean()) fail("it is true or false, without quotes");
      return key.set(config, value.as_boolean() ? "true" : "false");
    case Kind::kNumber:
      if (!value.is_integer()) fail("it is a whole number");
      return key.set(config, std::to_string(value.as_integer()));
    case Kind::kList:
      if (!value.is_array()) fail("it is a list, as [\"one\", \"two\"]");
      for (const toml::value& item : value.as_array()) {
        if (!item.is_string()) fail("its items are texts in quotes");
        key.set(config, item.as_string().str);
      }
  }
}

toml::value parsed(std::string_view toml, const std::string& file) {
  std::istringstream in{std::string(toml)};
  try {
    return toml::parse(in, file);
  } catch (const toml::exception& error) {
    // What it says has several lines, with the place drawn.
    fail("{}: line {}: this is not TOML: keys are set as in `keep = \"30d\"`",
         file, error.location().line());
  }
}

}  // namespace

ServeConfig parse_serve_config(std::string_view toml, const std::string& file,
                               ServeConfig base) {
  const toml::value all = parsed(toml, file);
  // In the order of the file, so that the first mistake is reported.
  std::vector<std::pair<std::uint64_t, const std::string*>> keys;
  for (const auto& [name, value] : all.as_table())
    keys.emplace_back(value.location().line(), &name);
  std::ranges::sort(keys);
  for (const auto& [line, name] : keys)
    in_context(fmt::format("{}: line {}", file, line), [&] {
      const Key& key = key_of(*name);
      in_context(*name, [&] { set(base, key, all.as_table().at(*name)); });
    });
  return base;
}

void check_serve_config(const ServeConfig& config) {
  if (config.tls_certificate.empty() != config.tls_key.empty())
    fail("give both tls-cert and tls-key, or neither");
}

void set_option(ServeConfig& config, std::string_view name,
                std::string_view value) {
  key_of(name).set(config, value);
}

}  // namespace wick
