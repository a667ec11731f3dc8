// SPDX-License-Identifier: Apache-2.0
#include "itrace/stacks/fireperf.h"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/error.h"
#include "itrace/code/code_map.h"

namespace wick {
namespace {

// In case names are not terminated.
constexpr std::size_t kMaxName = 1 << 16;
constexpr std::uint32_t kUserspace = 0;  // the row of USERSPACE_ALL

struct Label {
  std::string_view name;
  bool is_function = true;
};

// Each symbol extends to the next one.
class Labels {
 public:
  Labels(const CodeImage& image, std::uint64_t mask) {
    rows_.push_back({.name = "USERSPACE_ALL"});
    if (image.elf == nullptr || !add_elf_symbols(*image.elf))
      for (const Symbol& symbol : image.symbols())
        add(symbol.start, symbol.name, true);
    starts_ = {by_address_.begin(), by_address_.end()};
    first_ = (image.text_start + image.bias) & mask;
    end_ = first_ + (image.text_end - image.text_start);
    shift_ = image.text_start - first_;
  }

  struct Found {
    std::uint32_t row = kUserspace;
    bool is_entry = false;
  };
  Found find(std::uint64_t pc) const {
    if (pc < first_ || pc >= end_) return {};
    const std::uint64_t address = pc + shift_;
    auto at = std::ranges::upper_bound(starts_, address, {},
                                       [](const auto& s) { return s.first; });
    if (at == starts_.begin()) return {};
    --at;
    return {at->second, at->first == address && rows_[at->second].is_function};
  }
  const Label& operator[](std::uint32_t row) const { return rows_[row]; }
  std::size_t size() const { return rows_.size(); }

 private:
  void add(std::uint64_t address, std::string_view name, bool is_function) {
    const auto [at, fresh] = by_address_.try_emplace(address, 0);
    if (!fresh) return;  // the first at an address wins
    // Functions with the same name are one.
    const auto [row, is_new] =
        by_name_.try_emplace(name, static_cast<std::uint32_t>(rows_.size()));
    if (is_new) rows_.push_back({name, is_function});
    at->second = row->second;
  }

  // All named symbols of executable sections, whatever their type.
  bool add_elf_symbols(const ElfFile& elf) {
    const ElfFile::Section* table = elf.section(".symtab");
    if (table == nullptr || table->link >= elf.sections().size()) return false;
    const std::string_view names = elf.bytes(elf.sections()[table->link]);
    ByteReader reader = elf.reader(elf.bytes(*table));
    const std::size_t size = elf.is_64() ? 24 : 16;
    for (std::size_t i = 0; i < elf.bytes(*table).size() / size; ++i) {
      std::uint64_t value = 0;
      std::uint8_t info = 0;
      std::uint16_t section = 0;
      const auto name_at = reader.read<std::uint32_t>();
      if (elf.is_64()) {
        info = reader.read<std::uint8_t>();
        reader.read<std::uint8_t>();
        section = reader.read<std::uint16_t>();
        value = reader.read<std::uint64_t>();
        reader.read<std::uint64_t>();
      } else {
        value = reader.read<std::uint32_t>();
        reader.read<std::uint32_t>();
        info = reader.read<std::uint8_t>();
        reader.read<std::uint8_t>();
        section = reader.read<std::uint16_t>();
      }
      if (section >= elf.sections().size() || name_at >= names.size() ||
          (elf.sections()[section].flags & SHF_EXECINSTR) == 0 ||
          (info & 15) == STT_SECTION)
        continue;
      std::string_view name = names.substr(name_at, kMaxName);
      name = name.substr(0, name.find('\0'));
      if (!name.empty()) add(value, name, (info & 15) == STT_FUNC);
    }
    return !by_address_.empty();
  }

  std::vector<Label> rows_;
  std::map<std::uint64_t, std::uint32_t> by_address_;
  absl::flat_hash_map<std::string_view, std::uint32_t> by_name_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> starts_;
  std::uint64_t first_ = 0, end_ = 0, shift_ = 0;
};

// FirePerf's stack, and what its folding script makes of its output.
class FirePerfStack {
 public:
  FirePerfStack(const Labels& labels, Profile& profile, SampleCollector& out)
      : labels_(labels), profile_(profile), out_(out) {
    frames_.resize(labels.size());
  }

  void step(const Labels::Found& found, std::uint64_t cycle) {
    last_cycle_ = cycle;
    if (!any_) first_cycle_ = last_event_ = cycle;
    any_ = true;
    if (found.row == kUserspace) {
      if (stack_.size() == 1 && stack_[0].label == kUserspace) {
        stack_[0].end = cycle;
        return;
      }
      while (!stack_.empty()) leave(cycle);
      enter(kUserspace, cycle);
      return;
    }
    if (stack_.size() == 1 && stack_[0].label == kUserspace) leave(cycle);
    if (!stack_.empty() && stack_.back().label == found.row) {
      stack_.back().end = cycle;
      return;
    }
    const bool is_function = labels_[found.row].is_function;
    if (!stack_.empty() && !is_function &&
        !labels_[stack_.back().label].is_function) {
      event(stack_.back().end);
      stack_.pop_back();
      enter(found.row, cycle);
      return;
    }
    if (stack_.empty() || found.is_entry) {
      enter(found.row, cycle);
      return;
    }
    while (!stack_.empty() && stack_.back().label != found.row) leave(cycle);
    lost_stacks_ += stack_.empty();
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
    std::uint64_t end;
    StackId stack;
  };

  void enter(std::uint32_t label, std::uint64_t cycle) {
    event(cycle);
    FrameId& frame = frames_[label];
    if (!known_.contains(label)) {
      known_.insert({label, true});
      frame = profile_.named_frame(labels_[label].name, FrameKind::kKernel);
    }
    const StackId under = stack_.empty() ? StackId::kRoot : stack_.back().stack;
    stack_.push_back({label, cycle, profile_.stacks.push(under, frame)});
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

  const Labels& labels_;
  Profile& profile_;
  SampleCollector& out_;
  std::vector<Open> stack_;
  std::vector<FrameId> frames_;
  absl::flat_hash_map<std::uint32_t, bool> known_;
  std::uint64_t first_cycle_ = 0, last_cycle_ = 0, last_event_ = 0;
  std::uint64_t given_ = 0, lost_stacks_ = 0;
  bool any_ = false;
};

// The kernel, or else the first file with fixed addresses.
const CodeImage& one_file(const CodeMap& map) {
  const CodeImage* found = nullptr;
  for (std::uint32_t i = 1; i < map.image_count(); ++i) {
    const CodeImage& image = map.image(CodeImageId{i});
    if (image.layer == Layer::kKernel) return image;
    if (image.fixed && found == nullptr) found = &image;
  }
  if (found == nullptr)
    throw UsageError("FirePerf's rule needs the kernel (vmlinux)",
                     {.wrong = Setting::kAttribution, .helps = Setting::kElf});
  return *found;
}

}  // namespace

Profile read_fireperf(TraceReader& reader, const CodeMap& map,
                      const ReadOptions&) {
  const Labels labels(one_file(map), map.pc_mask());
  Profile profile;
  profile.is_trace = true;
  const EventId time = profile.event_id(reader.info().unit, reader.info().unit);
  profile.events[time].time = TimeKind::kTraceClock;
  SampleCollector samples(profile, false);
  // One tracker per hart, as FirePerf has one per core.
  std::map<std::uint32_t, FirePerfStack> stacks;
  TraceBlock block;
  while (reader.next(block)) {
    auto at = stacks.find(block.hart);
    if (at == stacks.end())
      at = stacks
               .emplace(std::piecewise_construct,
                        std::forward_as_tuple(block.hart),
                        std::forward_as_tuple(labels, profile, samples))
               .first;
    for (const Retired& instruction : block.instructions)
      at->second.step(labels.find(instruction.pc & map.pc_mask()),
                      instruction.cycle);
  }
  for (auto& [hart, stack] : stacks) stack.finish();
  profile.set_about("attribution", "FirePerf");
  profile.diagnostics.merge(reader.diagnostics());
  profile.diagnostics.merge(map.diagnostics());
  return profile;
}

}  // namespace wick
