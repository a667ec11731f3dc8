// SPDX-License-Identifier: Apache-2.0
#include "format/registry.h"

#include <algorithm>
#include <cassert>

#include "base/error.h"
#include "base/metrics.h"
#include "base/text.h"

namespace wick {

extern const InputFormat aix_input;
extern const InputFormat bcc_input;
extern const InputFormat bpftrace_input;
extern const InputFormat chrome_trace_input;
extern const InputFormat cospike_trace_input;
extern const InputFormat cpuprofile_input;
extern const InputFormat d3_input;
extern const InputFormat dtrace_input;
extern const InputFormat eu_stack_input;
extern const InputFormat execlog_trace_input;
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
extern const InputFormat spike_trace_input;
extern const InputFormat stap_input;
extern const InputFormat trace_csv_trace_input;
extern const InputFormat tracedoctor_trace_input;
extern const InputFormat tracerv_labels_input;
extern const InputFormat tracerv_text_trace_input;
extern const InputFormat tracerv_trace_input;
extern const InputFormat vsprof_input;
extern const InputFormat vtune_input;
extern const InputFormat vtune_memory_input;
extern const InputFormat wcp_input;
extern const InputFormat wick_input;
extern const InputFormat wick_trace_input;
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

// One line for each, so that lines can be added side by side.
// clang-format off

// In the order of trying: formats with a magic number first, then JSON and XML,
// then texts by how surely they are recognised.
constexpr const InputFormat* kInputs[] = {
    &wick_input,
    &perf_data_input,
    &wick_trace_input,
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
    &trace_csv_trace_input,
    &tracedoctor_trace_input,
    &tracerv_text_trace_input,
    &spike_trace_input,
    &execlog_trace_input,
    &cospike_trace_input,
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
    &tracerv_trace_input,  // told by its regularity alone
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

}  // namespace

std::span<const InputFormat* const> input_formats() { return kInputs; }
std::span<const OutputFormat* const> output_formats() { return kOutputs; }

const InputFormat& input_format(std::string_view name) {
  for (const InputFormat* format : kInputs)
    if (format->name == name) return *format;
  fail_usage("there is no input format '{}'; there is {}", name,
             names_of(kInputs));
}

const OutputFormat& output_format(std::string_view name) {
  for (const OutputFormat* format : kOutputs)
    if (format->name == name) return *format;
  fail_usage("there is no output format '{}'; there is {}", name,
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
  for (const InputFormat* format : kInputs)
    if (format->sniff(head)) return format;
  return nullptr;
}

void note_damage(const InputFile& file, Diagnostics& diagnostics) {
  if (file.damaged()) {
    // Most readers saw the end that they wanted missing: one end, and this is
    // why.
    Diagnostics::Entry end{
        .problem = Problem::kTruncated,
        .count =
            std::max<std::uint64_t>(diagnostics.count(Problem::kTruncated), 1),
        .weight = diagnostics.weight(Problem::kTruncated),
        .example = "the compressed data is damaged or cut off"};
    diagnostics.keep_at_most(Problem::kTruncated, 0);
    diagnostics.add(std::move(end));
  }
  if (!file.broken_end().empty())
    diagnostics.note_at(Problem::kBadLine, file.broken_end());
}

Profile read_profile(InputFile& file, const ReadOptions& options,
                     std::string_view format_name) {
  const Timer timer("read");
  return in_context(file.name(), [&] {
    const std::string_view head = file.head();
    const InputFormat* format =
        format_name.empty() ? detect(head) : &input_format(format_name);
    if (format_name.empty() && trim(head).empty() && head.size() < 65536)
      fail("is empty");
    if (format == nullptr)
      fail(
          "the format is not known; it begins with '{}'; see `wick formats`, "
          "or name one with --format",
          excerpt(head, 40));
    Profile profile = format->read(file, options);
    note_damage(file, profile.diagnostics);
    // A file that knows where its content came from says so itself.
    const StringId key = profile.strings.intern("format");
    if (std::ranges::find(profile.about, key, &About::key) ==
        profile.about.end())
      profile.set_about("format", format->name);
    sort_samples(profile);
    assert(check(profile).empty());
    return profile;
  });
}

}  // namespace wick
