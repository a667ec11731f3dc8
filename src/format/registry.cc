// SPDX-License-Identifier: Apache-2.0
#include "format/registry.h"

#include <algorithm>
#include <cassert>
#include <vector>

#include "base/error.h"
#include "base/metrics.h"
#include "base/text.h"
#include "itrace/formats/trace_reader.h"
#include "itrace/merged_trace.h"
#include "itrace/trace_profile.h"
#include "profile/keep_samples.h"

namespace wick {

extern const InputFormat aix_input;
extern const InputFormat bcc_input;
extern const InputFormat bpftrace_input;
extern const InputFormat chrome_trace_input;
extern const InputFormat cpuprofile_input;
extern const InputFormat d3_input;
extern const InputFormat dtrace_input;
extern const InputFormat eu_stack_input;
extern const InputFormat faulthandler_input;
extern const InputFormat firefox_input;
extern const InputFormat folded_input;
extern const InputFormat gdb_input;
extern const InputFormat ghcprof_input;
extern const InputFormat go_raw_input;
extern const InputFormat ibmjava_input;
extern const InputFormat instruments_input;
extern const InputFormat java_exceptions_input;
extern const InputFormat jstack_input;
extern const InputFormat lepd_input;
extern const InputFormat ljp_input;
extern const InputFormat perf_data_input;
extern const InputFormat perf_sched_input;
extern const InputFormat perf_script_input;
extern const InputFormat pmcstat_input;
extern const InputFormat pprof_input;
extern const InputFormat sample_input;
extern const InputFormat speedscope_input;
extern const InputFormat stap_input;
extern const InputFormat tracerv_labels_input;
extern const InputFormat vsprof_input;
extern const InputFormat vtune_input;
extern const InputFormat vtune_memory_input;
extern const InputFormat wcp_input;
extern const InputFormat wick_input;
extern const InputFormat xctrace_input;
extern const InputFormat xdebug_input;

extern const OutputFormat chrome_trace_output;
extern const OutputFormat d3_output;
extern const OutputFormat firefox_output;
extern const OutputFormat folded_output;
extern const OutputFormat html_output;
extern const OutputFormat pprof_output;
extern const OutputFormat speedscope_output;
extern const OutputFormat svg_output;
extern const OutputFormat text_output;
extern const OutputFormat wick_output;

namespace {

// One line each, so that concurrent additions merge cleanly.
// clang-format off

// An entry of the list below: one format, or all trace formats that are
// recognised by one kind of evidence.
struct InputEntry {
  // NOLINTBEGIN(google-explicit-constructor): the list below names them alone
  constexpr InputEntry(const InputFormat* input) : format(input) {}
  constexpr InputEntry(TraceFormat::Evidence evidence) : traces(evidence) {}
  // NOLINTEND(google-explicit-constructor)
  const InputFormat* format = nullptr;
  TraceFormat::Evidence traces = {};
};

// In the order of detection: formats with a magic number, then JSON and XML,
// then text, the most distinctive first.
constexpr InputEntry kInputEntries[] = {
    &wick_input,
    &perf_data_input,
    TraceFormat::Evidence::kMagic,
    &pprof_input,
    &lepd_input,
    &speedscope_input,
    &chrome_trace_input,
    &cpuprofile_input,
    &firefox_input,
    &d3_input,
    &xctrace_input,
    &ghcprof_input,
    &vtune_memory_input,
    &vtune_input,
    &vsprof_input,
    &instruments_input,
    &sample_input,
    &xdebug_input,
    &tracerv_labels_input,
    TraceFormat::Evidence::kText,
    &go_raw_input,
    &ibmjava_input,
    &jstack_input,
    &bpftrace_input,
    &bcc_input,
    &eu_stack_input,
    &gdb_input,
    &wcp_input,
    &faulthandler_input,
    &pmcstat_input,
    &stap_input,
    &aix_input,
    &ljp_input,
    &java_exceptions_input,
    &perf_sched_input,
    &dtrace_input,
    &perf_script_input,
    TraceFormat::Evidence::kRegularity,
    &folded_input,  // last: almost any text looks folded
};

constexpr const OutputFormat* kOutputs[] = {
    &chrome_trace_output,
    &d3_output,
    &firefox_output,
    &folded_output,
    &html_output,
    &pprof_output,
    &speedscope_output,
    &svg_output,
    &text_output,
    &wick_output,
};
// clang-format on

template <class Formats>
std::string names_of(const Formats& formats) {
  std::string names;
  for (const auto* format : formats) {
    if (!names.empty()) names += ", ";
    names += format->name;
  }
  return names;
}

std::vector<InputFormat> trace_inputs() {
  std::vector<InputFormat> inputs;
  for (const TraceFormat* trace : trace_formats())
    inputs.push_back({.name = trace->name,
                      .description = trace->description,
                      .sniff = trace->sniff,
                      .read = nullptr,
                      .trace = trace});
  return inputs;
}

std::vector<const InputFormat*> list_inputs() {
  static const std::vector<InputFormat> traces = trace_inputs();
  std::vector<const InputFormat*> inputs;
  for (const InputEntry& entry : kInputEntries) {
    if (entry.format != nullptr) {
      inputs.push_back(entry.format);
      continue;
    }
    for (const InputFormat& input : traces)
      if (input.trace->evidence == entry.traces) inputs.push_back(&input);
  }
  return inputs;
}

Profile read_as(const InputFormat& format, InputFile& file,
                const ReadOptions& options) {
  if (format.trace == nullptr) return format.read(file, options);
  const auto reader =
      open_trace(file, format.name, options.trace, options.symbols);
  return read_trace(*reader, options);
}

}  // namespace

std::span<const InputFormat* const> input_formats() {
  static const std::vector<const InputFormat*> inputs = list_inputs();
  return inputs;
}
std::span<const OutputFormat* const> output_formats() { return kOutputs; }

const InputFormat& input_format(std::string_view name) {
  for (const InputFormat* format : input_formats())
    if (format->name == name) return *format;
  fail_usage("unknown input format '{}'; expected one of {}", name,
             names_of(input_formats()));
}

const OutputFormat& output_format(std::string_view name) {
  for (const OutputFormat* format : kOutputs)
    if (format->name == name) return *format;
  fail_usage("unknown output format '{}'; expected one of {}", name,
             names_of(kOutputs));
}

const OutputFormat* output_format_for(std::string_view path) {
  const OutputFormat* best = nullptr;
  for (const OutputFormat* format : kOutputs)
    if (path.ends_with(format->extension) &&
        (best == nullptr || format->extension.size() > best->extension.size()))
      best = format;
  return best;
}

const InputFormat* detect(std::string_view head) {
  for (const InputFormat* format : input_formats())
    if (format->sniff(head)) return format;
  return nullptr;
}

constexpr std::string_view kDamagedCompression =
    "the compressed data is damaged or cut off";

void note_damage(const InputFile& file, Diagnostics& diagnostics) {
  if (file.damaged()) {
    // Most readers have noted a missing end; this is its reason, not another
    // one.
    Diagnostics::Entry end{.problem = Problem::kTruncated,
                           .count = std::max<std::uint64_t>(
                               diagnostics.count(Problem::kTruncated), 1),
                           .weight = diagnostics.weight(Problem::kTruncated),
                           .example = std::string(kDamagedCompression)};
    diagnostics.keep_at_most(Problem::kTruncated, 0);
    diagnostics.add(std::move(end));
  }
  if (!file.broken_end().empty())
    diagnostics.note_at(Problem::kBadLine, file.broken_end());
  if (file.long_lines() > 0) {
    diagnostics.note_at(Problem::kBadLine, file.long_line());
    diagnostics.note(Problem::kBadLine, file.long_lines() - 1);
  }
}

namespace {

// A file that became shorter meanwhile explains any other error.
Profile read_whole(const InputFormat& format, InputFile& file,
                   const ReadOptions& options) {
  try {
    Profile profile = read_as(format, file, options);
    file.check_whole();
    return profile;
  } catch (const Error&) {
    file.check_whole();
    throw;
  }
}

void complete(Profile& profile, const InputFormat& format) {
  // Some files name the format they were converted from.
  const StringId key = profile.strings.intern("format");
  if (std::ranges::find(profile.about, key, &About::key) == profile.about.end())
    profile.set_about("format", format.name);
  mark_cut_stacks(profile);
  sort_samples(profile);
  assert(check(profile).empty());
}

}  // namespace

Profile read_profile(InputFile& file, const ReadOptions& options,
                     std::string_view format_name) {
  const Timer timer("read");
  return in_context(file.name(), [&] {
    const std::string_view head = file.head();
    const InputFormat* format =
        format_name.empty() ? detect(head) : &input_format(format_name);
    if (format_name.empty() && trim(head).empty() &&
        head.size() < InputFile::kHeadSize)
      fail("{}",
           file.damaged() ? kDamagedCompression : std::string_view("is empty"));
    if (format == nullptr)
      fail({Setting::kFormatList, Setting::kInputFormat},
           "unknown format; the input begins with '{}'", excerpt(head, 40));
    Profile profile = read_whole(*format, file, options);
    note_damage(file, profile.diagnostics);
    profile.input_bytes = file.stored_bytes();
    complete(profile, *format);
    return profile;
  });
}

std::optional<Profile> read_machine(std::span<InputFile> files,
                                    const ReadOptions& options,
                                    std::string_view format_name) {
  const Timer timer("read");
  const InputFormat* format = nullptr;
  std::vector<NamedTrace> traces;
  for (InputFile& file : files)
    in_context(file.name(), [&] {
      format = format_name.empty() ? detect(file.head())
                                   : &input_format(format_name);
      if (format == nullptr || format->trace == nullptr) return;
      traces.push_back(
          {file.name(),
           open_trace(file, format->name, options.trace, options.symbols)});
    });
  if (traces.size() != files.size()) return {};
  const auto reader = merge_traces(std::move(traces));
  if (reader == nullptr) return {};
  Profile profile = read_trace(*reader, options);
  for (InputFile& file : files) {
    in_context(file.name(), [&] { file.check_whole(); });
    note_damage(file, profile.diagnostics);
    profile.input_bytes += file.stored_bytes();
  }
  complete(profile, *format);
  return profile;
}

namespace {

void keep_first_events(Profile& profile, std::uint32_t count) {
  if (profile.events.size() <= count) return;
  keep_samples(profile, Problem::kOtherEvent, [&](const Sample& sample) {
    return index(sample.event) < count;
  });
  profile.events.resize(count);
}

}  // namespace

OutputCost cost_of_output(const OutputFormat& format,
                          const FoldOptions& options) {
  OutputCost cost = format.cost;
  if (format.folds && (options.flamechart || options.reversed))
    cost.repeats = cost_of_fold(options).repeats;
  return cost;
}

void write_profile(Profile& profile, const OutputFormat& format,
                   const WriteOptions& options, std::ostream& out) {
  keep_first_events(profile, format.max_events);
  if (format.folds) fit_to_output(profile, cost_of_fold(options.fold));
  fit_to_output(profile, cost_of_output(format, options.fold));
  format.write(profile, options, out);
}

}  // namespace wick
