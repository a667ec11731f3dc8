// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <span>

#include "base/error.h"
#include "base/text.h"
#include "itrace/formats/trace_reader.h"
#include "itrace/trigger/trigger.h"

namespace wick {

extern const TraceFormat cospike_trace;
extern const TraceFormat execlog_trace;
extern const TraceFormat rocket_trace;
extern const TraceFormat rvfi_csv_trace;
extern const TraceFormat spike_trace;
extern const TraceFormat trace_csv_trace;
extern const TraceFormat tracedoctor_trace;
extern const TraceFormat tracerv_text_trace;
extern const TraceFormat tracerv_trace;
extern const TraceFormat wick_trace_format;

namespace {

// One line each, so that concurrent additions merge cleanly.
// clang-format off

// In the order of detection, by TraceFormat::Evidence.
constexpr const TraceFormat* kFormats[] = {
    &wick_trace_format,
    &trace_csv_trace,
    &rvfi_csv_trace,
    &tracedoctor_trace,
    &tracerv_text_trace,
    &rocket_trace,
    &spike_trace,
    &execlog_trace,
    &cospike_trace,
    &tracerv_trace,
};
// clang-format on

const TraceFormat& format_for(std::string_view head, std::string_view name) {
  if (head.empty() && name.empty()) fail("is empty");
  std::string names;
  for (const TraceFormat* format : kFormats) {
    if (name.empty() ? format->sniff(head) : format->name == name)
      return *format;
    if (!names.empty()) names += ", ";
    names += format->name;
  }
  if (!name.empty())
    fail_usage("unknown trace format '{}'; expected one of {}", name, names);
  fail(
      "not an instruction trace of a known format (it begins with '{}'); known "
      "formats: {}",
      excerpt(head, 40), names);
}

// Skips all harts but one.
class OneHart final : public TraceReader {
 public:
  OneHart(std::unique_ptr<TraceReader> reader, std::uint32_t hart)
      : reader_(std::move(reader)), hart_(hart) {
    info_ = reader_->info();
  }

  bool next(TraceBlock& block) override {
    bool any = false;
    do {
      any = reader_->next(block);
    } while (any && block.hart != hart_);
    info_ = reader_->info();
    diagnostics_ = reader_->diagnostics();
    return any;
  }

 private:
  std::unique_ptr<TraceReader> reader_;
  std::uint32_t hart_;
};

}  // namespace

std::span<const TraceFormat* const> trace_formats() { return kFormats; }

std::unique_ptr<TraceReader> open_trace(InputFile& file,
                                        std::string_view format_name,
                                        const TraceOptions& options,
                                        const SymbolOptions& symbols) {
  const TraceFormat& format = format_for(file.head(), format_name);
  std::unique_ptr<TraceReader> reader = format.open(file, options);
  // The trigger comes first: another hart may start the wanted one.
  if (has_trigger(options.trigger))
    reader = cut_by_trigger(std::move(reader), options, file.name(), symbols);
  if (options.hart >= 0)
    reader = std::make_unique<OneHart>(
        std::move(reader), static_cast<std::uint32_t>(options.hart));
  return reader;
}

}  // namespace wick
