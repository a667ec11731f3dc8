// SPDX-License-Identifier: Apache-2.0
#include "render/text_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <ranges>
#include <span>
#include <tuple>
#include <utility>

#include "base/bytes.h"
#include "base/error.h"
#include "base/metrics.h"
#include "base/regex.h"
#include "base/text.h"
#include "base/time_text.h"
#include "profile/renamed_threads.h"
#include "render/text_table.h"
#include "transform/event_choice.h"
#include "transform/name_weights.h"
#include "transform/recording.h"
#include "transform/unnamed_modules.h"

namespace wick {

std::string weight_text(std::int64_t weight, const WeightStyle& style) {
  if (style.unit_ns > 0 && !style.raw)
    return time_text(static_cast<double>(weight) *
                     static_cast<double>(style.unit_ns) /
                     static_cast<double>(power_of_ten(style.decimals)));
  return style.decimals == 0 ? number_text(weight, style.raw)
                             : format_decimal(weight, style.decimals);
}

std::string rest_line(std::size_t all, const WriteOptions& options,
                      std::string_view what) {
  const auto top = static_cast<std::size_t>(std::max(options.report.top, 0));
  if (top == 0 || all <= top) return "";
  const std::string text = fmt::format(
      "  … {} more {}",
      number_text(static_cast<std::int64_t>(all - top), options.report.raw),
      all - top == 1 ? what.substr(0, what.size() - 1) : what);
  return with_hint(text, Setting::kTop, options.setting_names) + "\n";
}

std::vector<EventTotal> event_totals(const Profile& profile) {
  std::vector<EventTotal> totals;
  for (const Event& event : profile.events)
    totals.push_back({.name = std::string(profile.strings[event.name]),
                      .unit = std::string(profile.strings[event.unit]),
                      .decimals = event.decimals});
  for (const Sample& sample : profile.samples) {
    EventTotal& total = totals[index(sample.event)];
    total.weight = saturating_add(total.weight, sample.weight);
    ++total.samples;
  }
  // A dummy event carries mappings and names, and never has samples.
  std::erase_if(totals, [](const EventTotal& total) {
    return total.samples == 0 && total.name.starts_with("dummy");
  });
  return totals;
}

namespace {

// What was lost, as a block of indented lines; "" if nothing was. `total` is
// the weight that is left.
std::string loss_report(const Diagnostics& diagnostics, std::int64_t total,
                        const WriteOptions& options) {
  std::string out;
  total = saturating_add(total, diagnostics.missing_weight());
  for (const Diagnostics::Entry& entry : diagnostics.entries()) {
    out += fmt::format("  {}\n",
                       printable(describe(entry, total, options.setting_names,
                                          options.report.raw)));
  }
  return out.empty() ? out : "\nlost or left out\n" + out;
}

// Periods of perf's events are no samples.
std::string_view unit_of(const EventTotal& event) {
  if (!event.unit.empty()) return event.unit;
  return event.name.empty() || event.name == "samples"
             ? "samples"
             : period_unit(event.name);
}

using Align = TextTable::Align;
using By = ReportOptions::By;

struct Row {
  std::string name;
  std::int64_t self = 0, total = 0;
};

class Reporter {
 public:
  Reporter(const Profile& profile, const WriteOptions& options)
      : profile_(profile),
        write_(options),
        options_(options.report),
        fold_(options.fold) {
    fold_.root = ThreadRoot::kNone;
    fold_.reversed = fold_.flamechart = false;
    fold_.min_share = 0;
    fold_.max_depth = INT_MAX - 1;
  }

  std::string run(const std::vector<EventTotal>& events) {
    const FlameGraph graph = wick::fold(profile_, fold_);
    whole_ = graph.total[NodeId::kRoot];
    decimals_ = graph.decimals;
    unit_ns_ = unit_of_all();
    add_events(events);
    if (!options_.callers.empty() || !options_.callees.empty()) {
      add_neighbours(graph);
    } else {
      add_tables(graph);
    }
    out_ += loss_report(graph.diagnostics, whole_, write_);
    return std::move(out_);
  }

 private:
  std::int64_t unit_ns(std::string_view unit) const {
    return options_.raw ? 0 : nanoseconds_in(unit);
  }
  // What the sums of the tables count, if all samples count time in that unit.
  std::int64_t unit_of_all() const {
    if (profile_.samples.empty()) return 0;
    const auto unit_of = [&](const Sample& sample) {
      return profile_.events[sample.event].unit;
    };
    const StringId unit = unit_of(profile_.samples.front());
    const bool is_common = std::ranges::all_of(
        profile_.samples,
        [&](const Sample& sample) { return unit_of(sample) == unit; });
    return is_common ? unit_ns(profile_.strings[unit]) : 0;
  }
  std::string percent(std::int64_t weight) const {
    return share(weight, whole_);
  }
  static std::string share(std::int64_t weight, std::int64_t whole) {
    if (whole <= 0) return "-";
    return fmt::format("{:.2f}%", 100.0 * static_cast<double>(weight) /
                                      static_cast<double>(whole));
  }
  std::string weight(std::int64_t weight) const {
    return weight_text(
        weight,
        {.decimals = decimals_, .unit_ns = unit_ns_, .raw = options_.raw});
  }
  std::string number(std::uint64_t n) const {
    return number_text(
        static_cast<std::int64_t>(std::min<std::uint64_t>(n, INT64_MAX)),
        options_.raw);
  }
  std::string name(std::string_view text) const {
    return printable(text, options_.name_width);
  }
  // "function:file:line", cut in the function.
  std::string line_name(std::string_view text) const {
    const std::size_t line = text.rfind(':');
    const std::size_t file =
        line == text.npos || line == 0 ? text.npos : text.rfind(':', line - 1);
    if (options_.name_width <= 0 || file == text.npos ||
        !to_number<std::uint32_t>(text.substr(line + 1)))
      return name(text);
    const std::string place = printable(text.substr(file));
    const int room = options_.name_width - display_width(place);
    if (room < 2) return name(text);  // a letter and "…"
    return printable(text.substr(0, file), room) + place;
  }
  std::size_t rows_shown(std::size_t all) const {
    return options_.top <= 0
               ? all
               : std::min(all, static_cast<std::size_t>(options_.top));
  }

  void add_events(const std::vector<EventTotal>& events) {
    std::vector<TextTable::Heading> headings{{"total"}, {"unit", Align::kLeft}};
    if (profile_.has_time) headings.push_back({"samples"});
    headings.push_back({"event", Align::kLeft});
    TextTable table(headings);
    for (const EventTotal& event : events) {
      const std::int64_t ns = unit_ns(event.unit);
      std::vector<std::string> cells{
          weight_text(
              event.weight,
              {.decimals = event.decimals, .unit_ns = ns, .raw = options_.raw}),
          ns > 0 ? "time" : name(unit_of(event))};
      if (profile_.has_time) cells.push_back(number(event.samples));
      cells.push_back(name(event.name));
      table.add(std::move(cells));
    }
    out_ += "events\n" + table.text();
    if (profile_.has_time && !profile_.samples.empty())
      out_ += "  from the first sample to the last: " + time_text() + "\n";
  }

  std::string time_text() const {
    const std::uint64_t span = span_of(profile_);
    if (const std::optional<EventId> clock = clock_of_trace(profile_))
      return fmt::format("{} {}", number(span),
                         profile_.strings[profile_.events[*clock].unit]);
    return options_.raw
               ? fmt::format("{} nanoseconds", span)
               : fmt::format("{:.3f} s", static_cast<double>(span) / 1e9);
  }

  void add_tables(const FlameGraph& functions) {
    switch (options_.by) {
      case By::kSummary:
        add_ranked("functions", rows_of(functions));
        if (std::ranges::any_of(profile_.frames.ids(), [&](FrameId id) {
              return profile_.frames[id].module != ModuleId::kUnknown;
            }))
          add_detail("modules", NameDetail::kModule);
        if (std::ranges::any_of(profile_.samples, [](const Sample& sample) {
              return sample.thread != ThreadId::kUnknown;
            }))
          add_threads();
        add_unnamed();
        break;
      case By::kFunction:
        add_ranked("functions", rows_of(functions));
        break;
      case By::kLine:
        add_detail("lines", NameDetail::kLine);
        break;
      case By::kModule:
        add_detail("modules", NameDetail::kModule);
        break;
      case By::kFile:
        add_detail("files", NameDetail::kFile);
        break;
      case By::kThread:
        add_threads();
        break;
      case By::kStack:
        fail_usage("only differences have a table of stacks");
    }
  }

  static std::vector<Row> rows_of(const FlameGraph& graph) {
    std::vector<Row> rows;
    for (const NameWeight& row : sum_by_name(graph))
      rows.push_back({row.name == StringId::kEmpty
                          ? "[no stack]"
                          : std::string(graph.strings[row.name]),
                      row.self, row.total});
    return rows;
  }

  void add_detail(std::string_view what, NameDetail detail) {
    FoldOptions options = fold_;
    options.detail = detail;
    add_ranked(what, rows_of(wick::fold(profile_, options)));
  }

  void add_ranked(std::string_view what, std::vector<Row> rows) {
    const bool by_total = options_.sort == ReportOptions::Sort::kTotal;
    const std::size_t all = rows.size(), shown = rows_shown(all);
    std::ranges::partial_sort(
        rows, rows.begin() + static_cast<std::ptrdiff_t>(shown), {},
        [&](const Row& row) {
          return std::tuple(by_total ? -row.total : -row.self,
                            by_total ? -row.self : -row.total,
                            std::string_view(row.name));
        });
    rows.resize(shown);
    TextTable table({{"self"},
                     {"self%"},
                     {"total"},
                     {"total%"},
                     {std::string(what), Align::kLeft}});
    for (const Row& row : rows)
      table.add({weight(row.self), percent(row.self), weight(row.total),
                 percent(row.total),
                 what == "lines" ? line_name(row.name) : name(row.name)});
    out_ += fmt::format("\n{}, by {} weight\n{}{}", what,
                        by_total ? "total" : "self", table.text(),
                        rest_line(all, write_, what));
  }

  // Modules whose functions have no names, by the weight of those functions,
  // and what would help.
  void add_unnamed() {
    std::vector<UnnamedModule> modules = unnamed_modules(profile_);
    std::erase_if(modules, [&](const UnnamedModule& module) {
      return percent(module.weight) == "0.00%";
    });
    if (modules.empty()) return;
    TextTable table(
        {{"self"}, {"self%"}, {"module", Align::kLeft}, {"why", Align::kLeft}});
    const std::size_t shown = rows_shown(modules.size());
    for (const auto& [id, sum] : std::span(modules).first(shown)) {
      const Module& module = profile_.modules[id];
      table.add(
          {weight(sum), percent(sum), name(profile_.strings[module.path]),
           printable(with_hint(profile_.strings[module.no_names],
                               module.no_names_helps, write_.setting_names))});
    }
    out_ += fmt::format("\ncode without names\n{}{}", table.text(),
                        rest_line(modules.size(), write_, "modules"));
  }

  // A sample's weight with the digits that are shown.
  std::int64_t scaled(const Sample& sample) const {
    return saturating_mul(
        sample.weight,
        power_of_ten(decimals_ - profile_.events[sample.event].decimals));
  }

  void add_threads() {
    const Column<ThreadId, ThreadId> names = last_names(profile_);
    Column<ThreadId, std::int64_t> sums(profile_.threads.size());
    for (const Sample& sample : profile_.samples) {
      std::int64_t& sum = sums[names[sample.thread]];
      sum = saturating_add(sum, scaled(sample));
    }
    std::vector<Row> rows;
    for (const ThreadId id : profile_.threads.ids())
      if (sums[id] != 0)
        rows.push_back({thread_name(profile_.threads[id]), sums[id], sums[id]});
    add_list({.heading = "threads", .what = "threads"}, std::move(rows));
  }

  std::string thread_name(const Thread& thread) const {
    const bool numbered =
        thread.pid != Thread::kUnknown || thread.tid != Thread::kUnknown;
    const std::string text = thread_root_name(
        profile_, thread,
        numbered ? ThreadRoot::kCommPidTid : ThreadRoot::kComm);
    return text.empty() ? "[unknown]" : text;
  }

  // Names with one weight each; `part` is a whole inside the whole.
  struct List {
    std::string heading;
    std::string_view what;
    std::int64_t part = 0;
    std::string_view part_heading;
  };
  void add_list(const List& list, std::vector<Row> rows) {
    std::ranges::sort(rows, {}, [](const Row& row) {
      return std::pair(-row.total, std::string_view(row.name));
    });
    std::vector<TextTable::Heading> headings{{"total"}, {"total%"}};
    if (list.part != 0) headings.push_back({std::string(list.part_heading)});
    headings.push_back({std::string(list.what), Align::kLeft});
    TextTable table(headings);
    for (const Row& row : rows | std::views::take(rows_shown(rows.size()))) {
      std::vector<std::string> cells{weight(row.total), percent(row.total)};
      if (list.part != 0) cells.push_back(share(row.total, list.part));
      cells.push_back(name(row.name));
      table.add(std::move(cells));
    }
    out_ += fmt::format("\n{}\n{}{}", list.heading, table.text(),
                        rest_line(rows.size(), write_, list.what));
  }

  // The names equal to `wanted` or else those that match it as an expression.
  NameSet chosen_names(const FlameGraph& graph, const std::string& wanted) {
    NameSet chosen(graph.strings.size()), used(graph.strings.size());
    bool any = false;
    for (const NodeId id : graph.ids())
      if (id != NodeId::kRoot) used[graph.name[id]] = true;
    const auto choose = [&](auto matches) {
      for (const StringId id : graph.strings.ids()) {
        chosen[id] = used[id] && matches(graph.strings[id]);
        any = any || chosen[id];
      }
    };
    choose([&](std::string_view text) { return text == wanted; });
    if (any) return chosen;
    const Regex regex(wanted);
    choose([&](std::string_view text) { return regex.found_in(text); });
    if (!any) fail("no function is named or matches '{}'", wanted);
    return chosen;
  }

  // "parse", or "3 functions: parse, parse_line, parse_word".
  std::string described(const FlameGraph& graph, const NameSet& chosen) const {
    constexpr int kListed = 3;
    int count = 0;
    std::string names;
    for (const StringId id : graph.strings.ids()) {
      if (!chosen[id] || ++count > kListed) continue;
      names += (names.empty() ? "" : ", ") + name(graph.strings[id]);
    }
    if (count == 1) return names;
    return fmt::format("{} functions: {}{}", count, names,
                       count > kListed ? ", …" : "");
  }

  void add_neighbours(const FlameGraph& graph) {
    const auto add = [&](const std::string& wanted, std::string_view what,
                         std::string_view nobody, auto neighbours) {
      if (wanted.empty()) return;
      const NameSet chosen = chosen_names(graph, wanted);
      std::vector<Row> rows;
      std::int64_t sum = 0;
      for (const Neighbour& row : neighbours(graph, chosen)) {
        rows.push_back({std::string(row.name == StringId::kEmpty
                                        ? nobody
                                        : graph.strings[row.name]),
                        0, row.weight});
        sum = saturating_add(sum, row.weight);
      }
      add_list({.heading = fmt::format("{} of {}: {}, {} of the whole", what,
                                       described(graph, chosen), weight(sum),
                                       percent(sum)),
                .what = what,
                .part = std::max<std::int64_t>(sum, 1),
                .part_heading = "part%"},
               std::move(rows));
    };
    add(options_.callers, "callers", "[nobody]", callers_of);
    add(options_.callees, "callees", "[self]", callees_of);
  }

  const Profile& profile_;
  const WriteOptions& write_;
  const ReportOptions& options_;
  FoldOptions fold_;
  std::int64_t whole_ = 0;
  int decimals_ = 0;
  std::int64_t unit_ns_ = 0;  // 0: weights are no times, or shown raw
  std::string out_;
};

}  // namespace

std::string text_report(const Profile& profile, const WriteOptions& options,
                        const std::vector<EventTotal>& events) {
  const Timer timer("report");
  if (is_difference(profile)) {
    const DiffTable table =
        compare(profile, {.fold = options.fold, .scale = scale_of(profile)});
    return diff_report(table, options) +
           loss_report(profile.diagnostics, table.after.weight, options);
  }
  return Reporter(profile, options).run(events);
}

extern const OutputFormat text_output = {
    .name = "text",
    .extension = ".txt",
    .description = "tables of the hottest functions, modules and threads",
    .write =
        [](const Profile& profile, const WriteOptions& options,
           std::ostream& out) {
          out << text_report(profile, options, event_totals(profile));
        },
    .lacks = "stacks, times and addresses",
    .no_times = true,
    .folds = true,
    .media_type = "text/plain; charset=utf-8",
};

}  // namespace wick
