// SPDX-License-Identifier: Apache-2.0
// Folded stacks: "main;parse;read 12", outermost frame first, the weight last.
// Two numbers are the weights before and after of a difference.
//
// The text is read in blocks, whose pieces are split into names by several
// workers; the stacks are added to the profile in batches (see StackBatch).
// Memory depends on the number of distinct stacks, not on the size of the text.
#include <algorithm>
#include <memory>
#include <vector>

#include "base/bytes.h"
#include "base/parallel.h"
#include "base/text.h"
#include "format/text/folded_lines.h"
#include "format/text/name_table.h"
#include "profile/format.h"
#include "profile/stack_batch.h"
#include "profile/wasm_names.h"

namespace wick {
namespace {

FrameKind kind_of(std::string_view name) {
  if (name.ends_with("_[k]")) return FrameKind::kKernel;
  if (name.ends_with("_[j]"))
    return generated_kind(name.substr(0, name.size() - 4));
  if (name.ends_with("_[i]")) return FrameKind::kInlined;
  // An empty name is a frame all the same; as a label it is printed so.
  if (name.empty()) return FrameKind::kLabel;
  return FrameKind::kUser;
}

// Splits the lines of a piece of text into names.
class FoldedWorker {
 public:
  struct Stack {
    std::uint32_t frame_count;
    FoldedWeights weights;
  };

  explicit FoldedWorker(int columns) : columns_(columns) {}

  void read(std::string_view text) {
    frame_names.clear();
    previous_ = {};
    previous_ends_.clear();
    stacks.clear();
    diagnostics = {};
    lines = 0;
    while (!text.empty()) {
      const std::string_view line = take_line(text);
      ++lines;
      if (line.empty() || line.front() == '#' || trim(line).empty()) continue;
      std::string_view stack = line;
      const auto weights = take_folded_weights(stack, columns_);
      if (!weights) {
        diagnostics.note_at(Problem::kBadLine, line, lines);
        continue;
      }
      split(stack);
      stacks.push_back(
          {static_cast<std::uint32_t>(previous_ends_.size()), *weights});
    }
  }

  // The frame of a name of this worker, in the profile.
  FrameId frame(std::uint32_t name, Profile& profile) {
    for (auto i = static_cast<std::uint32_t>(frames_.size()); i < names_.size();
         ++i)
      frames_.push_back(profile.named_frame(names_[i], kind_of(names_[i])));
    return frames_[name];
  }

  std::vector<std::uint32_t> frame_names;  // of all stacks, one after the other
  std::vector<Stack> stacks;
  Diagnostics diagnostics;
  std::uint64_t lines = 0;

 private:
  // One frame too many tells the table that the stack is cut.
  static constexpr std::size_t kMostFrames = StackTable::kMaxDepth + 1;

  // Appends the names of `stack` to frame_names. Names that it shares with the
  // stack before it, as neighbours in a sorted file do, are taken from there.
  void split(std::string_view stack) {
    const std::size_t same = common_prefix(stack, previous_);
    std::size_t shared = 0;
    while (shared < previous_ends_.size() && previous_ends_[shared] < same)
      ++shared;
    const std::size_t first = frame_names.size() - previous_ends_.size();
    for (std::size_t i = 0; i < shared; ++i)
      frame_names.push_back(frame_names[first + i]);
    previous_ends_.resize(shared);
    previous_ = stack;
    if (stack.empty() || shared == kMostFrames) return;
    const std::size_t begin = shared == 0 ? 0 : previous_ends_.back() + 1;
    found_.clear();
    names_.split(stack.substr(begin), found_, kMostFrames - shared);
    for (const NameTable::Found& found : found_) {
      frame_names.push_back(found.name);
      previous_ends_.push_back(begin + found.end);
    }
  }

  static std::size_t common_prefix(std::string_view a, std::string_view b) {
    const std::size_t size = std::min(a.size(), b.size());
    std::size_t at = 0;
    while (at + 8 <= size && hash_detail::load64(a.data() + at) ==
                                 hash_detail::load64(b.data() + at))
      at += 8;
    while (at < size && a[at] == b[at]) ++at;
    return at;
  }

  int columns_;
  NameTable names_;
  std::vector<NameTable::Found> found_;
  std::vector<FrameId> frames_;             // by name
  std::string_view previous_;               // the stack before this one
  std::vector<std::size_t> previous_ends_;  // where its names end
};

class FoldedReader {
 public:
  FoldedReader(InputFile& file, const ReadOptions& options)
      : options_(options),
        file_(file),
        columns_(folded_columns(file.head())),
        samples_(profile_, options.keep_time) {
    if (columns_ == 2) {
      events_[0] = profile_.event_id("samples", "", EventRole::kBefore);
      events_[1] = profile_.event_id("samples", "", EventRole::kAfter);
    } else {
      events_[0] = profile_.event_id("samples");
    }
  }

  Profile run() {
    const int count = worker_count(options_.threads);
    // Pieces of a file are large, so that workers rarely wait for each other;
    // those of a pipe are kept in memory.
    const std::size_t size = (file_.size_hint() > 0 ? kFilePiece : kPipePiece) *
                             static_cast<std::size_t>(count);
    std::string_view block;
    while (!(block = file_.next_block(size)).empty()) {
      if (lines_ == 0) block = without_byte_order_mark(block);
      // A small input is not worth a second thread.
      const auto pieces =
          pieces_at_lines(block, block.size() < kSmall ? 1 : count);
      while (workers_.size() < pieces.size())
        workers_.push_back(std::make_unique<FoldedWorker>(columns_));
      parallel_for(pieces.size(), count,
                   [&](std::size_t i) { workers_[i]->read(pieces[i]); });
      for (std::size_t i = 0; i < pieces.size(); ++i) collect(*workers_[i]);
    }
    end_batch();
    return std::move(profile_);
  }

 private:
  static constexpr std::size_t kFilePiece = 64 << 20, kPipePiece = 4 << 20;
  static constexpr std::size_t kSmall = 4 << 20;
  static constexpr std::size_t kBatchFrames = 16 << 20;
  static constexpr std::size_t kBatchStacks = 1 << 20;
  // Lines that are kept in their order. A compressed text can have a hundred
  // times as many as it has bytes; later ones of equal stacks are added up.
  static constexpr std::size_t kMaxOrdered = 4 << 20;

  void collect(FoldedWorker& worker) {
    // The first lines give a rough estimate of the number of frames.
    if (batch_.frame_count() == 0)
      batch_.reserve(std::min(
          kBatchFrames,
          worker.frame_names.size() * (file_.size_hint() / kFilePiece + 1)));
    std::size_t at = 0;
    for (const FoldedWorker::Stack& stack : worker.stacks) {
      frames_.clear();
      for (std::uint32_t i = 0; i < stack.frame_count; ++i)
        frames_.push_back(worker.frame(worker.frame_names[at++], profile_));
      batch_.add(frames_);
      weights_.push_back(stack.weights);
      if (batch_.frame_count() > kBatchFrames || batch_.size() > kBatchStacks)
        end_batch();
    }
    profile_.diagnostics.merge(worker.diagnostics, lines_);
    lines_ += worker.lines;
  }

  void end_batch() {
    const std::vector<StackId> stacks = batch_.move_to(profile_.stacks);
    for (std::size_t i = 0; i < stacks.size(); ++i)
      for (int column = 0; column < columns_; ++column)
        add(stacks[i], weights_[i].value[column], events_[column]);
    weights_.clear();
  }

  void add(StackId stack, Decimal weight, EventId event) {
    if (weight.value == INT64_MAX)
      profile_.diagnostics.note(Problem::kOverflow);
    if (options_.compat == Compat::kInferno && weight.decimals > 0) {
      weight = {weight.value / power_of_ten(weight.decimals), 0};
      profile_.diagnostics.note(Problem::kRounded);
    }
    raise_decimals(profile_, event, weight.decimals);
    const int shift = profile_.events[event].decimals - weight.decimals;
    const bool ordered =
        !options_.keep_time || profile_.samples.size() < kMaxOrdered;
    (ordered ? samples_ : later_samples_)
        .add({.weight = saturating_mul(weight.value, power_of_ten(shift)),
              .stack = stack,
              .event = event});
  }

  const ReadOptions& options_;
  InputFile& file_;
  int columns_;
  Profile profile_;
  SampleCollector samples_, later_samples_{profile_, /*keep_time=*/false};
  EventId events_[2] = {EventId{0}, EventId{0}};
  std::vector<std::unique_ptr<FoldedWorker>> workers_;
  std::vector<FrameId> frames_;
  StackBatch batch_;
  std::vector<FoldedWeights> weights_;
  std::uint64_t lines_ = 0;
};

Profile read_folded(InputFile& file, const ReadOptions& options) {
  return FoldedReader(file, options).run();
}

bool sniff_folded(std::string_view head) {
  int good = 0, bad = 0;
  const bool cut = head.size() >= (64 << 10);
  while (!head.empty() && good + bad < 50) {
    const std::string_view line = take_line(head);
    if (trim(line).empty() || line.starts_with('#')) continue;
    if (cut && head.empty()) return good >= bad;
    std::string_view stack = line;
    take_folded_weights(stack, 1) ? ++good : ++bad;
  }
  return good > bad;
}

}  // namespace

extern const InputFormat folded_input = {
    .name = "folded",
    .description = "folded stacks (FlameGraph, inferno, bcc, async-profiler)",
    .sniff = sniff_folded,
    .read = read_folded,
};

extern const OutputFormat folded_output = {
    .name = "folded",
    .extension = ".folded",
    .description = "folded stacks, one line for each",
    .write =
        [](const Profile& profile, const WriteOptions& options,
           std::ostream& out) {
          write_folded(fold(profile, options.fold), out);
        },
    .lacks = "times, threads, addresses, files and lines",
    .only_sums = true,
    .folds = true,
    // A line that is longer could not be read from a pipe.
    .cost = {.repeats = Repeats::kStacks,
             .frame_bytes = 1,
             .names = true,
             .stack_bytes = InputFile::kMaxLine},
    .media_type = "text/plain; charset=utf-8",
};

}  // namespace wick
