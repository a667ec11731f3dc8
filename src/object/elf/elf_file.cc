// SPDX-License-Identifier: Apache-2.0
#include "object/elf/elf_file.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cerrno>
#include <mutex>
#include <new>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "io/compress.h"
#include "io/open_regular.h"
#include "io/stored_bytes.h"

namespace wick {
namespace {

// Object files made with -ffunction-sections have tens of thousands.
constexpr std::uint64_t kMaxSections = 1 << 20;
constexpr std::uint64_t kMaxSegments = 1 << 16;
// The longest that a linker makes by itself is SHA-1 with 20 bytes.
constexpr std::uint64_t kMaxBuildId = 64;
// Notes are tens of bytes; those of SystemTap's probes are some ten thousand.
constexpr std::uint64_t kMaxNotes = std::uint64_t{64} << 10;
constexpr std::uint64_t kMaxNotesOfAll = std::uint64_t{1} << 20;
// Longer ones are cut, so that no file repeats a name of megabytes for each of
// its sections. Mangled names reach some hundred bytes.
constexpr std::uint64_t kMaxSectionName = 1024;

// Whether [offset, offset + size) lies within [0, whole).
bool lies_within(std::uint64_t offset, std::uint64_t size,
                 std::uint64_t whole) {
  return offset <= whole && size <= whole - offset;
}

// Bytes of the file: read into memory of their own, or a view of a file that is
// in memory.
struct Block {
  MemoryReservation held;
  std::unique_ptr<char[]> own;
  std::string_view bytes;

  // Nothing if there is no memory.
  std::span<char> allocate(std::uint64_t size, MemoryAccount& memory) {
    held = MemoryReservation(memory, size);
    if (!held) return {};
    own.reset(new (std::nothrow) char[size]);  // not zeroed: it is written next
    return {own.get(), own ? size : 0};
  }
};

// Where the headers of sections or segments are.
struct HeaderTable {
  std::uint64_t offset = 0, entry_size = 0, count = 0;
};

struct LazyBlock {
  std::once_flag once;
  Block block;
};

}  // namespace

struct ElfFile::State {
  // `stored` is the size without holes.
  State(std::string from, std::uint64_t stored, const Options& options)
      : name(std::move(from)),
        account(options.memory,
                std::min(options.most_memory,
                         stored > MemoryBudget::kNoLimit / kMaxGrowth / 2
                             ? MemoryBudget::kNoLimit
                             : stored * kMaxGrowth + kLeastMemory)) {}

  std::string name;
  mutable MemoryAccount account;
  MemoryReservation headers;
  std::unique_ptr<OpenFile> file;
  std::shared_ptr<const FilePieces> pieces;
  std::string memory;  // the whole file, if there are none of these
  std::uint64_t file_size = 0;

  bool is_64 = false, little = false, swap = false;
  std::uint16_t type = 0;
  Machine machine = Machine::kOther;
  std::uint64_t entry = 0;
  std::vector<Section> sections;
  std::vector<Segment> segments;
  std::unique_ptr<LazyBlock[]> section_bytes, segment_bytes;
  std::once_flag build_id_once;
  std::string build_id;

  // An empty block if the file does not have these bytes.
  Block read(std::uint64_t offset, std::uint64_t size) const;
  void read_headers();
  // A table that is not within the file counts as empty.
  Block read_table(const HeaderTable& table) const {
    return read(table.offset, table.entry_size * table.count);
  }
  // Returns the offsets of the names in the string section.
  std::vector<std::uint32_t> read_sections(const HeaderTable& table);
  void read_segments(const HeaderTable& table);
  Section read_section(ByteReader& in, std::uint32_t& name_offset) const;
  Segment read_segment(ByteReader& in) const;
  bool has_memory_for_headers(std::uint64_t section_count,
                              std::uint64_t segment_count);
  void name_sections(std::size_t strings,
                     const std::vector<std::uint32_t>& name_offsets);
  Block decompressed(const Section& section) const;
  std::string_view bytes(std::size_t section_index);
  std::string_view segment(std::size_t index);
  void find_build_id();

  ByteReader reader(std::string_view bytes) const {
    return ByteReader(bytes, swap);
  }
  std::uint64_t read_word(ByteReader& in) const {
    return is_64 ? in.read<std::uint64_t>() : in.read<std::uint32_t>();
  }
};

Block ElfFile::State::read(std::uint64_t offset, std::uint64_t size) const {
  Block block;
  if (size == 0 || !lies_within(offset, size, file_size)) return block;
  if (!file && !pieces) {
    block.bytes = std::string_view(memory).substr(offset, size);
    return block;
  }
  const std::span<char> room = block.allocate(size, account);
  if (room.empty()) return {};
  if (pieces) {
    if (!pieces->read(offset, room)) return {};
    block.bytes = {room.data(), room.size()};
    return block;
  }
  const std::shared_ptr<const UniqueFd> fd = file->fd();
  if (!fd) return {};
  std::size_t done = 0;
  while (done < room.size()) {
    const ssize_t got =
        ::pread(fd->get(), room.data() + done, room.size() - done,
                static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return {};  // the file was truncated meanwhile
    done += static_cast<std::size_t>(got);
  }
  block.bytes = {room.data(), room.size()};
  return block;
}

void ElfFile::State::read_headers() {
  const Block head = read(0, std::min<std::uint64_t>(file_size, 64));
  if (!head.bytes.starts_with(ELFMAG) || head.bytes.size() < sizeof(Elf32_Ehdr))
    fail("not an ELF file");
  const char file_class = head.bytes[EI_CLASS], order = head.bytes[EI_DATA];
  if ((file_class != ELFCLASS32 && file_class != ELFCLASS64) ||
      (order != ELFDATA2LSB && order != ELFDATA2MSB) ||
      (file_class == ELFCLASS64 && head.bytes.size() < sizeof(Elf64_Ehdr)))
    fail("the ELF header is damaged");
  is_64 = file_class == ELFCLASS64;
  little = order == ELFDATA2LSB;
  swap = little != (std::endian::native == std::endian::little);

  ByteReader in = reader(head.bytes.substr(EI_NIDENT));
  type = in.read<std::uint16_t>();
  machine = machine_of_elf(in.read<std::uint16_t>());
  in.read<std::uint32_t>();  // version
  entry = read_word(in);
  const std::uint64_t segment_offset = read_word(in);
  const std::uint64_t section_offset = read_word(in);
  in.read<std::uint32_t>();  // flags
  in.read<std::uint16_t>();  // size of this header
  const auto segment_size = in.read<std::uint16_t>();
  std::uint64_t segment_count = in.read<std::uint16_t>();
  const auto section_size = in.read<std::uint16_t>();
  std::uint64_t section_count = in.read<std::uint16_t>();
  std::uint64_t names = in.read<std::uint16_t>();

  // Numbers that do not fit into the header are in section 0.
  std::vector<std::uint32_t> name_offsets;
  const std::size_t least = is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
  if (section_offset != 0 && section_size >= least) {
    const Block first = read(section_offset, least);
    ByteReader first_in = reader(first.bytes);
    std::uint32_t unused = 0;
    const Section zero = read_section(first_in, unused);
    if (section_count == 0) section_count = zero.size;
    if (names == SHN_XINDEX) names = zero.link;
    if (segment_count == PN_XNUM) segment_count = zero.info;
    if (section_count > kMaxSections) section_count = 0;
    if (segment_count > kMaxSegments) segment_count = 0;
  } else {
    section_count = 0;
  }
  if (segment_size < (is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr)))
    segment_count = 0;
  if (!has_memory_for_headers(section_count, segment_count)) return;
  name_offsets = read_sections({section_offset, section_size, section_count});
  read_segments({segment_offset, segment_size, segment_count});
  section_bytes = std::make_unique<LazyBlock[]>(sections.size());
  segment_bytes = std::make_unique<LazyBlock[]>(segments.size());
  if (names < sections.size()) name_sections(names, name_offsets);
}

bool ElfFile::State::has_memory_for_headers(std::uint64_t section_count,
                                            std::uint64_t segment_count) {
  constexpr std::uint64_t kNameOffset = sizeof(std::uint32_t);
  headers = MemoryReservation(
      account,
      section_count * (sizeof(Section) + sizeof(LazyBlock) + kNameOffset) +
          segment_count * (sizeof(Segment) + sizeof(LazyBlock)));
  return static_cast<bool>(headers);
}

void ElfFile::State::name_sections(
    std::size_t strings_section,
    const std::vector<std::uint32_t>& name_offsets) {
  const std::string_view strings = bytes(strings_section);
  for (std::size_t i = 0; i < sections.size(); ++i)
    if (name_offsets[i] < strings.size())
      sections[i].name =
          until_nul(strings.substr(name_offsets[i], kMaxSectionName));
}

ElfFile::Section ElfFile::State::read_section(
    ByteReader& in, std::uint32_t& name_offset) const {
  Section section;
  name_offset = in.read<std::uint32_t>();
  section.type = in.read<std::uint32_t>();
  section.flags = read_word(in);
  section.address = read_word(in);
  section.offset = read_word(in);
  section.size = read_word(in);
  section.link = in.read<std::uint32_t>();
  section.info = in.read<std::uint32_t>();
  read_word(in);  // alignment
  section.entry_size = read_word(in);
  return section;
}

ElfFile::Segment ElfFile::State::read_segment(ByteReader& in) const {
  Segment segment;
  segment.type = in.read<std::uint32_t>();
  if (is_64) segment.flags = in.read<std::uint32_t>();
  segment.offset = read_word(in);
  segment.address = read_word(in);
  read_word(in);  // physical address
  segment.file_size = read_word(in);
  segment.memory_size = read_word(in);
  if (!is_64) segment.flags = in.read<std::uint32_t>();
  return segment;
}

std::vector<std::uint32_t> ElfFile::State::read_sections(
    const HeaderTable& table) {
  std::vector<std::uint32_t> name_offsets;
  const Block block = read_table(table);
  if (block.bytes.empty()) return name_offsets;
  sections.reserve(table.count);
  name_offsets.reserve(table.count);
  for (std::uint64_t at = 0; at < block.bytes.size(); at += table.entry_size) {
    ByteReader in = reader(block.bytes.substr(at, table.entry_size));
    sections.push_back(read_section(in, name_offsets.emplace_back()));
  }
  return name_offsets;
}

void ElfFile::State::read_segments(const HeaderTable& table) {
  const Block block = read_table(table);
  for (std::uint64_t at = 0; at < block.bytes.size(); at += table.entry_size) {
    ByteReader in = reader(block.bytes.substr(at, table.entry_size));
    segments.push_back(read_segment(in));
  }
}

// A compressed section begins with a header that has the method and the size;
// an old .zdebug_x with "ZLIB" and the size, most significant byte first.
Block ElfFile::State::decompressed(const Section& section) const {
  Block packed = read(section.offset, section.size);
  std::uint64_t size = 0;
  std::uint32_t how = ELFCOMPRESS_ZLIB;
  ByteReader in = reader(packed.bytes);
  if ((section.flags & SHF_COMPRESSED) != 0) {
    how = in.read<std::uint32_t>();
    if (is_64) in.read<std::uint32_t>();  // reserved
    size = read_word(in);
    read_word(in);  // alignment
  } else {
    in = ByteReader(packed.bytes, std::endian::native == std::endian::little);
    if (in.read_bytes(4) != "ZLIB") return packed;  // .zdebug by name alone
    size = in.read<std::uint64_t>();
  }
  const std::string_view stream = in.rest();
  if (in.failed() || size == 0 || !believable_size(stream.size(), size))
    return {};
  Block plain;
  const std::span<char> room = plain.allocate(size, account);
  if (room.empty()) return {};
  constexpr std::uint32_t kZstd = 2;  // ELFCOMPRESS_ZSTD, not in older elf.h
  const bool good = how == ELFCOMPRESS_ZLIB ? zlib_decompress_to(stream, room)
                    : how == kZstd          ? zstd_decompress_to(stream, room)
                                            : false;
  if (!good) return {};
  plain.bytes = {room.data(), room.size()};
  return plain;
}

std::string_view ElfFile::State::bytes(std::size_t index) {
  LazyBlock& lazy = section_bytes[index];
  std::call_once(lazy.once, [&] {
    const Section& section = sections[index];
    if (section.type == SHT_NOBITS || section.type == SHT_NULL) return;
    lazy.block = (section.flags & SHF_COMPRESSED) != 0 ||
                         section.name.starts_with(".zdebug_")
                     ? decompressed(section)
                     : read(section.offset, section.size);
  });
  return lazy.block.bytes;
}

std::string_view ElfFile::State::segment(std::size_t index) {
  LazyBlock& lazy = segment_bytes[index];
  std::call_once(lazy.once, [&] {
    const Segment& segment = segments[index];
    if (segment.offset >= file_size) return;
    // A truncated segment is good up to its end.
    lazy.block = read(segment.offset,
                      std::min(segment.file_size, file_size - segment.offset));
  });
  return lazy.block.bytes;
}

// Debug files keep the headers of segments whose contents they lack, so
// sections are tried first; a vDSO or a memory dump has only segments.
//
// Notes are not kept, and only their beginning is read: thousands of them may
// each span the whole file.
void ElfFile::State::find_build_id() {
  std::uint64_t left = kMaxNotesOfAll;
  const auto look_in = [&](std::uint64_t offset, std::uint64_t size) {
    if (offset >= file_size || !build_id.empty()) return;
    size = std::min({size, file_size - offset, kMaxNotes, left});
    left -= size;
    const Block notes = read(offset, size);
    build_id = build_id_in_notes(reader(notes.bytes));
  };
  for (const Section& section : sections)
    if (section.type == SHT_NOTE) look_in(section.offset, section.size);
  for (const Segment& segment : segments)
    if (segment.type == PT_NOTE) look_in(segment.offset, segment.file_size);
}

ElfFile::ElfFile(std::unique_ptr<State> state) : state_(std::move(state)) {
  in_context(state_->name, [&] { state_->read_headers(); });
}
ElfFile::~ElfFile() = default;

std::shared_ptr<const ElfFile> ElfFile::open(const std::string& path) {
  UniqueFd fd = open_regular(path, {.on_network = true});
  if (!fd) fail("{}: {}", path, open_error());
  return from_fd(std::move(fd), path);
}

std::shared_ptr<const ElfFile> ElfFile::from_fd(UniqueFd fd, std::string name) {
  return from_fd(std::move(fd), std::move(name), {});
}

std::shared_ptr<const ElfFile> ElfFile::from_fd(UniqueFd fd, std::string name,
                                                Options options) {
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) fail("{}: {}", name, last_system_error());
  if (!S_ISREG(info.st_mode)) fail("{}: not a regular file", name);
  auto state =
      std::make_unique<State>(std::move(name), stored_bytes(fd.get()), options);
  state->file_size = static_cast<std::uint64_t>(info.st_size);
  state->file =
      options.open_files && options.reopen
          ? std::make_unique<OpenFile>(std::move(options.open_files),
                                       std::move(fd), std::move(options.reopen))
          : std::make_unique<OpenFile>(std::move(fd));
  return std::shared_ptr<const ElfFile>(new ElfFile(std::move(state)));
}

std::shared_ptr<const ElfFile> ElfFile::from_pieces(
    std::shared_ptr<const FilePieces> pieces, std::string name,
    Options options) {
  auto state =
      std::make_unique<State>(std::move(name), pieces->stored_bytes(), options);
  state->file_size = pieces->size;
  state->pieces = std::move(pieces);
  return std::shared_ptr<const ElfFile>(new ElfFile(std::move(state)));
}

std::shared_ptr<const ElfFile> ElfFile::from_memory(std::string name,
                                                    std::string bytes) {
  auto state =
      std::make_unique<State>(std::move(name), bytes.size(), Options{});
  state->memory = std::move(bytes);
  state->file_size = state->memory.size();
  return std::shared_ptr<const ElfFile>(new ElfFile(std::move(state)));
}

MemoryAccount& ElfFile::memory() const { return state_->account; }

const std::string& ElfFile::name() const { return state_->name; }
Machine ElfFile::machine() const { return state_->machine; }
std::uint16_t ElfFile::type() const { return state_->type; }
std::uint64_t ElfFile::entry() const { return state_->entry; }
bool ElfFile::is_64() const { return state_->is_64; }
bool ElfFile::is_little_endian() const { return state_->little; }

std::span<const ElfFile::Section> ElfFile::sections() const {
  return state_->sections;
}
std::span<const ElfFile::Segment> ElfFile::segments() const {
  return state_->segments;
}

const ElfFile::Section* ElfFile::section(std::string_view name) const {
  const auto found = std::ranges::find(state_->sections, name, &Section::name);
  if (found != state_->sections.end()) return &*found;
  if (!name.starts_with(".debug_")) return nullptr;
  return section(".z" + std::string(name.substr(1)));
}

std::string_view ElfFile::bytes(const Section& section) const {
  const std::vector<Section>& all = state_->sections;
  assert(&section >= all.data() && &section < all.data() + all.size());
  return state_->bytes(static_cast<std::size_t>(&section - all.data()));
}

std::string_view ElfFile::bytes(std::string_view section_name) const {
  const Section* found = section(section_name);
  return found == nullptr ? std::string_view() : bytes(*found);
}

UniqueFd ElfFile::handle() const {
  const auto fd = state_->file ? state_->file->fd() : nullptr;
  return fd ? UniqueFd(::fcntl(fd->get(), F_DUPFD_CLOEXEC, 0)) : UniqueFd();
}

std::string_view ElfFile::bytes_at(std::uint64_t elf_addr,
                                   std::uint64_t size) const {
  // A section is smaller than its segment, and may have been read already.
  for (const Section& s : state_->sections)
    if ((s.flags & (SHF_ALLOC | SHF_COMPRESSED)) == SHF_ALLOC &&
        s.type != SHT_NOBITS && elf_addr >= s.address &&
        lies_within(elf_addr - s.address, size, s.size)) {
      const std::string_view found = bytes(s);
      if (!found.empty()) return found.substr(elf_addr - s.address, size);
    }
  for (std::size_t i = 0; i < state_->segments.size(); ++i) {
    const Segment& s = state_->segments[i];
    if (s.type != PT_LOAD || elf_addr < s.address ||
        elf_addr - s.address >= s.file_size)
      continue;
    const std::string_view found = state_->segment(i);
    if (elf_addr - s.address < found.size())
      return found.substr(elf_addr - s.address, size);
  }
  return {};
}

ByteReader ElfFile::reader(std::string_view bytes) const {
  return state_->reader(bytes);
}

const std::string& ElfFile::build_id() const {
  std::call_once(state_->build_id_once, [&] { state_->find_build_id(); });
  return state_->build_id;
}

std::optional<ElfFile::DebugLink> ElfFile::debug_link() const {
  const std::string_view content = bytes(".gnu_debuglink");
  const std::string_view file = until_nul(content);
  const std::size_t crc_at = (file.size() + 1 + 3) / 4 * 4;
  if (file.empty() || crc_at > content.size()) return {};
  ByteReader in = reader(content.substr(crc_at));
  const auto crc = in.read<std::uint32_t>();
  if (in.failed()) return {};
  return DebugLink{std::string(file), crc};
}

std::optional<ElfFile::AlternateLink> ElfFile::alternate_link() const {
  const std::string_view content = bytes(".gnu_debugaltlink");
  const std::string_view file = until_nul(content);
  if (file.empty() || file.size() == content.size()) return {};
  const std::string_view id = content.substr(file.size() + 1);
  if (id.empty() || id.size() > kMaxBuildId) return {};
  return AlternateLink{std::string(file), to_hexadecimal(id)};
}

std::optional<std::uint64_t> ElfFile::elf_addr(std::uint64_t file_off) const {
  for (const Segment& s : state_->segments)
    if (s.type == PT_LOAD && file_off >= s.offset &&
        file_off - s.offset < s.file_size)
      return s.address + (file_off - s.offset);
  return {};
}

// Each note is three numbers, a name and a content, both padded to 4 bytes.
std::string build_id_in_notes(ByteReader notes) {
  while (notes.fits(12, 1)) {
    const auto name_size = notes.read<std::uint32_t>();
    const auto size = notes.read<std::uint32_t>();
    const auto type = notes.read<std::uint32_t>();
    const std::string_view name = notes.read_bytes(name_size);
    notes.read_bytes(
        std::min<std::size_t>(-name_size % 4, notes.rest().size()));
    const std::string_view content = notes.read_bytes(size);
    notes.read_bytes(std::min<std::size_t>(-size % 4, notes.rest().size()));
    if (notes.failed()) return {};
    if (type == NT_GNU_BUILD_ID && name == std::string_view("GNU\0", 4) &&
        !content.empty() && content.size() <= kMaxBuildId)
      return to_hexadecimal(content);
  }
  return {};
}

}  // namespace wick
