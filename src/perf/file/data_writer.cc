// SPDX-License-Identifier: Apache-2.0
#include "perf/file/data_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <chrono>
#include <map>
#include <optional>

#include "base/bytes.h"
#include "base/error.h"
#include "io/compress.h"
#include "io/output_name.h"
#include "io/output_place.h"
#include "io/unique_fd.h"
#include "perf/file/feature_encoding.h"
#include "perf/file/recording_facts.h"
#include "perf/file/section.h"
#include "perf/records/record_scanner.h"

namespace wick {
namespace {

constexpr std::size_t kHeaderSize = 104;
constexpr std::size_t kDataOfHeader = 40;      // its data section
constexpr std::size_t kFeaturesOfHeader = 72;  // its feature bits
constexpr std::size_t kBlockSize = std::size_t{1} << 20;
// Blocks grow with the file: when the disk is full, a fifth of what fits is
// lost at most, however small it is.
constexpr std::size_t kFirstBlockSize = std::size_t{16} << 10;
constexpr std::uint64_t kBlocksPerFile = 4;
constexpr auto kFlushEvery = std::chrono::seconds(1);

// Records are compressed in pieces that fit a COMPRESSED record even if
// compression makes them larger. perf unpacks each piece by one call into a
// buffer of kUnpackedSize bytes, after the incomplete record (below 64 kB) that
// the previous piece may have left there.
constexpr std::size_t kPieceSize = 65'000;
constexpr std::uint32_t kUnpackedSize = 1 << 17;

void append_section(std::string& out, FileSection section) {
  append_raw(out, section.offset);
  append_raw(out, section.size);
}

void pad(std::string& out) { out.resize((out.size() + 7) / 8 * 8); }

// Writes all parts, one after the other; false with errno set.
bool write_at(int fd, std::uint64_t offset,
              std::array<std::string_view, 3> parts) {
  while (true) {
    iovec vectors[3];
    int count = 0;
    for (const std::string_view part : parts)
      if (!part.empty())
        vectors[count++] = {const_cast<char*>(part.data()), part.size()};
    if (count == 0) return true;
    const ssize_t written =
        ::pwritev(fd, vectors, count, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    if (written == 0) {
      errno = ENOSPC;
      return false;
    }
    offset += static_cast<std::uint64_t>(written);
    auto left = static_cast<std::size_t>(written);
    for (std::string_view& part : parts) {
      const std::size_t taken = std::min(left, part.size());
      part.remove_prefix(taken);
      left -= taken;
    }
  }
}

bool write_at(int fd, std::uint64_t offset, std::string_view bytes) {
  return write_at(fd, offset, {bytes, {}, {}});
}

// As perf does: only the owner may read a recording (0600), and an older file
// is kept under another name. The new file has its final name before anything
// is written to it.
UniqueFd create_file(const OutputName& name, bool keep_old) {
  const OutputPlace place(name);
  if (!place.is_special()) {
    NewFile file(place, S_IRUSR | S_IWUSR);
    if (keep_old && place.has_older()) place.keep_older();
    file.put_in_place();
    return file.take_fd();
  }
  UniqueFd fd = place.open_special(O_RDWR | O_TRUNC);
  struct stat info {};
  if (::fstat(fd.get(), &info) == 0 && !S_ISREG(info.st_mode) &&
      !S_ISBLK(info.st_mode) && ::lseek(fd.get(), 0, SEEK_CUR) < 0)
    fail(
        "is a pipe; a recording needs a file, whose header is updated at the "
        "end");
  return fd;
}

}  // namespace

struct PerfDataWriter::State {
  std::string path;
  UniqueFd fd;
  std::vector<RecordedEvent> events;
  Options options;

  // The state of the file as of the last flush.
  std::uint64_t data_offset = 0, data_end = 0;
  std::uint64_t late_bytes = 0;  // after data_end, once it is finished
  std::map<Feature, FileSection> early;
  FileSection early_facts;

  std::string buffer;  // records that are not in the file yet
  std::string piece;   // those to be compressed
  std::optional<ZstdStream> zstd;
  std::map<Feature, std::string> features;  // not in the file yet
  RecordingFacts facts;
  std::string names;

  bool started = false, full = false, finished = false;
  std::uint64_t record_bytes = 0, dropped = 0, compressed_from = 0,
                compressed_to = 0;
  std::chrono::steady_clock::time_point last_flush;

  std::size_t block_size() const {
    return std::clamp<std::uint64_t>((data_end - data_offset) / kBlocksPerFile,
                                     kFirstBlockSize, kBlockSize);
  }
  void write_header();
  void start();
  void compress_piece();
  void append_records(std::string_view records);
  void flush(std::string_view more);
  void write_late_sections();
  bool write_late_sections(std::string_view with_names);
  bool correct_header(bool with_features,
                      const std::map<Feature, FileSection>& sections,
                      FileSection facts_section);
  bool hide_features();
  void restore(int error);
};

// Writes the places of the data and of the facts, which take the field where
// perf before 3.12 had its event types, and the bits of `sections`.
bool PerfDataWriter::State::correct_header(
    bool with_features, const std::map<Feature, FileSection>& sections,
    FileSection facts_section) {
  std::array<std::uint64_t, 4> bits{};
  for (const auto& [feature, section] : sections) {
    const auto bit = static_cast<std::uint32_t>(feature);
    if (with_features && bit < 256) bits[bit / 64] |= 1ull << (bit % 64);
  }
  std::string out;
  append_section(out, {data_offset, data_end - data_offset});
  append_section(out, facts_section);
  for (const std::uint64_t word : bits) append_raw(out, word);
  return write_at(fd.get(), kDataOfHeader, out);
}

// The table is about to be overwritten; a reader must not take records for it,
// now or after a SIGKILL.
bool PerfDataWriter::State::hide_features() {
  return write_at(fd.get(), kFeaturesOfHeader, std::string(32, '\0'));
}

void PerfDataWriter::State::write_header() {
  std::uint32_t attr_size = 0;
  for (const RecordedEvent& event : events)
    // perf 6.1 rejects an attr longer than 128, even if the rest is 0.
    attr_size = std::max({attr_size, needed_attr_size(event.attr),
                          std::min<std::uint32_t>(event.attr.size, 128)});
  std::string ids, attrs, out = "PERFILE2";
  for (RecordedEvent& event : events) {
    event.attr.size = attr_size;
    attrs += write_attr(event.attr);
    append_section(attrs, {kHeaderSize + ids.size(), event.ids.size() * 8});
    for (const std::uint64_t id : event.ids) append_raw(ids, id);
  }
  append_raw(out, std::uint64_t{kHeaderSize});
  append_raw(out, std::uint64_t{attr_size + sizeof(FileSection)});
  append_section(out, {kHeaderSize + ids.size(), attrs.size()});
  out.resize(kHeaderSize);
  data_offset = data_end = kHeaderSize + ids.size() + attrs.size();
  if (!write_at(fd.get(), 0, {out, ids, attrs}) ||
      !correct_header(false, {}, {}))
    fail("cannot write: {}{}", last_system_error(),
         errno == ENOSPC ? "; make room, or write elsewhere" : "");
}

// Writes what is known before the first record.
void PerfDataWriter::State::start() {
  if (started) return;
  started = true;
  std::string out;
  for (const auto& [feature, content] : features) {
    early[feature] = {data_offset + out.size(), content.size()};
    out += content;
    pad(out);
  }
  const std::string text = encode_facts(facts);
  early_facts = {data_offset + out.size(), text.size()};
  out += text;
  pad(out);
  const std::uint64_t begin = data_offset;
  data_offset = data_end = begin + out.size();
  // First of all, so that no reader takes it for records.
  if (!correct_header(false, {}, {}) || !write_at(fd.get(), begin, out)) {
    early.clear();
    early_facts = {};
    data_offset = data_end = begin;
    return restore(errno);
  }
  features.clear();
  buffer.reserve(kBlockSize + 0x10000);
}

void PerfDataWriter::State::compress_piece() {
  for (std::string_view rest = piece; !rest.empty();) {
    const std::string_view part = rest.substr(0, kPieceSize);
    rest.remove_prefix(part.size());
    const std::size_t begin = buffer.size();
    append_raw(buffer, static_cast<std::uint32_t>(RecordType::kCompressed));
    append_raw(buffer, std::uint32_t{0});
    zstd->append(part, buffer);
    const std::size_t size = buffer.size() - begin;
    assert(size <= 0xffff);
    const auto stored = static_cast<std::uint16_t>(size);
    std::memcpy(buffer.data() + begin + 6, &stored, 2);
    compressed_from += part.size();
    compressed_to += size - kRecordHeaderSize;
  }
  piece.clear();
}

void PerfDataWriter::State::append_records(std::string_view records) {
  if (!zstd) {
    buffer += records;
    return;
  }
  RecordScanner scanner(records, false);
  for (RecordScanner::Item item; scanner.next(item);) {
    const std::string_view record(item.start,
                                  kRecordHeaderSize + item.body.size());
    if (item.header.type >= RecordType::kUserStart) {
      // perf keeps its own records out of the compressed stream.
      compress_piece();
      buffer += record;
      buffer += item.payload;
      continue;
    }
    if (piece.size() + record.size() > kPieceSize) compress_piece();
    piece += record;
  }
}

// Writes the buffer and `more` to the file.
void PerfDataWriter::State::flush(std::string_view more) {
  start();
  if (full) return;
  compress_piece();
  last_flush = std::chrono::steady_clock::now();
  if (buffer.empty() && more.empty() && data_end > data_offset) return;
  std::string table;
  for (const auto& [feature, section] : early) append_section(table, section);
  // Until the header has the size of the data, a reader takes the rest of the
  // file for records, so the table comes later.
  const bool is_first = data_end == data_offset;
  if (!hide_features() ||
      !write_at(fd.get(), data_end, {buffer, more, is_first ? "" : table}))
    return restore(errno);
  data_end += buffer.size() + more.size();
  buffer.clear();
  if (is_first && (!correct_header(false, early, early_facts) ||
                   !write_at(fd.get(), data_end, table)))
    return restore(errno);
  if (!correct_header(true, early, early_facts)) restore(errno);
}

// The last write failed: restores the file as of the previous flush.
void PerfDataWriter::State::restore(int error) {
  const bool was_full = std::exchange(full, true);
  dropped += buffer.size() + piece.size();
  buffer = {};
  piece = {};
  std::string table;
  for (const auto& [feature, section] : early) append_section(table, section);
  const bool cut = ::ftruncate(fd.get(), static_cast<off_t>(data_end)) == 0;
  const bool with_table = cut && write_at(fd.get(), data_end, table);
  // Overwrites existing bytes, so it needs no space.
  correct_header(with_table, early, early_facts);
  errno = error;
  if (!was_full) fail("cannot continue writing: {}", last_system_error());
}

void PerfDataWriter::State::write_late_sections() {
  facts.is_finished = true;
  // On a full disk, the other sections may still fit.
  if (write_late_sections(names) || write_late_sections("")) return;
  late_bytes = 0;
  restore(errno);
}

bool PerfDataWriter::State::write_late_sections(std::string_view with_names) {
  std::map<Feature, FileSection> sections = early;
  for (const auto& [feature, content] : features) sections[feature] = {};
  const std::uint64_t begin = data_end + sections.size() * sizeof(FileSection);
  std::string contents, table;
  for (const auto& [feature, content] : features) {
    sections[feature] = {begin + contents.size(), content.size()};
    contents += content;
    pad(contents);
  }
  facts.names = {begin + contents.size(), with_names.size()};
  contents += with_names;
  pad(contents);
  const std::string text = encode_facts(facts);
  const FileSection facts_section{begin + contents.size(), text.size()};
  for (const auto& [feature, section] : sections)
    append_section(table, section);
  late_bytes = table.size() + contents.size() + text.size();
  return hide_features() &&
         write_at(fd.get(), data_end, {table, contents, text}) &&
         correct_header(true, sections, facts_section);
}

PerfDataWriter::PerfDataWriter(const OutputName& name,
                               std::vector<RecordedEvent> events,
                               Options options)
    : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.path = name.text();
  s.events = std::move(events);
  s.options = std::move(options);
  in_context(s.path, [&] {
    s.fd = create_file(name, s.options.keep_old);
    s.write_header();
  });
  feature(Feature::kEventDesc, encode_events(s.events));
  // Hotspot honours FINISHED_ROUND only if the version begins with that of perf
  // 3.17 or later.
  feature(Feature::kVersion,
          encode_text(fmt::format("6.1 ({})", s.options.recorder)));
  if (std::ranges::any_of(s.events, [](const RecordedEvent& event) {
        return event.attr.samples(sample_type::kBranchStack);
      }))
    feature(Feature::kBranchStack, "");
  if (s.options.compression_level > 0) {
    s.zstd.emplace(s.options.compression_level);
    feature(Feature::kCompressed,
            encode_compression(s.options.compression_level, 1, kUnpackedSize));
  }
}

PerfDataWriter::PerfDataWriter(PerfDataWriter&&) noexcept = default;
PerfDataWriter::~PerfDataWriter() = default;

void PerfDataWriter::write(std::string_view records) {
  State& s = *state_;
  in_context(s.path, [&] {
    s.start();
    if (s.full) {
      s.dropped += records.size();
      return;
    }
    s.record_bytes += records.size();
    if (!s.zstd && s.buffer.size() + records.size() > s.block_size())
      return s.flush(records);
    s.append_records(records);
    if (s.buffer.size() >= s.block_size()) s.flush({});
  });
}

void PerfDataWriter::finished_round() {
  State& s = *state_;
  std::string record;
  append_raw(record, static_cast<std::uint32_t>(RecordType::kFinishedRound));
  append_raw(record, std::uint16_t{0});
  append_raw(record, std::uint16_t{kRecordHeaderSize});
  write(record);
  if (std::chrono::steady_clock::now() - s.last_flush >= kFlushEvery) flush();
}

void PerfDataWriter::flush() {
  in_context(state_->path, [&] { state_->flush({}); });
}

void PerfDataWriter::feature(Feature feature, std::string content) {
  state_->features[feature] = std::move(content);
}

void PerfDataWriter::machine(const MachineInfo& info) {
  const auto text = [&](Feature kind, const std::string& value) {
    if (!value.empty()) feature(kind, encode_text(value));
  };
  text(Feature::kHostname, info.hostname);
  text(Feature::kOsRelease, info.os_release);
  text(Feature::kArch, info.arch);
  text(Feature::kCpuDesc, info.cpu_description);
  text(Feature::kCpuId, info.cpuid);
  if (info.cpus_online != 0)
    feature(Feature::kNrCpus,
            encode_cpus(info.cpus_online, info.cpus_available));
  if (info.total_memory_kb != 0)
    feature(Feature::kTotalMem, encode_number(info.total_memory_kb));
}

void PerfDataWriter::command_line(std::span<const std::string> words) {
  feature(Feature::kCmdline, encode_words(words));
}

void PerfDataWriter::build_ids(std::span<const PerfHeader::BuildId> ids) {
  // Hotspot complains about an empty section.
  if (!ids.empty()) feature(Feature::kBuildId, encode_build_ids(ids));
}

void PerfDataWriter::sample_times(std::uint64_t first, std::uint64_t last) {
  feature(Feature::kSampleTime, encode_numbers(first, last));
}

void PerfDataWriter::clock(const PerfHeader::ClockData& clock,
                           std::uint64_t resolution_ns) {
  feature(Feature::kClockId, encode_number(resolution_ns));
  feature(Feature::kClockData, encode_clock(clock));
}

void PerfDataWriter::pmus(std::span<const PerfHeader::Pmu> pmus) {
  feature(Feature::kPmuMappings, encode_pmus(pmus));
}

void PerfDataWriter::groups(std::span<const PerfHeader::Group> groups) {
  feature(Feature::kGroupDesc, encode_groups(groups));
}

void PerfDataWriter::tracing_data(std::string bytes) {
  feature(Feature::kTracingData, std::move(bytes));
}

void PerfDataWriter::facts(RecordingFacts facts) {
  state_->facts = std::move(facts);
}

void PerfDataWriter::names(std::string bytes) {
  state_->names = std::move(bytes);
}

std::uint64_t PerfDataWriter::bytes() const {
  return state_->data_end + state_->buffer.size() + state_->late_bytes;
}
std::uint64_t PerfDataWriter::flushed_bytes() const { return state_->data_end; }
bool PerfDataWriter::is_full() const { return state_->full; }
std::uint64_t PerfDataWriter::record_bytes() const {
  return state_->record_bytes;
}
std::uint64_t PerfDataWriter::dropped_bytes() const { return state_->dropped; }
const std::string& PerfDataWriter::path() const { return state_->path; }

void PerfDataWriter::finish() {
  State& s = *state_;
  if (std::exchange(s.finished, true)) return;
  in_context(s.path, [&] {
    s.start();
    // perf takes a file without records for an unfinished one.
    if (s.record_bytes == 0 && !s.full) finished_round();
    s.flush({});
    if (s.zstd && s.compressed_to != 0)
      feature(Feature::kCompressed,
              encode_compression(s.options.compression_level,
                                 static_cast<double>(s.compressed_from) /
                                     static_cast<double>(s.compressed_to),
                                 kUnpackedSize));
    s.write_late_sections();
    s.fd.reset();
  });
}

}  // namespace wick
