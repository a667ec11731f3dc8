// SPDX-License-Identifier: Apache-2.0
// Writes wick's own file. The result depends on the profile alone, so that
// equal profiles give equal bytes.
#include <algorithm>
#include <functional>
#include <ranges>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "format/binary/wick_file.h"
#include "io/compress.h"
#include "profile/format.h"

namespace wick {
namespace {

using namespace wick_file;

// Rows per section: enough for zstd to find repetitions, few enough that a
// reader needs little memory and damage costs little.
constexpr std::uint32_t kRowsPerSection = 1 << 18;
constexpr std::size_t kStringBytesPerSection = 4 << 20;

// The columns of a section, one after the other.
class WrittenColumns {
 public:
  template <class Rows, class Value>
  void add(Rows&& rows, Value value) {
    char* to = make_room(std::ranges::size(rows));
    for (const auto& row : rows)
      to = put(to, static_cast<std::uint64_t>(std::invoke(value, row)));
    give_back(to);
  }
  // Each value as its difference from the one before.
  template <class Rows, class Value>
  void add_differences(Rows&& rows, Value value) {
    std::uint64_t before = 0;
    add(rows, [&](const auto& row) {
      const auto now = static_cast<std::uint64_t>(std::invoke(value, row));
      const auto difference = static_cast<std::int64_t>(now - before);
      before = now;
      return zigzag(difference);
    });
  }
  void add_bytes(std::string_view bytes) { bytes_ += bytes; }

  const std::string& bytes() const { return bytes_; }

 private:
  static constexpr std::size_t kLongest = 10;  // bytes of a number

  char* make_room(std::size_t rows) {
    const std::size_t old = bytes_.size();
    bytes_.resize(old + rows * kLongest);
    return bytes_.data() + old;
  }
  void give_back(const char* end) {
    bytes_.resize(static_cast<std::size_t>(end - bytes_.data()));
  }
  static char* put(char* to, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) *to++ = static_cast<char>(value | 0x80);
    *to++ = static_cast<char>(value);
    return to;
  }

  std::string bytes_;
};

class WickFileWriter {
 public:
  WickFileWriter(const Profile& profile, std::ostream& out)
      : profile_(profile), out_(out) {}

  void run() {
    put_header();
    put_strings();
    put_modules();
    put_frames();
    put_stacks();
    put_threads();
    put_events();
    put_about();
    put_diagnostics();
    put_samples();
    put_section(kEnd, 0, sections_, {});
  }

 private:
  void put(std::string_view bytes) {
    out_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    stored_ += bytes.size();
  }

  void put_header() {
    std::string header(kMagic);
    append_raw(header, kMajor);
    append_raw(header, kMinor);
    append_raw(header, (profile_.has_time ? kHasTime : 0) |
                           (profile_.is_trace ? kIsTrace : 0));
    append_raw(header, crc32(header));
    put(header);
  }

  void put_section(std::uint32_t type, std::uint32_t first_row,
                   std::uint32_t rows, const std::string& plain) {
    if (plain.size() > kMaxPlainSize)
      fail("cannot write a name of more than {} bytes", kMaxPlainSize);
    plain_ += plain.size();
    std::string packed = zstd_compress(plain);
    const bool pack = packed.size() < plain.size() &&
                      plain_ <= plain_limit(stored_ + packed.size());
    const std::string& stored = pack ? packed : plain;
    std::string header;
    append_raw(header, type);
    append_raw(header, pack ? Encoding::kZstd : Encoding::kPlain);
    append_raw(header, first_row);
    append_raw(header, rows);
    append_raw(header, std::uint64_t{stored.size()});
    append_raw(header, static_cast<std::uint32_t>(plain.size()));
    append_raw(header, crc32(stored, crc32(header)));
    put(header);
    put(stored);
    ++sections_;
  }

  // Cuts rows `first` up to `count` into sections; fill(columns, from, to)
  // gives the columns of one.
  template <class Fill>
  void put_table(std::uint32_t type, std::size_t first, std::size_t count,
                 Fill fill) {
    while (first < count) {
      const std::size_t end = std::min(count, first + kRowsPerSection);
      WrittenColumns columns;
      fill(columns, first, end);
      put_section(type, static_cast<std::uint32_t>(first),
                  static_cast<std::uint32_t>(end - first), columns.bytes());
      first = end;
    }
  }

  template <Id I, class Table>
  static auto rows_of(const Table& table, std::size_t first, std::size_t end) {
    return std::views::iota(static_cast<std::uint32_t>(first),
                            static_cast<std::uint32_t>(end)) |
           std::views::transform(
               [&table](std::uint32_t row) { return table[I{row}]; });
  }

  void put_strings() {
    const StringTable& strings = profile_.strings;
    std::size_t first = 1;
    while (first < strings.size()) {
      WrittenColumns columns;
      std::string text;
      std::size_t end = first;
      for (; end < strings.size() && end - first < kRowsPerSection &&
             text.size() < kStringBytesPerSection;
           ++end)
        text += strings[StringId{static_cast<std::uint32_t>(end)}];
      columns.add(rows_of<StringId>(strings, first, end),
                  &std::string_view::size);
      columns.add_bytes(text);
      put_section(kStrings, static_cast<std::uint32_t>(first),
                  static_cast<std::uint32_t>(end - first), columns.bytes());
      first = end;
    }
  }

  void put_modules() {
    put_table(kModules, 1, profile_.modules.size(),
              [&](WrittenColumns& columns, std::size_t first, std::size_t end) {
                const auto rows =
                    rows_of<ModuleId>(profile_.modules, first, end);
                columns.add_differences(rows, &Module::path);
                columns.add_differences(rows, &Module::build_id);
                columns.add_differences(rows, &Module::no_names);
              });
  }

  void put_frames() {
    put_table(kFrames, 0, profile_.frames.size(),
              [&](WrittenColumns& columns, std::size_t first, std::size_t end) {
                const auto rows = rows_of<FrameId>(profile_.frames, first, end);
                columns.add_differences(rows, &Frame::function);
                columns.add_differences(rows, &Frame::file);
                columns.add(rows, &Frame::module);
                columns.add_differences(rows, &Frame::line);
                columns.add_differences(rows, &Frame::address);
                columns.add(rows, &Frame::kind);
                columns.add(rows, &Frame::off_cpu);
                columns.add_differences(rows, &Frame::function_start);
              });
  }

  void put_stacks() {
    const StackTable& stacks = profile_.stacks;
    put_table(kStacks, 1, stacks.size(),
              [&](WrittenColumns& columns, std::size_t first, std::size_t end) {
                const auto ids =
                    std::views::iota(first, end) |
                    std::views::transform([](std::size_t row) {
                      return StackId{static_cast<std::uint32_t>(row)};
                    });
                // Most often the caller is the row before.
                columns.add(ids, [&](StackId id) {
                  return index(id) - index(stacks.parent(id));
                });
                columns.add_differences(
                    ids, [&](StackId id) { return stacks.frame(id); });
              });
  }

  void put_threads() {
    put_table(kThreads, 1, profile_.threads.size(),
              [&](WrittenColumns& columns, std::size_t first, std::size_t end) {
                const auto rows =
                    rows_of<ThreadId>(profile_.threads, first, end);
                columns.add_differences(rows, &Thread::pid);
                columns.add_differences(rows, &Thread::tid);
                columns.add(rows, &Thread::comm);
              });
  }

  // With the number and the sum of each event's samples, so that a reader can
  // say how much of a damaged file is missing.
  void put_events() {
    struct Row {
      Event event;
      std::uint64_t samples = 0;
      std::int64_t weight = 0;
    };
    Column<EventId, Row> events;
    for (const Event& event : profile_.events) events.push_back({event});
    for (const Sample& sample : profile_.samples) {
      Row& row = events[sample.event];
      ++row.samples;
      row.weight = saturating_add(row.weight, sample.weight);
    }
    put_table(
        kEvents, 0, events.size(),
        [&](WrittenColumns& columns, std::size_t first, std::size_t end) {
          const auto rows = rows_of<EventId>(events, first, end);
          columns.add(rows, [](const Row& row) { return row.event.name; });
          columns.add(rows, [](const Row& row) { return row.event.unit; });
          columns.add(rows, [](const Row& row) { return row.event.decimals; });
          columns.add(rows, [](const Row& row) { return row.event.role; });
          columns.add(rows, &Row::samples);
          columns.add(rows, &Row::weight);
          columns.add(rows, [](const Row& row) { return row.event.time; });
        });
  }

  void put_about() {
    put_table(kAbout, 0, profile_.about.size(),
              [&](WrittenColumns& columns, std::size_t first, std::size_t end) {
                const auto rows =
                    std::span(profile_.about).subspan(first, end - first);
                columns.add(rows, &About::key);
                columns.add(rows, &About::value);
              });
  }

  // Text is here and not in the table of strings, whose numbering it would
  // change. Problems are stored by their keys, which never change.
  void put_diagnostics() {
    using Entry = Diagnostics::Entry;
    const std::vector<Entry>& entries = profile_.diagnostics.entries();
    put_table(
        kDiagnostics, 0, entries.size(),
        [&](WrittenColumns& columns, std::size_t, std::size_t) {
          const auto key = [](const Entry& e) { return info(e.problem).key; };
          columns.add(entries, [&](const Entry& e) { return key(e).size(); });
          columns.add(entries, &Entry::count);
          columns.add(entries, &Entry::weight);
          columns.add(entries, &Entry::line);
          columns.add(entries, [](const Entry& e) { return e.example.size(); });
          for (const Entry& e : entries) columns.add_bytes(key(e));
          for (const Entry& e : entries) columns.add_bytes(e.example);
          columns.add(entries, &Entry::whole);
        });
  }

  void put_samples() {
    put_table(kSamples, 0, profile_.samples.size(),
              [&](WrittenColumns& columns, std::size_t first, std::size_t end) {
                const auto rows =
                    std::span(profile_.samples).subspan(first, end - first);
                columns.add_differences(rows, &Sample::time);
                columns.add_differences(rows, &Sample::weight);
                columns.add(rows, &Sample::stack);
                columns.add(rows, &Sample::thread);
                columns.add(rows, &Sample::event);
                // kNoCpu becomes 0.
                columns.add(rows, [](const Sample& s) { return s.cpu + 1; });
              });
  }

  const Profile& profile_;
  std::ostream& out_;
  std::uint64_t stored_ = 0, plain_ = 0;
  std::uint32_t sections_ = 0;
};

void write_wick_file(const Profile& profile, const WriteOptions&,
                     std::ostream& out) {
  WickFileWriter(profile, out).run();
}

}  // namespace

extern const OutputFormat wick_output = {
    .name = "wick",
    .extension = ".wick",
    .description = "wick's own compact file, which keeps everything",
    .write = write_wick_file,
    .binary = true,
};

}  // namespace wick
