// SPDX-License-Identifier: Apache-2.0
#include "transform/name_gaps.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

#include "base/text.h"

namespace wick {
namespace {

// Code in fewer samples does not decide about a change.
constexpr double kLeastShare = 0.01;

bool lacks_name(const Frame& frame) {
  return frame.function == StringId::kEmpty &&
         frame.module != ModuleId::kUnknown && frame.kind != FrameKind::kLabel;
}

// The code of one file in one profile. Builds that are compared may be in two
// folders, so files are told apart by their names only.
struct CodeOfFile {
  ModuleId module{};  // of several, one with a reason for the lack of names
  // Of its code without names, if it has any.
  std::set<std::string_view> builds;
  // Its functions that are known by an address, as they are printed.
  std::set<std::string> addresses;
  // Of the profile's weight that is in stacks with such a frame of the file.
  double named = 0, unnamed = 0;
};

using Files = std::map<std::string_view, CodeOfFile>;

class FilesOfProfile {
 public:
  FilesOfProfile(const Profile& profile, const FoldOptions& options)
      : profile_(profile), options_(options) {
    for (const Sample& sample : profile.samples)
      if (sample.event == EventId{0})
        all_ += static_cast<double>(sample.weight);
  }

  // The files with so much code without names that it may matter.
  std::set<std::string_view> unnamed() const {
    std::map<std::string_view, double> most;
    const Column<ModuleId, double> bounds = most_unnamed();
    for (const ModuleId id : profile_.modules.ids())
      most[file_of(id)] += bounds[id];
    std::set<std::string_view> files;
    for (const auto& [file, weight] : most)
      if (!file.empty() && weight >= kLeastShare * all_) files.insert(file);
    return files;
  }

  // Those of `names` that are in the profile.
  Files find(const std::set<std::string_view>& names) const {
    Files files;
    for (const ModuleId id : profile_.modules.ids()) {
      if (!names.contains(file_of(id))) continue;
      const auto [at, is_new] = files.try_emplace(file_of(id));
      if (is_new || profile_.modules[id].no_names != StringId::kEmpty)
        at->second.module = id;
    }
    for (auto& [file, code] : files) describe(file, code);
    return files;
  }

 private:
  std::string_view file_of(ModuleId id) const {
    return base_name(profile_.strings[profile_.modules[id].path]);
  }

  // The weight of frames without a name, by module. A stack with several
  // counts several times, so this is an upper bound.
  Column<ModuleId, double> most_unnamed() const {
    Column<StackId, double> weights(profile_.stacks.size());
    for (const Sample& sample : profile_.samples)
      if (sample.event == EventId{0})
        weights[sample.stack] += static_cast<double>(sample.weight);
    Column<ModuleId, double> sums(profile_.modules.size());
    for (std::size_t i = profile_.stacks.size(); i-- > 1;) {
      const StackId id{static_cast<std::uint32_t>(i)};
      weights[profile_.stacks.parent(id)] += weights[id];
      const Frame& frame = profile_.frames[profile_.stacks.frame(id)];
      if (lacks_name(frame)) sums[frame.module] += weights[id];
    }
    return sums;
  }

  void describe(std::string_view file, CodeOfFile& code) const {
    Column<ModuleId, bool> is_it(profile_.modules.size());
    for (const ModuleId id : profile_.modules.ids())
      is_it[id] = file_of(id) == file;
    for (const FrameId id : profile_.frames.ids()) {
      const Frame& frame = profile_.frames[id];
      if (!is_it[frame.module] || !lacks_name(frame)) continue;
      code.builds.insert(
          profile_.strings[profile_.modules[frame.module].build_id]);
      if (options_.detail != NameDetail::kFile &&
          (frame.function_start != 0 || options_.addresses))
        code.addresses.insert(frame_name(profile_, frame, options_));
    }
    if (code.builds.empty())
      for (const Module& module : profile_.modules)
        if (base_name(profile_.strings[module.path]) == file)
          code.builds.insert(profile_.strings[module.build_id]);
    code.named = share(is_it, true);
    code.unnamed = share(is_it, false);
  }

  // The share of stacks with a frame of the modules that has a name, or has
  // not.
  double share(const Column<ModuleId, bool>& is_it, bool is_named) const {
    Column<StackId, bool> has_it(profile_.stacks.size());
    for (const StackId id : profile_.stacks.ids()) {
      if (id == StackId::kRoot) continue;
      const Frame& frame = profile_.frames[profile_.stacks.frame(id)];
      has_it[id] = has_it[profile_.stacks.parent(id)] ||
                   (is_it[frame.module] && lacks_name(frame) != is_named);
    }
    double sum = 0;
    for (const Sample& sample : profile_.samples)
      if (sample.event == EventId{0} && has_it[sample.stack])
        sum += static_cast<double>(sample.weight);
    return all_ > 0 ? sum / all_ : 0;
  }

  const Profile& profile_;
  const FoldOptions& options_;
  double all_ = 0;
};

NameGap gap_of(NameGapKind kind, const Profile& profile, const CodeOfFile& code,
               bool is_before) {
  const Module& module = profile.modules[code.module];
  return {.kind = kind,
          .module = std::string(profile.strings[module.path]),
          .is_before = is_before,
          .share = code.unnamed,
          .why = std::string(profile.strings[module.no_names]),
          .helps = module.no_names_helps};
}

bool is_same_build(const CodeOfFile& a, const CodeOfFile& b) {
  return a.builds.size() == 1 && a.builds == b.builds &&
         !a.builds.begin()->empty();
}

// Gaps of one side, `here`.
void add_gaps(const Profile& profile, const Files& here, const Files& there,
              bool is_before, std::vector<NameGap>& gaps) {
  for (const auto& [file, code] : here) {
    if (code.unnamed < kLeastShare) continue;
    const auto add = [&](NameGapKind kind) -> NameGap& {
      return gaps.emplace_back(gap_of(kind, profile, code, is_before));
    };
    const auto at = there.find(file);
    if (code.named < code.unnamed / 2)
      add(NameGapKind::kNoNames).is_on_both_sides =
          at != there.end() && at->second.unnamed >= kLeastShare;
    if (at == there.end()) {
      if (!code.addresses.empty())
        add(NameGapKind::kFileOfOneSide).functions = code.addresses;
      continue;
    }
    const CodeOfFile& other = at->second;
    if (other.named >= kLeastShare && other.unnamed <= code.unnamed / 2)
      add(NameGapKind::kOneSide);
    else if (!code.addresses.empty() && !is_same_build(code, other))
      add(NameGapKind::kBuilds).functions = code.addresses;
  }
}

}  // namespace

std::vector<NameGap> find_name_gaps(const Profile& before, const Profile& after,
                                    const FoldOptions& options) {
  if (options.detail == NameDetail::kModule) return {};
  const FilesOfProfile of_before(before, options), of_after(after, options);
  std::set<std::string_view> files = of_before.unnamed();
  files.merge(of_after.unnamed());
  const Files here = of_before.find(files), there = of_after.find(files);
  std::vector<NameGap> gaps;
  add_gaps(before, here, there, true, gaps);
  add_gaps(after, there, here, false, gaps);
  std::ranges::stable_sort(gaps, {}, [](const NameGap& gap) {
    return std::tuple(gap.kind, -gap.share);
  });
  return gaps;
}

}  // namespace wick
