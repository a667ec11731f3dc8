// SPDX-License-Identifier: Apache-2.0
#include "format/binary/main_module.h"

#include <string_view>
#include <unordered_map>

#include "base/bytes.h"
#include "base/text.h"

namespace wick {
namespace {

using Votes = Column<ModuleId, std::int64_t>;

bool is_library(std::string_view path) {
  return base_name(path).find(".so") != std::string_view::npos ||
         base_name(path).starts_with("[");
}

ModuleId most_votes(const Votes& votes) {
  ModuleId most = ModuleId::kUnknown;
  for (const ModuleId id : votes.ids())
    if (votes[id] > 0 &&
        (most == ModuleId::kUnknown || votes[id] > votes[most]))
      most = id;
  return most;
}

// For each stack, the module of its outermost frame that is no kernel code.
Column<StackId, ModuleId> roots(const Profile& profile) {
  Column<StackId, ModuleId> root(profile.stacks.size(), ModuleId::kUnknown);
  for (const StackId id : profile.stacks.ids()) {
    if (id == StackId::kRoot) continue;
    const Frame& frame = profile.frames[profile.stacks.frame(id)];
    root[id] = root[profile.stacks.parent(id)];
    if (root[id] == ModuleId::kUnknown && frame.kind != FrameKind::kKernel)
      root[id] = frame.module;
  }
  return root;
}

// For each thread, the module that it is called after.
Column<ThreadId, ModuleId> named_after(const Profile& profile) {
  constexpr std::size_t kCommSize = 15;  // that is what the kernel keeps
  std::unordered_map<std::string_view, ModuleId> modules;
  for (const ModuleId id : profile.modules.ids()) {
    const std::string_view path = profile.strings[profile.modules[id].path];
    if (id != ModuleId::kUnknown && !is_library(path))
      modules.emplace(base_name(path).substr(0, kCommSize), id);
  }
  Column<ThreadId, ModuleId> called(profile.threads.size(), ModuleId::kUnknown);
  for (const ThreadId id : profile.threads.ids()) {
    const auto at = modules.find(profile.strings[profile.threads[id].comm]);
    if (at != modules.end()) called[id] = at->second;
  }
  return called;
}

void vote(Votes& votes, ModuleId id, std::int64_t weight) {
  if (id != ModuleId::kUnknown && weight > 0)
    votes[id] = saturating_add(votes[id], weight);
}

}  // namespace

ModuleId main_module(const Profile& profile) {
  const Column<ThreadId, ModuleId> called = named_after(profile);
  const Column<StackId, ModuleId> root = roots(profile);
  Votes by_name(profile.modules.size()), by_root(profile.modules.size());
  for (const Sample& sample : profile.samples) {
    vote(by_name, called[sample.thread], sample.weight);
    if (sample.thread != ThreadId::kUnknown)
      vote(by_root, root[sample.stack], sample.weight);
  }
  for (const ModuleId id : by_root.ids())
    if (is_library(profile.strings[profile.modules[id].path])) by_root[id] = 0;
  const ModuleId named = most_votes(by_name);
  return named != ModuleId::kUnknown ? named : most_votes(by_root);
}

}  // namespace wick
