// SPDX-License-Identifier: Apache-2.0
#include "transform/unnamed_modules.h"

#include <algorithm>
#include <functional>

#include "base/bytes.h"
#include "base/text.h"

namespace wick {

std::vector<UnnamedModule> unnamed_modules(const Profile& profile) {
  int decimals = 0;
  for (const Event& event : profile.events)
    decimals = std::max<int>(decimals, event.decimals);
  Column<ModuleId, std::int64_t> sums(profile.modules.size());
  for (const Sample& sample : profile.samples) {
    if (sample.stack == StackId::kRoot) continue;
    const Frame& frame = profile.frames[profile.stacks.frame(sample.stack)];
    if (frame.function != StringId::kEmpty) continue;
    const std::int64_t weight = saturating_mul(
        sample.weight,
        power_of_ten(decimals - profile.events[sample.event].decimals));
    sums[frame.module] = saturating_add(sums[frame.module], weight);
  }
  std::vector<UnnamedModule> modules;
  for (const ModuleId id : profile.modules.ids())
    if (profile.modules[id].no_names != StringId::kEmpty)
      modules.push_back({id, sums[id]});
  std::ranges::stable_sort(modules, std::ranges::greater{},
                           &UnnamedModule::weight);
  return modules;
}

}  // namespace wick
