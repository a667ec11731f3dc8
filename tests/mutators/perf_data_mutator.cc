// SPDX-License-Identifier: Apache-2.0
// perf.data: its header, attributes, feature sections and records.
#include <algorithm>
#include <array>
#include <bit>

#include "base/bytes.h"
#include "io/compress.h"
#include "mutators/mutation.h"
#include "perf/records/abi.h"

namespace wick {
namespace {

// Offsets in the header of a file, and in perf_event_attr.
constexpr std::size_t kFileHeader = 104, kPipeHeader = 16;
constexpr std::size_t kAttrSizeAt = 16, kAttrsAt = 24, kDataAt = 40;
constexpr std::size_t kFeaturesAt = 72;
constexpr std::size_t kSampleTypeAt = 24, kReadFormatAt = 32, kFlagsAt = 40;
constexpr std::size_t kUserRegistersAt = 80, kInterruptRegistersAt = 96;
constexpr std::size_t kAttr = 112;  // with all fields named here

class PerfImage {
 public:
  PerfImage(std::string& bytes, Mutation& mutation)
      : bytes_(bytes),
        mutation_(mutation),
        swap_(bytes.starts_with("2ELIFREP")),
        pipe_(word(8) == kPipeHeader) {}

  void change() {
    switch (mutation_.below(pipe_ ? 8 : 10)) {
      case 0:
        return change_attr();
      case 1:
        return compress_records();
      case 8:
        return change_header();
      case 9:
        return change_feature();
      default:
        return change_records();
    }
  }

 private:
  RecordLayout layout() const {
    return {.header_size = kRecordHeaderSize,
            .length_at = 6,
            .length_size = 2,
            .counts_header = true,
            .swap = swap_};
  }
  std::uint64_t word(std::size_t at) const {
    return integer_at(bytes_, at, 8, swap_);
  }
  void put_word(std::size_t at, std::uint64_t value) {
    put_integer(bytes_, at, 8, value, swap_);
  }
  RecordType type_of(const std::string& record) const {
    return static_cast<RecordType>(integer_at(record, 0, 4, swap_));
  }
  std::size_t data_begin() const {
    return std::min<std::size_t>(pipe_ ? kPipeHeader : word(kDataAt),
                                 bytes_.size());
  }
  std::size_t data_end() const {
    const std::size_t left = bytes_.size() - data_begin();
    return data_begin() +
           (pipe_ ? left : std::min<std::size_t>(left, word(kDataAt + 8)));
  }
  std::vector<std::string> records() const {
    return split_records(std::string_view(bytes_).substr(
                             data_begin(), data_end() - data_begin()),
                         layout());
  }
  void replace_records(const std::vector<std::string>& records);
  void shift_features(std::size_t from, std::uint64_t distance);
  std::size_t attr_at() const;
  std::string record_of(RecordType type, std::uint16_t misc,
                        std::string_view body) const;
  std::string another_sample(const std::string& model);
  std::string another_record();
  void append_words(std::string& out, std::size_t count);

  void change_header();
  void change_attr();
  void change_feature();
  void change_records();
  void change_record(std::string& record);
  void compress_records();

  std::string& bytes_;
  Mutation& mutation_;
  bool swap_, pipe_;
};

void PerfImage::change_header() {
  if (mutation_.one_in(2))
    return mutation_.change_integer(bytes_, kFeaturesAt + mutation_.below(32),
                                    1, swap_);
  mutation_.change_integer(bytes_, 8 * (1 + mutation_.below(12)), 8, swap_);
}

// Of the only event, or of one of several.
std::size_t PerfImage::attr_at() const {
  if (!pipe_) {
    const std::uint64_t size = std::max<std::uint64_t>(word(kAttrSizeAt), 1);
    return word(kAttrsAt) + size * mutation_.below(word(kAttrsAt + 8) / size);
  }
  std::size_t at = kPipeHeader;
  for (const std::string& record : records()) {
    if (type_of(record) == RecordType::kHeaderAttr)
      return at + kRecordHeaderSize;
    at += record.size();
  }
  return bytes_.size();
}

// The bits that decide what a sample consists of.
void PerfImage::change_attr() {
  const std::size_t attr = attr_at();
  constexpr std::array<std::size_t, 5> kFields = {
      kSampleTypeAt, kSampleTypeAt, kReadFormatAt, kFlagsAt, kUserRegistersAt};
  const std::size_t at =
      attr + (mutation_.one_in(3)
                  ? 8 * mutation_.below(kAttr / 8)
                  : mutation_.one_of(std::span<const std::size_t>(kFields)));
  if (mutation_.one_in(4))
    return mutation_.change_integer(bytes_, at, 8, swap_);
  put_word(at, word(at) ^ std::uint64_t{1} << mutation_.below(25));
}

// The table of feature sections follows the data.
void PerfImage::shift_features(std::size_t from, std::uint64_t distance) {
  std::size_t features = 0;
  for (std::size_t i = 0; i < 32; ++i)
    features += static_cast<std::size_t>(
        std::popcount(integer_at(bytes_, kFeaturesAt + i, 1, swap_)));
  for (std::size_t at = data_end(); features > 0; --features, at += 16)
    if (word(at) >= from) put_word(at, word(at) + distance);
}

void PerfImage::change_feature() {
  const std::size_t entry = data_end() + 16 * mutation_.below(16);
  const std::uint64_t offset = word(entry), size = word(entry + 8);
  if (offset > bytes_.size() || size > bytes_.size() - offset || size == 0 ||
      mutation_.one_in(6))
    return mutation_.change_integer(bytes_, entry + 8 * mutation_.below(2), 8,
                                    swap_);
  std::string contents = bytes_.substr(offset, size);
  if (mutation_.one_in(2))
    mutation_.change_integer(contents, 4 * mutation_.below(size / 4), 4, swap_);
  else
    mutation_.change_bytes(contents);
  bytes_.replace(offset, size, contents);
  put_word(entry + 8, contents.size());
  shift_features(offset + 1, contents.size() - size);
}

// Now and then the header keeps the old size.
void PerfImage::replace_records(const std::vector<std::string>& records) {
  const std::string data = join(records);
  const std::size_t begin = data_begin(), end = data_end();
  bytes_.replace(begin, end - begin, data);
  if (pipe_ || mutation_.one_in(8)) return;
  put_word(kDataAt + 8, data.size());
  shift_features(end, data.size() - (end - begin));
}

std::string PerfImage::record_of(RecordType type, std::uint16_t misc,
                                 std::string_view body) const {
  std::string record(kRecordHeaderSize, '\0');
  put_integer(record, 0, 4, static_cast<std::uint32_t>(type), swap_);
  put_integer(record, 4, 2, misc, swap_);
  record += body;
  record.resize((record.size() + 7) / 8 * 8);
  set_length(record, layout());
  return record;
}

void PerfImage::append_words(std::string& out, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    out.append(8, '\0');
    const bool marker = mutation_.one_in(6);
    put_integer(out, out.size() - 8, 8,
                marker ? callchain::kUser : 0x1000 + 8 * mutation_.below(512),
                swap_);
  }
}

// Begins as `model` does, in the fields of one word, and has others in their
// order and with counts that are right.
std::string PerfImage::another_sample(const std::string& model) {
  using namespace sample_type;
  const std::size_t attr = attr_at();
  const std::uint64_t type = word(attr + kSampleTypeAt);
  const std::uint64_t kSingle = kIdentifier | kIp | kTid | kTime | kAddr | kId |
                                kStreamId | kCpu | kPeriod;
  std::string body = model.substr(kRecordHeaderSize);
  body.resize(8 * static_cast<std::size_t>(std::popcount(type & kSingle)));
  const auto counted = [&](std::size_t count, std::size_t words_each) {
    body.append(8, '\0');
    put_integer(body, body.size() - 8, 8, count, swap_);
    append_words(body, count * words_each);
  };
  const auto registers = [&](std::size_t mask_at) {
    body.append(8, '\0');
    put_integer(body, body.size() - 8, 8, kRegsAbi64, swap_);
    append_words(body,
                 static_cast<std::size_t>(std::popcount(word(attr + mask_at))));
  };
  if (type & kRead) append_words(body, mutation_.below(5));
  if (type & kCallchain) counted(mutation_.below(40), 1);
  if (type & kRaw) {
    const std::size_t words = mutation_.below(8);
    append_words(body, words + 1);
    put_integer(body, body.size() - 8 * (words + 1), 4, 8 * words + 4, swap_);
  }
  if (type & kBranchStack) counted(mutation_.below(8), 3);
  if (type & kRegsUser) registers(kUserRegistersAt);
  if (type & kStackUser) {
    const std::size_t words = mutation_.below(32);
    append_words(body, words + 2);
    put_integer(body, body.size() - 8 * (words + 2), 8, 8 * words, swap_);
    put_integer(body, body.size() - 8, 8, 8 * mutation_.below(words + 1),
                swap_);
  }
  for (const std::uint64_t bit :
       {kWeight | kWeightStruct, kDataSrc, kTransaction})
    if (type & bit) append_words(body, 1);
  if (type & kRegsIntr) registers(kInterruptRegistersAt);
  append_words(
      body, static_cast<std::size_t>(std::popcount(
                type & (kPhysAddr | kCgroup | kDataPageSize | kCodePageSize))));
  return record_of(RecordType::kSample, misc::kUser, body);
}

// Of any kind, with a body of plausible numbers and a name.
std::string PerfImage::another_record() {
  const auto type = static_cast<RecordType>(
      mutation_.one_in(4) ? 64 + mutation_.below(22) : 1 + mutation_.below(23));
  std::string body;
  append_words(body, mutation_.below(10));
  if (!body.empty()) put_integer(body, 0, 4, mutation_.below(3), swap_);
  if (mutation_.one_in(2)) body += "/usr/bin/name";
  append_words(body, mutation_.below(8));
  constexpr std::array<std::uint16_t, 5> kMisc = {1, 2, 1 << 13, 1 << 14,
                                                  3 << 13};
  return record_of(
      type, mutation_.one_of(std::span<const std::uint16_t>(kMisc)), body);
}

void PerfImage::change_record(std::string& record) {
  if (record.size() < kRecordHeaderSize) return mutation_.change_bytes(record);
  if (type_of(record) == RecordType::kSample && mutation_.one_in(3)) {
    record = another_sample(record);
    return;
  }
  if (mutation_.one_in(8))
    mutation_.change_integer(record, 2 * mutation_.below(3), 2, swap_);
  else if (mutation_.one_in(4))
    mutation_.change_bytes(record);
  else
    mutation_.change_integer(record, 4 * mutation_.below(record.size() / 4),
                             mutation_.one_in(2) ? 4 : 8, swap_);
  record.resize((record.size() + 7) / 8 * 8);
  if (!mutation_.one_in(10)) set_length(record, layout());
}

void PerfImage::change_records() {
  std::vector<std::string> all = records();
  const std::size_t at = mutation_.below(all.size());
  if (mutation_.one_in(3))
    mutation_.rearrange(all);
  else if (mutation_.one_in(4))
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(at), another_record());
  else
    change_record(all[at]);
  replace_records(all);
}

// Puts some of the kernel's records into a compressed one.
void PerfImage::compress_records() {
  std::vector<std::string> all = records();
  const std::size_t from = mutation_.below(all.size());
  const std::size_t count = 1 + mutation_.below(4);
  std::string plain;
  for (std::size_t i = 0; i < count && from + 1 < all.size(); ++i) {
    plain += all[from];
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(from));
  }
  const std::string packed = zstd_compress(plain);
  std::string record;
  if (mutation_.one_in(2)) {
    std::string size(8, '\0');
    put_integer(size, 0, 8, packed.size(), swap_);
    record = record_of(RecordType::kCompressed2, 0, size + packed);
  } else {  // the older kind has no padding
    record = record_of(RecordType::kCompressed, 0, "") + packed;
    set_length(record, layout());
  }
  all.insert(all.begin() + static_cast<std::ptrdiff_t>(from), record);
  replace_records(all);
}

}  // namespace

void mutate_perf_data(std::string& bytes, Mutation& mutation) {
  if (bytes.size() < kFileHeader) return mutation.change_bytes(bytes);
  PerfImage(bytes, mutation).change();
}

}  // namespace wick
