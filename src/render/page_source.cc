// SPDX-License-Identifier: Apache-2.0
#include "render/page_source.h"

#include <algorithm>
#include <unordered_map>

#include "base/text.h"

namespace wick {
namespace {

constexpr std::uint64_t kMaxFile = 1 << 20;
constexpr std::size_t kMaxText = 4 << 20;
constexpr std::size_t kMaxFiles = 200;
// A program has thousands of files at most.
constexpr std::size_t kMaxTried = 100'000;

}  // namespace

std::vector<SourceText> source_texts(const Profile& profile,
                                     const PageStacks& stacks,
                                     const std::vector<PageSample>& samples,
                                     const SourceRoots& roots,
                                     Diagnostics& notes) {
  std::unordered_map<std::uint32_t, double> weights;  // by file
  for (const PageSample& sample : samples) {
    if (sample.node == 0) continue;
    const PageFrame& frame = stacks.frames[stacks.nodes[sample.node].frame];
    if (frame.line != 0 && frame.file != StringId::kEmpty)
      weights[index(frame.file)] += static_cast<double>(sample.weight);
  }
  std::vector<std::pair<double, std::uint32_t>> order;
  order.reserve(weights.size());
  for (const auto& [file, weight] : weights) order.emplace_back(-weight, file);
  std::ranges::sort(order);
  if (order.size() > kMaxTried) order.resize(kMaxTried);

  std::vector<SourceText> texts;
  std::size_t size = 0;
  for (const auto& [weight, file] : order) {
    const std::string path(profile.strings[StringId{file}]);
    const auto [text, is_outside] = roots.read(path, kMaxFile);
    if (is_outside) notes.note_at(Problem::kSourceOutside, path);
    if (!text || size + text->size() > kMaxText) continue;
    size += text->size();
    texts.push_back({path, valid_utf8(*text)});
    if (texts.size() == kMaxFiles) break;
  }
  return texts;
}

}  // namespace wick
