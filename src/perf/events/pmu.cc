// SPDX-License-Identifier: Apache-2.0
#include "perf/events/pmu.h"

#include <dirent.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <memory>

#include "base/error.h"
#include "base/text.h"
#include "io/read_file.h"
#include "perf/events/kernel_limits.h"
#include "perf/events/named_events.h"

namespace wick {
namespace {

constexpr std::uint64_t kMaxFile = 1 << 16;

std::vector<std::string> list_folder(const std::string& path) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path.c_str()),
                                                   ::closedir);
  while (const dirent* entry = folder ? ::readdir(folder.get()) : nullptr)
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  std::ranges::sort(names);
  return names;
}

std::string read_text(const std::string& path) {
  return std::string(trim(read_small_file(path, kMaxFile).value_or("")));
}

std::optional<std::uint64_t> to_value(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X"))
    return to_number<std::uint64_t>(text.substr(2), 16);
  return to_number<std::uint64_t>(text);
}

std::uint64_t* config_of(std::string_view name, EventSpec& spec) {
  if (name == "config") return &spec.config;
  if (name == "config1") return &spec.config1;
  if (name == "config2") return &spec.config2;
  if (name == "config3") return &spec.config3;
  return nullptr;
}

// Puts `value` into the bits of "config1:0-7,32-35", lowest first; false if it
// does not fit.
bool put_bits(std::string_view format, std::uint64_t value, EventSpec& spec) {
  std::uint64_t* config = config_of(take_until(format, ':'), spec);
  if (config == nullptr) return false;
  while (!format.empty()) {
    std::string_view range = take_until(format, ',');
    const auto low = to_number<unsigned>(trim(take_until(range, '-')));
    const auto high = range.empty() ? low : to_number<unsigned>(trim(range));
    if (!low || !high || *high > 63 || *low > *high) return false;
    const unsigned width = *high - *low + 1;
    const std::uint64_t mask = width == 64 ? ~0ull : (1ull << width) - 1;
    *config = (*config & ~(mask << *low)) | (value & mask) << *low;
    value = width == 64 ? 0 : value >> width;
  }
  return value == 0;
}

std::string join(const std::map<std::string, std::string, std::less<>>& names) {
  constexpr std::size_t kShown = 12;
  std::string out;
  std::size_t count = 0;
  for (const auto& [name, _] : names) {
    if (count++ == kShown) return out + " …";
    out += (out.empty() ? "" : ", ") + name;
  }
  return out;
}

// "period=1000", "event=0x3c", "umask": one term. `depth` is 1 inside the
// definition of an event.
void apply_term(const Pmu& pmu, std::string_view term, int depth,
                EventSpec& spec) {
  const std::string_view whole = term;
  const std::string_view key = trim(take_until(term, '='));
  const bool has_value = whole.find('=') != std::string_view::npos;
  const std::string_view text = trim(term);
  if (key == "name" && has_value) {
    spec.name = text;
    return;
  }
  if (!has_value && depth == 0) {
    if (const auto event = pmu.events.find(key); event != pmu.events.end()) {
      std::string_view terms = event->second;
      while (!terms.empty()) apply_term(pmu, take_until(terms, ','), 1, spec);
      if (const auto unit = pmu.units.find(key); unit != pmu.units.end())
        spec.unit = unit->second;
      if (const auto scale = pmu.scales.find(key); scale != pmu.scales.end())
        spec.scale = scale->second;
      return;
    }
  }
  if (text == "?")
    fail_usage("the event needs a value for '{}'; add '{}=N'", excerpt(key),
               excerpt(key));
  const auto value =
      has_value ? to_value(text) : std::optional<std::uint64_t>(1);
  const auto format = pmu.formats.find(key);
  std::uint64_t* const config = config_of(key, spec);
  const bool is_known = format != pmu.formats.end() || config != nullptr ||
                        key == "period" || key == "freq";
  if (is_known && !value)
    fail_usage("'{}' is not a number in '{}/{}/'", excerpt(text), pmu.name,
               excerpt(whole));
  if (format != pmu.formats.end()) {
    if (!put_bits(format->second, *value, spec))
      fail_usage("'{}' does not fit: {} has the bits {}", excerpt(whole),
                 excerpt(key), format->second);
    return;
  }
  if (config != nullptr) {
    *config = *value;
    return;
  }
  if (key == "period") {
    spec.period = *value;
    return;
  }
  if (key == "freq") {
    spec.frequency = *value;
    return;
  }
  // cpu_core/cycles/: a generic event, on this kind of core.
  const auto named = has_value ? std::nullopt : find_named_event(key);
  if (pmu.is_core && named && named->type != event_type::kSoftware) {
    spec.type = named->type;
    spec.config = named->config;
    if (pmu.name != "cpu") spec.config |= std::uint64_t{pmu.type} << 32;
    return;
  }
  fail_usage("{} has no '{}': its events are {}; its terms are {}", pmu.name,
             excerpt(key), pmu.events.empty() ? "none" : join(pmu.events),
             pmu.formats.empty() ? "config" : join(pmu.formats));
}

}  // namespace

void Pmu::apply_terms(std::string_view terms, EventSpec& spec) const {
  spec.type = type;
  spec.pmu = name;
  spec.cpus = cpus;
  while (!terms.empty()) {
    const std::string_view term = trim(take_until(terms, ','));
    if (!term.empty()) apply_term(*this, term, 0, spec);
  }
}

std::optional<Pmu> read_pmu(std::string_view name, const SystemPaths& paths) {
  if (name.empty() || name.find('/') != std::string_view::npos ||
      name.find('\0') != std::string_view::npos || name[0] == '.')
    return {};
  const std::string folder =
      fmt::format("{}/bus/event_source/devices/{}", paths.sys, name);
  const auto type = to_number<std::uint32_t>(read_text(folder + "/type"));
  if (!type) return {};
  Pmu pmu;
  pmu.name = name;
  pmu.type = *type;
  for (const std::string& term : list_folder(folder + "/format"))
    pmu.formats[term] = read_text(folder + "/format/" + term);
  for (const std::string& file : list_folder(folder + "/events")) {
    const std::string text = read_text(folder + "/events/" + file);
    const std::size_t dot = file.rfind('.');
    const std::string event = file.substr(0, dot);
    if (dot == std::string::npos)
      pmu.events[event] = text;
    else if (file.ends_with(".unit"))
      pmu.units[event] = text;
    else if (file.ends_with(".scale"))
      pmu.scales[event] = to_double(text).value_or(1);
  }
  // "cpus" has the cores of one kind, "cpumask" those that count for others.
  const std::string cores = read_text(folder + "/cpus");
  pmu.cpus =
      parse_cpu_list(cores.empty() ? read_text(folder + "/cpumask") : cores);
  pmu.is_core = name == "cpu" || !cores.empty();
  return pmu;
}

std::vector<std::string> list_pmus(const SystemPaths& paths) {
  std::vector<std::string> names =
      list_folder(paths.sys + "/bus/event_source/devices");
  std::ranges::stable_partition(names, [](const std::string& name) {
    return name == "cpu" || name.starts_with("cpu_");
  });
  return names;
}

}  // namespace wick
