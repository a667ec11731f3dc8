// SPDX-License-Identifier: Apache-2.0
#include "perf/session/stack_unwinding.h"

#include <algorithm>
#include <optional>

#include "base/parallel.h"
#include "perf/records/registers.h"

namespace wick {
namespace {

// The code of a process, for the unwinder.
class SpaceCode final : public UnwindMap {
 public:
  SpaceCode(const Space& space, Images& images, Machine machine, bool is_live)
      : space_(space), images_(images), machine_(machine), is_live_(is_live) {}

  CodeRange find(std::uint64_t runtime_addr, CodePlace place) const override {
    const Mapping* mapping = space_.map.find(runtime_addr);
    if (mapping == nullptr) return {};
    if (place == CodePlace::kPresumedCall &&
        !is_call_in_memory(space_.pid, runtime_addr))
      return {};
    const std::uint64_t elf_addr =
        images_.elf_addr(mapping->image, mapping->file_off_of(runtime_addr));
    CodeRange range{.start = mapping->start,
                    .end = mapping->end,
                    .bias = runtime_addr - elf_addr,
                    .table = images_.unwind_table(mapping->image)};
    if (range.table == nullptr)
      range.rule = generated_rule(runtime_addr, place);
    return range;
  }

 private:
  // What the program says of its code comes before what its instructions show:
  // behind a call that never returns there is other code.
  UnwindRule generated_rule(std::uint64_t address, CodePlace place) const {
    if (space_.jit_rules)
      if (const auto rule = space_.jit_rules->find(machine_, address))
        return *rule;
    if (!is_live_) return {};
    return rule_from_memory(space_.pid, address, place).value_or(UnwindRule{});
  }

  const Space& space_;
  Images& images_;
  Machine machine_;
  bool is_live_;
};

// A record has at most 64 kB with all its other fields. Of a stack it always
// has room for the first, and never for much more than the second.
constexpr std::uint64_t kSureCopy = 60 << 10, kLargestSize = 62 << 10;

// Nothing if the file was read: then it has no rules.
std::optional<Problem> unread(FileState state, bool is_live) {
  switch (state) {
    case FileState::kFound:
    case FileState::kNotElf:
      break;
    case FileState::kMissing:
    case FileState::kOtherBuildId:
    case FileState::kChanged:
      return is_live ? Problem::kInGoneFile : Problem::kInMissingFile;
    case FileState::kUnreadable:
    case FileState::kOnlyMapped:
      return Problem::kInForbiddenFile;
    case FileState::kOnNetwork:
      return Problem::kInNetworkFile;
  }
  return {};
}

}  // namespace

StackUnwinding::StackUnwinding(Machine machine, Images& images,
                               const Options& options)
    : machine_(machine), images_(images), options_(options) {
  workers_.resize(static_cast<std::size_t>(options.workers));
}

void StackUnwinding::add(Space& space, const StacklessSample& sample,
                         const Chain& chain, const PerfSample& record) {
  if (jobs_.size() == count_) jobs_.emplace_back();
  Job& job = jobs_[count_++];
  job.space = &space;
  job.sample = sample;
  job.chain = chain;
  job.registers = unwind_registers(machine_, record.user_registers);
  job.stack = record.user_stack;
  job.stack_wanted = record.user_stack_wanted;
  if (!options_.bytes_stay) {
    job.copy.assign(record.user_stack);
    job.stack = job.copy;
  }
  stack_bytes_ += record.user_stack.size();
}

void StackUnwinding::unwind_all() {
  const std::size_t workers = std::min(workers_.size(), count_ / 16 + 1);
  parallel_for(workers, static_cast<int>(workers), [&](std::size_t w) {
    Worker& worker = workers_[w];
    if (!worker.unwinder)
      worker.unwinder = std::make_unique<Unwinder>(machine_);
    for (std::size_t i = count_ * w / workers; i < count_ * (w + 1) / workers;
         ++i) {
      Job& job = jobs_[i];
      worker.addresses.clear();
      job.end = worker.unwinder->unwind(
          job.registers, job.stack,
          SpaceCode(*job.space, images_, machine_, options_.is_live),
          job.space->version, worker.addresses);
      job.chain.append_user(worker.addresses, false);
    }
  });
  for (std::size_t i = 0; i < count_; ++i) count_end(jobs_[i]);
}

void StackUnwinding::count_end(const Job& job) {
  if (ends_in_unread_file(job)) return;
  ++ends_[static_cast<std::size_t>(job.end)];
  if (job.end == UnwindEnd::kStackTooShort) count_short_copy(job);
}

bool StackUnwinding::ends_in_unread_file(const Job& job) {
  const auto addresses = job.chain.user_leaf_first();
  const Mapping* mapping =
      addresses.empty() ? nullptr : job.space->map.find(addresses.back());
  if (mapping == nullptr) return false;
  const CodeFile& file = images_.file(mapping->image);
  if (file.kind != CodeKind::kFile) return false;
  const auto problem = unread(images_.state(mapping->image), options_.is_live);
  // Code with frame pointers leads to its root without rules. While recording,
  // the file of nearly all code is read, and a register that happens to be 0 is
  // more likely.
  if (!problem || (job.end == UnwindEnd::kRoot && !options_.is_live))
    return false;
  unread_files_.note_at(*problem, file.path);
  return true;
}

void StackUnwinding::count_short_copy(const Job& job) {
  const std::size_t frames = job.chain.user_count() + job.chain.kernel_count();
  if (job.stack.size() < std::min(job.stack_wanted, kSureCopy))
    ++not_copied_;
  else if (job.stack_wanted <= kLargestSize)
    copied_bytes_ = std::max<std::uint64_t>(copied_bytes_, job.stack.size());
  else
    ++(frames < options_.frame_limit ? beyond_copy_ : beyond_all_);
}

void StackUnwinding::note_ends(Diagnostics& diagnostics, bool has_room) const {
  diagnostics.note_short_copies(
      has_room ? Problem::kStackTooShort : Problem::kReducedCopy,
      count(UnwindEnd::kStackTooShort) - beyond_copy_ - beyond_all_ -
          not_copied_,
      copied_bytes_);
  diagnostics.note(Problem::kStackBeyondCopy, beyond_copy_);
  diagnostics.note(Problem::kStackBeyondAll, beyond_all_);
  diagnostics.note(Problem::kStackNotCopied, not_copied_);
  diagnostics.note(Problem::kNoUnwindRule, count(UnwindEnd::kNoRule));
  diagnostics.merge(unread_files_);
  diagnostics.note(Problem::kBadStack, count(UnwindEnd::kBadMemory));
  diagnostics.note(Problem::kDeepStack, count(UnwindEnd::kTooDeep));
}

void StackUnwinding::forget_ends() {
  ends_ = {};
  beyond_copy_ = beyond_all_ = not_copied_ = copied_bytes_ = 0;
  unread_files_ = {};
}

}  // namespace wick
