// SPDX-License-Identifier: Apache-2.0
// .cpuprofile: what `node --cpu-prof` and the DevTools of Chrome write.
#include <algorithm>

#include "base/error.h"
#include "format/json/json.h"
#include "format/json/v8_profile.h"
#include "profile/format.h"

namespace wick {
namespace {

bool sniff_cpuprofile(std::string_view head) {
  const auto keys = json_keys(head);
  const auto has = [&](std::string_view key) {
    return std::ranges::find(keys, key) != keys.end();
  };
  if (has("nodes"))
    return has("startTime") || has("endTime") || has("samples") ||
           head.find("\"callFrame\"") != head.npos;
  return has("head") && head.find("\"functionName\"") != head.npos;
}

Profile read_cpuprofile(InputFile& file, const ReadOptions& options) {
  Profile profile;
  const JsonDocument document(file.bytes(), profile.diagnostics);
  const Json root = document.root();
  if (!root["nodes"].is_array() && !root["head"].is_object())
    fail("has no \"nodes\", which a .cpuprofile of V8 must have");
  V8Profile calls(profile);
  calls.add_nodes(root["nodes"]);
  if (root["head"].is_object()) calls.add_tree(root["head"]);
  // Old profiles have seconds here, and timestamps, which are later than that.
  if (const auto start = root["startTime"].integer()) calls.set_start(*start);
  if (const auto end = root["endTime"].integer()) calls.set_end(*end);
  if (root["timestamps"].is_array())
    calls.add_stamped_samples(root["samples"], root["timestamps"]);
  else
    calls.add_samples(root["samples"], root["timeDeltas"]);
  profile.has_time = options.keep_time && calls.has_samples();
  SampleCollector samples(profile, options.keep_time);
  calls.finish(samples, ThreadId::kUnknown);
  return profile;
}

}  // namespace

extern const InputFormat cpuprofile_input = {
    .name = "cpuprofile",
    .description = "V8 CPU profile (node --cpu-prof, Chrome DevTools)",
    .sniff = sniff_cpuprofile,
    .read = read_cpuprofile,
};

}  // namespace wick
