// SPDX-License-Identifier: Apache-2.0
#include "cli/trace_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "cli/option_table.h"
#include "cli/options.h"
#include "itrace/trigger/runtime_config.h"
#include "itrace/trigger/trigger.h"

namespace wick {
namespace {

using Edges = TriggerOptions::Edges;

constexpr std::pair<std::string_view, Edges> kEdges[] = {
    {"both", Edges::kBoth},
    {"from", Edges::kFrom},
    {"until", Edges::kUntil},
    {"none", Edges::kNone},
};
constexpr std::pair<std::string_view, Attribution> kAttributions[] = {
    {"next", Attribution::kNextCommitting},
    {"last", Attribution::kLastCommitted},
    {"tip", Attribution::kTip},
    {"fireperf", Attribution::kFirePerf},
};

Option* add_point(OptionSet& app, const std::string& name, std::string& out,
                  const std::string& group, const std::string& description) {
  return app
      .add_callback(
          name,
          [&out, name](const std::string& text) {
            in_context(name, [&] { parse_trace_point(text); });
            out = text;
          },
          description)
      ->type_name("POINT")
      ->take_last()
      ->group(group);
}

struct TracervTriggerOptions {
  Option *select, *config;
};

// TracerV's own options; all three together say what a trigger is.
TracervTriggerOptions add_tracerv_options(OptionSet& app,
                                          TriggerOptions& trigger,
                                          const std::string& group) {
  struct Tracerv {
    std::string start = "0", end = "-1";
  };
  const auto tracerv = std::make_shared<Tracerv>();
  const auto text = [&](const char* name, std::string& out,
                        const char* description) {
    // Declared before the selector, so that they are known there.
    return app
        .add_callback(
            name, [&out, tracerv](const std::string& value) { out = value; },
            description)
        ->type_name("N")
        ->default_str(out)
        ->take_last()
        ->group(group);
  };
  Option* start =
      text("--trace-start", tracerv->start, "its start, in TracerV's base");
  Option* end = text("--trace-end", tracerv->end, "its end, in TracerV's base");
  Option* select =
      app.add_callback(
             "--trace-select",
             [&trigger, tracerv](const std::string& value) {
               const auto selector = to_number<int>(value);
               in_context("--trace-select", [&] {
                 set_tracerv_trigger(trigger, selector.value_or(-1),
                                     tracerv->start, tracerv->end);
               });
             },
             "instead of --from and --until, TracerV's trigger: 0 none, 1 "
             "cycles of the base clock, 2 a pc, "
             "3 an instruction with its mask")
          ->type_name("0|1|2|3")
          ->take_last()
          ->group(group);
  start->needs(select);
  end->needs(select);
  Option* config =
      app.add_callback(
             "--runtime-config",
             [&trigger](const std::string& path) {
               const RuntimeConfig config = read_runtime_config(path);
               in_context(path, [&] {
                 set_tracerv_trigger(trigger, config.selector, config.start,
                                     config.end);
               });
             },
             "take the trigger from FireSim's config_runtime.ini or "
             "config_runtime.yaml instead")
          ->type_name("FILE")
          ->take_last()
          ->group(group);
  return {.select = select, .config = config};
}

void add_trigger_options(OptionSet& app, TriggerOptions& trigger) {
  const std::string group = "Part of an instruction trace";
  Option* from = add_point(
      app, "--from", trigger.from, group,
      "begin where this is met: cycle:N, base-cycle:N, pc:HEX, "
      "insn:HEX[/MASK] or symbol:NAME, with #N for the N-th time only");
  Option* until =
      add_point(app, "--until", trigger.until, group,
                "end where this is met; begin again where --from is");
  add_choice(app, "--edges", trigger.edges, "both|from|until|none", kEdges,
             "which of the instructions at these points are part of it; "
             "TracerV's own triggers are 'until'")
      ->default_str("both")
      ->group(group);
  add_flag(app, "--all-harts", trigger.all_harts,
           "what is met on one hart counts for all, of all inputs")
      ->group(group);
  add_text(app, "--only-space", trigger.space, "SPACE",
           "only while this runs: satp:HEX, pid:N or the name of a process, "
           "where the trace knows them")
      ->group(group);
  const auto [select, config] = add_tracerv_options(app, trigger, group);
  // Each says the whole trigger: beside another, one of them would be dropped.
  // A configuration is refused beside --trace-select too, rather than changed
  // by it: that has a start and an end even where none is given.
  select->excludes(from)->excludes(until)->excludes(config);
  config->excludes(from)->excludes(until);
}

}  // namespace

void add_trace_options(OptionSet& app, TraceOptions& trace) {
  const std::string group = "Instruction traces";
  add_texts(
      app, "--elf", trace.elfs, "FILE",
      "a file of the traced code: the kernel (vmlinux or System.map), "
      "the SBI, programs (also without an operating system) and libraries")
      ->group(group);
  add_text(app, "--sysroot", trace.sysroot, "DIR",
           "look for programs and libraries in this folder")
      ->group(group);
  add_texts(app, "--module", trace.modules, "FILE@ADDRESS",
            "a module of the kernel, and where its text is")
      ->group(group);
  add_text(app, "--uartlog", trace.uartlog, "FILE",
           "the console's output; lines of /proc/modules in it say where "
           "modules are")
      ->group(group);
  add_text(app, "--trace-layout", trace.layout, "LAYOUT",
           "the layout of a binary trace, where it is not found by looking")
      ->group(group);
  add_choice(app, "--attribute", trace.attribution, "next|last|tip|fireperf",
             kAttributions,
             "who gets the cycles between two instructions: the one that was "
             "waited for, the one before, that one if it emptied the pipeline; "
             "or all as FirePerf has it")
      ->default_str("next")
      ->group(group);
  app.add_callback(
         "--hart",
         [&trace](const std::string& text) {
           const auto hart = to_number<int>(text);
           if (!hart || *hart < 0 || *hart > (1 << 20))
             fail_usage("--hart: '{}' is not the number of a hart",
                        excerpt(text));
           trace.hart = *hart;
         },
         "this hart of the trace only")
      ->type_name("N")
      ->take_last()
      ->group(group);
  add_trigger_options(app, trace.trigger);
}

void find_common_windows(std::span<const std::string> paths,
                         std::string_view format, TraceOptions& trace) {
  const TriggerOptions& trigger = trace.trigger;
  if (!trigger.all_harts || (trigger.from.empty() && trigger.until.empty()))
    return;
  trace.trigger.windows = find_windows(paths, format, trace);
}

}  // namespace wick
