// SPDX-License-Identifier: Apache-2.0
// stack_differences TOP RUNS TRACE EVENT FILE…: where the stacks of a trace
// first differ from the true ones. RUNS is what true_stacks wrote with --runs;
// TRACE, EVENT and FILEs are as for fold_trace.
//
// A difference begins with an instruction of which both had the same stack and
// ends when they are the same again; those that begin alike are added up. The
// TOP heaviest kinds are printed with an example of each: the last common
// stack, the true one, and what wick has. With EACH=N in the environment, each
// difference of at least N instructions is printed, in the order of time.
//
// EVENT is that of the trace's slices: "cycles" if it has a clock.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "format/registry.h"
#include "itrace/formats/trace_reader.h"

namespace wick {
namespace {

// Stacks of functions, as compare.py reduces them.
class Stacks {
 public:
  std::uint32_t id(const std::vector<std::string>& frames) {
    std::string key;
    for (const std::string& frame : frames) key += ";" + frame;
    const auto [it, made] = ids_.try_emplace(key, texts_.size());
    if (made) texts_.push_back(key);
    return it->second;
  }
  const std::string& text(std::uint32_t id) const { return texts_[id]; }

  static void add(std::vector<std::string>& frames, std::string name) {
    if (name.starts_with("[")) {
      name = name.find("machine") != std::string::npos ? "[machine]" : "[?]";
      if (!frames.empty() && frames.back() == name) return;
    }
    if (const auto at = name.find(".cold"); at != std::string::npos) {
      const bool kernel = name.ends_with("_[k]");
      name.resize(at);
      if (kernel) name += "_[k]";
    }
    frames.push_back(std::move(name));
  }

 private:
  std::unordered_map<std::string, std::uint32_t> ids_;
  std::vector<std::string> texts_;
};

struct Run {
  std::uint64_t end = 0;  // instructions of the hart up to here
  std::uint32_t stack = 0;
};
using Runs = std::map<std::uint64_t, std::vector<Run>>;  // by hart

// --- The true ones

Runs read_true(const char* path, Stacks& stacks) {
  InputFile file = InputFile::open(path);
  ByteReader in(file.bytes());
  std::vector<std::string> names(in.read_varint());
  for (std::string& name : names)
    name = std::string(in.read_bytes(in.read_varint()));
  std::vector<std::vector<std::string>> frames(in.read_varint());
  std::vector<std::uint32_t> ids(frames.size());
  for (std::uint64_t rows = in.read_varint(); rows > 0; --rows) {
    const std::uint64_t i = in.read_varint();
    frames.at(i) = frames.at(in.read_varint());
    Stacks::add(frames[i], names.at(in.read_varint()));
    ids[i] = stacks.id(frames[i]);
  }
  Runs runs;
  while (!in.at_end() && !in.failed()) {
    std::vector<Run>& hart = runs[in.read_varint()];
    const std::uint64_t before = hart.empty() ? 0 : hart.back().end;
    const std::uint64_t node = in.read_varint();
    const std::uint64_t count = in.read_varint();
    hart.push_back({before + count, ids.at(node)});
  }
  return runs;
}

// --- wick's

std::vector<std::uint32_t> stack_ids(const Profile& profile, Stacks& stacks) {
  std::vector<std::vector<std::string>> frames(profile.stacks.size());
  std::vector<std::uint32_t> ids(profile.stacks.size());
  for (const StackId id : profile.stacks.ids()) {
    if (id == StackId::kRoot) continue;
    std::vector<std::string>& out = frames[index(id)];
    out = frames[index(profile.stacks.parent(id))];
    const Frame& frame = profile.frames[profile.stacks.frame(id)];
    std::string name(profile.strings[frame.function]);
    if (name.empty()) name = "[?]";
    if (frame.kind == FrameKind::kKernel) name += "_[k]";
    if (frame.kind != FrameKind::kInlined) Stacks::add(out, std::move(name));
    ids[index(id)] = stacks.id(out);
  }
  return ids;
}

// How many instructions of each hart retired before a cycle.
class Clock {
 public:
  void add(const std::string& path) {
    InputFile file = InputFile::open(path);
    TraceOptions options;
    options.hart = -1;
    const auto reader = open_trace(file, "", options);
    has_clock_ = reader->info().unit != "instructions";
    for (TraceBlock block; has_clock_ && reader->next(block);) {
      Hart& hart = harts_[block.hart];
      for (const Retired& one : block.instructions) {
        if (hart.steps.empty() || one.cycle != hart.last + 1)
          hart.steps.push_back({one.cycle, hart.count});
        hart.last = one.cycle;
        ++hart.count;
      }
    }
  }
  std::uint64_t before(std::uint64_t number, std::uint64_t cycle) const {
    const Hart& hart = harts_.at(number);
    auto at = std::ranges::upper_bound(hart.steps, cycle, {}, &Step::cycle);
    if (at == hart.steps.begin()) return 0;
    const std::uint64_t limit =
        at == hart.steps.end() ? hart.count : at->instructions;
    --at;
    return std::min(limit, at->instructions + cycle - at->cycle);
  }
  bool exists() const { return has_clock_; }

 private:
  struct Step {  // from here on, one instruction in each cycle
    std::uint64_t cycle = 0, instructions = 0;
  };
  struct Hart {
    std::vector<Step> steps;
    std::uint64_t last = 0, count = 0;
  };
  std::map<std::uint64_t, Hart> harts_;
  bool has_clock_ = false;
};

Runs read_ours(char** argv, int argc, Stacks& stacks) {
  ReadOptions options;
  options.threads = 1;
  options.symbols.inlines = false;
  for (int i = 5; i < argc; ++i) options.trace.elfs.emplace_back(argv[i]);
  std::vector<InputFile> files;
  std::istringstream paths(argv[3]);
  Clock clock;
  for (std::string path; std::getline(paths, path, ',');) {
    files.push_back(InputFile::open(path));
    clock.add(path);
  }
  const Profile profile = files.size() == 1
                              ? read_profile(files.front(), options)
                              : read_machine(files, options).value();
  if (!profile.has_time) fail("the trace has too many slices");
  const std::vector<std::uint32_t> ids = stack_ids(profile, stacks);
  Runs runs;
  for (const Sample& sample : profile.samples) {
    if (profile.strings[profile.events[sample.event].name] != argv[4]) continue;
    std::vector<Run>& hart = runs[sample.cpu];
    const auto weight = static_cast<std::uint64_t>(sample.weight);
    const std::uint64_t before = hart.empty() ? 0 : hart.back().end;
    hart.push_back({clock.exists()
                        ? clock.before(sample.cpu, sample.time + weight)
                        : before + weight,
                    ids[index(sample.stack)]});
  }
  return runs;
}

// --- Differences

std::string leaf(std::string_view text) {
  return std::string(text.substr(std::min(text.rfind(';') + 1, text.size())));
}

// What of `text` is not in `common`, shortened.
std::string change(std::string_view common, std::string_view text) {
  std::size_t same = 0;
  for (std::size_t i = 0; i <= std::min(common.size(), text.size()); ++i) {
    const bool ends_a = i == common.size() || common[i] == ';';
    const bool ends_b = i == text.size() || text[i] == ';';
    if (ends_a && ends_b) same = i;
    if (i == common.size() || i == text.size() || common[i] != text[i]) break;
  }
  const auto gone =
      std::count(common.begin() + static_cast<long>(same), common.end(), ';');
  return fmt::format("-{}{}", gone, text.substr(same, 120));
}

struct Kind {
  std::uint64_t weight = 0, count = 0, heaviest = 0, at = 0, hart = 0;
  std::string before, truth, ours;
};

class Comparison {
 public:
  explicit Comparison(const Stacks& stacks) : stacks_(stacks) {}

  void add(std::uint64_t hart, const std::vector<Run>& truth,
           const std::vector<Run>& ours) {
    if (truth.empty() || ours.empty()) return;
    const std::int64_t shift = best_shift(truth, ours);
    std::size_t t = 0, o = 0;
    std::uint32_t common = 0;
    std::uint64_t at = 0;
    Kind episode;
    bool differs = false;
    const auto close = [&] {
      if (!differs) return;
      differs = false;
      if (episode.weight >= each_) {
        fmt::print("{} at {} of hart {}\n", episode.weight, episode.at,
                   episode.hart);
        show(episode);
      }
      Kind& kind = kinds_[leaf(episode.before) + " | " +
                          change(episode.before, episode.truth) + " | " +
                          change(episode.before, episode.ours)];
      if (episode.weight > kind.heaviest) {
        const std::uint64_t weight = kind.weight, count = kind.count;
        kind = episode;
        kind.heaviest = episode.weight;
        kind.weight = weight;
        kind.count = count;
      }
      kind.weight += episode.weight;
      ++kind.count;
    };
    while (t < truth.size() && o < ours.size()) {
      const std::uint64_t true_end = shifted(truth[t].end, shift);
      const std::uint64_t end = std::min(true_end, ours[o].end);
      if (end > at) {
        const std::uint64_t weight = end - at;
        total_ += weight;
        if (truth[t].stack == ours[o].stack) {
          close();
          common = truth[t].stack;
          same_ += weight;
        } else {
          if (!differs)
            episode = {.at = at,
                       .hart = hart,
                       .before = stacks_.text(common),
                       .truth = stacks_.text(truth[t].stack),
                       .ours = stacks_.text(ours[o].stack)};
          differs = true;
          episode.weight += weight;
        }
        at = end;
      }
      if (true_end == end) ++t;
      if (ours[o].end == end) ++o;
    }
    close();
  }

  // The plugins begin with slightly different instructions.
  static std::int64_t best_shift(const std::vector<Run>& truth,
                                 const std::vector<Run>& ours) {
    constexpr std::int64_t kMost = 100;
    std::int64_t best = 0;
    std::uint64_t most = 0;
    for (std::int64_t shift = -kMost; shift <= kMost; ++shift)
      if (const std::uint64_t same = same_at_first(truth, ours, shift);
          same > most) {
        most = same;
        best = shift;
      }
    return best;
  }
  static std::uint64_t same_at_first(const std::vector<Run>& truth,
                                     const std::vector<Run>& ours,
                                     std::int64_t shift) {
    constexpr std::size_t kRuns = 50000;
    std::uint64_t at = 0, same = 0;
    for (std::size_t t = 0, o = 0;
         t < std::min(truth.size(), kRuns) && o < ours.size();) {
      const std::uint64_t true_end = shifted(truth[t].end, shift);
      const std::uint64_t end = std::min(true_end, ours[o].end);
      if (end > at && truth[t].stack == ours[o].stack) same += end - at;
      at = std::max(at, end);
      if (true_end == end) ++t;
      if (ours[o].end == end) ++o;
    }
    return same;
  }
  static std::uint64_t shifted(std::uint64_t at, std::int64_t shift) {
    return shift < 0 && at < static_cast<std::uint64_t>(-shift)
               ? 0
               : at + static_cast<std::uint64_t>(shift);
  }

  void print(std::size_t top) const {
    fmt::print("{:.2f} % of {}\n",
               100.0 * static_cast<double>(same_) /
                   static_cast<double>(std::max<std::uint64_t>(total_, 1)),
               total_);
    std::vector<const Kind*> sorted;
    for (const auto& [key, kind] : kinds_) sorted.push_back(&kind);
    std::ranges::sort(sorted, std::greater(),
                      [](const Kind* kind) { return kind->weight; });
    if (sorted.size() > top) sorted.resize(top);
    for (const Kind* kind : sorted) {
      fmt::print(
          "{:.3f} % in {} differences; the heaviest, {}, at {} of hart {}\n",
          100.0 * static_cast<double>(kind->weight) /
              static_cast<double>(total_),
          kind->count, kind->heaviest, kind->at, kind->hart);
      show(*kind);
    }
  }

 private:
  static void show(const Kind& one) {
    fmt::print("   before {}\n   true   {}\n   wick   {}\n", one.before,
               one.truth, one.ours);
  }
  static std::uint64_t least_of_each() {
    const char* const text = std::getenv("EACH");
    return text == nullptr ? UINT64_MAX : std::strtoull(text, nullptr, 10);
  }

  const Stacks& stacks_;
  const std::uint64_t each_ = least_of_each();
  std::map<std::string, Kind> kinds_;
  std::uint64_t same_ = 0, total_ = 0;
};

int run(int argc, char** argv) {
  Stacks stacks;
  stacks.id({});
  const Runs truth = read_true(argv[2], stacks);
  const Runs ours = read_ours(argv, argc, stacks);
  Comparison comparison(stacks);
  for (const auto& [hart, runs] : ours)
    if (const auto found = truth.find(hart); found != truth.end())
      comparison.add(hart, found->second, runs);
  comparison.print(std::strtoull(argv[1], nullptr, 10));
  return 0;
}

}  // namespace
}  // namespace wick

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  try {
    return wick::run(argc, argv);
  } catch (const wick::Error& error) {
    fmt::print(stderr, "stack_differences: {}\n", error.what());
    return 1;
  }
}
