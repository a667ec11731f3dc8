// SPDX-License-Identifier: Apache-2.0
// Any bytes as FireSim's configuration with its trigger, as the output of a
// console, and as options of traces.
#include <cstdlib>

#include "base/error.h"
#include "base/fuzz_target.h"
#include "base/text.h"
#include "itrace/code/module_list.h"
#include "itrace/formats/tracerv_layout.h"
#include "itrace/trigger/runtime_config.h"
#include "itrace/trigger/trigger.h"

namespace wick {
namespace {

// Options that users write; they may be refused.
void read_options(std::string_view text) {
  try {
    parse_trace_point(text);
  } catch (const UsageError&) {
  }
  try {
    const TracervLayout layout = parse_layout(text);
    if (layout.words < 2 || layout.words > 8 || layout.slots < 1 ||
        layout.slots >= layout.words || layout.pc_bits > layout.valid_bit)
      std::abort();
  } catch (const UsageError&) {
  }
}

void fuzz_runtime_config(std::string_view bytes) {
  read_options(bytes);
  for (std::string_view rest = bytes; !rest.empty();)
    if (const auto module = parse_loaded_module(take_line(rest)))
      if (module->name.empty() || module->start == 0) std::abort();
  const RuntimeConfig config = parse_runtime_config(bytes);
  TriggerOptions trigger;
  set_tracerv_trigger(trigger, config.selector, config.start, config.end);
  // The points made from a configuration can be parsed.
  for (const std::string& point : {trigger.from, trigger.until})
    if (!point.empty() &&
        parse_trace_point(point).kind == TracePoint::Kind::kNone)
      std::abort();
}

}  // namespace

extern const FuzzTarget runtime_config_fuzz = {.name = "runtime-config",
                                               .run = fuzz_runtime_config};

}  // namespace wick
