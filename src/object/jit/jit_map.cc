// SPDX-License-Identifier: Apache-2.0
// A perf map has a line for each function, "START SIZE name", hexadecimal. Seen
// in practice: START with 0x (wasmtime, wasmer), two spaces (WAMR), lines cut
// at 127 bytes so that a long name swallows the line end (WAMR).
//
// A jitdump begins with a header and has records, each {u32 id, u32 size, u64
// time}: 0 a function, 1 one that was moved, 2 lines of the function that comes
// next, 3 the end, 4 unwind information of the function that comes next. See
// tools/perf/Documentation/jitdump-specification.txt in the kernel. LLVM gives
// 0 as a function's vma; code_addr is where it is.
#include "object/jit/jit_map.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <utility>

#include "base/append.h"
#include "base/bytes.h"
#include "base/text.h"

namespace wick {
namespace {

constexpr std::uint32_t kMagic = 0x4a695444;
constexpr std::uint32_t kLoad = 0, kMove = 1, kLines = 2;  // records
constexpr std::uint32_t kHeaderSize = 40, kRecordHeaderSize = 16;
constexpr std::uint64_t kElfHeaderSize = 0x40;
constexpr std::uint64_t kCyclesFlag = 1;
// Of an excerpt, which has too few lines to tell whether they are shifted.
constexpr std::uint64_t kExactLinesFlag = std::uint64_t{1} << 63;
// A function has some hundred lines; only a crafted one has more than this.
constexpr int kMaxLines = 1 << 14;
// One byte more than a profile keeps, which counts the names that it cuts.
constexpr std::size_t kMaxJitName = (1 << 16) + 1;

std::string_view read_text(ByteReader& in) {
  const std::string_view rest = in.rest();
  const std::size_t end = rest.find('\0');
  if (end == std::string_view::npos) {
    in.fail();
    return {};
  }
  in.read_bytes(end + 1);
  return rest.substr(0, end);
}

// Takes a hexadecimal number and the blank after it.
std::optional<std::uint64_t> take_hex(std::string_view& line) {
  if (line.starts_with("0x") || line.starts_with("0X")) line.remove_prefix(2);
  const auto value = take_number<std::uint64_t>(line, 16);
  if (!value || !line.starts_with(' ')) return std::nullopt;
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  return value;
}

bool wraps(std::uint64_t start, std::uint64_t size) {
  return start + size < start;
}

// Calls visit(addr, line, file) for each entry of a debug record.
template <class Visit>
void each_line(std::string_view entries, bool swap, Visit&& visit) {
  ByteReader in(entries, swap);
  std::string_view file;
  for (int count = 0; count < kMaxLines && in.fits(1, 17); ++count) {
    const auto address = in.read<std::uint64_t>();
    const auto line = in.read<std::uint32_t>();
    in.read<std::uint32_t>();  // a column or a discriminator
    const std::string_view name = read_text(in);
    if (in.failed()) return;
    if (name != "\xff") file = name;  // else the same as before
    visit(address, line, file);
  }
}

}  // namespace

void JitMap::add_map_line(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.empty()) return;
  const auto start = take_hex(line);
  const auto size = start ? take_hex(line) : std::nullopt;
  if (!size || line.empty() || wraps(*start, *size)) {
    ++damaged_;
    return;
  }
  if (is_full()) {
    ++omitted_;
    return;
  }
  functions_.push_back(
      {.start = *start,
       .size = *size,
       .name = part(line.substr(0, kMaxJitName)),
       .order = static_cast<std::uint32_t>(functions_.size())});
}

JitMap::Part JitMap::part(std::string_view view) const {
  if (view.empty()) return {};
  return {static_cast<std::uint32_t>(view.data() - bytes_.data()),
          static_cast<std::uint32_t>(view.size())};
}

std::string_view JitMap::view(Part part) const {
  return std::string_view(bytes_).substr(part.at, part.size);
}

// Reserves room for `count` functions or, if that is too much, for fewer.
void JitMap::reserve(std::size_t count, std::uint64_t most_memory) {
  constexpr std::uint64_t kEach = sizeof(Entry) + sizeof(std::uint64_t);
  count = static_cast<std::size_t>(
      std::min<std::uint64_t>(count, most_memory / kEach));
  functions_.reserve(count);
}

std::uint64_t JitMap::bytes() const {
  return functions_.capacity() * sizeof(Entry) +
         max_end_.capacity() * sizeof(std::uint64_t) +
         details_.capacity() * sizeof(Details);
}

JitMap JitMap::from_perf_map(std::string text, std::uint64_t most_memory) {
  JitMap map;
  map.bytes_ = std::move(text);
  std::string_view rest = map.bytes_;
  map.reserve(static_cast<std::size_t>(std::ranges::count(rest, '\n')) + 1,
              most_memory);
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    // The last line may still be incomplete.
    if (end == std::string_view::npos) map.truncated_ = true;
    map.add_map_line(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  map.build_index();
  return map;
}

bool JitMap::is_jitdump(std::string_view head) {
  ByteReader in(head);
  const auto magic = in.read<std::uint32_t>();
  return magic == kMagic || magic == byte_swap(kMagic);
}

class JitMap::DumpReader {
 public:
  explicit DumpReader(JitMap& map) : map_(map) {}

  void read(std::uint64_t most_memory) {
    std::string_view rest = map_.bytes_;
    if (!read_header(rest)) return;
    reserve(rest, most_memory);
    while (!rest.empty()) {
      ByteReader in(rest, map_.swap_);
      const auto id = in.read<std::uint32_t>();
      const auto size = in.read<std::uint32_t>();
      const auto time = in.read<std::uint64_t>();
      if (in.failed() || size > rest.size()) {
        map_.truncated_ = true;
        break;
      }
      if (size < 16) {  // the next one cannot be found
        ++map_.damaged_;
        break;
      }
      read_record(id, time, rest.substr(16, size - 16));
      rest.remove_prefix(size);
    }
    if (shifted_ && !exact_) map_.line_shift_ = kElfHeaderSize;
  }

 private:
  // Room for all functions, as far as there is memory.
  void reserve(std::string_view rest, std::uint64_t most_memory) {
    std::size_t count = 0;
    while (!rest.empty()) {
      ByteReader in(rest, map_.swap_);
      const auto id = in.read<std::uint32_t>();
      const auto size = in.read<std::uint32_t>();
      if (in.failed() || size < 16 || size > rest.size()) break;
      if (id == kLoad || id == kMove) ++count;
      rest.remove_prefix(size);
    }
    // The rest is for details_ and, while reading, for by_index_.
    map_.reserve(count, most_memory / 4);
    map_.details_.reserve(map_.functions_.capacity());
  }

  bool read_header(std::string_view& rest) {
    if (!is_jitdump(rest)) {
      ++map_.damaged_;
      return false;
    }
    ByteReader in(rest);
    map_.swap_ = in.read<std::uint32_t>() != kMagic;
    in = ByteReader(rest.substr(4), map_.swap_);
    in.read<std::uint32_t>();  // version
    const auto size = in.read<std::uint32_t>();
    map_.elf_machine_ = in.read<std::uint32_t>();
    in.read<std::uint32_t>();
    map_.pid_ = in.read<std::uint32_t>();
    in.read<std::uint64_t>();  // a time, not always of the same clock
    const auto flags = in.read<std::uint64_t>();
    map_.cycles_ = (flags & kCyclesFlag) != 0;
    exact_ = (flags & kExactLinesFlag) != 0;
    if (in.failed() || size < kHeaderSize || size > rest.size()) {
      map_.truncated_ = true;
      return false;
    }
    rest.remove_prefix(size);
    return true;
  }

  void read_record(std::uint32_t id, std::uint64_t time,
                   std::string_view body) {
    ByteReader in(body, map_.swap_);
    switch (id) {
      case kLoad:
        read_load(in, time);
        break;
      case kMove:
        read_move(in, time);
        break;
      case kLines:
        read_lines(in);
        break;
      case 4:
        read_unwind_info(in);
        break;
      default:  // the end, or an unknown record
        break;
    }
    if (in.failed()) ++map_.damaged_;
  }

  void read_load(ByteReader& in, std::uint64_t time) {
    in.read<std::uint32_t>();  // pid
    in.read<std::uint32_t>();  // tid
    in.read<std::uint64_t>();  // vma, 0 by LLVM
    Entry f;
    Details details{.time = time};
    f.start = in.read<std::uint64_t>();
    f.size = in.read<std::uint64_t>();
    const auto index = in.read<std::uint64_t>();
    f.name = map_.part(read_text(in).substr(0, kMaxJitName));
    // The code is at the end of the record.
    if (f.size <= in.rest().size())
      details.code = map_.part(in.rest().substr(
          in.rest().size() - static_cast<std::size_t>(f.size)));
    if (lines_of_ == f.start) details.lines = map_.part(lines_);
    details.unwind_info = map_.part(unwind_info_);
    details.eh_frame_hdr_size = eh_frame_hdr_size_;
    lines_ = unwind_info_ = {};
    eh_frame_hdr_size_ = 0;
    if (in.failed() || wraps(f.start, f.size)) return in.fail();
    if (add(f, details)) by_index_[index] = f.order;
  }

  // Functions are in the order of the file until the index is built.
  bool add(Entry& f, const Details& details) {
    if (map_.is_full()) {
      ++map_.omitted_;
      return false;
    }
    f.order = f.details = static_cast<std::uint32_t>(map_.functions_.size());
    map_.functions_.push_back(f);
    map_.details_.push_back(details);
    return true;
  }

  void read_move(ByteReader& in, std::uint64_t time) {
    in.read<std::uint32_t>();
    in.read<std::uint32_t>();
    in.read<std::uint64_t>();
    in.read<std::uint64_t>();  // the old address
    const auto start = in.read<std::uint64_t>();
    const auto size = in.read<std::uint64_t>();
    const auto index = in.read<std::uint64_t>();
    const auto found = by_index_.find(index);
    if (in.failed() || found == by_index_.end() || wraps(start, size))
      return in.fail();
    Entry f = map_.functions_[found->second];
    Details details = map_.details_[f.details];
    f.start = start;
    f.size = size;
    details.time = time;
    details.lines = {};  // of the old addresses
    add(f, details);
  }

  void read_lines(ByteReader& in) {
    lines_of_ = in.read<std::uint64_t>();
    in.read<std::uint64_t>();  // how many
    lines_ = in.rest();
    each_line(lines_, map_.swap_,
              [&](std::uint64_t address, std::uint32_t, std::string_view) {
                const std::uint64_t offset = address - lines_of_;
                (offset < kElfHeaderSize ? exact_ : shifted_) = true;
              });
  }

  void read_unwind_info(ByteReader& in) {
    const auto size = in.read<std::uint64_t>();
    const auto header_size = in.read<std::uint64_t>();
    const auto mapped_size = in.read<std::uint64_t>();
    const std::string_view bytes = in.read_bytes(size);
    // A header without content means: use frame pointers.
    if (mapped_size == 0 || header_size > bytes.size()) return;
    unwind_info_ = bytes;
    eh_frame_hdr_size_ = static_cast<std::uint32_t>(header_size);
  }

  JitMap& map_;
  absl::flat_hash_map<std::uint64_t, std::uint32_t> by_index_;
  // Of the next function.
  std::uint64_t lines_of_ = 0;
  std::string_view lines_, unwind_info_;
  std::uint32_t eh_frame_hdr_size_ = 0;
  // Whether any line was before, or only where a shifted one can be.
  bool exact_ = false, shifted_ = false;
};

JitMap JitMap::from_jitdump(std::string bytes, std::uint64_t most_memory) {
  JitMap map;
  map.bytes_ = std::move(bytes);
  DumpReader(map).read(most_memory);
  map.build_index();
  return map;
}

void JitMap::build_index() {
  std::ranges::sort(functions_, [](const Entry& a, const Entry& b) {
    return std::pair(a.start, a.order) < std::pair(b.start, b.order);
  });
  max_end_.reserve(functions_.size());
  std::uint64_t end = 0;
  for (const Entry& entry : functions_) {
    end = std::max(end, entry.start + entry.size);
    max_end_.push_back(end);
  }
}

std::uint64_t JitMap::time_of(const Entry& entry) const {
  return details_.empty() ? 0 : details_[entry.details].time;
}

JitMap::Function JitMap::function(const Entry& entry) const {
  Function f{
      .name = view(entry.name), .start = entry.start, .size = entry.size};
  if (details_.empty()) return f;
  const Details& details = details_[entry.details];
  f.time = details.time;
  f.unwind_info = view(details.unwind_info);
  f.eh_frame_hdr_size = details.eh_frame_hdr_size;
  f.code = view(details.code);
  f.debug_lines = view(details.lines);
  return f;
}

template <class Visit>
void JitMap::each_at(std::uint64_t address, Visit visit) const {
  // Versions of a function follow each other; only a crafted file has more
  // overlap than this.
  constexpr int kMaxSteps = 1 << 12;
  const auto after =
      std::ranges::upper_bound(functions_, address, {}, &Entry::start);
  auto i = static_cast<std::size_t>(after - functions_.begin());
  for (int steps = 0; i-- > 0 && steps < kMaxSteps; ++steps) {
    if (max_end_[i] <= address) break;
    if (address - functions_[i].start < functions_[i].size)
      visit(functions_[i]);
  }
}

std::optional<JitMap::Function> JitMap::find(std::uint64_t address,
                                             std::uint64_t time) const {
  const Entry* best = nullptr;
  const Entry* first_later = nullptr;
  each_at(address, [&](const Entry& f) {
    const std::uint64_t f_time = time_of(f);
    if (f_time > time) {
      if (first_later == nullptr || f_time < time_of(*first_later))
        first_later = &f;
    } else if (best == nullptr || std::pair(f_time, f.order) >
                                      std::pair(time_of(*best), best->order)) {
      best = &f;
    }
  });
  if (best == nullptr) best = first_later;
  if (best == nullptr) return {};
  return function(*best);
}

std::optional<JitMap::Line> JitMap::line(const Function& function,
                                         std::uint64_t address) const {
  std::optional<Line> found;
  std::uint64_t found_at = 0;
  each_line(function.debug_lines, swap_,
            [&](std::uint64_t at, std::uint32_t line, std::string_view file) {
              at -= line_shift_;
              if (at > address || at < function.start) return;
              if (found && at < found_at) return;
              found = Line{.file = file, .line = line};
              found_at = at;
            });
  return found;
}

void JitMap::append_to_map(std::string& out, const Entry& entry) const {
  append(out, "{:x} {:x} {}\n", entry.start, entry.size, view(entry.name));
}

void JitMap::append_to_dump(std::string& out, const Entry& entry,
                            std::span<const std::uint64_t> addresses) const {
  const Function f = function(entry);
  const auto record = [&](std::uint32_t id, std::string_view body) {
    append_raw(out, id);
    append_raw(out,
               static_cast<std::uint32_t>(kRecordHeaderSize + body.size()));
    append_raw(out, f.time);
    out += body;
  };
  std::string lines;
  std::uint64_t count = 0;
  for (auto at = std::ranges::lower_bound(addresses, f.start);
       at != addresses.end() && *at - f.start < f.size; ++at) {
    const auto found = line(f, *at);
    if (!found) continue;
    append_raw(lines, *at);
    append_raw(lines, found->line);
    append_raw(lines, std::uint32_t{0});
    lines += found->file;
    lines += '\0';
    ++count;
  }
  std::string body;
  append_raw(body, f.start);
  append_raw(body, count);
  if (count > 0) record(kLines, body + lines);
  body.clear();
  append_raw(body, std::uint64_t{pid_});  // and a tid of 0
  append_raw(body, f.start);
  append_raw(body, f.start);
  append_raw(body, f.size);
  append_raw(body, std::uint64_t{entry.order});
  body += f.name;
  body += '\0';
  record(kLoad, body);
}

std::string JitMap::excerpt(std::span<const std::uint64_t> addresses) const {
  std::vector<std::uint64_t> sorted(addresses.begin(), addresses.end());
  std::ranges::sort(sorted);
  const bool is_map = details_.empty();
  std::vector<const Entry*> kept(functions_.size(), nullptr);  // by order
  for (const std::uint64_t address : sorted) {
    const Entry* last = nullptr;
    each_at(address, [&](const Entry& f) {
      if (!is_map) kept[f.order] = &f;
      if (last == nullptr || f.order > last->order) last = &f;
    });
    // The last line of a map wins.
    if (is_map && last != nullptr) kept[last->order] = last;
  }
  std::erase(kept, nullptr);
  std::string out;
  if (kept.empty()) return out;
  if (is_map) {
    for (const Entry* entry : kept) append_to_map(out, *entry);
    return out;
  }
  append_raw(out, kMagic);
  append_raw(out, std::uint32_t{1});
  append_raw(out, kHeaderSize);
  append_raw(out, elf_machine_);
  append_raw(out, std::uint32_t{0});
  append_raw(out, pid_);
  append_raw(out, std::uint64_t{0});
  append_raw(out, kExactLinesFlag | (cycles_ ? kCyclesFlag : 0));
  for (const Entry* entry : kept) append_to_dump(out, *entry, sorted);
  return out;
}

}  // namespace wick
