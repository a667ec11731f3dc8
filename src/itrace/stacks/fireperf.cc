// SPDX-License-Identifier: Apache-2.0
#include "itrace/stacks/fireperf.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/error.h"
#include "base/parallel.h"
#include "itrace/code/code_map.h"
#include "itrace/stacks/fireperf_labels.h"

namespace wick {
namespace {

constexpr std::string_view kUserspace = "USERSPACE_ALL";

// What is left of a label in the lines that the script folds, such as
// "Indent: 1, Start label: NAME, At cycle: 5".
std::string_view folded_name(std::string_view name) {
  if (name.size() > 1 && name.starts_with('<')) name.remove_prefix(1);
  if (name.size() > 1) name = name.substr(0, name.find(',', 1));
  if (name.size() > 2 && name.ends_with(">:")) name.remove_suffix(2);
  return name;
}

// Labels with the same name are one.
class LabelNames {
 public:
  explicit LabelNames(Profile& profile) : profile_(profile) {
    frames_.push_back(profile.named_frame(kUserspace, FrameKind::kKernel));
  }
  static constexpr std::uint32_t kUserspaceRow = 0;

  std::uint32_t row(const FirePerfLabels::Span& span) {
    if (span.name.empty()) return kUserspaceRow;
    const auto [row, is_new] = rows_.try_emplace(
        span.name, static_cast<std::uint32_t>(frames_.size()));
    if (is_new)
      frames_.push_back(
          profile_.named_frame(folded_name(span.name), FrameKind::kKernel));
    return row->second;
  }
  FrameId frame(std::uint32_t row) const { return frames_[row]; }

 private:
  Profile& profile_;
  std::vector<FrameId> frames_;  // by row
  absl::flat_hash_map<std::string_view, std::uint32_t> rows_;
};

// One hart's stack, and what the folding script makes of its changes.
class FirePerfStack {
 public:
  FirePerfStack(const FirePerfLabels& labels, LabelNames& names,
                Profile& profile, SampleCollector& out)
      : labels_(labels), names_(names), profile_(profile), out_(out) {}

  void step(std::uint64_t elf_addr, std::uint64_t cycle) {
    last_cycle_ = cycle;
    if (!any_) first_cycle_ = last_event_ = cycle;
    if (!any_ || elf_addr < span_.begin || elf_addr >= span_.end) {
      span_ = labels_.at(elf_addr);
      label_ = names_.row(span_);
    }
    any_ = true;
    if (label_ == LabelNames::kUserspaceRow)
      userspace(cycle);
    else
      label(elf_addr == span_.begin, cycle);
  }

  // Notes the time that belongs to no stack.
  void finish() {
    if (!any_) return;
    const std::uint64_t lost = last_cycle_ - first_cycle_ - given_;
    profile_.diagnostics.note(Problem::kNobodysCycles, lost,
                              static_cast<std::int64_t>(lost));
    profile_.diagnostics.note(Problem::kResynchronised, lost_stacks_);
  }

 private:
  struct Open {
    std::uint32_t label;
    bool is_function;
    std::uint64_t end;
    StackId stack;
  };

  bool is_in(std::uint32_t label) const {
    return !stack_.empty() && stack_.back().label == label;
  }

  void userspace(std::uint64_t cycle) {
    if (is_in(LabelNames::kUserspaceRow)) {
      stack_.back().end = cycle;
      return;
    }
    while (!stack_.empty()) leave(cycle);
    enter(cycle);
  }

  void label(bool is_entry, std::uint64_t cycle) {
    if (is_in(LabelNames::kUserspaceRow)) leave(cycle);
    if (is_in(label_)) {
      stack_.back().end = cycle;
    } else if (!stack_.empty() && !span_.is_function &&
               !stack_.back().is_function) {
      event(stack_.back().end);
      stack_.pop_back();
      enter(cycle);
    } else if (stack_.empty() || is_entry) {
      enter(cycle);
    } else {
      while (!stack_.empty() && !is_in(label_)) leave(cycle);
      lost_stacks_ += stack_.empty();
    }
  }

  void enter(std::uint64_t cycle) {
    event(cycle);
    const StackId under = stack_.empty() ? StackId::kRoot : stack_.back().stack;
    stack_.push_back({label_, span_.is_function, cycle,
                      profile_.stacks.push(under, names_.frame(label_))});
  }

  void leave(std::uint64_t cycle) {
    event(stack_.back().end);
    stack_.pop_back();
    if (!stack_.empty()) stack_.back().end = cycle;
  }

  // The time since the last event goes to the current stack.
  void event(std::uint64_t cycle) {
    if (cycle < last_event_) return;
    const std::uint64_t weight = cycle - last_event_;
    last_event_ = cycle;
    if (stack_.empty() || weight == 0) return;
    given_ += weight;
    out_.add({.weight = static_cast<std::int64_t>(weight),
              .stack = stack_.back().stack});
  }

  const FirePerfLabels& labels_;
  LabelNames& names_;
  Profile& profile_;
  SampleCollector& out_;
  FirePerfLabels::Span span_;  // of the last instruction
  std::uint32_t label_ = 0;    // its name
  std::vector<Open> stack_;
  std::uint64_t first_cycle_ = 0, last_cycle_ = 0, last_event_ = 0;
  std::uint64_t given_ = 0, lost_stacks_ = 0;
  bool any_ = false;
};

// The kernel where it is linked to run, or else the first file with fixed
// addresses.
const CodeImage& one_file(const CodeMap& map) {
  const CodeImage* found = nullptr;
  for (std::uint32_t i = 1; i < map.image_count(); ++i) {
    const CodeImage& image = map.image(CodeImageId{i});
    if (image.layer == Layer::kKernel && image.bias == 0) return image;
    if (image.fixed && found == nullptr) found = &image;
  }
  if (found == nullptr)
    throw UsageError("FirePerf's rule needs the kernel (vmlinux)",
                     {.wrong = Setting::kAttribution, .helps = Setting::kElf});
  return *found;
}

}  // namespace

Profile read_fireperf(TraceReader& reader, const CodeMap& map,
                      const ReadOptions& options) {
  const CodeImage& image = one_file(map);
  const FirePerfLabels labels(image, worker_count(options.threads));
  Profile profile;
  profile.is_trace = true;
  const EventId time = profile.event_id(reader.info().unit, reader.info().unit);
  profile.events[time].time = TimeKind::kTraceClock;
  SampleCollector samples(profile, false);
  LabelNames names(profile);
  // FirePerf takes 40 bits of a pc and extends their sign.
  const int unknown_bits = 64 - std::clamp(reader.info().pc_bits, 1, 40);
  const auto elf_addr = [&](std::uint64_t pc) {
    return static_cast<std::uint64_t>(
               static_cast<std::int64_t>(pc << unknown_bits) >> unknown_bits) -
           image.bias;
  };
  // One tracker per hart, as FirePerf has one per core.
  std::map<std::uint32_t, FirePerfStack> stacks;
  TraceBlock block;
  while (reader.next(block)) {
    auto at = stacks.find(block.hart);
    if (at == stacks.end())
      at = stacks
               .emplace(std::piecewise_construct,
                        std::forward_as_tuple(block.hart),
                        std::forward_as_tuple(labels, names, profile, samples))
               .first;
    for (const Retired& instruction : block.instructions)
      at->second.step(elf_addr(instruction.pc), instruction.cycle);
  }
  for (auto& [hart, stack] : stacks) stack.finish();
  profile.set_about("attribution", "FirePerf");
  profile.diagnostics.merge(reader.diagnostics());
  profile.diagnostics.merge(map.diagnostics());
  return profile;
}

}  // namespace wick
