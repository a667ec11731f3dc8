// SPDX-License-Identifier: Apache-2.0
// Decodes SAMPLE, the most frequent record, in a few nanoseconds per field.
#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

#include "base/bytes.h"
#include "perf/records/record.h"

namespace wick {
namespace {

std::uint64_t word_at(const char* at, bool swap) {
  std::uint64_t value;
  std::memcpy(&value, at, sizeof value);
  return swap ? byte_swap(value) : value;
}

// Words per counter of a group.
std::size_t read_stride(std::uint64_t format) {
  return 1 + ((format & read_format::kId) != 0) +
         ((format & read_format::kLost) != 0);
}

// Reads a SAMPLE word by word. Past the end, everything is 0 and `bad`, for
// good. `Swap` is a compile-time constant because most files have our byte
// order.
template <bool Swap>
class SampleReader {
 public:
  SampleReader(std::string_view body, PerfSample& out)
      : at_(body.data()), words_(body.size() / 8), out_(out) {
    if constexpr (Swap) {
      out.swapped.clear();
      out.swapped.reserve(words_);  // keeps spans into it valid
      out.swapped_branches.clear();
    }
  }

  std::uint64_t word() {
    if (words_ == 0) {
      fail();
      return 0;
    }
    const std::uint64_t value = word_at(at_, Swap);
    skip(1);
    return value;
  }

  void pair(std::uint32_t& first, std::uint32_t& second) {
    if (words_ == 0) return fail();
    std::memcpy(&first, at_, 4);
    std::memcpy(&second, at_ + 4, 4);
    if constexpr (Swap) {
      first = byte_swap(first);
      second = byte_swap(second);
    }
    skip(1);
  }

  std::span<const std::uint64_t> array(std::uint64_t count) {
    if (count > words_) {
      fail();
      return {};
    }
    const auto size = static_cast<std::size_t>(count);
    std::span<const std::uint64_t> result;
    if constexpr (Swap) {
      const std::size_t old = out_.swapped.size();
      for (std::size_t i = 0; i < size; ++i)
        out_.swapped.push_back(word_at(at_ + i * 8, true));
      result = std::span(out_.swapped).subspan(old);
    } else {
      // Bodies begin at a multiple of 8 bytes, and so does every field.
      result = {reinterpret_cast<const std::uint64_t*>(at_), size};
    }
    skip(size);
    return result;
  }

  // `size` bytes, which must end at a multiple of 8.
  std::string_view bytes(std::uint64_t size) {
    if (size % 8 != 0 || size / 8 > words_) {
      fail();
      return {};
    }
    const std::string_view result(at_, static_cast<std::size_t>(size));
    skip(result.size() / 8);
    return result;
  }

  // A u32 size and that many bytes, together a multiple of 8.
  std::string_view raw() {
    if (words_ == 0) {
      fail();
      return {};
    }
    std::uint32_t size;
    std::memcpy(&size, at_, 4);
    if constexpr (Swap) size = byte_swap(size);
    const std::string_view whole = bytes(std::uint64_t{size} + 4);
    return whole.empty() ? whole : whole.substr(4);
  }

  std::span<const BranchEntry> branches(std::uint64_t count);

  // The rest of the record.
  std::string_view up_to(std::uint64_t size) {
    if (size > words_ * 8) {
      fail();
      return {};
    }
    return {at_, static_cast<std::size_t>(size)};
  }

  bool bad() const { return bad_; }
  void fail() {
    bad_ = true;
    words_ = 0;
  }

 private:
  void skip(std::size_t words) {
    at_ += words * 8;
    words_ -= words;
  }

  const char* at_;
  std::size_t words_;
  PerfSample& out_;
  bool bad_ = false;
};

// The flags of a branch are C bit fields, which a big-endian machine lays out
// from the other end: mispred 1, predicted 1, in_tx 1, abort 1, cycles 16, type
// 4, spec 2, new_type 4, priv 3.
std::uint64_t branch_flags_of_other_order(std::uint64_t value) {
  std::uint64_t result = 0;
  int at = 0;
  for (const int width : {1, 1, 1, 1, 16, 4, 2, 4, 3}) {
    const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
    result |= (value >> (64 - at - width) & mask) << at;
    at += width;
  }
  return result;
}

static_assert(sizeof(BranchEntry) == 24 && alignof(BranchEntry) == 8);

template <bool Swap>
std::span<const BranchEntry> SampleReader<Swap>::branches(std::uint64_t count) {
  if (count > words_ / 3) {
    fail();
    return {};
  }
  const auto size = static_cast<std::size_t>(count);
  std::span<const BranchEntry> result;
  if constexpr (Swap) {
    for (std::size_t i = 0; i < size; ++i)
      out_.swapped_branches.push_back({.from = word_at(at_ + i * 24, true),
                                       .to = word_at(at_ + i * 24 + 8, true),
                                       .flags = branch_flags_of_other_order(
                                           word_at(at_ + i * 24 + 16, true))});
    result = out_.swapped_branches;
  } else {
    result = {reinterpret_cast<const BranchEntry*>(at_), size};
  }
  skip(size * 3);
  return result;
}

template <bool Swap>
ReadValues read_values(SampleReader<Swap>& in, std::uint64_t format) {
  ReadValues result;
  result.format = format;
  const auto times = [&] {
    if (format & read_format::kTimeEnabled) result.time_enabled = in.word();
    if (format & read_format::kTimeRunning) result.time_running = in.word();
  };
  if ((format & read_format::kGroup) != 0) {
    const std::uint64_t count = in.word();
    times();
    // The count is untrusted; the product must not wrap.
    if (count > (std::uint64_t{1} << 32)) in.fail();
    result.words = in.bad() ? std::span<const std::uint64_t>()
                            : in.array(count * read_stride(format));
    return result;
  }
  // A single value is separated from its id by the times, unlike in a group.
  result.single.value = in.word();
  times();
  if (format & read_format::kId) result.single.id = in.word();
  if (format & read_format::kLost) result.single.lost = in.word();
  return result;
}

template <bool Swap>
SampleRegisters registers(SampleReader<Swap>& in, std::uint64_t mask) {
  SampleRegisters result;
  const std::uint64_t abi = in.word();
  if (abi == kRegsAbiNone) return result;
  const auto values = in.array(static_cast<std::uint64_t>(std::popcount(mask)));
  if (in.bad()) return result;
  return {.abi = abi, .mask = mask, .values = values};
}

template <bool Swap>
void user_stack(SampleReader<Swap>& in, const EventAttr& attr,
                PerfSample& out) {
  const std::uint64_t size = in.word();
  if (size == 0) return;
  out.user_stack = in.bytes(size);
  out.user_stack_wanted = attr.sample_stack_user;
  const std::uint64_t copied = in.word();
  out.user_stack =
      out.user_stack.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(
                                   copied, out.user_stack.size())));
}

template <bool Swap>
void branch_stack(SampleReader<Swap>& in, const EventAttr& attr,
                  PerfSample& out) {
  const std::uint64_t count = in.word();
  if (attr.branch_sample_type & branch_type::kHwIndex)
    out.branch_hw_index = in.word();
  out.branches = in.branches(count);
  if (attr.branch_sample_type & branch_type::kCounters)
    in.array(out.branches.size());
}

// The fields in the order of the kernel's perf_output_sample().
template <bool Swap>
bool decode(const PerfRecord& record, PerfSample& out) {
  using namespace sample_type;
  const EventAttr& attr = record.event->attr;
  const std::uint64_t has = attr.sample_type;
  SampleReader<Swap> in(record.body, out);
  std::uint32_t unused = 0;
  if (has & kIdentifier) out.id = in.word();
  if (has & kIp) out.ip = in.word();
  if (has & kTid) in.pair(out.pid, out.tid);
  if (has & kTime) out.time = in.word();
  if (has & kAddr) out.addr = in.word();
  if (has & kId) out.id = in.word();
  if (has & kStreamId) out.stream_id = in.word();
  if (has & kCpu) in.pair(out.cpu, unused);
  if (has & kPeriod) out.period = in.word();
  if (has & kRead) out.read = read_values(in, attr.read_format);
  if (has & kCallchain) out.callchain = in.array(in.word());
  if (has & kRaw) out.raw = in.raw();
  if (has & kBranchStack) branch_stack(in, attr, out);
  if (has & kRegsUser)
    out.user_registers = registers(in, attr.sample_regs_user);
  if (has & kStackUser) user_stack(in, attr, out);
  if (has & (kWeight | kWeightStruct)) out.weight = in.word();
  if (has & kDataSrc) out.data_src = in.word();
  if (has & kTransaction) out.transaction = in.word();
  if (has & kRegsIntr)
    out.interrupt_registers = registers(in, attr.sample_regs_intr);
  if (has & kPhysAddr) out.phys_addr = in.word();
  if (has & kCgroup) out.cgroup = in.word();
  if (has & kDataPageSize) out.data_page_size = in.word();
  if (has & kCodePageSize) out.code_page_size = in.word();
  if (has & kAux) out.aux = in.up_to(in.word());
  return !in.bad();
}

void clear(PerfSample& sample, const EventAttr& attr) {
  sample.fields = attr.sample_type;
  sample.id = sample.ip = sample.time = sample.addr = sample.stream_id = 0;
  sample.pid = sample.tid = sample.cpu = 0;
  sample.period = attr.is_frequency() ? 1 : attr.sample_period;
  sample.read = {};
  sample.callchain = {};
  sample.raw = {};
  sample.branches = {};
  sample.branch_hw_index = 0;
  sample.user_registers = sample.interrupt_registers = {};
  sample.user_stack = {};
  sample.user_stack_wanted = 0;
  sample.weight = sample.data_src = sample.transaction = 0;
  sample.phys_addr = sample.cgroup = 0;
  sample.data_page_size = sample.code_page_size = 0;
  sample.aux = {};
}

}  // namespace

std::size_t ReadValues::size() const {
  if ((format & read_format::kGroup) == 0) return 1;
  return words.size() / read_stride(format);
}

ReadValues::Value ReadValues::operator[](std::size_t i) const {
  if ((format & read_format::kGroup) == 0) return single;
  const std::size_t stride = read_stride(format);
  const auto value = words.subspan(i * stride, stride);
  Value result{.value = value[0]};
  std::size_t next = 1;
  if (format & read_format::kId) result.id = value[next++];
  if (format & read_format::kLost) result.lost = value[next];
  return result;
}

bool decode_sample(const PerfRecord& record, PerfSample& out) {
  if (record.event == nullptr) return false;
  clear(out, record.event->attr);
  return record.swap ? decode<true>(record, out) : decode<false>(record, out);
}

}  // namespace wick
