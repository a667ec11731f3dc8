// SPDX-License-Identifier: Apache-2.0
#include "integration/auto_counter.h"

#include <algorithm>
#include <string_view>

#include "base/error.h"
#include "base/text.h"
#include "format/tables/csv.h"
#include "io/line_reader.h"

namespace wick {
namespace {

constexpr std::size_t kMaxLine = 1 << 20;
constexpr std::size_t kMaxCounters = 1 << 16;

class Reader {
 public:
  explicit Reader(AutoCounters& out) : out_(out) {}

  void line(std::string_view text, std::uint64_t number) {
    text = trim(text);
    if (text.empty() || text.find_first_not_of('=') == text.npos) return;
    if (text.size() > kMaxLine) return bad(text, number);
    if (text.starts_with("Cycle ") || text.starts_with("PerfCounter ")) {
      if (!old_line(text)) bad(text, number);
      return;
    }
    split_csv(text, ',', fields_);
    for (std::string& field : fields_) field = std::string(trim(field));
    if (all_digits(fields_[0])) {
      if (!reading()) bad(text, number);
    } else {
      about_columns();
    }
  }

 private:
  void bad(std::string_view text, std::uint64_t number) {
    out_.diagnostics.note_at(Problem::kBadLine, excerpt(text), number);
  }

  // The counter of column `at` of the readings, after the two cycles.
  AutoCounters::Counter& counter(std::size_t at) {
    if (out_.counters.size() <= at) out_.counters.resize(at + 1);
    return out_.counters[at];
  }

  void about_columns() {
    std::string key = fields_[0];
    std::ranges::transform(key, key.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    });
    if (key.find("clock domain") != key.npos && fields_.size() > 1)
      out_.clock_domain = fields_[1];
    const bool labels = key.starts_with("label");
    if (!labels && !key.starts_with("description")) return;
    // The first column is the row's name, the second the counters' cycle.
    for (std::size_t i = 2; i < std::min(fields_.size(), kMaxCounters); ++i)
      (labels ? counter(i - 2).label : counter(i - 2).description) = fields_[i];
  }

  bool reading() {
    if (fields_.size() < 2 || fields_.size() > kMaxCounters) return false;
    values_.clear();
    for (std::size_t i = 1; i < fields_.size(); ++i) {
      const auto value = to_number<std::uint64_t>(fields_[i]);
      // The file of a running simulation ends anywhere.
      if (!value) return false;
      values_.push_back(*value);
    }
    ++out_.readings;
    out_.last_cycle = values_[0];
    for (std::size_t i = 1; i < values_.size(); ++i)
      counter(i - 1).total = values_[i];
    return true;
  }

  bool old_line(std::string_view text) {
    const bool cycle = text.starts_with("Cycle ");
    const std::size_t split = cycle ? text.find(' ') : text.rfind(':');
    if (split == text.npos) return false;
    const auto value = to_number<std::uint64_t>(trim(text.substr(split + 1)));
    if (!value) return false;
    if (cycle) {
      ++out_.readings;
      out_.last_cycle = *value;
      column_ = 0;
      return true;
    }
    const std::string_view name =
        trim(text.substr(text.find(' '), split - text.find(' ')));
    // They come in the same order with every reading.
    if (column_ < out_.counters.size() &&
        out_.counters[column_].label == name) {
      out_.counters[column_++].total = *value;
      return true;
    }
    if (out_.readings > 1 || out_.counters.size() >= kMaxCounters) return false;
    out_.counters.push_back({.label = std::string(name), .total = *value});
    ++column_;
    return true;
  }

  AutoCounters& out_;
  std::vector<std::string> fields_;
  std::vector<std::uint64_t> values_;
  std::size_t column_ = 0;
};

}  // namespace

AutoCounters read_auto_counters(InputFile& file) {
  return in_context(file.name(), [&] {
    AutoCounters counters;
    Reader reader(counters);
    for_each_line(file, [&](std::string_view line, std::uint64_t number) {
      reader.line(line, number);
    });
    if (counters.readings == 0)
      fail(
          "has no readings of counters; expected a file of FireSim's "
          "AutoCounter");
    for (std::size_t i = 0; i < counters.counters.size(); ++i)
      if (counters.counters[i].label.empty())
        counters.counters[i].label = "counter " + std::to_string(i);
    return counters;
  });
}

}  // namespace wick
