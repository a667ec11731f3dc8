// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/live_stacks.h"

#include <malloc.h>

#include <algorithm>
#include <utility>

#include "base/bytes.h"

namespace wick {
namespace {

constexpr std::uint64_t kStackBits =
    sample_type::kRegsUser | sample_type::kStackUser;
constexpr std::size_t kMaxRecord = 65528;
// A few seconds; unwind rules not used for so long can be released.
constexpr int kRoundsBetweenTrims = 128;

}  // namespace

LiveStacks::LiveStacks(Machine machine, Images& images, const Options& options,
                       Write write)
    : write_(std::move(write)),
      images_(images),
      unwinds_(options.unwinds),
      sampled_(options.sampled),
      unwinding_(machine, images,
                 {.workers = options.workers,
                  .bytes_stay = true,
                  .is_live = true,
                  .frame_limit = options.frame_limit}),
      side_band_(
          images,
          [this](Space& space) {
            if (space.waiting > 0) unwind();
          },
          options.memory) {}

EventAttr LiveStacks::stored(EventAttr attr) {
  if ((attr.sample_type & kStackBits) == 0) return attr;
  attr.sample_type &= ~kStackBits;
  attr.sample_type |= sample_type::kCallchain;
  attr.sample_regs_user = 0;
  attr.sample_stack_user = 0;
  // The kernel's limit does not apply to stacks that are unwound here.
  attr.sample_max_stack = Unwinder::kMaxFrames;
  // The stored chain has the user part.
  attr.flags &= ~attr_flag::kExcludeCallchainUser;
  return attr;
}

void LiveStacks::visit(const PerfRecord& record, std::string_view whole) {
  if (record.type != RecordType::kSample) {
    visit_other(record);
    write_(whole);
    return;
  }
  const EventAttr& attr = record.event->attr;
  if (!unwinds_ || !attr.samples(sample_type::kStackUser)) {
    if (sampled_ != nullptr) collect(record);
    write_(whole);
    return;
  }
  if (!decode_sample(record, sample_)) {
    ++damaged_;
    return;
  }
  chain_.read(sample_, attr, record.cpu_mode());
  if (heads_.size() == head_count_) heads_.emplace_back();
  Head& head = heads_[head_count_++];
  head.event = record.event;
  head.misc = record.misc;
  head.id = sample_.id;
  head.ip = sample_.ip;
  head.time = sample_.time;
  head.period = sample_.period;
  head.addr = sample_.addr;
  head.pid = sample_.pid;
  head.tid = sample_.tid;
  head.cpu = sample_.cpu;
  head.raw.assign(sample_.raw);
  // A kernel thread has no user part.
  Space& space = side_band_.space(sample_.pid);
  if (sample_.user_registers.abi == kRegsAbiNone ||
      sample_.user_stack.empty() || chain_.user_count() > 0) {
    collect(space, head, chain_);
    write_sample(head, chain_);
    --head_count_;
    return;
  }
  unwinding_.add(space, {}, chain_, sample_);
  ++space.waiting;
  waiting_.push_back(&space);
  if (unwinding_.is_full()) unwind();
}

void LiveStacks::visit_other(const PerfRecord& record) {
  if (!side_band_.visit(record)) ++damaged_;
  if (sampled_ == nullptr) return;
  switch (record.type) {
    case RecordType::kMmap:
    case RecordType::kMmap2:
      if (const auto mmap = decode_mmap(record);
          mmap && ProcessJit::is_jitdump(mmap->path))
        sampled_->jits().announce_jitdump(mmap->pid, mmap->path);
      break;
    case RecordType::kExit:
      if (const auto exit = decode_task(record);
          exit && side_band_.tasks().find_space(exit->pid) == nullptr)
        sampled_->jits().process_ended(exit->pid);
      break;
    case RecordType::kCallchainDeferred:
      collect_deferred(record);
      break;
    default:
      break;
  }
}

// A sample that is stored as it is.
void LiveStacks::collect(const PerfRecord& record) {
  if (!decode_sample(record, sample_)) return;
  chain_.read(sample_, record.event->attr, record.cpu_mode());
  // The reader unwinds a copied stack from here.
  if (chain_.user_count() == 0 && !sample_.user_stack.empty() &&
      record.cpu_mode() == misc::kUser)
    chain_.append_user(std::span(&sample_.ip, 1), true);
  collect(side_band_.space(sample_.pid),
          {.time = sample_.time, .pid = sample_.pid}, chain_);
}

void LiveStacks::collect(Space& space, const Head& head, const Chain& chain) {
  if (sampled_ == nullptr) return;
  sampled_->add_user(space, head.pid, head.time, chain.user_leaf_first());
  sampled_->add_kernel(side_band_, chain.kernel_leaf_first());
}

// The user part of samples that came before.
void LiveStacks::collect_deferred(const PerfRecord& record) {
  const auto deferred = decode_deferred(record, swapped_);
  if (!deferred) return;
  const RecordId id = decode_record_id(record);
  Chain chain;
  chain.append_user(deferred->callchain, true);
  collect(side_band_.space(id.pid), {.time = record.time, .pid = id.pid},
          chain);
}

void LiveStacks::unwind() {
  std::size_t next = 0;
  unwinding_.run([&](Space& space, StacklessSample&, Chain& chain) {
    collect(space, heads_[next], chain);
    write_sample(heads_[next++], chain);
  });
  head_count_ = 0;
  for (Space* space : waiting_) space->waiting = 0;
  waiting_.clear();
}

void LiveStacks::end_round() {
  unwind();
  if (!release_memory()) return;
  unwinding_.forget_rules();
#ifdef __GLIBC__
  // Free memory is fragmented and would stay: 134 MB, of which 52 are in use.
  ::malloc_trim(0);
#endif
}

bool LiveStacks::release_memory() {
  const bool has_many_names = images_.has_many_names();
  if (has_many_names) {
    side_band_.forget_unmapped_images();
    if (sampled_ != nullptr) sampled_->files().forget_ids();
  }
  const bool is_due = ++rounds_ % kRoundsBetweenTrims == 0;
  return ((is_due || images_.is_short_of_memory()) && images_.trim()) ||
         has_many_names;
}

void LiveStacks::note_problems(Diagnostics& diagnostics, bool has_room) const {
  unwinding_.note_ends(diagnostics, has_room);
  if (unwinds_) {
    diagnostics.note(Problem::kLargeFile, images_.refused_files());
    diagnostics.note(Problem::kLargeProcess,
                     side_band_.tasks().refused_processes());
  }
  diagnostics.note(Problem::kBadRecord, damaged_);
}

void LiveStacks::write_sample(const Head& head, const Chain& chain) {
  const std::uint64_t bits = stored(head.event->attr).sample_type;
  std::string& out = buffer_;
  out.clear();
  append_raw(out, static_cast<std::uint32_t>(RecordType::kSample));
  append_raw(out, head.misc);
  append_raw(out, std::uint16_t{0});  // the size, below
  const auto put = [&](std::uint64_t bit, auto... values) {
    if ((bits & bit) != 0) (append_raw(out, values), ...);
  };
  put(sample_type::kIdentifier, head.id);
  put(sample_type::kIp, head.ip);
  put(sample_type::kTid, head.pid, head.tid);
  put(sample_type::kTime, head.time);
  put(sample_type::kAddr, head.addr);
  put(sample_type::kCpu, head.cpu, std::uint32_t{0});
  put(sample_type::kPeriod, head.period);
  if ((bits & sample_type::kCallchain) != 0) {
    const std::size_t count_at = out.size();
    append_raw(out, std::uint64_t{0});
    std::uint64_t count = 0;
    const std::size_t raw_size = head.raw.size() + 8;
    // Callers as return addresses, after their call, as in the kernel's chains.
    const auto put_part = [&](std::uint64_t marker, const auto& addresses) {
      if (addresses.empty()) return;
      append_raw(out, marker);
      ++count;
      bool is_leaf = true;
      for (const std::uint64_t address : addresses) {
        if (out.size() + raw_size + 8 > kMaxRecord) return;
        append_raw(out, address + (is_leaf ? 0 : 1));
        is_leaf = false;
        ++count;
      }
    };
    put_part(callchain::kKernel, chain.kernel_leaf_first());
    put_part(callchain::kUser, chain.user_leaf_first());
    std::memcpy(out.data() + count_at, &count, sizeof count);
  }
  if ((bits & sample_type::kRaw) != 0) {
    append_raw(out, static_cast<std::uint32_t>(head.raw.size()));
    out += head.raw;
  }
  out.resize((out.size() + 7) / 8 * 8);
  const auto size = static_cast<std::uint16_t>(out.size());
  std::memcpy(out.data() + 6, &size, sizeof size);
  write_(out);
}

}  // namespace wick
