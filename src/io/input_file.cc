// SPDX-License-Identifier: Apache-2.0
#include "io/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/metrics.h"
#include "io/compress.h"
#include "io/mapped_file.h"
#include "io/open_regular.h"
#include "io/unique_fd.h"

namespace wick {
namespace {

constexpr std::size_t kReadSize = 1 << 20;

std::size_t read_some(int fd, char* out, std::size_t room) {
  while (true) {
    const ssize_t got = ::read(fd, out, room);
    if (got >= 0) {
      activity().bytes_read += static_cast<std::uint64_t>(got);
      return static_cast<std::size_t>(got);
    }
    if (errno != EINTR) fail("cannot read: {}", last_system_error());
  }
}

// Where to cut `bytes` without splitting a line (or a paragraph); 0 if nowhere.
std::size_t cut_point(std::string_view bytes, bool paragraphs) {
  for (std::size_t end = bytes.rfind('\n'); end != bytes.npos && end > 0;
       end = bytes.rfind('\n', end - 1)) {
    const std::string_view before = bytes.substr(0, end);
    if (!paragraphs || before.ends_with('\n') || before.ends_with("\n\r"))
      return end + 1;
  }
  return 0;
}

}  // namespace

// Plain files and memory are `whole` from the start. Everything else is a
// stream: raw bytes from `fd` or `mapped`, through `unpack` if compressed, into
// `buffer`, of which [start, end) was not returned yet.
struct InputFile::State {
  std::string name;
  MappedFile mapped;
  std::string memory;
  std::string_view whole;
  bool is_whole = false;
  std::size_t whole_at = 0;

  UniqueFd fd;
  std::string raw;            // compressed bytes read from fd
  std::string_view raw_left;  // into raw or mapped
  std::optional<Decompressor> unpack;
  std::string buffer;
  std::size_t start = 0, end = 0;
  bool at_end = false, damaged = false;
  std::string broken_end;
  std::uint64_t long_lines = 0;
  std::string long_line;         // the beginning of the first
  std::size_t counted = 0;       // mapped bytes that activity() counts as read
  std::uint64_t read_bytes = 0;  // from fd

  void count_to(std::size_t offset) {
    if (mapped.bytes().empty() || offset <= counted) return;
    activity().bytes_read += offset - counted;
    counted = offset;
  }

  // Takes a regular file of `size` bytes: maps a large one, copies a small one.
  void take_file(UniqueFd file, std::size_t size) {
    activity().bytes_to_read += size;
    if (size > kReadSize) {
      mapped = MappedFile(std::move(file), size);
      raw_left = mapped.bytes();
      return;
    }
    memory.resize(size);
    std::size_t got = 0, n = 0;
    while (got < size &&
           (n = read_some(file.get(), memory.data() + got, size - got)) > 0)
      got += n;
    if (got < size) fail("became shorter while it was read");
    raw_left = memory;
  }

  std::size_t read_fd(char* out, std::size_t room) {
    const std::size_t got = read_some(fd.get(), out, room);
    read_bytes += got;
    return got;
  }

  // Reads enough of `fd` to see whether it is compressed.
  void read_magic() {
    raw.resize(kReadSize);
    std::size_t got = 0, n = 0;
    while (got < 4 && (n = read_fd(raw.data() + got, kReadSize - got)) > 0)
      got += n;
    raw_left = {raw.data(), got};
  }

  void look_for_compression() {
    const Compression kind = compression_of(raw_left);
    if (raw_left.starts_with("BZh") && raw_left.substr(4).starts_with("1AY"))
      fail("is compressed with bzip2; pass it through `bzip2 -dc`");
    if (kind != Compression::kNone) {
      unpack.emplace(kind);
    } else if (!fd) {
      whole = raw_left;
      is_whole = true;
    }
  }

  std::size_t read_raw(char* out, std::size_t room) {
    if (!unpack) {
      if (!raw_left.empty()) {  // read while looking for a magic number
        const std::size_t n = std::min(room, raw_left.size());
        std::memcpy(out, raw_left.data(), n);
        raw_left.remove_prefix(n);
        return n;
      }
      return read_fd(out, room);
    }
    while (true) {
      if (raw_left.empty() && fd) {
        raw.resize(kReadSize);
        raw_left = {raw.data(), read_fd(raw.data(), kReadSize)};
      }
      const bool source_ended = raw_left.empty();
      if (source_ended && unpack->complete()) return 0;
      const std::size_t made = unpack->step(raw_left, out, room);
      count_to(mapped.bytes().size() - raw_left.size());
      if (unpack->damaged() || (made == 0 && source_ended)) damaged = true;
      if (made > 0 || damaged) return made;
    }
  }

  // Reads until `wanted` bytes are in the buffer or the input ends.
  void fill(std::size_t wanted) {
    if (start > 0 && (start == end || start > buffer.size() / 2)) {
      std::memmove(buffer.data(), buffer.data() + start, end - start);
      end -= start;
      start = 0;
    }
    while (!at_end && end - start < wanted) {
      if (buffer.size() - end < kReadSize / 4)
        buffer.resize(std::max(buffer.size() * 2, end + kReadSize));
      const std::size_t got =
          read_raw(buffer.data() + end, buffer.size() - end);
      end += got;
      if (got == 0) at_end = true;
    }
  }

  // The last block of a truncated input, without its incomplete end.
  std::string_view without_broken_end(std::string_view block, bool paragraphs) {
    std::size_t cut = cut_point(block, paragraphs);
    if (cut == 0) cut = cut_point(block, false);
    broken_end = block.substr(cut, 200);
    return block.substr(0, cut);
  }

  // Drops the line that begins at `start`, without keeping it.
  void skip_line() {
    if (long_lines++ == 0) long_line = pending().substr(0, 200);
    while (start < end || !at_end) {
      const std::size_t found = pending().find('\n');
      start = found == std::string_view::npos ? end : start + found + 1;
      if (found != std::string_view::npos) return;
      fill(kReadSize);
    }
  }

  std::string_view pending() const {
    return std::string_view(buffer).substr(start, end - start);
  }
};

InputFile::InputFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
InputFile::InputFile(InputFile&&) noexcept = default;
InputFile& InputFile::operator=(InputFile&&) noexcept = default;
InputFile::~InputFile() = default;

InputFile InputFile::open(const std::string& path) {
  auto s = std::make_unique<State>();
  const bool standard_input = path == "-";
  s->name = standard_input ? "standard input" : path;
  in_context(s->name, [&] {
    s->fd =
        UniqueFd(standard_input ? ::dup(STDIN_FILENO)
                                : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!s->fd) fail("cannot open: {}", last_system_error());
    struct stat info {};
    if (fstat(s->fd.get(), &info) != 0)
      fail("cannot read: {}", last_system_error());
    if (S_ISDIR(info.st_mode)) fail("is a directory, not a file");
    // Standard input may be a file that another program has read a part of.
    const bool from_start =
        !standard_input || ::lseek(s->fd.get(), 0, SEEK_CUR) == 0;
    if (S_ISREG(info.st_mode) && info.st_size > 0 && from_start)
      s->take_file(std::exchange(s->fd, {}),
                   static_cast<std::size_t>(info.st_size));
    else
      s->read_magic();
    s->look_for_compression();
  });
  return InputFile(std::move(s));
}

InputFile InputFile::open_regular(const std::string& path, bool follow_link) {
  auto s = std::make_unique<State>();
  s->name = path;
  in_context(s->name, [&] {
    UniqueFd fd = wick::open_regular(
        path, {.follow_link = follow_link, .on_network = true});
    if (!fd && !follow_link && errno == EMEDIUMTYPE)
      fail("is a symbolic link or not a file; name the file it leads to");
    if (!fd) fail("cannot open: {}", open_error());
    struct stat info {};
    if (fstat(fd.get(), &info) != 0)
      fail("cannot read: {}", last_system_error());
    s->take_file(std::move(fd), static_cast<std::size_t>(info.st_size));
    s->look_for_compression();
  });
  return InputFile(std::move(s));
}

InputFile InputFile::from_fd(UniqueFd fd, std::string name) {
  auto s = std::make_unique<State>();
  s->name = std::move(name);
  s->fd = std::move(fd);
  in_context(s->name, [&] {
    s->read_magic();
    s->look_for_compression();
  });
  return InputFile(std::move(s));
}

InputFile InputFile::from_memory(std::string name, std::string content) {
  auto s = std::make_unique<State>();
  s->name = std::move(name);
  s->memory = std::move(content);
  s->raw_left = s->memory;
  s->look_for_compression();
  return InputFile(std::move(s));
}

const std::string& InputFile::name() const { return state_->name; }
std::size_t InputFile::size_hint() const { return state_->whole.size(); }
std::uint64_t InputFile::stored_bytes() const {
  return state_->mapped.bytes().size() + state_->memory.size() +
         state_->read_bytes;
}
bool InputFile::damaged() const { return state_->damaged; }
const std::string& InputFile::broken_end() const { return state_->broken_end; }
std::uint64_t InputFile::long_lines() const { return state_->long_lines; }
const std::string& InputFile::long_line() const { return state_->long_line; }

void InputFile::check_whole() const {
  const MappedFile& mapped = state_->mapped;
  if (mapped.became_shorter()) fail("became shorter while it was read");
  if (mapped.read_failed())
    fail("cannot read: {}", std::generic_category().message(EIO));
}

std::string_view InputFile::head() {
  if (state_->is_whole) return state_->whole.substr(0, kHeadSize);
  state_->fill(kHeadSize);
  return state_->pending().substr(0, kHeadSize);
}

std::string_view InputFile::bytes() {
  State& s = *state_;
  if (s.is_whole) {
    s.count_to(s.whole.size());
    return s.whole;
  }
  s.fill(kMaxBuffered + 1);
  if (s.end - s.start > kMaxBuffered)
    fail(
        "has more than {} MB, and this format cannot be read from a pipe or a "
        "compressed file of that size; write it to an uncompressed file first",
        kMaxBuffered >> 20);
  return s.pending();
}

std::string_view InputFile::peek(std::size_t size) {
  State& s = *state_;
  if (s.is_whole) return s.whole.substr(s.whole_at, size);
  s.fill(size);
  return s.pending().substr(0, size);
}

void InputFile::skip(std::size_t size) {
  State& s = *state_;
  if (!s.is_whole) {
    s.start += std::min(size, s.end - s.start);
    return;
  }
  s.whole_at += std::min(size, s.whole.size() - s.whole_at);
  s.count_to(s.whole_at);
  if (!s.mapped.bytes().empty()) s.mapped.release_before(s.whole_at);
}

std::string_view InputFile::next_block(std::size_t size, bool paragraphs) {
  State& s = *state_;
  if (s.is_whole) {
    std::string_view rest = s.whole.substr(s.whole_at);
    if (s.whole_at > 0 && !s.mapped.bytes().empty())
      s.mapped.release_before(s.whole_at);
    std::size_t cut = rest.size();
    for (std::size_t reach = size; reach < rest.size(); reach *= 2) {
      const std::size_t found = cut_point(rest.substr(0, reach), paragraphs);
      if (found == 0) continue;
      cut = found;
      break;
    }
    s.whole_at += cut;
    s.count_to(s.whole_at);
    return rest.substr(0, cut);
  }
  // At most kMaxLine is looked through for an end, unless `size` is more.
  const auto further = [&](std::size_t reach) {
    return std::max(size, std::min(reach * 2, kMaxLine + 1));
  };
  for (std::size_t reach = size;; reach = further(reach)) {
    s.fill(reach);
    std::string_view block = s.pending();
    std::size_t cut = s.at_end && block.size() <= reach
                          ? block.size()
                          : cut_point(block, paragraphs);
    if (cut == 0 && paragraphs && block.size() > kMaxLine)
      cut = cut_point(block, false);
    if (cut == 0 && block.size() > kMaxLine) {
      s.skip_line();
      reach = 0;
      continue;
    }
    if (cut == 0 && !s.at_end) continue;
    if (cut == 0) cut = block.size();
    s.start += cut;
    if (s.damaged && s.at_end && cut > 0 && cut == block.size())
      return s.without_broken_end(block, paragraphs);
    return block.substr(0, cut);
  }
}

}  // namespace wick
