// SPDX-License-Identifier: Apache-2.0
#include "perf/events/event_spec.h"

#include <fmt/format.h>
#include <fnmatch.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/text.h"
#include "io/read_file.h"
#include "perf/events/event_suggestions.h"
#include "perf/events/named_events.h"
#include "perf/events/pmu.h"

namespace wick {
namespace {

constexpr std::string_view kModifiers = "ukhGHpPIDe";

bool are_modifiers(std::string_view text) {
  return !text.empty() &&
         text.find_first_not_of(kModifiers) == std::string_view::npos;
}

bool is_glob(std::string_view text) {
  return text.find_first_of("*?[") != std::string_view::npos;
}

// "u" means user code only, "uk" all but the hypervisor: the first modifier of
// a kind excludes all of the kind, and each one includes its own again.
void apply_modifiers(std::string_view modifiers, EventSpec& spec) {
  using namespace attr_flag;
  constexpr std::uint64_t kModes =
      kExcludeUser | kExcludeKernel | kExcludeHypervisor;
  constexpr std::uint64_t kMachines = kExcludeGuest | kExcludeHost;
  bool has_mode = false, has_machine = false;
  const auto only = [&](bool& first, std::uint64_t all, std::uint64_t wanted) {
    if (!std::exchange(first, true)) spec.flags |= all;
    spec.flags &= ~wanted;
  };
  for (const char c : modifiers) {
    if (c == 'u') only(has_mode, kModes, kExcludeUser);
    if (c == 'k') only(has_mode, kModes, kExcludeKernel);
    if (c == 'h') only(has_mode, kModes, kExcludeHypervisor);
    if (c == 'G') only(has_machine, kMachines, kExcludeGuest);
    if (c == 'H') only(has_machine, kMachines, kExcludeHost);
    if (c == 'I') spec.flags |= kExcludeIdle;
    if (c == 'D') spec.flags |= kPinned;
    if (c == 'e') spec.flags |= kExclusive;
    if (c == 'P') spec.precise_max = true;
    if (c == 'p') ++spec.precise;
  }
  if (spec.precise > 3)
    fail_usage("':{}' is too precise; 'ppp' is the maximum",
               excerpt(modifiers));
  // Precise events cannot be counted in guests.
  if ((spec.precise > 0 || spec.precise_max) && !has_machine)
    spec.flags |= kExcludeGuest;
}

class ListParser {
 public:
  ListParser(std::string_view list, const SystemPaths& paths)
      : rest_(list), paths_(paths) {}

  std::vector<EventSpec> parse() {
    do {
      skip_blanks();
      if (rest_.starts_with('{'))
        group();
      else
        add_alone(take_event());
      skip_blanks();
    } while (take(','));
    if (!rest_.empty())
      fail_usage("unexpected '{}' in a list of events", excerpt(rest_));
    return std::move(events_);
  }

 private:
  void skip_blanks() { rest_ = trim_left(rest_); }
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void group() {
    take('{');
    std::vector<std::string_view> members;
    do members.push_back(take_event());
    while (take(','));
    if (!take('}')) fail_usage("a group of events has no '}}'");
    if (take(':')) {
      group_modifiers_ = rest_.substr(0, rest_.find(','));
      rest_.remove_prefix(group_modifiers_.size());
      group_modifiers_ = trim(group_modifiers_);
      if (!are_modifiers(group_modifiers_)) fail_modifiers(group_modifiers_);
    }
    const std::size_t first = events_.size();
    for (const std::string_view member : members) add(member);
    for (std::size_t i = first; i < events_.size(); ++i)
      events_[i].group = next_group_;
    ++next_group_;
    group_modifiers_ = {};
  }

  // A glob gives several events, which are not a group.
  void add_alone(std::string_view text) {
    const std::size_t first = events_.size();
    add(text);
    for (std::size_t i = first; i < events_.size(); ++i)
      events_[i].group = next_group_++;
  }

  // One event, up to the next ',' that is not between slashes.
  std::string_view take_event() {
    skip_blanks();
    const bool is_memory = rest_.starts_with("mem:");  // mem:ADDR/LENGTH
    bool in_terms = false;
    std::size_t size = 0;
    for (; size < rest_.size(); ++size) {
      const char c = rest_[size];
      if (c == '/' && !is_memory) in_terms = !in_terms;
      if (!in_terms && (c == ',' || c == '}')) break;
      if (!in_terms && c == '{')
        fail_usage("a group of events cannot contain another: '{}'",
                   excerpt(rest_));
    }
    const std::string_view event = trim(rest_.substr(0, size));
    if (in_terms) fail_usage("'{}' has no second '/'", excerpt(event));
    if (event.empty())
      fail_usage("the name of an event is missing before '{}'",
                 excerpt(rest_.empty() ? "the end" : rest_));
    rest_.remove_prefix(size);
    return event;
  }

  [[noreturn]] static void fail_modifiers(std::string_view modifiers) {
    fail_usage(
        "':{}' is not understood: u (user), k (kernel), h (hypervisor), p, pp, "
        "ppp, P (precise), G (guest), H (host), I (not idle), D (pinned) and e "
        "(exclusive) may follow an event",
        excerpt(modifiers));
  }

  void push(EventSpec spec, std::string_view modifiers) {
    apply_modifiers(fmt::format("{}{}", modifiers, group_modifiers_), spec);
    if (!group_modifiers_.empty())
      spec.name += fmt::format(":{}", group_modifiers_);
    events_.push_back(std::move(spec));
  }

  void add(std::string_view text) {
    if (text.starts_with("mem:")) return memory(text);
    if (const std::size_t slash = text.find('/');
        slash != std::string_view::npos)
      return pmu_event(text, slash);
    // What follows the last ':' is modifiers, unless it is a tracepoint's name:
    // "sched:sched_switch:u", "cycles:u".
    std::string_view name = text, modifiers;
    if (const std::size_t colon = text.rfind(':');
        colon != std::string_view::npos) {
      const std::string_view before = text.substr(0, colon);
      const std::string_view after = text.substr(colon + 1);
      const bool has_two = before.find(':') != std::string_view::npos;
      if (has_two || is_plain(before)) {
        if (!are_modifiers(after)) fail_modifiers(after);
        name = before;
        modifiers = after;
      }
    }
    if (const std::size_t colon = name.find(':');
        colon != std::string_view::npos)
      return tracepoints(name.substr(0, colon), name.substr(colon + 1), text,
                         modifiers);
    plain(name, text, modifiers);
  }

  // Whether an event has this name, so that it is not a tracepoint.
  bool is_plain(std::string_view name) {
    return find_named_event(name) || raw_code(name) || find_in_pmus(name);
  }

  static std::optional<std::uint64_t> raw_code(std::string_view name) {
    if (!name.starts_with('r')) return {};
    return to_number<std::uint64_t>(name.substr(1), 16);
  }

  std::optional<Pmu> find_in_pmus(std::string_view name) {
    for (const std::string& pmu_name : list_pmus(paths_)) {
      std::optional<Pmu> pmu = read_pmu(pmu_name, paths_);
      if (pmu && pmu->events.contains(name)) return pmu;
    }
    return {};
  }

  void plain(std::string_view name, std::string_view text,
             std::string_view modifiers) {
    EventSpec spec;
    spec.name = text;
    if (const auto named = find_named_event(name)) {
      spec.type = named->type;
      spec.config = named->config;
      if (named->type != event_type::kSoftware &&
          add_for_each_core_kind(spec, name, modifiers))
        return;
    } else if (const auto raw = raw_code(name)) {
      spec.type = event_type::kRaw;
      spec.config = *raw;
    } else if (const auto pmu = find_in_pmus(name)) {
      pmu->apply_terms(name, spec);
    } else {
      fail_unknown_event(name, paths_);
    }
    push(std::move(spec), modifiers);
  }

  // On a hybrid machine each kind of core has a PMU, and "cycles" becomes one
  // event for each; the upper half of config selects the PMU. False if all
  // cores are alike.
  bool add_for_each_core_kind(const EventSpec& spec, std::string_view name,
                              std::string_view modifiers) {
    bool found = false;
    for (const std::string_view kind : {"cpu_core", "cpu_atom"}) {
      const auto pmu = read_pmu(kind, paths_);
      if (!pmu) continue;
      found = true;
      EventSpec one = spec;
      one.name = fmt::format("{}/{}/{}", kind, name, modifiers);
      one.config |= std::uint64_t{pmu->type} << 32;
      one.pmu = kind;
      one.cpus = pmu->cpus;
      push(std::move(one), modifiers);
    }
    return found;
  }

  // "cpu/event=0x3c/u"
  void pmu_event(std::string_view text, std::size_t slash) {
    const std::string_view name = text.substr(0, slash);
    const std::size_t end = text.rfind('/');
    const std::string_view terms = text.substr(slash + 1, end - slash - 1);
    std::string_view modifiers = text.substr(end + 1);
    if (modifiers.starts_with(':')) modifiers.remove_prefix(1);
    if (!modifiers.empty() && !are_modifiers(modifiers))
      fail_modifiers(modifiers);
    const auto pmu = read_pmu(name, paths_);
    if (!pmu && find_named_event(name))
      return named_event(name, terms, text, modifiers);
    if (!pmu) fail_unknown_pmu(name, paths_);
    EventSpec spec;
    spec.name = text;
    pmu->apply_terms(terms, spec);
    push(std::move(spec), modifiers);
  }

  // "cycles/period=1000/": period or frequency, with a name instead of a PMU.
  void named_event(std::string_view name, std::string_view terms,
                   std::string_view text, std::string_view modifiers) {
    EventSpec how;
    how.name = text;
    Pmu{.name = std::string(name)}.apply_terms(terms, how);
    const std::size_t first = events_.size();
    plain(name, how.name, modifiers);
    for (std::size_t i = first; i < events_.size(); ++i) {
      events_[i].period = how.period;
      events_[i].frequency = how.frequency;
    }
  }

  // "mem:0x1000/8:rw:u": a watch point.
  void memory(std::string_view text) {
    std::string_view rest = text.substr(4);
    std::string_view place = take_until(rest, ':');
    std::string_view access = take_until(rest, ':');
    std::string_view modifiers = rest;
    if (access.find_first_not_of("rwx") != std::string_view::npos) {
      modifiers = access;
      access = {};
    }
    std::string_view address = take_until(place, '/');
    if (address.starts_with("0x")) address.remove_prefix(2);
    const auto start = to_number<std::uint64_t>(address, 16);
    const bool executes = access.find('x') != std::string_view::npos;
    const auto length = place.empty()
                            ? std::optional<std::uint64_t>(
                                  executes ? sizeof(long) : std::uint64_t{4})
                            : to_number<std::uint64_t>(place);
    if (!start || !length)
      fail_usage(
          "'{}' is not a watchpoint; expected mem:ADDRESS[/LENGTH][:rwx]",
          excerpt(text));
    if (!modifiers.empty() && !are_modifiers(modifiers))
      fail_modifiers(modifiers);
    EventSpec spec;
    spec.name = text;
    spec.type = event_type::kBreakpoint;
    spec.config1 = *start;
    spec.config2 = *length;
    const auto has = [&](char c) {
      return access.find(c) != std::string_view::npos;
    };
    spec.bp_type =
        (has('r') ? 1u : 0u) | (has('w') ? 2u : 0u) | (executes ? 4u : 0u);
    if (access.empty()) spec.bp_type = 3;
    push(std::move(spec), modifiers);
  }

  void tracepoints(std::string_view system, std::string_view name,
                   std::string_view text, std::string_view modifiers) {
    const std::string tracefs = readable_tracefs(paths_);
    // "cpuclock:u" is a misspelt event rather than a tracepoint called u.
    if (are_modifiers(name) &&
        ::access(fmt::format("{}/events/{}", tracefs, system).c_str(), F_OK) !=
            0)
      fail_unknown_event(system, paths_);
    if (tracefs.empty()) fail_without_tracefs(text, paths_);
    std::vector<EventSpec> found;
    const std::string suffix =
        modifiers.empty() ? "" : fmt::format(":{}", modifiers);
    for (const auto& [real_system, real_name] :
         matching_tracepoints(tracefs, system, name)) {
      const auto id = to_number<std::uint64_t>(
          trim(read_small_file(fmt::format("{}/events/{}/{}/id", tracefs,
                                           real_system, real_name),
                               64)
                   .value_or("")));
      if (!id) continue;
      EventSpec spec;
      spec.name = fmt::format("{}:{}{}", real_system, real_name, suffix);
      spec.type = event_type::kTracepoint;
      spec.config = *id;
      spec.is_tracepoint = true;
      found.push_back(std::move(spec));
    }
    if (found.empty())
      fail_unknown_event(fmt::format("{}:{}", system, name), paths_);
    for (EventSpec& spec : found) push(std::move(spec), modifiers);
  }

  static std::vector<std::pair<std::string, std::string>> matching_tracepoints(
      const std::string& tracefs, std::string_view system,
      std::string_view name) {
    const auto is_bad = [](std::string_view part) {
      return part.empty() || part.find('/') != std::string_view::npos ||
             part.find('\0') != std::string_view::npos || part[0] == '.';
    };
    if (is_bad(system) || is_bad(name)) return {};
    std::vector<std::pair<std::string, std::string>> result;
    for (const std::string& real_system :
         matching_folders(tracefs + "/events", system))
      for (const std::string& real_name :
           matching_folders(tracefs + "/events/" + real_system, name))
        result.emplace_back(real_system, real_name);
    return result;
  }

  static std::vector<std::string> matching_folders(const std::string& folder,
                                                   std::string_view pattern) {
    if (!is_glob(pattern)) return {std::string(pattern)};
    std::vector<std::string> names;
    std::error_code error;
    const std::string text(pattern);
    for (std::filesystem::directory_iterator at(folder, error);
         !error && at != std::filesystem::directory_iterator();
         at.increment(error)) {
      const std::string name = at->path().filename().string();
      if (at->is_directory(error) &&
          ::fnmatch(text.c_str(), name.c_str(), 0) == 0)
        names.push_back(name);
    }
    std::ranges::sort(names);
    return names;
  }

  std::string_view rest_;
  const SystemPaths& paths_;
  std::vector<EventSpec> events_;
  std::uint32_t next_group_ = 0;
  std::string_view group_modifiers_;
};

}  // namespace

void EventSpec::apply_to(EventAttr& attr) const {
  attr.type = type;
  attr.config = config;
  attr.config1 = config1;
  attr.config2 = config2;
  attr.config3 = config3;
  attr.bp_type = bp_type;
  attr.flags = (attr.flags & ~attr_flag::kPrecise) | flags |
               (precise_max ? 3ull : static_cast<std::uint64_t>(precise))
                   << attr_flag::kPreciseShift;
  if (period) {
    attr.sample_period = *period;
    attr.flags &= ~attr_flag::kFreq;
  } else if (frequency) {
    attr.sample_period = *frequency;
    attr.flags |= attr_flag::kFreq;
  }
}

std::vector<EventSpec> parse_events(std::string_view list,
                                    const SystemPaths& paths) {
  return ListParser(list, paths).parse();
}

}  // namespace wick
