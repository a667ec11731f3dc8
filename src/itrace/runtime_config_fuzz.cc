// SPDX-License-Identifier: Apache-2.0
// Any bytes as FireSim's configuration, and its trigger as points.
#include <cstdlib>

#include "base/fuzz_target.h"
#include "itrace/runtime_config.h"
#include "itrace/trigger.h"

namespace wick {
namespace {

void run(std::string_view bytes) {
  const RuntimeConfig config = parse_runtime_config(bytes);
  TriggerOptions trigger;
  set_tracerv_trigger(trigger, config.selector, config.start, config.end);
  // What is made of a configuration can be read again.
  for (const std::string& point : {trigger.from, trigger.until})
    if (!point.empty() &&
        parse_trace_point(point).kind == TracePoint::Kind::kNone)
      std::abort();
}

}  // namespace

extern const FuzzTarget runtime_config_fuzz = {.name = "runtime-config",
                                               .run = run};

}  // namespace wick
