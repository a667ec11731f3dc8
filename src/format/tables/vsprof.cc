// SPDX-License-Identifier: Apache-2.0
// The call tree that Visual Studio exports as CallTreeSummary.csv, a row for
// each function with its depth:
//
//   Level,Function Name,Number of Calls,…,Elapsed Exclusive Time %,…
//   0,"App.exe",0,100.00,…
//   1,"App.Main()",1,8.75,…
//   2,"App.Load(string)","2,893",4.09,…
//
// Sampling reports have samples in place of calls, and a column for a
// function's own samples.
//
// Instrumentation reports count calls, which are not contained in one another:
// a function that is called once may call another a million times. So each
// function has its own number of calls, and its time is a second event. `wick
// fold` counts calls as inferno does; see InfernoCalls.
#include <algorithm>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "base/text.h"
#include "format/tables/csv.h"
#include "format/tables/last_counts.h"
#include "io/line_reader.h"
#include "profile/format.h"

namespace wick {
namespace {

// inferno's count of calls: where the tree turns back from a callee to its
// caller, the caller has its calls less those of the callee, if it has more; if
// it has as many and ends there, it does not appear. Callees that another one
// follows directly take nothing away, and callers that are open at the end do
// not appear.
class InfernoCalls {
 public:
  // A function at `level`, called from the last one of a smaller level.
  void add(std::size_t level, StackId stack, std::int64_t calls) {
    if (!open_.empty() && open_.back().level == level)
      end_last();
    else
      end_down_to(level);
    // The program itself calls nothing.
    if (level == 0)
      put(stack, calls);
    else
      open_.push_back({level, stack, calls});
  }

  void finish(Profile& profile, SampleCollector& samples) {
    if (!open_.empty()) end_last();
    for (const Open& open : open_) counts_.leave_out(open.calls);
    counts_.finish(profile, samples);
  }

 private:
  struct Open {
    std::size_t level;
    StackId stack;
    std::int64_t calls;
    bool used_up = false;  // the last callee had as many calls
  };

  void put(StackId stack, std::int64_t calls) {
    if (calls > 0) counts_.put({.weight = calls, .stack = stack});
  }

  void end_last() {
    if (!open_.back().used_up) put(open_.back().stack, open_.back().calls);
    open_.pop_back();
  }

  void end_down_to(std::size_t level) {
    while (!open_.empty() && open_.back().level >= level) {
      const std::int64_t calls = open_.back().calls;
      end_last();
      if (open_.empty()) return;
      Open& caller = open_.back();
      caller.used_up = calls == caller.calls;
      if (calls < caller.calls) caller.calls -= calls;
    }
  }

  std::vector<Open> open_;
  LastCounts counts_;
};

class VsprofReader {
 public:
  explicit VsprofReader(const ReadOptions& options)
      : options_(options), samples_(profile_, options.keep_time) {}

  Profile read(InputFile& file) {
    LineReader lines(file);
    const auto header = lines.next();
    if (header) split_csv(without_byte_order_mark(*header), ',', fields_);
    choose_columns();
    while (const auto line = lines.next()) {
      if (trim(*line).empty()) continue;
      split_csv(*line, ',', fields_);
      if (!read_row())
        profile_.diagnostics.note_at(Problem::kBadLine, *line, lines.number());
    }
    inferno_calls_.finish(profile_, samples_);
    return std::move(profile_);
  }

 private:
  void choose_columns() {
    const auto column = [&](std::string_view name) {
      const auto at = std::ranges::find_if(
          fields_, [&](const std::string& f) { return trim(f) == name; });
      return at == fields_.end()
                 ? kNone
                 : static_cast<std::size_t>(at - fields_.begin());
    };
    level_ = column("Level");
    function_ = column("Function Name");
    module_ = column("Module Name");
    calls_column_ = column("Number of Calls");
    time_ = column("Elapsed Exclusive Time %");
    self_ = column(options_.compat == Compat::kPerl ? "Inclusive Samples"
                                                    : "Exclusive Samples");
    if (level_ == kNone || function_ == kNone ||
        (self_ == kNone && calls_column_ == kNone))
      fail(
          "has no header with Level, Function Name and Number of Calls or "
          "Exclusive Samples; export the call tree of the report");
    const bool samples = self_ != kNone;
    profile_.event_id(samples ? "samples" : "calls", samples ? "" : "calls");
    if (!samples && time_ != kNone)
      time_event_ = profile_.event_id("time", "percent");
  }

  std::string_view field(std::size_t column) const {
    return column < fields_.size() ? trim(fields_[column]) : std::string_view();
  }

  bool read_row() {
    const auto level = to_number<std::uint32_t>(field(level_));
    const auto weight =
        to_grouped_number(field(self_ != kNone ? self_ : calls_column_));
    if (!level || !weight || *weight < 0 || field(function_).empty())
      return false;
    const StackId stack = push(*level);
    if (self_ == kNone && options_.inferno_counts)
      inferno_calls_.add(*level, stack, *weight);
    else if (*weight > 0)
      samples_.add({.weight = *weight, .stack = stack});
    return self_ != kNone || time_ == kNone || add_time(stack);
  }

  bool add_time(StackId stack) {
    const auto time = to_decimal(field(time_));
    if (!time) return false;
    if (time->value == 0) return true;
    raise_decimals(profile_, time_event_, time->decimals);
    const int more = profile_.events[time_event_].decimals - time->decimals;
    samples_.add({.weight = saturating_mul(time->value, power_of_ten(more)),
                  .stack = stack,
                  .event = time_event_});
    return true;
  }

  StackId push(std::size_t level) {
    std::string name(field(function_));
    if (options_.compat == Compat::kPerl) std::erase_if(name, is_space);
    std::ranges::replace(name, ';', ':');
    const std::string_view module = field(module_);
    const FrameId frame = profile_.frames.intern(
        {.function = profile_.strings.intern(name),
         .module =
             module.empty() ? ModuleId::kUnknown : profile_.module_id(module)});
    while (!path_.empty() && path_.back().first >= level) path_.pop_back();
    const StackId stack = profile_.stacks.push(
        path_.empty() ? StackId::kRoot : path_.back().second, frame);
    // Level 0 is the program, which is not a function.
    if (level > 0) path_.emplace_back(level, stack);
    return stack;
  }

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  const ReadOptions& options_;
  Profile profile_;
  SampleCollector samples_;
  std::vector<std::string> fields_;
  std::size_t level_ = kNone, function_ = kNone, module_ = kNone,
              calls_column_ = kNone, time_ = kNone, self_ = kNone;
  EventId time_event_{0};
  InfernoCalls inferno_calls_;
  std::vector<std::pair<std::size_t, StackId>> path_;  // levels and stacks
};

}  // namespace

extern const InputFormat vsprof_input = {
    .name = "vsprof",
    .description = "Visual Studio call tree as CSV",
    .sniff =
        [](std::string_view head) {
          return without_byte_order_mark(head).starts_with(
              "Level,Function Name,");
        },
    .read =
        [](InputFile& file, const ReadOptions& options) {
          return VsprofReader(options).read(file);
        },
};

}  // namespace wick
