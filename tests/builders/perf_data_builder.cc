// SPDX-License-Identifier: Apache-2.0
#include "builders/perf_data_builder.h"

#include <algorithm>

#include "io/compress.h"

namespace wick {

Bytes& Bytes::integer(std::uint64_t value, int size) {
  for (int i = 0; i < size; ++i) {
    const int byte = big_endian_ ? size - 1 - i : i;
    text_ += static_cast<char>(value >> (8 * byte));
  }
  return *this;
}

Bytes& Bytes::pad() {
  text_.append((8 - text_.size() % 8) % 8, '\0');
  return *this;
}

Bytes& Bytes::name(std::string_view value) {
  text_ += value;
  text_ += '\0';
  return pad();
}

Bytes& Bytes::sized_text(std::string_view value) {
  const std::size_t size = (value.size() + 1 + 63) / 64 * 64;
  u32(size);
  text_ += value;
  text_.append(size - value.size(), '\0');
  return *this;
}

std::string encode_attr(const EventAttr& attr, bool big_endian,
                        std::size_t size) {
  std::uint64_t flags = 0;  // bit fields begin at the other end
  for (int i = 0; i < 64; ++i)
    if (attr.flags >> i & 1)
      flags |= std::uint64_t{1} << (big_endian ? 63 - i : i);
  Bytes out(big_endian);
  out.u32(attr.type).u32(size).u64(attr.config).u64(attr.sample_period);
  out.u64(attr.sample_type).u64(attr.read_format).u64(flags);
  out.u32(attr.wakeup_events).u32(attr.bp_type).u64(attr.config1);
  out.u64(attr.config2).u64(attr.branch_sample_type);
  out.u64(attr.sample_regs_user).u32(attr.sample_stack_user);
  out.u32(static_cast<std::uint32_t>(attr.clockid)).u64(attr.sample_regs_intr);
  out.u32(attr.aux_watermark).u16(attr.sample_max_stack).u16(0);
  out.u32(attr.aux_sample_size).u32(0).u64(attr.sig_data).u64(attr.config3);
  std::string bytes = out.str();
  bytes.resize(size);
  return bytes;
}

PerfDataBuilder::PerfDataBuilder(Options options) : options_(options) {}

PerfDataBuilder& PerfDataBuilder::event(const EventAttr& attr,
                                        std::string name) {
  const std::uint64_t first = id(events_.size());
  events_.push_back({attr, std::move(name), {first, first + 1}});
  return *this;
}

void PerfDataBuilder::append(RecordType type, std::uint16_t misc,
                             std::string_view body) {
  const bool packed =
      options_.packing != Packing::kNone && type < RecordType::kUserStart;
  records_.emplace_back(packed, encode(type, misc, body));
}

std::string PerfDataBuilder::encode(RecordType type, std::uint16_t misc,
                                    std::string_view body) const {
  Bytes out = make();
  out.u32(static_cast<std::uint32_t>(type)).u16(misc);
  out.u16(kRecordHeaderSize + body.size()).bytes(body);
  return out.str();
}

PerfDataBuilder& PerfDataBuilder::sample(const Sample& s) {
  using namespace sample_type;
  const EventAttr& attr = events_[s.event].attr;
  const auto words = [](Bytes& out, const std::vector<std::uint64_t>& values) {
    for (const std::uint64_t value : values) out.u64(value);
  };
  Bytes out = make();
  if (attr.samples(kIdentifier)) out.u64(id(s.event));
  if (attr.samples(kIp)) out.u64(s.ip);
  if (attr.samples(kTid)) out.u32(s.pid).u32(s.tid);
  if (attr.samples(kTime)) out.u64(s.time);
  if (attr.samples(kAddr)) out.u64(s.addr);
  if (attr.samples(kId)) out.u64(id(s.event));
  if (attr.samples(kStreamId)) out.u64(s.stream_id);
  if (attr.samples(kCpu)) out.u32(s.cpu).u32(0);
  if (attr.samples(kPeriod)) out.u64(s.period);
  if (attr.samples(kRead)) words(out, s.read);
  if (attr.samples(kCallchain)) {
    out.u64(s.callchain.size());
    words(out, s.callchain);
  }
  if (attr.samples(kRaw)) {
    const std::size_t size = (s.raw.size() + 4 + 7) / 8 * 8 - 4;
    out.u32(size).bytes(s.raw).bytes(std::string(size - s.raw.size(), '\0'));
  }
  if (attr.samples(kBranchStack)) {
    const bool index = (attr.branch_sample_type & branch_type::kHwIndex) != 0;
    out.u64((s.branches.size() - (index ? 1 : 0)) / 3);
    words(out, s.branches);
  }
  if (attr.samples(kRegsUser)) {
    out.u64(s.user_abi);
    words(out, s.user_registers);
  }
  if (attr.samples(kStackUser)) {
    out.u64(s.user_stack.size()).bytes(s.user_stack);
    if (!s.user_stack.empty())
      out.u64(
          std::min<std::uint64_t>(s.user_stack_copied, s.user_stack.size()));
  }
  if (attr.samples(kWeight | kWeightStruct)) out.u64(s.weight);
  if (attr.samples(kDataSrc)) out.u64(s.data_src);
  if (attr.samples(kTransaction)) out.u64(s.transaction);
  if (attr.samples(kRegsIntr)) {
    out.u64(s.interrupt_abi);
    words(out, s.interrupt_registers);
  }
  if (attr.samples(kPhysAddr)) out.u64(s.phys_addr);
  if (attr.samples(kCgroup)) out.u64(s.cgroup);
  if (attr.samples(kDataPageSize)) out.u64(s.data_page_size);
  if (attr.samples(kCodePageSize)) out.u64(s.code_page_size);
  if (attr.samples(kAux)) out.u64(s.aux.size()).bytes(s.aux).pad();
  append(RecordType::kSample, s.misc, out.str());
  return *this;
}

PerfDataBuilder& PerfDataBuilder::record(RecordType type, std::uint16_t misc,
                                         const Bytes& body,
                                         const Trailer& trailer) {
  using namespace sample_type;
  const EventAttr& attr = events_[trailer.event].attr;
  Bytes out = make();
  out.bytes(body.str()).pad();
  if (attr.sample_id_all()) {
    if (attr.samples(kTid)) out.u32(trailer.pid).u32(trailer.tid);
    if (attr.samples(kTime)) out.u64(trailer.time);
    if (attr.samples(kId)) out.u64(id(trailer.event));
    if (attr.samples(kStreamId)) out.u64(trailer.stream_id);
    if (attr.samples(kCpu)) out.u32(trailer.cpu).u32(0);
    if (attr.samples(kIdentifier)) out.u64(id(trailer.event));
  }
  append(type, misc, out.str());
  return *this;
}

PerfDataBuilder& PerfDataBuilder::comm(std::uint32_t pid, std::uint32_t tid,
                                       std::string_view name,
                                       std::uint64_t time) {
  return record(RecordType::kComm, 0, make().u32(pid).u32(tid).name(name),
                {.pid = pid, .tid = tid, .time = time});
}

PerfDataBuilder& PerfDataBuilder::plain(RecordType type, std::uint16_t misc,
                                        const Bytes& body) {
  append(type, misc, body.str());
  return *this;
}

PerfDataBuilder& PerfDataBuilder::garbage(std::string_view bytes) {
  records_.emplace_back(false, bytes);
  return *this;
}

PerfDataBuilder& PerfDataBuilder::feature(Feature feature,
                                          const Bytes& content) {
  features_.emplace_back(feature, content.str());
  return *this;
}

// One compressed stream of all records of the kernel, cut into pieces without
// regard to where a record ends.
std::string PerfDataBuilder::records() const {
  std::string packed, out;
  for (const auto& [is_packed, bytes] : records_)
    (is_packed ? packed : out) += bytes;
  if (packed.empty()) return out;
  const std::string stream = zstd_compress(packed);
  std::string pieces;
  for (std::size_t at = 0; at < stream.size(); at += options_.packed_size) {
    const std::string piece = stream.substr(at, options_.packed_size);
    pieces += options_.packing == Packing::kCompressed
                  ? encode(RecordType::kCompressed, 0, piece)
                  : encode(RecordType::kCompressed2, 0,
                           make().u64(piece.size()).bytes(piece).pad().str());
  }
  return pieces + out;
}

std::string PerfDataBuilder::build() const {
  return options_.pipe ? build_pipe() : build_file();
}

std::string PerfDataBuilder::build_pipe() const {
  Bytes out = make();
  out.u64(0x32454c4946524550).u64(16);
  for (const Event& event : events_) {
    Bytes body = make();
    body.bytes(encode_attr(event.attr, options_.big_endian));
    for (const std::uint64_t id : event.ids) body.u64(id);
    out.bytes(encode(RecordType::kHeaderAttr, 0, body.str()));
    if (!event.name.empty())
      out.bytes(
          encode(RecordType::kEventUpdate, 0,
                 make().u64(2).u64(event.ids.front()).name(event.name).str()));
  }
  for (const auto& [feature, content] : features_) {
    if (feature == Feature::kTracingData) {
      Bytes payload = make();
      payload.bytes(content).pad();
      out.bytes(encode(RecordType::kTracingData, 0,
                       make().u32(payload.size()).u32(0).str()));
      out.bytes(payload.str());
      continue;
    }
    out.bytes(encode(RecordType::kHeaderFeature, 0,
                     make()
                         .u64(static_cast<std::uint32_t>(feature))
                         .bytes(content)
                         .pad()
                         .str()));
  }
  return out.str() + records();
}

std::string PerfDataBuilder::build_file() const {
  constexpr std::size_t kHeaderSize = 104, kAttrSize = 128;
  std::string ids, attrs;
  const std::size_t ids_at = kHeaderSize;
  Bytes names = make();
  names.u32(events_.size()).u32(kAttrSize);
  bool named = false;
  for (const Event& event : events_) {
    Bytes of_event = make();
    for (const std::uint64_t id : event.ids) of_event.u64(id);
    const std::string attr = encode_attr(event.attr, options_.big_endian);
    attrs += attr;
    attrs += make().u64(ids_at + ids.size()).u64(of_event.size()).str();
    ids += of_event.str();
    names.bytes(attr).u32(event.ids.size()).sized_text(event.name);
    names.bytes(of_event.str());
    named |= !event.name.empty();
  }
  auto features = features_;
  if (named) features.emplace_back(Feature::kEventDesc, names.str());
  std::sort(features.begin(), features.end());
  std::uint64_t bits = 0;
  for (const auto& feature : features)
    bits |= std::uint64_t{1} << static_cast<std::uint32_t>(feature.first);

  const std::string data = records();
  const std::size_t attrs_at = ids_at + ids.size();
  const std::size_t data_at = attrs_at + attrs.size();
  Bytes out = make();
  out.u64(0x32454c4946524550).u64(kHeaderSize).u64(kAttrSize + 16);
  out.u64(attrs_at).u64(attrs.size()).u64(data_at).u64(data.size());
  out.u64(0).u64(0).u64(bits).u64(0).u64(0).u64(0);
  out.bytes(ids).bytes(attrs).bytes(data);
  std::size_t at = out.size() + features.size() * 16;
  for (const auto& feature : features) {
    out.u64(at).u64(feature.second.size());
    at += feature.second.size();
  }
  for (const auto& feature : features) out.bytes(feature.second);
  return out.str();
}

std::string encode_tracing_data(
    std::initializer_list<std::pair<std::string_view, std::string_view>>
        system_and_format,
    bool big_endian) {
  constexpr std::string_view kZero("\0", 1);
  Bytes out(big_endian);
  out.bytes("\x17\x08\x44tracing").bytes("0.6").bytes(kZero);
  out.u8(big_endian ? 1 : 0).u8(8).u32(4096);
  out.bytes("header_page").bytes(kZero).u64(4).bytes("page");
  out.bytes("header_event").bytes(kZero).u64(5).bytes("event");
  out.u32(1).u64(7).bytes("ftrace!");
  out.u32(system_and_format.size());
  for (const auto& [system, format] : system_and_format)
    out.bytes(system).bytes(kZero).u32(1).u64(format.size()).bytes(format);
  out.u32(0).u32(0).u64(0);
  return out.str();
}

}  // namespace wick
