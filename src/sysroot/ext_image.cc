// SPDX-License-Identifier: Apache-2.0
#include "sysroot/ext_image.h"

#include <ext2fs/ext2fs.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "sysroot/partition_table.h"

namespace wick {
namespace {

constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxTarget = 4096;  // of a symbolic link
constexpr std::string_view kElf = "\177ELF";

std::string open_problem(errcode_t error) {
  switch (error) {
    case EXT2_ET_BAD_MAGIC:
    case EXT2_ET_CORRUPT_SUPERBLOCK:
    case EXT2_ET_SB_CSUM_INVALID:
      return "the superblock is damaged; 'e2fsck -n' says more";
    case EXT2_ET_UNSUPP_FEATURE:
    case EXT2_ET_RO_UNSUPP_FEATURE:
    case EXT2_ET_REV_TOO_HIGH:
      return "the file system has features that libext2fs does not know; "
             "mount it and give the directory";
    case EXT2_ET_SHORT_READ:
      return "the image is truncated";
    case EXT2_ET_NO_MEMORY:
      return "the file system needs too much memory";
    default:
      return fmt::format(
          "the file system cannot be opened (libext2fs error {}); 'e2fsck -n' "
          "says more",
          error);
  }
}

// Collects where a file's blocks are.
class PieceCollector {
 public:
  PieceCollector(const ExtImage& image, std::uint64_t block_size,
                 std::uint64_t file_size)
      : image_(image), block_size_(block_size), file_size_(file_size) {}

  // False if that cannot be, or is more than the image has.
  bool add(std::uint64_t logical, std::uint64_t physical, std::uint64_t count) {
    if (logical > file_size_ / block_size_) return true;  // allocated ahead
    const std::uint64_t at = logical * block_size_;
    if (at >= file_size_) return true;
    const std::uint64_t image_blocks = image_.size / block_size_;
    if (physical > image_blocks || count > image_blocks) return false;
    const std::uint64_t size = std::min(count * block_size_, file_size_ - at);
    stored_ += size;
    if (stored_ > image_.size) return false;
    const std::uint64_t from = image_.start + physical * block_size_;
    if (!pieces_.empty()) {
      FilePiece& last = pieces_.back();
      if (last.file_off + last.size == at &&
          last.stored_at + last.size == from) {
        last.size += size;
        return true;
      }
    }
    pieces_.push_back({.file_off = at, .size = size, .stored_at = from});
    return true;
  }

  std::vector<FilePiece> take() { return std::move(pieces_); }

 private:
  const ExtImage& image_;
  std::uint64_t block_size_, file_size_;
  std::uint64_t stored_ = 0;
  std::vector<FilePiece> pieces_;
};

// libext2fs calls this; it is C and must not see an exception.
int collect_block(ext2_filsys /*fs*/, blk64_t* block, e2_blkcnt_t index,
                  blk64_t /*ref_block*/, int /*ref_offset*/, void* data) {
  auto& [collector, is_good] =
      *static_cast<std::pair<PieceCollector*, bool>*>(data);
  if (index < 0 || *block == 0) return 0;
  try {
    is_good = collector->add(static_cast<std::uint64_t>(index), *block, 1);
  } catch (...) {
    is_good = false;
  }
  return is_good ? 0 : BLOCK_ABORT;
}

struct DirectoryEntry {
  ext2_ino_t inode = 0;
  std::string name;
};

struct DirectoryEntries {
  std::vector<DirectoryEntry> entries;
  std::size_t most = 0;
  bool is_full = false;
};

int collect_entry(ext2_ino_t /*directory*/, int /*kind*/,
                  struct ext2_dir_entry* entry, int /*offset*/,
                  int /*block_size*/, char* /*block*/, void* data) {
  auto& found = *static_cast<DirectoryEntries*>(data);
  const std::string_view name(
      entry->name, static_cast<std::size_t>(ext2fs_dirent_name_len(entry)));
  if (entry->inode == 0 || name.empty() || name == "." || name == "..")
    return 0;
  try {
    if (found.entries.size() < found.most)
      found.entries.push_back(
          {.inode = entry->inode, .name = std::string(name)});
    else
      found.is_full = true;
  } catch (...) {
    found.is_full = true;
  }
  return found.is_full ? DIRENT_ABORT : 0;
}

class ExtLister {
 public:
  ExtLister(const ExtImage& image, FileListWriter& list)
      : image_(image), list_(list) {}
  ~ExtLister() {
    if (fs_ != nullptr) ext2fs_free(fs_);
  }
  ExtLister(const ExtLister&) = delete;
  ExtLister& operator=(const ExtLister&) = delete;

  void run() {
    const std::string name = std::to_string(image_.fd);
    const std::string offset = fmt::format("offset={}", image_.start);
    const errcode_t error = ext2fs_open2(name.c_str(), offset.c_str(),
                                         EXT2_FLAG_64BITS | EXT2_FLAG_SKIP_MMP,
                                         0, 0, unixfd_io_manager, &fs_);
    if (error != 0) {
      list_.add_error(open_problem(error));
      return;
    }
    left_ = list_.limits().entries;
    waiting_.push_back({.inode = EXT2_ROOT_INO, .path = "", .depth = 0});
    seen_.insert(EXT2_ROOT_INO);
    while (!waiting_.empty()) {
      const Directory next = std::move(waiting_.back());
      waiting_.pop_back();
      list_directory(next);
    }
    list_.finish();
  }

 private:
  struct Directory {
    ext2_ino_t inode = 0;
    std::string path;
    std::size_t depth = 0;
  };

  void list_directory(const Directory& directory) {
    DirectoryEntries found{.entries = {}, .most = left_};
    const errcode_t error = ext2fs_dir_iterate2(fs_, directory.inode, 0,
                                                nullptr, collect_entry, &found);
    left_ -= found.entries.size();
    if (error != 0) list_.add_unreadable(directory.path + "/");
    if (found.is_full) list_.add_left_out(directory.path + "/");
    for (const DirectoryEntry& entry : found.entries) {
      const std::string path = path_in_image(directory.path + "/" + entry.name);
      if (path.empty() ||
          path.size() != directory.path.size() + 1 + entry.name.size())
        list_.add_unreadable(directory.path + "/" + entry.name);
      else
        list_entry(entry.inode, path, directory.depth);
    }
  }

  void list_entry(ext2_ino_t number, const std::string& path,
                  std::size_t depth) {
    if (const auto known = files_.find(number); known != files_.end()) {
      if (known->second)
        list_.add(FileList::Name{.path = path, .file = *known->second});
      return;
    }
    ext2_inode inode{};
    if (ext2fs_read_inode(fs_, number, &inode) != 0) {
      list_.add_unreadable(path);
      return;
    }
    if (LINUX_S_ISDIR(inode.i_mode)) {
      if (!seen_.insert(number).second) return;  // a loop
      if (depth >= kMaxDepth)
        list_.add_left_out(path + "/");
      else
        waiting_.push_back({.inode = number, .path = path, .depth = depth + 1});
    } else if (LINUX_S_ISLNK(inode.i_mode)) {
      list_link(number, inode, path);
    } else if (LINUX_S_ISREG(inode.i_mode)) {
      const auto file = list_file(number, inode, path);
      if (inode.i_links_count > 1) files_.emplace(number, file);
    }
  }

  void list_link(ext2_ino_t number, ext2_inode& inode,
                 const std::string& path) {
    const std::uint64_t size = EXT2_I_SIZE(&inode);
    std::string target;
    if (size > 0 && size <= kMaxTarget && ext2fs_is_fast_symlink(&inode)) {
      target.assign(reinterpret_cast<const char*>(inode.i_block),
                    std::min<std::size_t>(size, sizeof inode.i_block));
    } else if (size > 0 && size <= kMaxTarget) {
      if (const auto pieces = pieces_of(number, inode, size);
          pieces && !pieces->empty() && pieces->front().file_off == 0)
        target = read_at(image_.fd, pieces->front().stored_at,
                         std::min(size, pieces->front().size));
    }
    if (target.size() == size && size > 0)
      list_.add(FileList::Link{.path = path, .target = target});
    else
      list_.add_unreadable(path);
  }

  // Nothing if it is not an ELF file, or cannot be read.
  std::optional<std::uint32_t> list_file(ext2_ino_t number, ext2_inode& inode,
                                         const std::string& path) {
    const std::uint64_t size = EXT2_I_SIZE(&inode);
    // What is stored inside an inode is too small for a program.
    if (size < kElf.size() || (inode.i_flags & EXT4_INLINE_DATA_FL) != 0)
      return {};
    if ((inode.i_flags & EXT4_ENCRYPT_FL) != 0) {
      list_.add_unreadable(path);
      return {};
    }
    auto pieces = pieces_of(number, inode, size);
    if (!pieces) {
      list_.add_unreadable(path);
      return {};
    }
    if (pieces->empty() || pieces->front().file_off != 0 ||
        read_at(image_.fd, pieces->front().stored_at, kElf.size()) != kElf)
      return {};
    std::uint64_t stored = 0;
    for (const FilePiece& piece : *pieces) stored += piece.size;
    // Blocks belong to one file only, so all files have no more than the image.
    const std::uint64_t most = std::min(image_.size, kMaxStored);
    if (list_.file_count() >= list_.limits().files || stored > most - stored_) {
      list_.add_left_out(path);
      return {};
    }
    stored_ += stored;
    const std::uint32_t file =
        list_.add(FileList::File{.size = size, .pieces = std::move(*pieces)});
    list_.add(FileList::Name{.path = path, .file = file});
    return file;
  }

  std::optional<std::vector<FilePiece>> pieces_of(ext2_ino_t number,
                                                  ext2_inode& inode,
                                                  std::uint64_t size) {
    PieceCollector collector(image_, fs_->blocksize, size);
    const bool is_good = (inode.i_flags & EXT4_EXTENTS_FL) != 0
                             ? collect_extents(number, inode, collector)
                             : collect_blocks(number, collector);
    if (!is_good) return {};
    FilePieces whole{
        .around = nullptr, .size = size, .pieces = collector.take()};
    if (!is_valid(whole, image_.size)) return {};
    return std::move(whole.pieces);
  }

  bool collect_blocks(ext2_ino_t number, PieceCollector& collector) {
    std::pair<PieceCollector*, bool> state{&collector, true};
    const errcode_t error = ext2fs_block_iterate3(
        fs_, number, BLOCK_FLAG_READ_ONLY | BLOCK_FLAG_DATA_ONLY, nullptr,
        collect_block, &state);
    return error == 0 && state.second;
  }

  bool collect_extents(ext2_ino_t number, ext2_inode& inode,
                       PieceCollector& collector) {
    ext2_extent_handle_t handle = nullptr;
    if (ext2fs_extent_open2(fs_, number, &inode, &handle) != 0) return false;
    const std::unique_ptr<ext2_extent_handle, decltype(&ext2fs_extent_free)>
        owner(handle, ext2fs_extent_free);
    ext2fs_extent extent{};
    errcode_t error = ext2fs_extent_get(handle, EXT2_EXTENT_ROOT, &extent);
    while (error == 0) {
      const bool is_data = (extent.e_flags & EXT2_EXTENT_FLAGS_LEAF) != 0 &&
                           (extent.e_flags & EXT2_EXTENT_FLAGS_UNINIT) == 0;
      if (is_data && !collector.add(extent.e_lblk, extent.e_pblk, extent.e_len))
        return false;
      error = ext2fs_extent_get(handle, EXT2_EXTENT_NEXT_LEAF, &extent);
    }
    return error == EXT2_ET_EXTENT_NO_NEXT || error == EXT2_ET_NO_CURRENT_NODE;
  }

  // Nothing is copied from an image, so this is no matter of space.
  static constexpr std::uint64_t kMaxStored = std::uint64_t{1} << 40;

  const ExtImage& image_;
  FileListWriter& list_;
  ext2_filsys fs_ = nullptr;
  std::vector<Directory> waiting_;
  absl::flat_hash_set<ext2_ino_t> seen_;
  // Files of several names; nothing for those that are not listed.
  absl::flat_hash_map<ext2_ino_t, std::optional<std::uint32_t>> files_;
  std::size_t left_ = 0;  // entries that may still be read
  std::uint64_t stored_ = 0;
};

}  // namespace

void list_ext_image(const ExtImage& image, FileListWriter& list) {
  ExtLister(image, list).run();
}

}  // namespace wick
