// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "base/append.h"
#include "base/error.h"
#include "base/text.h"
#include "cli/missing_hart.h"
#include "cli/options/command.h"
#include "cli/options/input_options.h"
#include "cli/options/option_kinds.h"
#include "cli/options/setting_names.h"
#include "cli/options/trace_options.h"
#include "cli/progress.h"
#include "cli/read_inputs.h"
#include "format/registry.h"
#include "io/output_file.h"
#include "itrace/formats/tracerv_write.h"
#include "itrace/formats/wick_trace.h"
#include "itrace/labels_write.h"
#include "itrace/trace_look.h"
#include "transform/empty_selection.h"

namespace wick {
namespace {

std::string number(std::uint64_t n) {
  return with_commas(static_cast<std::int64_t>(n));
}

std::string what_it_has(const TraceInfo& info) {
  std::string text =
      fmt::format("{}, {} bits of each pc", info.unit, info.pc_bits);
  if (info.has_bits) text += ", instructions";
  if (info.has_privilege) text += ", privilege";
  if (info.has_satp) text += ", satp";
  if (info.has_traps) text += ", traps";
  return text;
}

std::string as_text(const std::string& path, const TraceSummary& summary) {
  const TraceInfo& info = summary.info;
  std::string out = fmt::format("{}\n", path);
  const auto row = [&](std::string_view key, std::string_view value) {
    append(out, "  {:<9} {}\n", key, value);
  };
  if (!info.layout.empty()) row("layout", info.layout);
  if (!info.clock_domain.empty()) row("clock", info.clock_domain);
  row("has", what_it_has(info));
  for (const HartSummary& hart : summary.harts) {
    std::string text =
        fmt::format("{} instructions", number(hart.instructions));
    if (info.unit == "cycles")
      append(text, ", cycles {} to {}: {}, {:.3f} instructions per cycle",
             hart.first_cycle, hart.last_cycle, number(hart.cycles),
             hart.cycles == 0 ? 0.0
                              : static_cast<double>(hart.instructions) /
                                    static_cast<double>(hart.cycles));
    if (info.has_traps && hart.traps > 0)
      text += ", " + counted(hart.traps, "trap");
    if (hart.gaps > 0) text += ", " + counted(hart.gaps, "gap");
    row(fmt::format("hart {}", hart.hart), text);
  }
  if (summary.spaces > 0)
    row("spaces", fmt::format("{} values of satp", number(summary.spaces)));
  if (!summary.threads.empty()) row("threads", joined(summary.threads, ", "));
  return out;
}

// A token has the instruction, satp and the privilege. Zeros for what the trace
// lacks would be read as user code without satp.
void check_for_tokens(const TraceInfo& info) {
  const auto refuse = [](std::string_view what) {
    fail(
        "the trace has no {}, which this layout needs; use --out-layout "
        "tracerv or --to wick-trace",
        what);
  };
  if (!info.has_bits) refuse("instructions");
  if (!info.has_privilege) refuse("privilege");
  if (!info.has_satp) refuse("satp");
}

// A file, or standard output for "-".
class Sink {
 public:
  explicit Sink(const std::string& path) {
    if (path != "-")
      file_ = std::make_unique<OutputFile>(OutputName::typed(path));
  }
  std::ostream& stream() { return file_ ? file_->stream() : std::cout; }
  void commit() {
    if (file_)
      file_->commit();
    else
      finish_standard_output(std::cout);
  }

 private:
  std::unique_ptr<OutputFile> file_;
};

// A trace of which the first block is read already, so that one without any
// instructions is known before something is written.
class BegunTrace : public TraceReader {
 public:
  explicit BegunTrace(std::unique_ptr<TraceReader> reader)
      : reader_(std::move(reader)), is_waiting_(read(first_)) {}

  bool is_empty() const { return !is_waiting_; }

  bool next(TraceBlock& block) override {
    if (!is_waiting_) return read(block);
    std::swap(block, first_);
    is_waiting_ = false;
    first_ = {};
    return true;
  }

 private:
  bool read(TraceBlock& block) {
    const bool any = reader_->next(block);
    info_ = reader_->info();
    diagnostics_ = reader_->diagnostics();
    return any;
  }

  std::unique_ptr<TraceReader> reader_;
  TraceBlock first_;
  bool is_waiting_;
};

struct TraceCommand {
  std::string format, count, to, output, out_layout;
  std::string limit;
  bool print = false;
  ReadOptions read;
  RunOptions run;
  int top = 30;

  int operator()(const Arguments& arguments) {
    std::vector<std::string> paths = arguments.inputs;
    if (paths.empty()) paths = default_inputs();
    if (arguments.inputs.empty() && paths.front() != "-")
      fail_usage("trace: expected a trace");
    if (!output.empty() && paths.size() > 1)
      fail_usage("trace: -o takes one trace, got {}", paths.size());
    if (output.empty() && !to.empty()) output = "-";
    if (!output.empty() && to.empty()) to = "wick-trace";
    find_common_windows(paths, format, read);
    bool any = false;
    for (const std::string& path : paths) any |= show(path, paths.size() > 1);
    if (!any) fail("nothing is left of any trace");
    finish_standard_output(std::cout);
    report_stats(run);
    return 0;
  }

  // Whether it has instructions. One without is an error unless it is one of
  // several: the hart that was asked for may be in another.
  bool show(const std::string& path, bool is_one_of_several) {
    const ProgressLine progress(run.quiet || (print && output.empty()));
    InputFile file = InputFile::open(path);
    return in_context(file.name(), [&] {
      BegunTrace reader(open_trace(file, format, read.trace, read.symbols));
      if (reader.is_empty()) {
        Diagnostics diagnostics = reader.diagnostics();
        note_damage(file, diagnostics);
        std::string why = why_empty(diagnostics, things());
        if (!is_one_of_several) {
          const std::string no_hart =
              why_no_hart(std::span(&path, 1), format, read.trace);
          fail("{}", no_hart.empty() ? why : no_hart);
        }
        say(run, fmt::format("{}: {}", file.name(), why));
        return false;
      }
      Diagnostics diagnostics = view(file.name(), reader);
      file.check_whole();
      diagnostics.merge(reader.diagnostics());
      note_damage(file, diagnostics);
      for (const std::string& line : describe(diagnostics, 0, setting_name))
        say(run, fmt::format("{}: {}", file.name(), line));
      return true;
    });
  }

  std::string things() const {
    return read.trace.hart < 0
               ? "instructions"
               : fmt::format("instructions of hart {}", read.trace.hart);
  }

  // Returns what was noted of the files of code.
  Diagnostics view(const std::string& name, TraceReader& reader) {
    if (!output.empty()) return convert(reader);
    if (print)
      return print_instructions(reader, read.trace, most(), std::cout,
                                read.symbols);
    if (!count.empty()) return show_counts(reader);
    std::cout << as_text(name, summarize(reader));
    return {};
  }

  std::uint64_t most() const {
    if (limit.empty()) return UINT64_MAX;
    const auto n = to_number<std::uint64_t>(limit);
    if (!n) fail_usage("--limit: '{}' is not a number", excerpt(limit));
    return *n;
  }

  Diagnostics show_counts(TraceReader& reader) const {
    const CountBy by = count == "pc"     ? CountBy::kPc
                       : count == "kind" ? CountBy::kKind
                                         : CountBy::kFunction;
    auto [rows, diagnostics] =
        count_instructions(reader, read.trace, by, read.symbols);
    std::uint64_t instructions = 0, cycles = 0;
    for (const CountRow& row : rows) {
      instructions += row.instructions;
      cycles += row.cycles;
    }
    const auto line = [&](std::uint64_t n, std::uint64_t c,
                          std::string_view name) {
      std::cout << fmt::format("{:>15} {:>15}  {}\n", number(n), number(c),
                               valid_utf8(name));
    };
    std::cout << fmt::format("{:>15} {:>15}  {}\n", "instructions",
                             reader.info().unit == "cycles" ? "cycles" : "time",
                             count);
    line(instructions, cycles, "[all]");
    const std::size_t shown =
        top == 0 ? rows.size()
                 : std::min(rows.size(), static_cast<std::size_t>(top));
    for (std::size_t i = 0; i < shown; ++i)
      line(rows[i].instructions, rows[i].cycles, rows[i].name);
    if (shown < rows.size())
      std::cout << fmt::format("… {} more; --top 0 shows all\n",
                               number(rows.size() - shown));
    return std::move(diagnostics);
  }

  Diagnostics convert(TraceReader& reader) {
    if (to == "wick-trace") {
      Sink sink(output);
      write_wick_trace(reader, [&](std::string_view bytes) {
        sink.stream().write(bytes.data(),
                            static_cast<std::streamsize>(bytes.size()));
      });
      sink.commit();
    } else if (to == "tracerv-labels") {
      Sink sink(output);
      Diagnostics diagnostics = write_trace_labels(reader, read, sink.stream());
      sink.commit();
      return diagnostics;
    } else {
      write_tracerv(reader);
    }
    return {};
  }

  // One file of TracerV, which has one hart.
  struct TracervFile {
    Sink sink;
    TracervWriter writer;
    TracervFile(const std::string& path, const TracervWriteOptions& options)
        : sink(path), writer(sink.stream(), options) {}
  };

  std::unique_ptr<TracervFile> open_tracerv_file(
      const TraceInfo& info, const TraceBlock& first) const {
    TracervWriteOptions options{.text = to == "tracerv-human"};
    options.layout = parse_layout(tracerv_layout(), needs_of(first));
    // Lines have room for a whole pc; records need a bit for valid.
    if (options.text && out_layout.empty()) options.layout.pc_bits = 64;
    options.source_pc_bits = info.pc_bits;
    if (!info.clock_domain.empty()) options.clock_domain = info.clock_domain;
    std::string path = output;
    if (const std::size_t place = path.find("%h"); place != path.npos)
      path.replace(place, 2, std::to_string(first.hart));
    return std::make_unique<TracervFile>(path, options);
  }

  std::string tracerv_layout() const {
    return out_layout.empty() ? "tracerv" : out_layout;
  }

  void write_tracerv(TraceReader& reader) {
    if (parse_layout(tracerv_layout()).kind == TracervLayout::Kind::kTokens)
      check_for_tokens(reader.info());
    const bool file_per_hart = output.find("%h") != output.npos;
    std::map<std::uint32_t, std::unique_ptr<TracervFile>> files;
    TraceBlock block;
    while (reader.next(block)) {
      std::unique_ptr<TracervFile>& file = files[block.hart];
      if (file == nullptr) {
        if (!file_per_hart && files.size() > 1)
          fail(
              "the trace has several harts, but a TracerV file has one; choose "
              "one with --hart, or write one file per hart with %h in the name "
              "of the output");
        file = open_tracerv_file(reader.info(), block);
      }
      file->writer.add(block);
    }
    std::uint64_t cut = 0;
    for (auto& [hart, file] : files) {
      file->writer.finish();
      file->sink.commit();
      cut += file->writer.cut_pcs();
    }
    if (cut > 0)
      say(run, fmt::format("the pcs of {} instructions were truncated; "
                           "--out-layout tracerv:pc=57 keeps more bits",
                           number(cut)));
  }
};

// "A..B", "A.." or "..B".
void set_cycles(const std::string& text, TriggerOptions& trigger) {
  const std::size_t dots = text.find("..");
  const std::string first = text.substr(0, dots);
  const std::string last = dots == text.npos ? "x" : text.substr(dots + 2);
  const auto good = [](const std::string& n) {
    return n.empty() || to_number<std::uint64_t>(n);
  };
  if (!good(first) || !good(last) || (first.empty() && last.empty()))
    fail_usage("--cycles: '{}' is not A..B", excerpt(text));
  if (!first.empty()) trigger.from = "cycle:" + first;
  if (!last.empty()) trigger.until = "cycle:" + last;
}

std::function<int(const Arguments&)> declare_trace(OptionSet& app) {
  auto command = std::make_shared<TraceCommand>();
  const std::string group = "Output";
  add_flag(app, "--print", command->print,
           "print the instructions, one per line, with function and kind")
      ->group(group);
  add_text(app, "--limit", command->limit, "N", "print at most N instructions")
      ->group(group);
  add_choice(app, "--count", command->count, "function|pc|kind",
             "count instructions and cycles of each")
      ->group(group);
  add_number(app, "--top", command->top, "N", {0, 1e9},
             "rows of --count; 0: all")
      ->group(group);
  add_text(app, "-o,--output", command->output, "FILE",
           "write the trace to this file; - is standard output")
      ->group(group);
  add_choice(app, "--to", command->to,
             "wick-trace|tracerv-human|tracerv-binary|tracerv-labels",
             "the format of -o: wick's own, or TracerV's output format 0, 1 or "
             "2")
      ->group(group);
  add_text(app, "--out-layout", command->out_layout, "LAYOUT",
           "the layout of TracerV records to write, as in --trace-layout "
           "(default: the trace's width, 57 bits of each pc)")
      ->group(group);
  Option* cycles =
      app.add_callback(
             "--cycles",
             [&trigger = command->read.trace.trigger](const std::string& text) {
               set_cycles(text, trigger);
             },
             "only these cycles, inclusive; same as --from cycle:A --until "
             "cycle:B")
          ->type_name("A..B")
          ->take_last()
          ->group("Input");
  add_text(app, "--format", command->format, "FORMAT",
           "the format of the trace (default: detected from the content)")
      ->group("Input");
  add_trace_options(app, command->read.trace);
  add_debug_file_options(app, command->read.symbols);
  for (const char* other :
       {"--from", "--until", "--trace-select", "--runtime-config"})
    cycles->excludes(app.get_option(other));
  add_run_options(app, command->run);
  return runner(command);
}

}  // namespace

extern const Command trace_command = {
    .name = "trace",
    .usage = "[OPTION…] TRACE…",
    .summary = "inspect, cut, convert and count instruction traces",
    .examples =
        "wick trace TRACEFILE-C0                         # summary\n"
        "wick trace --print --limit 50 TRACEFILE-C0 --elf vmlinux\n"
        "wick trace --count function TRACEFILE-C0 --elf vmlinux\n"
        "wick trace TRACEFILE-C0 --from symbol:main --until symbol:exit \\\n"
        "  --elf prog -o part.wtrace                     # cut\n"
        "wick trace t.wtrace --to tracerv-human | less   # convert\n",
    .declare = declare_trace,
};

}  // namespace wick
