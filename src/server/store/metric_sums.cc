// SPDX-License-Identifier: Apache-2.0
#include "server/store/metric_sums.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/bytes.h"
#include "server/store/packing.h"

namespace wick {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

double mean_of(double value_seconds, double seconds) {
  return seconds > 0 ? value_seconds / seconds : kUnknown;
}

// --- values of a process that are stored, as columns

double value_of(const std::optional<double>& value) {
  return value.value_or(kUnknown);
}
double value_of(const std::optional<std::uint64_t>& value) {
  return value ? static_cast<double>(*value) : kUnknown;
}
void set(std::optional<double>& value, double number) {
  value = std::isnan(number) ? std::nullopt : std::optional(number);
}
std::optional<std::uint64_t> whole(double number) {
  if (!(number >= 0 && number < 0x1p63)) return {};
  return static_cast<std::uint64_t>(number);
}

std::vector<double> columns_of(const ProcessMetrics& process) {
  return {process.cpu,
          process.system_cpu,
          process.minor_faults,
          process.major_faults,
          value_of(process.read_bytes),
          value_of(process.written_bytes),
          value_of(process.switches),
          value_of(process.forced_switches),
          value_of(process.wait),
          static_cast<double>(process.resident_bytes),
          value_of(process.swap_bytes),
          value_of(process.pss_bytes)};
}
constexpr std::size_t kProcessColumns = 12;

void set_columns(ProcessMetrics& process, const std::vector<double>& columns) {
  process.cpu = columns[0];
  process.system_cpu = columns[1];
  process.minor_faults = columns[2];
  process.major_faults = columns[3];
  set(process.read_bytes, columns[4]);
  set(process.written_bytes, columns[5]);
  set(process.switches, columns[6]);
  set(process.forced_switches, columns[7]);
  set(process.wait, columns[8]);
  process.resident_bytes = whole(columns[9]).value_or(0);
  process.swap_bytes = whole(columns[10]);
  process.pss_bytes = whole(columns[11]);
}

std::optional<std::vector<std::uint64_t>> numbers_of_list(
    std::string_view text) {
  ByteReader in(text);
  std::vector<std::uint64_t> numbers;
  std::uint64_t number = 0;
  while (!in.at_end()) {
    number += in.read_varint();
    numbers.push_back(number);
  }
  if (in.failed()) return {};
  return numbers;
}

}  // namespace

std::string series_text(std::string_view name, std::string_view label) {
  std::string text(name);
  text += '\0';
  text += label;
  return text;
}

std::pair<std::string_view, std::string_view> parts_of_series(
    std::string_view text) {
  const std::size_t at = text.find('\0');
  if (at == text.npos) return {text, {}};
  return {text.substr(0, at), text.substr(at + 1)};
}

// --- metrics

void MetricSums::add(std::uint64_t series, double mean, double max,
                     double seconds) {
  if (!(seconds > 0) || std::isnan(mean)) return;
  Sum& sum = sums_[series];
  sum.max = sum.seconds > 0 ? std::max(sum.max, max) : max;
  sum.value_seconds += mean * seconds;
  sum.seconds += seconds;
}

std::vector<MetricSums::Value> MetricSums::values() const {
  std::vector<Value> values;
  for (const auto& [series, sum] : sums_)
    values.push_back({series, mean_of(sum.value_seconds, sum.seconds), sum.max,
                      sum.seconds});
  return values;
}

// The number of the list, then three columns: mean, maximum, seconds.
std::string MetricSums::packed(const AddText& add_text) const {
  std::string list;
  std::uint64_t before = 0;
  std::vector<double> means, maxima, seconds;
  for (const Value& value : values()) {
    append_varint(list, value.series - before);
    before = value.series;
    means.push_back(value.mean);
    maxima.push_back(value.max);
    seconds.push_back(value.seconds);
  }
  std::string out;
  append_varint(out, add_text(list));
  for (const auto* column : {&means, &maxima, &seconds})
    append_column(out, *column);
  return packed_bucket(out);
}

bool MetricSums::add_packed(std::string_view bytes, const Text& text) {
  const auto plain = unpacked_bucket(bytes);
  if (!plain) return false;
  ByteReader in(*plain);
  const auto series = numbers_of_list(text(in.read_varint()));
  if (in.failed() || !series ||
      in.rest().size() != 3 * column_size(series->size()))
    return false;
  std::string_view rest = in.rest();
  const auto means = take_column(rest, series->size());
  const auto maxima = take_column(rest, series->size());
  const auto seconds = take_column(rest, series->size());
  for (std::size_t i = 0; i < series->size(); ++i)
    add((*series)[i], means[i], maxima[i], seconds[i]);
  return true;
}

// --- processes

void ProcessSums::add(std::uint64_t name, const ProcessMetrics& process) {
  add(name, process, columns_of(process), process.seconds);
}

void ProcessSums::add(std::uint64_t name, const ProcessMetrics& process,
                      const std::vector<double>& columns, double seconds) {
  if (!(seconds > 0)) return;
  Sum& sum = sums_[{process.pid, process.start_ticks}];
  sum.name = name;
  sum.last = process;
  sum.seconds += seconds;
  sum.value_seconds.resize(kProcessColumns);
  sum.value_time.resize(kProcessColumns);
  for (std::size_t i = 0; i < kProcessColumns; ++i) {
    if (std::isnan(columns[i])) continue;
    sum.value_seconds[i] += columns[i] * seconds;
    sum.value_time[i] += seconds;
  }
}

std::vector<ProcessSums::Value> ProcessSums::values() const {
  std::vector<Value> values;
  for (const auto& [key, sum] : sums_) {
    std::vector<double> columns;
    for (std::size_t i = 0; i < kProcessColumns; ++i)
      columns.push_back(mean_of(sum.value_seconds[i], sum.value_time[i]));
    values.push_back({sum.name, sum.last});
    values.back().process.seconds = sum.seconds;
    set_columns(values.back().process, columns);
  }
  return values;
}

// Fields that are numbers for each process, then a column for each value and
// one of seconds.
std::string ProcessSums::packed(std::size_t most) const {
  std::vector<const Sum*> busiest;
  for (const auto& [key, sum] : sums_) busiest.push_back(&sum);
  std::ranges::stable_sort(busiest, std::greater(), [](const Sum* sum) {
    return sum->value_seconds.front();
  });
  busiest.resize(std::min(busiest.size(), most));
  std::ranges::sort(busiest, {}, [](const Sum* sum) { return sum->last.pid; });

  std::string out;
  append_varint(out, busiest.size());
  for (const Sum* sum : busiest) {
    const ProcessMetrics& process = sum->last;
    append_varint(out, zigzag(process.pid));
    append_varint(out, zigzag(process.parent));
    append_varint(out, process.start_ticks);
    append_varint(out, sum->name);
    append_varint(out, static_cast<unsigned char>(process.state));
    append_varint(out, process.threads);
    append_varint(out, process.uid ? std::uint64_t{*process.uid} + 1 : 0);
  }
  for (std::size_t i = 0; i < kProcessColumns; ++i) {
    std::vector<double> column;
    for (const Sum* sum : busiest)
      column.push_back(mean_of(sum->value_seconds[i], sum->value_time[i]));
    append_column(out, column);
  }
  std::vector<double> seconds;
  for (const Sum* sum : busiest) seconds.push_back(sum->seconds);
  append_column(out, seconds);
  return packed_bucket(out);
}

bool ProcessSums::add_packed(std::string_view bytes) {
  const auto plain = unpacked_bucket(bytes);
  if (!plain) return false;
  ByteReader in(*plain);
  const std::uint64_t count = in.read_varint();
  if (!in.fits(count, 7)) return false;
  std::vector<Value> rows;
  for (std::uint64_t i = 0; i < count; ++i) {
    Value row;
    row.process.pid = static_cast<pid_t>(unzigzag(in.read_varint()));
    row.process.parent = static_cast<pid_t>(unzigzag(in.read_varint()));
    row.process.start_ticks = in.read_varint();
    row.name = in.read_varint();
    row.process.state = static_cast<char>(in.read_varint());
    row.process.threads = static_cast<std::uint32_t>(in.read_varint());
    if (const std::uint64_t uid = in.read_varint(); uid > 0)
      row.process.uid = static_cast<std::uint32_t>(uid - 1);
    rows.push_back(row);
  }
  if (in.failed() ||
      in.rest().size() != (kProcessColumns + 1) * column_size(count))
    return false;
  std::string_view rest = in.rest();
  std::vector<std::vector<double>> columns;
  for (std::size_t i = 0; i < kProcessColumns; ++i)
    columns.push_back(take_column(rest, count));
  const auto seconds = take_column(rest, count);
  for (std::size_t at = 0; at < count; ++at) {
    std::vector<double> values;
    for (const auto& column : columns) values.push_back(column[at]);
    add(rows[at].name, rows[at].process, values, seconds[at]);
  }
  return true;
}

// --- losses

std::string LossSums::packed() const {
  std::string out;
  for (const auto& [reason, count] : counts_) {
    append_varint(out, reason);
    append_varint(out, count);
  }
  return packed_bucket(out);
}

bool LossSums::add_packed(std::string_view bytes) {
  const auto plain = unpacked_bucket(bytes);
  if (!plain) return false;
  ByteReader in(*plain);
  while (!in.at_end()) {
    const std::uint64_t reason = in.read_varint(), count = in.read_varint();
    if (in.failed()) return false;
    add(reason, count);
  }
  return true;
}

}  // namespace wick
