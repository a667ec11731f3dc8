// SPDX-License-Identifier: Apache-2.0
#include "perf/file/data_file.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "perf/file/features.h"
#include "perf/file/record_stream.h"
#include "perf/file/recording_facts.h"
#include "perf/file/section.h"

namespace wick {
namespace {

constexpr std::string_view kMagic = "PERFILE2";
constexpr std::string_view kSwappedMagic = "2ELIFREP";
constexpr std::string_view kMagicOfVersion1 = "PERFFILE";
constexpr std::size_t kPipeHeaderSize = 16;
constexpr std::size_t kMaxParts = 1 << 14;

FileSection read_section(ByteReader& in) {
  FileSection section;
  section.offset = in.read<std::uint64_t>();
  section.size = in.read<std::uint64_t>();
  return section;
}

// The part of the section that is in the file.
std::string_view bytes_of(std::string_view file, FileSection section) {
  if (section.offset >= file.size()) return {};
  return file.substr(static_cast<std::size_t>(section.offset),
                     static_cast<std::size_t>(std::min<std::uint64_t>(
                         section.size, file.size() - section.offset)));
}

bool is_complete(std::string_view file, FileSection section) {
  return bytes_of(file, section).size() == section.size;
}

// Reads the header of a file (not of a pipe) and returns its data section.
class FileReader {
 public:
  FileReader(std::string_view file, PerfHeader& header, PerfCounts& counts)
      : file_(file), header_(header), counts_(counts), reader_(header) {}

  std::string_view read() {
    ByteReader in(file_.substr(kPipeHeaderSize), header_.swap);
    const auto attr_size = in.read<std::uint64_t>();
    const FileSection attrs = read_section(in);
    const FileSection data = read_section(in);
    // The event types of perf before 3.12, or wick's facts.
    read_facts_of_wick(read_section(in));
    std::uint64_t features[4];
    for (std::uint64_t& word : features) word = in.read<std::uint64_t>();
    read_events(attrs, attr_size);
    const bool closed = data.size != 0 || has_features_at(data.offset);
    const std::string_view records = read_data(data, closed);
    if (closed && is_complete(file_, data))
      read_features(features, data.offset + data.size);
    reader_.finish();
    return records;
  }

 private:
  void read_events(FileSection section, std::uint64_t entry_size) {
    const std::string_view attrs = bytes_of(file_, section);
    if (entry_size <= sizeof(FileSection) || attrs.size() < section.size)
      counts_.truncated = true;
    if (entry_size <= sizeof(FileSection)) return;
    // Ids may be anywhere, and events may share them; in total they cannot
    // exceed the size of the file.
    std::size_t ids_left = file_.size();
    for (std::string_view rest = attrs; rest.size() >= entry_size;) {
      const std::string_view entry =
          rest.substr(0, static_cast<std::size_t>(entry_size));
      rest.remove_prefix(entry.size());
      const std::string_view attr =
          entry.substr(0, entry.size() - sizeof(FileSection));
      ByteReader in(entry.substr(attr.size()), header_.swap);
      std::string_view ids = bytes_of(file_, read_section(in));
      ids = ids.substr(0, ids_left);
      ids_left -= ids.size();
      if (!reader_.add_event(attr, ids)) ++counts_.bad_records;
    }
  }

  void read_facts_of_wick(FileSection section) {
    constexpr std::uint64_t kLongest = 1 << 20;
    if (section.size > kLongest) return;
    auto facts = read_facts(bytes_of(file_, section));
    if (!facts) return;
    if (!facts->is_finished) counts_.truncated = true;
    header_.facts = std::move(*facts);
    header_.names = bytes_of(file_, header_.facts.names);
  }

  // The size of the data is 0 if the recorder was killed, but also if there was
  // nothing to record. In the latter case a table of sections follows, and the
  // first section right after it.
  bool has_features_at(std::uint64_t offset) const {
    constexpr std::uint64_t kLongestTable = 256 * sizeof(FileSection);
    ByteReader in(bytes_of(file_, {offset, sizeof(FileSection)}), header_.swap);
    const FileSection first = read_section(in);
    return !in.failed() && first.offset > offset &&
           first.offset - offset <= kLongestTable && is_complete(file_, first);
  }

  std::string_view read_data(FileSection section, bool closed) {
    if (!closed) {
      counts_.truncated = true;
      return file_.substr(static_cast<std::size_t>(
          std::min<std::uint64_t>(section.offset, file_.size())));
    }
    const std::string_view records = bytes_of(file_, section);
    if (records.size() < section.size) {
      counts_.truncated = true;
      counts_.missing_bytes = section.size - records.size();
    }
    return records;
  }

  // After the data: offset and size of each section whose bit is set.
  void read_features(const std::uint64_t (&bits)[4], std::uint64_t offset) {
    ByteReader in(bytes_of(file_, {offset, file_.size()}), header_.swap);
    for (std::uint32_t i = 0; i < 256; ++i) {
      if ((bits[i / 64] >> (i % 64) & 1) == 0) continue;
      const FileSection section = read_section(in);
      if (in.failed() || !is_complete(file_, section)) {
        counts_.truncated = true;
        continue;
      }
      reader_.feature(static_cast<Feature>(i), bytes_of(file_, section));
    }
  }

  std::string_view file_;
  PerfHeader& header_;
  PerfCounts& counts_;
  HeaderReader reader_;
};

// In a pipe everything is a record, and those that describe others may come
// late, so they get a pass of their own.
void read_pipe_header(std::string_view records, PerfHeader& header) {
  HeaderReader reader(header);
  RecordScanner scanner(records, header.swap);
  for (RecordScanner::Item item; scanner.next(item);) {
    switch (item.header.type) {
      case RecordType::kHeaderAttr:
        reader.header_attr(item.body);
        break;
      case RecordType::kEventUpdate:
        reader.event_update(item.body);
        break;
      case RecordType::kTracingData:
        reader.tracing_data(item.payload);
        break;
      case RecordType::kBuildId:
        reader.build_id(item.body, item.header.misc);
        break;
      case RecordType::kHeaderFeature: {
        ByteReader in(item.body, header.swap);
        const auto number = in.read<std::uint64_t>();
        if (number < 256)
          reader.feature(static_cast<Feature>(number), in.rest());
        break;
      }
      case RecordType::kCompressed:
      case RecordType::kCompressed2:
        header.compressed = true;
        break;
      default:
        break;
    }
  }
  reader.finish();
}

std::string part_path(const std::string& directory, std::size_t i) {
  return fmt::format("{}/data.{}", directory, i);
}

bool is_regular_file(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

}  // namespace

struct PerfData::State {
  std::vector<std::unique_ptr<InputFile>> files;  // of a directory
  PerfHeader header;
  std::vector<std::string_view> parts;  // bytes of records
  PerfCounts counts_at_start, counts;

  std::optional<RecordLocator> locator;
  std::vector<RecordStream> streams;
  // Streams that have a next record, with its time: a heap, earliest first.
  struct Head {
    std::uint64_t time = 0;
    std::size_t stream = 0;
    // std heaps have the greatest element in front.
    friend bool operator<(const Head& a, const Head& b) {
      return a.time != b.time ? a.time > b.time : a.stream > b.stream;
    }
  };
  std::vector<Head> heads;
  RecordStream* visited = nullptr;  // that gave the last record
  std::uint64_t last_time = 0;
  std::vector<std::uint64_t> aligned;  // a copy of an unaligned record

  void read_header(std::string_view file);
  void rewind();
  bool next_item(RecordStream::Item& item);
  bool fill(const RecordStream::Item& item, PerfRecord& record);
  void count(const PerfRecord& record);
};

void PerfData::State::read_header(std::string_view file) {
  if (file.starts_with(kMagicOfVersion1))
    fail(
        "perf.data of perf before 2.6.36 is not supported; record it again "
        "with "
        "a newer perf");
  if (!sniff(file)) fail("not a perf.data file");
  header.swap = !file.starts_with(kMagic);
  ByteReader in(file.substr(kMagic.size()), header.swap);
  header.pipe_mode = in.read<std::uint64_t>() == kPipeHeaderSize;
  if (in.failed()) fail("is a perf.data file that is truncated in its header");
  if (header.pipe_mode) {
    parts.push_back(file.substr(kPipeHeaderSize));
    read_pipe_header(parts.front(), header);
  } else {
    parts.push_back(FileReader(file, header, counts_at_start).read());
  }
  if (header.events.empty())
    fail("a perf.data file without events; it is damaged or cut off");
}

void PerfData::State::rewind() {
  counts = counts_at_start;
  last_time = 0;
  visited = nullptr;
  locator.emplace(header);
  streams.clear();
  heads.clear();
  // Each part of a directory comes from one buffer and is nearly in order, so a
  // small window suffices. For a single file, 32 bytes per record are at most a
  // quarter of the data.
  RecordStream::Limits limits;
  if (parts.size() > 1)
    limits = {.records = std::size_t{1} << 14, .bytes = std::size_t{4} << 20};
  else
    limits.records = std::max(limits.records, parts.front().size() / 128);
  for (const std::string_view part : parts)
    streams.emplace_back(part, header, *locator, counts, limits);
}

bool PerfData::State::next_item(RecordStream::Item& item) {
  if (streams.size() == 1) {
    if (visited != nullptr) visited->pop();
    visited = nullptr;
    if (!streams.front().peek(item)) return false;
    visited = &streams.front();
    return true;
  }
  const auto push = [&](std::size_t i) {
    if (!streams[i].peek(item)) return;
    heads.push_back({.time = item.time, .stream = i});
    std::push_heap(heads.begin(), heads.end());
  };
  if (visited != nullptr) {
    visited->pop();
    push(static_cast<std::size_t>(visited - streams.data()));
  } else {
    for (std::size_t i = 0; i < streams.size(); ++i) push(i);
  }
  visited = nullptr;
  if (heads.empty()) return false;
  std::pop_heap(heads.begin(), heads.end());
  visited = &streams[heads.back().stream];
  heads.pop_back();
  return visited->peek(item);
}

// False if the record belongs to no event.
bool PerfData::State::fill(const RecordStream::Item& item, PerfRecord& record) {
  const RecordHeader head = read_record_header(item.start, header.swap);
  record.type = head.type;
  record.misc = head.misc;
  record.swap = header.swap;
  record.time = item.time;
  record.body = {item.start + kRecordHeaderSize, head.size - kRecordHeaderSize};
  if (reinterpret_cast<std::uintptr_t>(item.start) % 8 != 0) [[unlikely]] {
    aligned.resize(record.body.size() / 8 + 1);
    std::memcpy(aligned.data(), record.body.data(), record.body.size());
    record.body = {reinterpret_cast<const char*>(aligned.data()),
                   record.body.size()};
  }
  record.event = locator->event(head, record.body);
  return record.event != nullptr;
}

void PerfData::State::count(const PerfRecord& record) {
  ++counts.records;
  if (record.time != 0) {
    if (record.time < last_time) ++counts.out_of_order;
    last_time = std::max(last_time, record.time);
  }
  switch (record.type) {
    case RecordType::kSample:
      ++counts.samples;
      break;
    case RecordType::kLost:
      if (const auto lost = decode_lost(record)) counts.lost += lost->lost;
      break;
    case RecordType::kLostSamples:
      if (const auto lost = decode_lost(record))
        counts.lost_samples += lost->lost;
      break;
    case RecordType::kThrottle:
      ++counts.throttles;
      break;
    case RecordType::kAux:
      if (const auto aux = decode_aux(record))
        counts.aux_truncated += aux->flags & 1;
      break;
    default:
      break;
  }
}

bool PerfData::sniff(std::string_view head) {
  return head.starts_with(kMagic) || head.starts_with(kSwappedMagic) ||
         head.starts_with(kMagicOfVersion1);
}

PerfData::PerfData(InputFile& input) : state_(std::make_unique<State>()) {
  state_->read_header(input.bytes());
  state_->rewind();
}

PerfData::PerfData(std::unique_ptr<State> state) : state_(std::move(state)) {}
PerfData::PerfData(PerfData&&) noexcept = default;
PerfData& PerfData::operator=(PerfData&&) noexcept = default;
PerfData::~PerfData() = default;

bool PerfData::is_perf_directory(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) &&
         is_regular_file(path + "/data");
}

PerfData PerfData::open_directory(const std::string& path) {
  auto state = std::make_unique<State>();
  const auto open = [&](const std::string& file) {
    state->files.push_back(
        std::make_unique<InputFile>(InputFile::open_regular(file)));
    return state->files.back()->bytes();
  };
  state->read_header(open(path + "/data"));
  for (std::size_t i = 0; i < kMaxParts; ++i) {
    const std::string part = part_path(path, i);
    if (!is_regular_file(part)) break;
    state->parts.push_back(open(part));
  }
  state->header.is_directory = true;
  state->rewind();
  return PerfData(std::move(state));
}

void PerfData::check_whole() const {
  for (const auto& file : state_->files)
    in_context(file->name(), [&] { file->check_whole(); });
}

const PerfHeader& PerfData::header() const { return state_->header; }
const PerfCounts& PerfData::counts() const { return state_->counts; }

std::uint64_t PerfData::data_bytes() const {
  std::uint64_t total = 0;
  for (const std::string_view part : state_->parts) total += part.size();
  return total;
}

bool PerfData::next(PerfRecord& record) {
  for (RecordStream::Item item; state_->next_item(item);) {
    if (state_->fill(item, record)) {
      state_->count(record);
      return true;
    }
    ++state_->counts.unknown_ids;
  }
  return false;
}

void PerfData::rewind() { state_->rewind(); }

}  // namespace wick
