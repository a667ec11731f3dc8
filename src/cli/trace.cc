// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>

#include "base/error.h"
#include "base/output_file.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/setting_names.h"
#include "cli/trace_options.h"
#include "format/registry.h"
#include "itrace/formats/tracerv_write.h"
#include "itrace/formats/wick_trace.h"
#include "itrace/labels_write.h"
#include "itrace/trace_look.h"

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
  const auto end = std::back_inserter(out);
  const auto row = [&](std::string_view key, std::string_view value) {
    fmt::format_to(end, "  {:<9} {}\n", key, value);
  };
  if (!info.layout.empty()) row("layout", info.layout);
  if (!info.clock_domain.empty()) row("clock", info.clock_domain);
  row("has", what_it_has(info));
  for (const HartSummary& hart : summary.harts) {
    std::string text =
        fmt::format("{} instructions", number(hart.instructions));
    if (info.unit == "cycles")
      fmt::format_to(std::back_inserter(text),
                     ", cycles {} to {}: {}, {:.3f} instructions per cycle",
                     hart.first_cycle, hart.last_cycle, number(hart.cycles),
                     hart.cycles == 0 ? 0.0
                                      : static_cast<double>(hart.instructions) /
                                            static_cast<double>(hart.cycles));
    if (hart.traps > 0) text += ", " + counted(hart.traps, "trap");
    if (hart.gaps > 0) text += ", " + counted(hart.gaps, "gap");
    row(fmt::format("hart {}", hart.hart), text);
  }
  if (summary.harts.empty()) row("", "no instructions");
  if (summary.spaces > 0)
    row("spaces", fmt::format("{} values of satp", number(summary.spaces)));
  if (!summary.threads.empty())
    row("threads", fmt::format("{}", fmt::join(summary.threads, ", ")));
  return out;
}

// A token says what was executed, by whom and with which rights. Zeros instead
// of what the trace does not have would be read as user code without satp.
void check_for_tokens(const TraceInfo& info) {
  const auto refuse = [](std::string_view what) {
    fail(
        "the trace has no {}, which such tokens are made of; write "
        "--out-layout tracerv, or --to wick-trace",
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
    if (path != "-") file_ = std::make_unique<OutputFile>(path);
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
      fail_usage("trace: no trace is named");
    if (!output.empty() && paths.size() > 1)
      fail_usage("trace: -o takes one trace; {} are named", paths.size());
    if (output.empty() && !to.empty()) output = "-";
    if (!output.empty() && to.empty()) to = "wick-trace";
    find_common_windows(paths, format, read.trace);
    for (const std::string& path : paths) show(path);
    finish_standard_output(std::cout);
    report_stats(run);
    return 0;
  }

  void show(const std::string& path) {
    const ProgressLine progress(run.quiet || (print && output.empty()));
    InputFile file = InputFile::open(path);
    in_context(file.name(), [&] {
      const auto reader = open_trace(file, format, read.trace);
      Diagnostics diagnostics;  // of the files of code, then also the reader's
      if (!output.empty())
        diagnostics = convert(*reader);
      else if (print)
        diagnostics =
            print_instructions(*reader, read.trace, most(), std::cout);
      else if (!count.empty())
        diagnostics = show_counts(*reader);
      else
        std::cout << as_text(file.name(), summarize(*reader));
      diagnostics.merge(reader->diagnostics());
      note_damage(file, diagnostics);
      for (const std::string& line : describe(diagnostics, 0, setting_name))
        say(run, fmt::format("{}: {}", file.name(), line));
    });
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
    auto [rows, diagnostics] = count_instructions(reader, read.trace, by);
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

  // A TracerV file is of one hart.
  void write_tracerv(TraceReader& reader) {
    TracervWriteOptions options{.text = to == "tracerv-human"};
    const std::string layout = out_layout.empty() ? "tracerv" : out_layout;
    options.layout = parse_layout(layout);
    if (options.layout.kind == TracervLayout::Kind::kTokens)
      check_for_tokens(reader.info());
    if (!reader.info().clock_domain.empty())
      options.clock_domain = reader.info().clock_domain;
    struct Hart {
      Sink sink;
      TracervWriter writer;
      Hart(const std::string& path, const TracervWriteOptions& options)
          : sink(path), writer(sink.stream(), options) {}
    };
    const std::size_t place = output.find("%h");
    std::map<std::uint32_t, std::unique_ptr<Hart>> harts;
    TraceBlock block;
    while (reader.next(block)) {
      std::unique_ptr<Hart>& hart = harts[block.hart];
      if (hart == nullptr) {
        if (place == output.npos && harts.size() > 1)
          fail(
              "the trace has several harts, and a file of TracerV is of one; "
              "choose one with --hart, or write %h for its number into the "
              "name of the output");
        std::string path = output;
        if (place != output.npos)
          path.replace(place, 2, std::to_string(block.hart));
        options.layout = parse_layout(layout, needs_of(block));
        // Lines have room for all of a pc, records need a bit for valid.
        if (options.text && out_layout.empty()) options.layout.pc_bits = 64;
        options.source_pc_bits = reader.info().pc_bits;
        hart = std::make_unique<Hart>(path, options);
      }
      hart->writer.add(block);
    }
    if (harts.empty()) fail("there is no instruction to be written");
    std::uint64_t cut = 0;
    for (auto& [hart_number, hart] : harts) {
      hart->writer.finish();
      hart->sink.commit();
      cut += hart->writer.cut_pcs();
    }
    if (cut > 0)
      say(run, fmt::format("{} instructions have a pc of more bits than are "
                           "written; --out-layout tracerv:pc=57 keeps more",
                           number(cut)));
  }
};

// "A..B"; one of them may be left out.
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
  const std::string group = "What is shown or written";
  add_flag(app, "--print", command->print,
           "the instructions, a line each, with function and kind")
      ->group(group);
  add_text(app, "--limit", command->limit, "N", "print at most so many")
      ->group(group);
  add_choice(app, "--count", command->count, "function|pc|kind",
             "how many instructions and cycles each has")
      ->group(group);
  add_number(app, "--top", command->top, "N", {0, 1e9},
             "show so many rows of the counts; 0: all")
      ->group(group);
  add_text(app, "-o,--output", command->output, "FILE",
           "write the trace to this file; - is standard output")
      ->group(group);
  add_choice(app, "--to", command->to,
             "wick-trace|tracerv-human|tracerv-binary|tracerv-labels",
             "as this: wick's own file, or TracerV's output format 0, 1 or 2")
      ->group(group);
  add_text(app, "--out-layout", command->out_layout, "LAYOUT",
           "the layout of TracerV's records that are written, as "
           "--trace-layout has them; without width, as wide as the trace; "
           "without pc, with 57 bits of each")
      ->group(group);
  Option* cycles =
      app.add_callback(
             "--cycles",
             [&trigger = command->read.trace.trigger](const std::string& text) {
               set_cycles(text, trigger);
             },
             "only these, both inclusive; short for --from cycle:A --until "
             "cycle:B")
          ->type_name("A..B")
          ->take_last()
          ->group("Input");
  add_text(app, "--format", command->format, "FORMAT",
           "read the trace as this; without it, found by looking at it")
      ->group("Input");
  add_trace_options(app, command->read.trace);
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
    .summary = "look at, cut, convert and count instruction traces",
    .examples =
        "wick trace TRACEFILE-C0                         # what is it?\n"
        "wick trace --print --limit 50 TRACEFILE-C0 --elf vmlinux\n"
        "wick trace --count function TRACEFILE-C0 --elf vmlinux\n"
        "wick trace TRACEFILE-C0 --from symbol:main --until symbol:exit \\\n"
        "  --elf prog -o part.wtrace                     # cut\n"
        "wick trace t.wtrace --to tracerv-human | less   # convert\n",
    .declare = declare_trace,
};

}  // namespace wick
