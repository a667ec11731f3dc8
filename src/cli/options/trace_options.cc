// SPDX-License-Identifier: Apache-2.0
#include "cli/options/trace_options.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "cli/options/option_kinds.h"
#include "itrace/trigger/runtime_config.h"
#include "itrace/trigger/trigger.h"
#include "sysroot/sysroot_image.h"

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

// TracerV's own options, which together are a trigger.
TracervTriggerOptions add_tracerv_options(OptionSet& app,
                                          TriggerOptions& trigger,
                                          const std::string& group) {
  struct Tracerv {
    std::string start = "0", end = "-1";
  };
  const auto tracerv = std::make_shared<Tracerv>();
  const auto text = [&](const char* name, std::string& out,
                        const char* description) {
    // Declared before the selector, so that they are set when it is parsed.
    return app
        .add_callback(
            name, [&out, tracerv](const std::string& value) { out = value; },
            description)
        ->type_name("N")
        ->default_str(out)
        ->take_last()
        ->group(group);
  };
  Option* start = text("--trace-start", tracerv->start,
                       "start of --trace-select, in TracerV's base");
  Option* end = text("--trace-end", tracerv->end,
                     "end of --trace-select, in TracerV's base");
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
             "TracerV's trigger instead of --from and --until: 0 none, 1 "
             "cycles of the base clock, 2 a pc, 3 an instruction and its mask")
          ->type_name("0|1|2|3")
          ->take_last()
          ->group(group);
  start->needs(select);
  end->needs(select);
  Option* config =
      app.add_callback(
             "--runtime-config",
             [&trigger](const std::string& path) {
               const RuntimeConfig config =
                   read_runtime_config(InputFile::open(path));
               in_context(path, [&] {
                 set_tracerv_trigger(trigger, config.selector, config.start,
                                     config.end);
               });
             },
             "take the trigger from FireSim's config_runtime.ini or "
             "config_runtime.yaml")
          ->type_name("FILE")
          ->take_last()
          ->group(group);
  return {.select = select, .config = config};
}

// An image is read at once: that needs a process, which is made before there
// are threads.
Option* add_sysroot(OptionSet& app, Sysroot& sysroot) {
  const std::string name = "--sysroot";
  return app
      .add_callback(
          name,
          [&sysroot, name](const std::string& path) {
            sysroot = path.empty() ? Sysroot() : in_context(name, [&] {
              return open_sysroot(path, {.on_network = true});
            });
          },
          "look for programs and libraries in this directory, disk image "
          "(ext2, ext3, ext4) or initramfs (cpio)")
      ->type_name("FILE")
      ->take_last();
}

void add_trigger_options(OptionSet& app, TriggerOptions& trigger) {
  const std::string group = "Part of an instruction trace";
  Option* from = add_point(
      app, "--from", trigger.from, group,
      "begin at this point: cycle:N, base-cycle:N, pc:HEX, insn:HEX[/MASK] or "
      "symbol:NAME; #N after it is the N-th time only");
  Option* until = add_point(app, "--until", trigger.until, group,
                            "end at this point; begin again at --from");
  add_choice(app, "--edges", trigger.edges, "both|from|until|none", kEdges,
             "which instructions at these points to include; TracerV's own "
             "triggers are 'until'")
      ->default_str("both")
      ->group(group);
  add_flag(app, "--all-harts", trigger.all_harts,
           "a point reached on one hart counts for all harts of all inputs")
      ->group(group);
  add_text(app, "--only-space", trigger.space, "SPACE",
           "only while this runs: satp:HEX, pid:N or the name of a process, if "
           "the trace has them")
      ->group(group);
  const auto [select, config] = add_tracerv_options(app, trigger, group);
  // Each is a whole trigger, so a second one would be ignored. --trace-select
  // cannot adjust a configuration either: it always sets a start and an end.
  select->excludes(from)->excludes(until)->excludes(config);
  config->excludes(from)->excludes(until);
}

}  // namespace

void add_trace_options(OptionSet& app, TraceOptions& trace) {
  const std::string group = "Instruction traces";
  add_paths(
      app, "--elf", trace.elfs, "FILE",
      "a file with traced code: the kernel (vmlinux or System.map), the SBI, "
      "programs (bare-metal ones, too) and libraries")
      ->group(group);
  add_sysroot(app, trace.sysroot)->group(group);
  add_texts(app, "--module", trace.modules, "FILE@ADDRESS",
            "a kernel module and the address of its text")
      ->group(group);
  add_path(app, "--uartlog", trace.uartlog, "FILE",
           "the console's output; if it contains /proc/modules, modules are "
           "found by it")
      ->group(group);
  add_text(app, "--trace-layout", trace.layout, "LAYOUT",
           "the layout of a binary trace (default: detected)")
      ->group(group);
  add_choice(app, "--attribute", trace.attribution, "next|last|tip|fireperf",
             kAttributions,
             "which instruction gets the cycles between two: the one waited "
             "for, the one before, the one before if it flushed the pipeline, "
             "or as FirePerf does")
      ->default_str("next")
      ->group(group);
  app.add_callback(
         "--hart",
         [&trace](const std::string& text) {
           const auto hart = to_number<int>(text);
           if (!hart || *hart < 0 || *hart > (1 << 20))
             fail_usage("--hart: '{}' is not a hart number", excerpt(text));
           trace.hart = *hart;
         },
         "only this hart")
      ->type_name("N")
      ->take_last()
      ->group(group);
  add_trigger_options(app, trace.trigger);
}

void find_common_windows(std::span<const std::string> paths,
                         std::string_view format, ReadOptions& read) {
  TriggerOptions& trigger = read.trace.trigger;
  if (!trigger.all_harts || (trigger.from.empty() && trigger.until.empty()))
    return;
  trigger.windows = find_windows(paths, format, read.trace, read.symbols);
}

}  // namespace wick
