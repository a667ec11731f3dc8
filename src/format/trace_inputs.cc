// SPDX-License-Identifier: Apache-2.0
// Instruction traces as inputs: the trace formats of itrace/, each read through
// the stack tracker.
#include "itrace/formats/trace_reader.h"
#include "itrace/trace_profile.h"
#include "profile/format.h"

namespace wick {

extern const TraceFormat cospike_trace;
extern const TraceFormat execlog_trace;
extern const TraceFormat spike_trace;
extern const TraceFormat trace_csv_trace;
extern const TraceFormat tracedoctor_trace;
extern const TraceFormat tracerv_text_trace;
extern const TraceFormat tracerv_trace;
extern const TraceFormat wick_trace_format;

namespace {

template <const TraceFormat& kFormat>
bool sniff(std::string_view head) {
  return kFormat.sniff(head);
}

template <const TraceFormat& kFormat>
Profile read(InputFile& file, const ReadOptions& options) {
  const auto reader = open_trace(file, kFormat.name, options.trace);
  return read_trace(*reader, options);
}

}  // namespace

extern const InputFormat wick_trace_input = {
    .name = "wick-trace",
    .description = "wick's own instruction trace, as the QEMU plugin writes it",
    .sniff = sniff<wick_trace_format>,
    .read = read<wick_trace_format>};
extern const InputFormat trace_csv_trace_input = {
    .name = "riscv-csv",
    .description = "CSV of the RISC-V trace specification's reference flow",
    .sniff = sniff<trace_csv_trace>,
    .read = read<trace_csv_trace>};
extern const InputFormat tracedoctor_trace_input = {
    .name = "tracedoctor",
    .description = "CSV of TraceDoctor's worker tracerv",
    .sniff = sniff<tracedoctor_trace>,
    .read = read<tracedoctor_trace>};
extern const InputFormat tracerv_text_trace_input = {
    .name = "tracerv-text",
    .description = "what FireSim's TracerV prints, all versions",
    .sniff = sniff<tracerv_text_trace>,
    .read = read<tracerv_text_trace>};
extern const InputFormat spike_trace_input = {
    .name = "spike",
    .description = "logs of Spike (-l, --log-commits)",
    .sniff = sniff<spike_trace>,
    .read = read<spike_trace>};
extern const InputFormat execlog_trace_input = {
    .name = "execlog",
    .description = "the log of QEMU's plugin execlog",
    .sniff = sniff<execlog_trace>,
    .read = read<execlog_trace>};
extern const InputFormat cospike_trace_input = {
    .name = "cospike",
    .description = "traces of FireSim's Cospike bridge",
    .sniff = sniff<cospike_trace>,
    .read = read<cospike_trace>};
extern const InputFormat tracerv_trace_input = {
    .name = "tracerv",
    .description = "binary traces of FireSim's TracerV, all layouts",
    .sniff = sniff<tracerv_trace>,
    .read = read<tracerv_trace>};

}  // namespace wick
