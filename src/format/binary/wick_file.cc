// SPDX-License-Identifier: Apache-2.0
// Reads wick's own file. A damaged section is left out and counted; a row that
// was lost becomes "[damaged]", so that samples keep their weight even if names
// are lost.
#include "format/binary/wick_file.h"

#include <algorithm>
#include <optional>
#include <ranges>

#include "base/bytes.h"
#include "base/error.h"
#include "base/text.h"
#include "io/compress.h"
#include "profile/format.h"
#include "profile/off_cpu_reason.h"

namespace wick {
namespace {

using namespace wick_file;

constexpr std::string_view kDamaged = "[damaged]";

// Maps the rows of a table in the file to those of the profile. Pieces of a
// table may be missing, and row numbers are not to be trusted, so gaps take no
// memory.
template <Id I>
class RowMap {
 public:
  // `first_row` comes from the section.
  void begin_section(std::uint32_t first_row) {
    if (next_ == first_row) return;
    if (runs_.empty()) whole_ = ids_.size();
    runs_.push_back({first_row, ids_.size()});
    next_ = first_row;
  }
  void add(I id) {
    ids_.push_back(id);
    ++next_;
  }
  std::optional<I> find(std::uint64_t row) const {
    if (runs_.empty() || row < whole_)
      return row < ids_.size() ? std::optional(ids_[row]) : std::nullopt;
    auto run = std::ranges::upper_bound(runs_, row, {}, &Run::first_row);
    if (run == runs_.begin()) return {};
    const std::size_t end = run == runs_.end() ? ids_.size() : run->offset;
    --run;
    const std::uint64_t at = row - run->first_row;
    if (at >= end - run->offset) return {};
    return ids_[run->offset + at];
  }

  // Whether a section may begin at this row: rows come in order.
  bool accepts(std::uint32_t first_row) const { return first_row >= next_; }

 private:
  struct Run {
    std::uint64_t first_row;
    std::size_t offset;  // into ids_
  };
  std::vector<I> ids_;
  // Rows before `whole_` are all there; `runs_` are those after a gap. Without
  // a gap there are none.
  std::size_t whole_ = 0;
  std::vector<Run> runs_;
  std::uint64_t next_ = 0;
};

// The columns of a section, in the order in which they are taken. Past the end
// they are zeros: see failed().
class ReadColumns {
 public:
  ReadColumns(std::string_view bytes, std::uint32_t rows)
      : bytes_(bytes), rows_(rows) {}

  std::vector<std::uint64_t> take() {
    std::vector<std::uint64_t> values;
    if (!bytes_.fits(rows_, 1)) failed_ = true;
    if (failed_) return values;
    values.reserve(rows_);
    for (std::uint32_t i = 0; i < rows_; ++i)
      values.push_back(bytes_.read_varint());
    failed_ = bytes_.failed();
    return values;
  }

  std::vector<std::uint64_t> take_differences() {
    std::vector<std::uint64_t> values = take();
    std::uint64_t sum = 0;
    for (std::uint64_t& value : values)
      value = sum += static_cast<std::uint64_t>(unzigzag(value));
    return values;
  }

  std::string_view take_bytes(std::uint64_t count) {
    return bytes_.read_bytes(count);
  }

  bool failed() const { return failed_ || bytes_.failed(); }

 private:
  ByteReader bytes_;
  std::uint32_t rows_;
  bool failed_ = false;
};

class WickFileReader {
 public:
  WickFileReader(std::string_view bytes, const ReadOptions& options)
      : file_(bytes),
        rest_(bytes),
        options_(options),
        samples_(profile_, options.keep_time) {}

  Profile run() {
    read_header();
    // The rows that every profile has are in no section.
    begin(strings_, 0, StringId::kEmpty);
    begin(modules_, 0, ModuleId::kUnknown);
    begin(stacks_, 0, StackId::kRoot);
    begin(threads_, 0, ThreadId::kUnknown);
    while (!ended_ && read_section()) {
    }
    if (!ended_)
      note(Problem::kTruncated, "the file has no end");
    else if (!rest_.at_end())
      note(Problem::kBadRecord, "something follows the end of the file");
    if (!has_time_kinds()) find_time_kinds();
    note_missing();
    return std::move(profile_);
  }

 private:
  template <Id I>
  static void begin(RowMap<I>& map, std::uint32_t row, I id) {
    map.begin_section(row);
    map.add(id);
  }

  void note(Problem problem, std::string_view what) {
    damaged_ = true;
    profile_.diagnostics.note_at(problem, what);
  }

  void read_header() {
    if (!rest_.read_bytes(kMagic.size()).starts_with(kMagic))
      fail("is not a wick file");
    const auto major = rest_.read<std::uint16_t>();
    minor_ = rest_.read<std::uint16_t>();
    const auto flags = rest_.read<std::uint32_t>();
    const auto checksum = rest_.read<std::uint32_t>();
    if (rest_.failed()) fail("ends within its header");
    const bool intact =
        checksum == crc32(file_.substr(0, kHeaderSize - sizeof checksum));
    if (major != kMajor && intact)
      fail(
          "has version {}.{} of the wick format; this wick reads version {}, "
          "so "
          "use a newer one",
          major, minor_, kMajor);
    if (!intact) note(Problem::kBadRecord, "the file header is damaged");
    profile_.has_time = options_.keep_time && (flags & kHasTime) != 0;
    profile_.is_trace = (flags & kIsTrace) != 0;
  }

  // False when no further section can be found.
  bool read_section() {
    if (rest_.at_end()) return false;
    const std::string_view begin = rest_.rest();
    SectionHeader header;
    header.type = rest_.read<std::uint32_t>();
    header.encoding = rest_.read<Encoding>();
    header.first_row = rest_.read<std::uint32_t>();
    header.rows = rest_.read<std::uint32_t>();
    header.stored_size = rest_.read<std::uint64_t>();
    header.plain_size = rest_.read<std::uint32_t>();
    header.checksum = rest_.read<std::uint32_t>();
    const std::string_view stored = rest_.read_bytes(header.stored_size);
    if (rest_.failed()) return false;
    const std::string_view fields =
        begin.substr(0, kSectionHeaderSize - sizeof header.checksum);
    if (header.checksum != crc32(stored, crc32(fields))) {
      note(Problem::kBadRecord, "the checksum of a section does not match");
      return true;
    }
    ++sections_;
    if (!is_known_type(header.type)) return true;  // of a later version
    std::string buffer;
    const auto plain = decoded(header, stored, buffer);
    if (!plain || !read_rows(header, ReadColumns(*plain, header.rows)))
      note(Problem::kBadRecord, "a section cannot be read");
    return true;
  }

  static bool is_known_type(std::uint32_t type) {
    static constexpr std::uint32_t kKnown[] = {
        kStrings, kModules, kFrames,      kStacks,  kThreads,
        kEvents,  kAbout,   kDiagnostics, kSamples, kEnd};
    return std::ranges::find(kKnown, type) != std::end(kKnown);
  }

  // The bytes of a section, in `buffer` if they are compressed.
  std::optional<std::string_view> decoded(const SectionHeader& header,
                                          std::string_view stored,
                                          std::string& buffer) {
    if (header.encoding == Encoding::kPlain) {
      if (stored.size() != header.plain_size) return {};
      plain_ += stored.size();
      return stored;
    }
    if (header.encoding != Encoding::kZstd ||
        compression_of(stored) != Compression::kZstd ||
        header.plain_size > kMaxPlainSize)
      return {};
    plain_ += header.plain_size;
    const auto place = static_cast<std::uint64_t>(stored.data() - file_.data());
    if (plain_ > plain_limit(place + stored.size()))
      fail(
          "expands too much when decompressed, which looks like a "
          "decompression "
          "bomb");
    buffer.resize(header.plain_size);
    Decompressor stream(Compression::kZstd);
    std::size_t filled = 0;
    while (!stored.empty()) {
      const std::size_t made =
          stream.step(stored, buffer.data() + filled, buffer.size() - filled);
      filled += made;
      if (made == 0) break;
    }
    if (stream.damaged() || !stream.complete() || filled != buffer.size())
      return {};
    return buffer;
  }

  // False if the columns are shorter than the header says.
  bool read_rows(const SectionHeader& header, ReadColumns columns) {
    switch (header.type) {
      case kStrings:
        return read_strings(header, columns);
      case kModules:
        return read_modules(header, columns);
      case kFrames:
        return read_frames(header, columns);
      case kStacks:
        return read_stacks(header, columns);
      case kThreads:
        return read_threads(header, columns);
      case kEvents:
        return read_events(header, columns);
      case kAbout:
        return read_about(header, columns);
      case kDiagnostics:
        return read_diagnostics(header, columns);
      case kSamples:
        return read_samples(header, columns);
      case kEnd:
        ended_ = true;
        if (header.rows != sections_ - 1)
          note(Problem::kBadRecord, "sections are missing");
        return true;
      default:
        return false;
    }
  }

  bool read_strings(const SectionHeader& header, ReadColumns& columns) {
    const auto sizes = columns.take();
    if (columns.failed() || !strings_.accepts(header.first_row)) return false;
    strings_.begin_section(header.first_row);
    for (const std::uint64_t size : sizes) {
      const std::string_view text = columns.take_bytes(size);
      if (columns.failed()) return false;
      strings_.add(profile_.strings.intern(text));
    }
    return true;
  }

  bool read_modules(const SectionHeader& header, ReadColumns& columns) {
    const auto paths = columns.take_differences();
    const auto build_ids = columns.take_differences();
    const auto no_names = minor_ >= kMinorOfNoNames
                              ? columns.take_differences()
                              : std::vector<std::uint64_t>(header.rows);
    if (columns.failed() || !modules_.accepts(header.first_row)) return false;
    modules_.begin_section(header.first_row);
    for (std::size_t i = 0; i < header.rows; ++i)
      modules_.add(
          profile_.modules.push_back({.path = string(paths[i]),
                                      .build_id = string(build_ids[i]),
                                      .no_names = string(no_names[i])}));
    return true;
  }

  bool read_frames(const SectionHeader& header, ReadColumns& columns) {
    const auto functions = columns.take_differences();
    const auto files = columns.take_differences();
    const auto modules = columns.take();
    const auto lines = columns.take_differences();
    const auto addresses = columns.take_differences();
    const auto kinds = columns.take();
    const auto reasons = has_time_kinds()
                             ? columns.take()
                             : std::vector<std::uint64_t>(header.rows);
    const auto starts = minor_ >= kMinorOfFunctionStarts
                            ? columns.take_differences()
                            : std::vector<std::uint64_t>(header.rows);
    if (columns.failed() || !frames_.accepts(header.first_row)) return false;
    frames_.begin_section(header.first_row);
    for (std::size_t i = 0; i < header.rows; ++i) {
      Frame frame{
          .function = string(functions[i]),
          .file = string(files[i]),
          .module = modules_.find(modules[i]).value_or(ModuleId::kUnknown),
          .line = static_cast<std::uint32_t>(lines[i]),
          .address = addresses[i],
          .function_start = starts[i]};
      if (!is_known(kinds[i], FrameKind::kWasm) ||
          !is_known(reasons[i], OffCpuReason::kNotSampled)) {
        note(Problem::kBadRecord, "a frame of unknown kind");
      } else {
        frame.kind = static_cast<FrameKind>(kinds[i]);
        frame.off_cpu = static_cast<OffCpuReason>(reasons[i]);
      }
      if (!has_time_kinds()) find_reason(frame);
      frames_.add(profile_.frames.intern(frame));
    }
    return true;
  }

  // Files from before version 1.2 have labels for the reasons.
  void find_reason(Frame& frame) const {
    if (frame.kind != FrameKind::kLabel) return;
    frame.off_cpu = off_cpu_reason(profile_.strings[frame.function]);
    if (frame.off_cpu != OffCpuReason::kNone) frame.kind = FrameKind::kOffCpu;
  }

  bool has_time_kinds() const { return minor_ >= kMinorOfTimeKinds; }

  template <class Enum>
  static bool is_known(std::uint64_t value, Enum last) {
    return value <= static_cast<std::uint64_t>(last);
  }

  bool read_stacks(const SectionHeader& header, ReadColumns& columns) {
    const auto distances = columns.take();
    const auto frames = columns.take_differences();
    if (columns.failed() || !stacks_.accepts(header.first_row)) return false;
    stacks_.begin_section(header.first_row);
    for (std::uint64_t i = 0; i < header.rows; ++i) {
      const std::uint64_t row = header.first_row + i;
      const auto caller = distances[i] == 0 || distances[i] > row
                              ? std::optional<StackId>()
                              : stacks_.find(row - distances[i]);
      const auto frame = frames_.find(frames[i]);
      if (!caller || !frame) ++unknown_rows_;
      stacks_.add(profile_.stacks.append(caller ? *caller : damaged_stack(),
                                         frame ? *frame : damaged_frame()));
    }
    return true;
  }

  bool read_threads(const SectionHeader& header, ReadColumns& columns) {
    const auto pids = columns.take_differences();
    const auto tids = columns.take_differences();
    const auto comms = columns.take();
    if (columns.failed() || !threads_.accepts(header.first_row)) return false;
    threads_.begin_section(header.first_row);
    for (std::size_t i = 0; i < header.rows; ++i)
      threads_.add(
          profile_.threads.push_back({.pid = static_cast<std::int32_t>(pids[i]),
                                      .tid = static_cast<std::int32_t>(tids[i]),
                                      .comm = string(comms[i])}));
    return true;
  }

  bool read_events(const SectionHeader& header, ReadColumns& columns) {
    const auto names = columns.take();
    const auto units = columns.take();
    const auto decimals = columns.take();
    const auto roles = columns.take();
    const auto counts = columns.take();
    const auto weights = columns.take();
    const auto times = has_time_kinds()
                           ? columns.take()
                           : std::vector<std::uint64_t>(header.rows);
    if (columns.failed() || !events_.accepts(header.first_row)) return false;
    events_.begin_section(header.first_row);
    for (std::size_t i = 0; i < header.rows; ++i) {
      if (decimals[i] > kMaxDecimals || !is_known(roles[i], EventRole::kAfter))
        return false;
      if (!is_known(times[i], TimeKind::kTraceClock))
        note(Problem::kBadRecord, "an event of unknown time");
      events_.add(profile_.events.push_back(
          {.name = string(names[i]),
           .unit = string(units[i]),
           .decimals = static_cast<std::uint8_t>(decimals[i]),
           .role = static_cast<EventRole>(roles[i]),
           .time = is_known(times[i], TimeKind::kTraceClock)
                       ? static_cast<TimeKind>(times[i])
                       : TimeKind::kNone}));
      promised_samples_ += counts[i];
      promised_weight_ = saturating_add(
          promised_weight_,
          std::max<std::int64_t>(0, static_cast<std::int64_t>(weights[i])));
    }
    return true;
  }

  bool read_about(const SectionHeader& header, ReadColumns& columns) {
    const auto keys = columns.take();
    const auto values = columns.take();
    if (columns.failed()) return false;
    for (std::size_t i = 0; i < header.rows; ++i)
      profile_.about.push_back({string(keys[i]), string(values[i])});
    return true;
  }

  bool read_diagnostics(const SectionHeader& header, ReadColumns& columns) {
    const auto key_sizes = columns.take();
    const auto counts = columns.take();
    const auto weights = columns.take();
    const auto lines = columns.take();
    const auto example_sizes = columns.take();
    if (columns.failed()) return false;
    std::vector<std::optional<Problem>> problems;
    for (const std::uint64_t size : key_sizes)
      problems.push_back(problem_of(columns.take_bytes(size)));
    std::vector<std::string_view> examples;
    for (const std::uint64_t size : example_sizes)
      examples.push_back(columns.take_bytes(size));
    const auto wholes = minor_ >= kMinorOfLostShares
                            ? columns.take()
                            : std::vector<std::uint64_t>(header.rows);
    if (columns.failed()) return false;
    for (std::size_t i = 0; i < header.rows; ++i) {
      if (problems[i])
        profile_.diagnostics.add(
            {.problem = *problems[i],
             .count = counts[i],
             .weight = static_cast<std::int64_t>(weights[i]),
             .example = std::string(examples[i]),
             .line = lines[i],
             .whole = wholes[i]});
      else
        note(Problem::kBadRecord, "a problem of unknown kind");
    }
    return true;
  }

  static std::optional<Problem> problem_of(std::string_view key) {
    for (int i = 0; i < static_cast<int>(Problem::kCount); ++i)
      if (info(static_cast<Problem>(i)).key == key)
        return static_cast<Problem>(i);
    return {};
  }

  bool read_samples(const SectionHeader& header, ReadColumns& columns) {
    const auto times = columns.take_differences();
    const auto weights = columns.take_differences();
    const auto stacks = columns.take();
    const auto threads = columns.take();
    const auto events = columns.take();
    const auto cpus = columns.take();
    if (columns.failed()) return false;
    for (std::size_t i = 0; i < header.rows; ++i) {
      const auto event = events_.find(events[i]);
      if (!event) {
        note(Problem::kBadRecord, "a sample of an event that is not known");
        continue;
      }
      const auto stack = stacks_.find(stacks[i]);
      const auto thread = threads_.find(threads[i]);
      if (!stack || !thread) ++unknown_rows_;
      const Sample sample{.time = profile_.has_time ? times[i] : 0,
                          .weight = static_cast<std::int64_t>(weights[i]),
                          .stack = stack ? *stack : damaged_stack(),
                          .thread = thread.value_or(ThreadId::kUnknown),
                          .event = *event,
                          .cpu = static_cast<std::uint32_t>(cpus[i] - 1)};
      samples_.add(sample);
      ++read_samples_;
      read_weight_ = saturating_add(read_weight_,
                                    std::max<std::int64_t>(0, sample.weight));
    }
    return true;
  }

  // Before version 1.2, the names of events and two facts about the whole say
  // what is now typed.
  void find_time_kinds() {
    const auto rows_of = [&](std::string_view key) {
      return profile_.about | std::views::filter([this, key](About about) {
               return profile_.strings[about.key] == key;
             });
    };
    constexpr std::string_view kClock = "trace clock";
    profile_.is_trace = !rows_of(kAboutTraceSummary).empty();
    for (const About& about : rows_of(kClock))
      for (Event& event : profile_.events)
        if (event.name == about.value) event.time = TimeKind::kTraceClock;
    std::erase_if(profile_.about, [&](About about) {
      return profile_.strings[about.key] == kClock;
    });
    for (Event& event : profile_.events)
      if (profile_.strings[event.name] == "off-cpu")  // bcc, perf-sched
        event.time = TimeKind::kOffCpu;
    guess_event_times(profile_);
  }

  StringId string(std::uint64_t row) {
    const auto id = strings_.find(row);
    if (id) return *id;
    ++unknown_rows_;
    return profile_.strings.intern(kDamaged);
  }
  FrameId damaged_frame() {
    return profile_.named_frame(kDamaged, FrameKind::kLabel);
  }
  StackId damaged_stack() {
    if (!damaged_stack_)
      damaged_stack_ = profile_.stacks.append(StackId::kRoot, damaged_frame());
    return *damaged_stack_;
  }

  // Samples that the list of events promises and no section has.
  void note_missing() {
    if (profile_.events.empty() && damaged_)
      fail(
          "is truncated or damaged before its samples, so nothing can be read");
    profile_.diagnostics.note(Problem::kBadRecord, unknown_rows_);
    if (promised_samples_ > read_samples_)
      profile_.diagnostics.note(
          Problem::kBadRecord, promised_samples_ - read_samples_,
          std::max<std::int64_t>(0, promised_weight_ - read_weight_));
  }

  std::string_view file_;
  ByteReader rest_;
  const ReadOptions& options_;
  Profile profile_;
  SampleCollector samples_;
  RowMap<StringId> strings_;
  std::uint16_t minor_ = 0;
  RowMap<ModuleId> modules_;
  RowMap<FrameId> frames_;
  RowMap<StackId> stacks_;
  RowMap<ThreadId> threads_;
  RowMap<EventId> events_;
  std::optional<StackId> damaged_stack_;
  std::uint64_t plain_ = 0;     // decompressed so far
  std::uint32_t sections_ = 0;  // intact ones so far
  bool ended_ = false;
  bool damaged_ = false;
  // By the list of events, and as read.
  std::uint64_t promised_samples_ = 0, read_samples_ = 0;
  std::int64_t promised_weight_ = 0, read_weight_ = 0;
  std::uint64_t unknown_rows_ = 0;  // references to rows that were lost
};

bool sniff_wick_file(std::string_view head) { return head.starts_with(kMagic); }

Profile read_wick_file(InputFile& file, const ReadOptions& options) {
  return WickFileReader(file.bytes(), options).run();
}

}  // namespace

extern const InputFormat wick_input = {
    .name = "wick",
    .description = "wick's own file",
    .sniff = sniff_wick_file,
    .read = read_wick_file,
};

}  // namespace wick
