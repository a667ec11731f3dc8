// SPDX-License-Identifier: Apache-2.0
#include "transform/name_gaps.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string_view>

#include "base/text.h"

namespace wick {
namespace {

// Code in fewer samples does not decide about a change.
constexpr double kLeastShare = 0.01;

// A module by the name of its file: builds that are compared may be in two
// folders. Of several, one that lacks names.
using ModulesByFile = std::map<std::string_view, ModuleId>;

ModulesByFile modules_of(const Profile& profile) {
  ModulesByFile modules;
  for (const ModuleId id : profile.modules.ids()) {
    const Module& module = profile.modules[id];
    const std::string_view file = base_name(profile.strings[module.path]);
    if (file.empty()) continue;
    const auto [at, is_new] = modules.try_emplace(file, id);
    if (!is_new && module.no_names != StringId::kEmpty) at->second = id;
  }
  return modules;
}

class Shares {
 public:
  explicit Shares(const Profile& profile) : profile_(profile) {
    for (const Sample& sample : profile.samples)
      if (sample.event == EventId{0})
        all_ += static_cast<double>(sample.weight);
  }

  // The share of stacks with a frame of the module that has a name, or has not.
  double share(std::string_view file, bool is_named) const {
    Column<ModuleId, bool> is_it(profile_.modules.size());
    for (const ModuleId id : profile_.modules.ids())
      is_it[id] =
          base_name(profile_.strings[profile_.modules[id].path]) == file;
    Column<StackId, bool> has_it(profile_.stacks.size());
    for (const StackId id : profile_.stacks.ids()) {
      if (id == StackId::kRoot) continue;
      const Frame& frame = profile_.frames[profile_.stacks.frame(id)];
      has_it[id] = has_it[profile_.stacks.parent(id)] ||
                   (is_it[frame.module] &&
                    (frame.function != StringId::kEmpty) == is_named);
    }
    double sum = 0;
    for (const Sample& sample : profile_.samples)
      if (sample.event == EventId{0} && has_it[sample.stack])
        sum += static_cast<double>(sample.weight);
    return all_ > 0 ? sum / all_ : 0;
  }

 private:
  const Profile& profile_;
  double all_ = 0;
};

// Modules that `without` has no names for and `with` has.
void add_gaps(const Profile& without, const Profile& with, bool is_before,
              std::vector<NameGap>& gaps) {
  const Shares here(without), there(with);
  const ModulesByFile known = modules_of(with);
  for (const auto& [file, id] : modules_of(without)) {
    const Module& module = without.modules[id];
    if (module.no_names == StringId::kEmpty || !known.contains(file)) continue;
    const double unnamed = here.share(file, false);
    if (unnamed < kLeastShare || there.share(file, true) < kLeastShare ||
        there.share(file, false) > unnamed / 2)
      continue;
    gaps.push_back({.module = std::string(without.strings[module.path]),
                    .is_before = is_before,
                    .share = unnamed,
                    .why = std::string(without.strings[module.no_names]),
                    .helps = module.no_names_helps});
  }
}

}  // namespace

std::vector<NameGap> find_name_gaps(const Profile& before,
                                    const Profile& after) {
  std::vector<NameGap> gaps;
  add_gaps(before, after, true, gaps);
  add_gaps(after, before, false, gaps);
  std::ranges::stable_sort(gaps, std::greater(), &NameGap::share);
  return gaps;
}

}  // namespace wick
