// SPDX-License-Identifier: Apache-2.0
#include "perf/records/attr.h"

#include <algorithm>
#include <bit>

#include "base/bytes.h"

namespace wick {
namespace {

constexpr std::size_t kOldestSize = 64;

constexpr bool kHostIsBig = std::endian::native == std::endian::big;

std::uint64_t reverse_bits(std::uint64_t value) {
  std::uint64_t result = 0;
  for (int i = 0; i < 64; ++i, value >>= 1) result = result << 1 | (value & 1);
  return result;
}

// The flags are C bit fields, which a big-endian machine lays out from the
// highest bit, so all are reversed there. Only precise_ip has two bits, which
// keep their order.
std::uint64_t swap_precise(std::uint64_t flags) {
  constexpr std::uint64_t kLow = 1ull << attr_flag::kPreciseShift;
  return (flags & ~attr_flag::kPrecise) | (flags >> 1 & kLow) |
         (flags & kLow) << 1;
}

}  // namespace

std::optional<EventAttr> read_attr(std::string_view bytes, bool swap) {
  if (bytes.size() < kOldestSize) return std::nullopt;
  ByteReader in(bytes, swap);
  EventAttr a;
  a.type = in.read<std::uint32_t>();
  a.size = in.read<std::uint32_t>();
  // Bytes after the attr's own size are something else; an attr without a size
  // has the first version.
  const std::size_t size = a.size < kOldestSize ? kOldestSize : a.size;
  if (size < bytes.size()) in = ByteReader(bytes.substr(8, size - 8), swap);
  a.config = in.read<std::uint64_t>();
  a.sample_period = in.read<std::uint64_t>();
  a.sample_type = in.read<std::uint64_t>();
  a.read_format = in.read<std::uint64_t>();
  a.flags = in.read<std::uint64_t>();
  if (swap != kHostIsBig) a.flags = swap_precise(reverse_bits(a.flags));
  a.wakeup_events = in.read<std::uint32_t>();
  a.bp_type = in.read<std::uint32_t>();
  a.config1 = in.read<std::uint64_t>();
  // A shorter attr reads as zeros from here on.
  a.config2 = in.read<std::uint64_t>();
  a.branch_sample_type = in.read<std::uint64_t>();
  a.sample_regs_user = in.read<std::uint64_t>();
  a.sample_stack_user = in.read<std::uint32_t>();
  a.clockid = in.read<std::int32_t>();
  a.sample_regs_intr = in.read<std::uint64_t>();
  a.aux_watermark = in.read<std::uint32_t>();
  a.sample_max_stack = in.read<std::uint16_t>();
  in.read<std::uint16_t>();
  a.aux_sample_size = in.read<std::uint32_t>();
  in.read<std::uint32_t>();
  a.sig_data = in.read<std::uint64_t>();
  a.config3 = in.read<std::uint64_t>();
  return a;
}

std::string write_attr(const EventAttr& attr) {
  std::string out;
  append_raw(out, attr.type);
  append_raw(out, attr.size);
  append_raw(out, attr.config);
  append_raw(out, attr.sample_period);
  append_raw(out, attr.sample_type);
  append_raw(out, attr.read_format);
  append_raw(out,
             kHostIsBig ? reverse_bits(swap_precise(attr.flags)) : attr.flags);
  append_raw(out, attr.wakeup_events);
  append_raw(out, attr.bp_type);
  append_raw(out, attr.config1);
  append_raw(out, attr.config2);
  append_raw(out, attr.branch_sample_type);
  append_raw(out, attr.sample_regs_user);
  append_raw(out, attr.sample_stack_user);
  append_raw(out, attr.clockid);
  append_raw(out, attr.sample_regs_intr);
  append_raw(out, attr.aux_watermark);
  append_raw(out, attr.sample_max_stack);
  append_raw(out, std::uint16_t{0});
  append_raw(out, attr.aux_sample_size);
  append_raw(out, std::uint32_t{0});
  append_raw(out, attr.sig_data);
  append_raw(out, attr.config3);
  out.resize(std::clamp<std::size_t>(attr.size, kOldestSize, kAttrSize));
  return out;
}

std::uint32_t needed_attr_size(const EventAttr& attr) {
  if (attr.config3 != 0) return 136;
  if (attr.sig_data != 0) return 128;
  return attr.aux_sample_size != 0 ? 120 : 112;
}

IdLayout id_layout(const EventAttr& attr) {
  using namespace sample_type;
  const auto words = [&](std::uint64_t bits) {
    return static_cast<std::int8_t>(std::popcount(attr.sample_type & bits));
  };
  IdLayout layout;
  if (attr.samples(kIdentifier))
    layout.sample_id = 0;
  else if (attr.samples(kId))
    layout.sample_id = words(kIp | kTid | kTime | kAddr);
  if (attr.samples(kTime)) layout.sample_time = words(kIdentifier | kIp | kTid);
  if (!attr.sample_id_all()) return layout;
  // The trailer: tid, time, id, stream_id, cpu, identifier.
  layout.trailer_words =
      words(kTid | kTime | kId | kStreamId | kCpu | kIdentifier);
  if (attr.samples(kIdentifier))
    layout.trailer_id = 1;
  else if (attr.samples(kId))
    layout.trailer_id = static_cast<std::int8_t>(words(kStreamId | kCpu) + 1);
  if (attr.samples(kTime))
    layout.trailer_time = static_cast<std::int8_t>(
        words(kId | kStreamId | kCpu | kIdentifier) + 1);
  return layout;
}

}  // namespace wick
