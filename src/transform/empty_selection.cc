// SPDX-License-Identifier: Apache-2.0
#include "transform/empty_selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "base/text.h"
#include "profile/fold.h"

namespace wick {
namespace {

// Names with their weights, the heaviest first, as "a, b and 3 more". A name
// that is added again adds up.
class Candidates {
 public:
  void add(const std::string& name, std::int64_t weight) {
    if (weight <= 0) return;
    const auto [at, is_new] = row_of_.try_emplace(name, rows_.size());
    if (is_new) rows_.push_back({0, name});
    std::int64_t& sum = rows_[at->second].weight;
    sum = saturating_add(sum, weight);
  }

  bool empty() const { return rows_.empty(); }

  std::string text() {
    constexpr std::size_t kMost = 5;
    std::ranges::stable_sort(rows_, std::ranges::greater{}, &Row::weight);
    std::string out;
    for (std::size_t i = 0; i < std::min(rows_.size(), kMost); ++i)
      out += (i == 0 ? "" : ", ") + rows_[i].name;
    if (rows_.size() > kMost)
      out += fmt::format(" and {} more", rows_.size() - kMost);
    return out;
  }

 private:
  struct Row {
    std::int64_t weight;
    std::string name;
  };
  std::vector<Row> rows_;
  std::unordered_map<std::string, std::size_t> row_of_;
};

template <class Id, class IdOf>
Column<Id, std::int64_t> weights_by(const Profile& profile, std::size_t size,
                                    IdOf id_of) {
  Column<Id, std::int64_t> sums(size);
  for (const Sample& sample : profile.samples)
    sums[id_of(sample)] = saturating_add(
        sums[id_of(sample)], std::max<std::int64_t>(sample.weight, 1));
  return sums;
}

std::string thread_text(const Profile& profile, const Thread& thread,
                        const Selection& selection) {
  const std::string comm = excerpt(profile.strings[thread.comm]);
  if (!selection.pid && !selection.tid) return comm;
  const std::int32_t id = selection.tid ? thread.tid : thread.pid;
  if (id == Thread::kUnknown) return comm;
  return comm.empty() ? std::to_string(id) : fmt::format("{} ({})", id, comm);
}

// What the user left out, if anything.
const Diagnostics::Entry* left_out(const Diagnostics& diagnostics) {
  for (const Diagnostics::Entry& entry : diagnostics.entries())
    switch (entry.problem) {
      case Problem::kNotSelected:
      case Problem::kCutInstructions:
      case Problem::kCutCycles:
      case Problem::kCutCalls:
        return &entry;
      default:
        break;
    }
  return nullptr;
}

}  // namespace

void keep_some(Profile& profile, const WantedSample& wanted,
               const std::function<std::string()>& why) {
  if (!profile.samples.empty() && std::ranges::none_of(profile.samples, wanted))
    fail("{}", why());
  keep_samples(profile, Problem::kNotSelected, wanted);
}

std::string why_no_thread(const Profile& profile, const Selection& selection) {
  std::string wanted;
  const auto add = [&](std::string text) {
    wanted += (wanted.empty() ? "" : " and ") + text;
  };
  if (selection.pid) add(fmt::format("process {}", *selection.pid));
  if (selection.tid) add(fmt::format("thread {}", *selection.tid));
  if (!selection.comm.empty())
    add(fmt::format("'{}'", excerpt(selection.comm)));
  const auto sums =
      weights_by<ThreadId>(profile, profile.threads.size(),
                           [](const Sample& sample) { return sample.thread; });
  Candidates candidates;
  for (const ThreadId id : profile.threads.ids()) {
    std::string text = thread_text(profile, profile.threads[id], selection);
    if (!text.empty()) candidates.add(text, sums[id]);
  }
  if (candidates.empty())
    return fmt::format("no sample is of {}: this input names no processes",
                       wanted);
  return fmt::format("no sample is of {}; there are samples of {}", wanted,
                     candidates.text());
}

std::string why_no_time(const Profile& profile, std::uint64_t first) {
  const auto seconds = [](std::uint64_t ns) {
    return static_cast<double>(ns) / 1e9;
  };
  const std::uint64_t begin = profile.samples.front().time;
  const std::uint64_t end = profile.samples.back().time;
  return fmt::format(
      "no sample is in the range of time; samples are from {:.3f} to {:.3f} s "
      "(@{:.3f}..{:.3f} on the input's clock)",
      seconds(begin - std::min(first, begin)),
      seconds(end - std::min(first, end)), seconds(begin), seconds(end));
}

std::string why_no_function(const Profile& profile, std::string_view wanted) {
  const auto sums =
      weights_by<StackId>(profile, profile.stacks.size(),
                          [](const Sample& sample) { return sample.stack; });
  Column<FrameId, std::int64_t> self(profile.frames.size());
  for (const StackId id : profile.stacks.ids())
    if (id != StackId::kRoot) {
      std::int64_t& sum = self[profile.stacks.frame(id)];
      sum = saturating_add(sum, sums[id]);
    }
  Candidates candidates;
  for (const FrameId id : profile.frames.ids())
    candidates.add(excerpt(frame_name(profile, profile.frames[id], {})),
                   self[id]);
  if (candidates.empty())
    return fmt::format("no stack has {}: no sample has a stack", wanted);
  return fmt::format("no stack has {}; the hottest functions are {}", wanted,
                     candidates.text());
}

void check_not_empty(const Profile& profile) {
  if (!profile.samples.empty()) return;
  if (left_out(profile.diagnostics) != nullptr)
    fail("{}", why_empty(profile.diagnostics, "samples"));
}

std::string why_empty(const Diagnostics& diagnostics, std::string_view things) {
  if (const auto* entry = left_out(diagnostics))
    return fmt::format("nothing is left: {}", describe(*entry));
  for (const Diagnostics::Entry& entry : diagnostics.entries())
    if (info(entry.problem).is_loss)
      return fmt::format("there are no {}: {}", things, describe(entry));
  return fmt::format("there are no {}", things);
}

}  // namespace wick
