// SPDX-License-Identifier: Apache-2.0
#include "sysroot/cpio.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "base/error.h"
#include "base/text.h"
#include "io/compress.h"

namespace wick {
namespace {

constexpr std::string_view kElfMagic = "\177ELF";
constexpr std::size_t kMagicSize = 6, kHeaderSize = 110;
constexpr std::uint64_t kMaxName = 4096;

// The bytes of archives, plain or decompressed.
class ArchiveBytes {
 public:
  // Begins at the front of `rest`.
  explicit ArchiveBytes(std::string_view& rest) : rest_(rest) {
    const Compression kind = compression_of(rest);
    if (kind == Compression::kNone) return;
    decompressor_.emplace(kind);
    buffer_.resize(std::size_t{1} << 18);
  }

  bool is_compressed() const { return decompressor_.has_value(); }
  bool is_damaged() const { return decompressor_ && decompressor_->damaged(); }
  // How many bytes were taken.
  std::uint64_t position() const { return position_; }

  // At most `most` of the next bytes, for the caller to take; empty at the end.
  // Valid until the next call.
  std::string_view peek(std::uint64_t most) {
    if (!decompressor_) return rest_.substr(0, most);
    if (ready_.empty()) fill();
    return ready_.substr(0, most);
  }
  void take(std::size_t size) {
    (decompressor_ ? ready_ : rest_).remove_prefix(size);
    position_ += size;
  }

  // Exactly `size` bytes; nothing if there are fewer.
  std::optional<std::string> take_text(std::size_t size) {
    std::string text;
    while (text.size() < size) {
      const std::string_view more = peek(size - text.size());
      if (more.empty()) return {};
      text += more;
      take(more.size());
    }
    return text;
  }
  bool skip(std::uint64_t size) {
    while (size > 0) {
      const std::size_t more = peek(size).size();
      if (more == 0) return false;
      take(more);
      size -= more;
    }
    return true;
  }
  void skip_zeros() {
    while (peek(1) == std::string_view("\0", 1)) take(1);
  }

 private:
  // What follows the compressed stream is the next archive's.
  void fill() {
    while (ready_.empty() && !rest_.empty() && !decompressor_->complete()) {
      const std::size_t made =
          decompressor_->step(rest_, buffer_.data(), buffer_.size());
      ready_ = std::string_view(buffer_).substr(0, made);
    }
    // A few bytes may still be inside the decompressor.
    if (ready_.empty() && !decompressor_->complete() && !is_damaged()) {
      const std::size_t made =
          decompressor_->step(rest_, buffer_.data(), buffer_.size());
      ready_ = std::string_view(buffer_).substr(0, made);
    }
  }

  std::string_view& rest_;
  std::optional<Decompressor> decompressor_;
  std::string buffer_;
  std::string_view ready_;
  std::uint64_t position_ = 0;
};

struct CpioHeader {
  std::uint64_t inode = 0, mode = 0, links = 0, size = 0;
  std::uint64_t dev_major = 0, dev_minor = 0, name_size = 0;
};

// `text` is what follows the magic number.
std::optional<CpioHeader> parse_header(std::string_view text) {
  std::array<std::uint64_t, 13> fields{};
  for (std::uint64_t& field : fields) {
    const auto value = to_number<std::uint64_t>(text.substr(0, 8), 16);
    if (!value) return {};
    field = *value;
    text.remove_prefix(8);
  }
  return CpioHeader{.inode = fields[0],
                    .mode = fields[1],
                    .links = fields[4],
                    .size = fields[6],
                    .dev_major = fields[7],
                    .dev_minor = fields[8],
                    .name_size = fields[11]};
}

std::uint64_t padding(std::uint64_t size) { return -size & 3; }

class InitramfsLister {
 public:
  InitramfsLister(const std::function<bool(std::string_view)>& store,
                  FileListWriter& list)
      : store_(store), list_(list) {}

  void run(std::string_view bytes) {
    while (true) {
      bytes.remove_prefix(
          std::min(bytes.find_first_not_of('\0'), bytes.size()));
      if (bytes.empty()) break;
      ArchiveBytes in(bytes);
      std::string problem = list_archives(in);
      if (in.is_damaged()) problem = "the compressed data is damaged";
      if (!problem.empty()) {
        list_.add_error(problem);
        return;
      }
    }
    list_.finish();
  }

 private:
  // Those of one compressed stream, or one that is not compressed: what follows
  // it may be. Returns what is wrong with it, or "".
  std::string list_archives(ArchiveBytes& in) {
    do {
      bool is_end = false;
      while (!is_end) {
        if (std::string problem = list_entry(in, is_end); !problem.empty())
          return problem;
        if (++entries_ > list_.limits().entries)
          return "it has too many entries";
      }
      links_.clear();  // inodes count within one archive
      in.skip_zeros();
    } while (in.is_compressed() && !in.peek(1).empty());
    return "";
  }

  std::string list_entry(ArchiveBytes& in, bool& is_end) {
    const std::uint64_t start = in.position();
    const auto magic = in.take_text(kMagicSize);
    if (!magic) return "the archive is truncated";
    if (!is_cpio(*magic) && start == 0 && entries_ == 0)
      return "is not a cpio archive; if it is a compressed disk image, "
             "decompress it first";
    const std::string damaged =
        fmt::format("the archive is damaged at byte {}", start);
    if (!is_cpio(*magic)) return damaged;
    const auto text = in.take_text(kHeaderSize - kMagicSize);
    if (!text) return "the archive is truncated";
    const auto header = parse_header(*text);
    if (!header || header->name_size == 0 || header->name_size > kMaxName)
      return damaged;
    auto name = in.take_text(header->name_size);
    if (!name || !in.skip(padding(kHeaderSize + header->name_size)))
      return "the archive is truncated";
    name->resize(std::min(name->find('\0'), name->size()));
    if (*name == "TRAILER!!!") {
      is_end = true;
      // Its padding may be missing.
      return in.skip(header->size) ? "" : "the archive is truncated";
    }
    if (!take_data(in, *header, *name)) {
      if (const std::string path = path_in_image(*name); !path.empty())
        list_.add_unreadable(path);
      return "the archive is truncated";
    }
    in.skip(padding(header->size));
    return "";
  }

  // False if the data is incomplete.
  bool take_data(ArchiveBytes& in, const CpioHeader& header,
                 const std::string& name) {
    const std::string path = path_in_image(name);
    const bool is_link = S_ISLNK(header.mode);
    if (path.empty() || !(S_ISREG(header.mode) || is_link)) {
      if (path.empty() && (S_ISREG(header.mode) || is_link))
        list_.add_unreadable(excerpt(name));
      return in.skip(header.size);
    }
    if (is_link) {
      if (header.size > kMaxName) return in.skip(header.size);
      const auto target = in.take_text(header.size);
      if (target) list_.add(FileList::Link{.path = path, .target = *target});
      return target.has_value();
    }
    if (header.size == 0) {
      if (header.links > 1) note_link(header, path);
      return true;
    }
    const auto magic =
        in.take_text(std::min<std::size_t>(header.size, kElfMagic.size()));
    if (!magic) return false;
    if (*magic != kElfMagic) return in.skip(header.size - magic->size());
    return take_program(in, header, path);
  }

  bool take_program(ArchiveBytes& in, const CpioHeader& header,
                    const std::string& path) {
    const FileListLimits& limits = list_.limits();
    const std::uint64_t start = stored_;
    if (list_.file_count() >= limits.files || header.size > limits.file_size ||
        header.size > limits.total - stored_ || !put(kElfMagic)) {
      list_.add_left_out(path);
      return in.skip(header.size - kElfMagic.size());
    }
    for (std::uint64_t left = header.size - kElfMagic.size(); left > 0;) {
      const std::string_view more = in.peek(left);
      if (more.empty()) return false;
      if (!put(more)) {
        list_.add_left_out(path);
        return in.skip(left);
      }
      left -= more.size();
      in.take(more.size());
    }
    const std::uint32_t file = list_.add(FileList::File{
        .size = header.size,
        .pieces = {{.file_off = 0, .size = header.size, .stored_at = start}}});
    list_.add(FileList::Name{.path = path, .file = file});
    if (header.links > 1) {
      HardLinks& links = links_[key(header)];
      links.file = file;
      for (std::string& other : links.waiting)
        list_.add(FileList::Name{.path = std::move(other), .file = file});
      links.waiting.clear();
    }
    return true;
  }

  bool put(std::string_view bytes) {
    if (!store_(bytes)) return false;
    stored_ += bytes.size();
    return true;
  }

  void note_link(const CpioHeader& header, const std::string& path) {
    HardLinks& links = links_[key(header)];
    if (links.file)
      list_.add(FileList::Name{.path = path, .file = *links.file});
    else
      links.waiting.push_back(path);
  }

  using Key = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;
  static Key key(const CpioHeader& header) {
    return {header.inode, header.dev_major, header.dev_minor};
  }
  struct HardLinks {
    std::optional<std::uint32_t> file;  // once it was seen
    std::vector<std::string> waiting;
  };

  const std::function<bool(std::string_view)>& store_;
  FileListWriter& list_;
  absl::flat_hash_map<Key, HardLinks> links_;
  std::uint64_t stored_ = 0;
  std::size_t entries_ = 0;
};

}  // namespace

bool is_cpio(std::string_view head) {
  return head.starts_with("070701") || head.starts_with("070702");
}

void list_initramfs(std::string_view bytes,
                    const std::function<bool(std::string_view)>& store,
                    FileListWriter& list) {
  InitramfsLister(store, list).run(bytes);
}

}  // namespace wick
