// SPDX-License-Identifier: Apache-2.0
#include "sysroot/sysroot_image.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "io/compress.h"
#include "io/confined_child.h"
#include "sysroot/cpio.h"
#include "sysroot/ext_image.h"
#include "sysroot/partition_table.h"

namespace wick {
namespace {

constexpr int kMaxLinks = 40;  // the kernel's limit

struct OpenImage {
  UniqueFd fd;
  std::uint64_t size = 0;
};

OpenImage open_image(const std::string& path, const OpenRules& rules) {
  OpenImage image{.fd = open_regular(path, rules)};
  if (!image.fd) fail("{}", open_error());
  struct stat info {};
  if (::fstat(image.fd.get(), &info) != 0) fail("{}", last_system_error());
  image.size = static_cast<std::uint64_t>(info.st_size);
  return image;
}

// Images that other programs can convert.
void refuse_known_kinds(std::string_view head) {
  if (head.starts_with("QFI\xfb"))
    fail(
        "is a qcow2 image; 'qemu-img convert -O raw' makes one that wick "
        "reads");
  if (head.starts_with("hsqs"))
    fail(
        "is a squashfs image; unpack it with unsquashfs and give the "
        "directory");
  if (head.starts_with("BZh") || head.starts_with("\x02\x21\x4c\x18") ||
      head.starts_with("\x04\x22\x4d\x18") ||
      head.starts_with(std::string_view("\x5d\0\0", 3)) ||
      head.starts_with("\x89LZO"))
    fail("is compressed in a way that wick does not read; decompress it first");
}

// Where the file system begins; nothing if there is none.
std::optional<std::uint64_t> find_file_system(const OpenImage& image) {
  const int fd = image.fd.get();
  if (is_ext_at(fd, 0)) return 0;
  std::vector<std::uint64_t> found;
  for (const std::uint64_t start : partition_starts(fd))
    if (is_ext_at(fd, start)) found.push_back(start);
  if (found.size() > 1)
    fail(
        "has {} partitions with an ext file system; mount one and give the "
        "directory, or copy one to a file of its own with dd",
        found.size());
  if (found.empty()) return {};
  return found.front();
}

// A file in TMPDIR that has no name and goes with the process; in memory where
// the file system has no such files.
UniqueFd unnamed_file() {
  const char* folder = std::getenv("TMPDIR");
  UniqueFd fd(::open(folder != nullptr && *folder != 0 ? folder : "/tmp",
                     O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600));
  if (!fd) fd = UniqueFd(::memfd_create("wick", MFD_CLOEXEC));
  if (!fd) fail("cannot create a temporary file: {}", last_system_error());
  return fd;
}

// Appends to `fd`; false if there is no space.
bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(fd, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  return true;
}

void list_initramfs_of(const OpenImage& image, int store,
                       FileListWriter& list) {
  void* memory =
      ::mmap(nullptr, image.size, PROT_READ, MAP_PRIVATE, image.fd.get(), 0);
  if (memory == MAP_FAILED) {
    list.add_error("cannot be mapped into memory");
    return;
  }
  try {
    list_initramfs(
        {static_cast<const char*>(memory), image.size},
        [&](std::string_view bytes) { return write_all(store, bytes); }, list);
  } catch (const Error& error) {
    list.add_error(error.what());
  }
}

// The list, and the file that it describes parts of.
struct ListedImage {
  FileList list;
  OpenImage around;
};

FileList list_of(ConfinedAnswer answer) {
  FileList list = read_file_list(answer.bytes);
  if (list.error.empty() && !list.is_complete)
    list.error =
        answer.problem.empty() ? "its reader ended early" : answer.problem;
  return list;
}

ListedImage list_image(OpenImage image) {
  const int fd = image.fd.get();
  const std::string head = read_at(fd, 0, 512);
  refuse_known_kinds(head);
  if (is_cpio(head) || compression_of(head) != Compression::kNone) {
    OpenImage store{.fd = unnamed_file()};
    const int kept[] = {fd, store.fd.get()};
    FileList list = list_of(
        run_confined({.memory = (std::uint64_t{512} << 20) + image.size,
                      .written_file = FileListLimits{}.total},
                     kept, [&](const AnswerPipe& out) {
                       FileListWriter writer(
                           [&](std::string_view bytes) { out.send(bytes); });
                       list_initramfs_of(image, store.fd.get(), writer);
                     }));
    struct stat info {};
    if (::fstat(store.fd.get(), &info) == 0)
      store.size = static_cast<std::uint64_t>(info.st_size);
    return {.list = std::move(list), .around = std::move(store)};
  }
  const auto start = find_file_system(image);
  if (!start)
    fail(
        "is neither a directory, an ext2, ext3 or ext4 image, nor an initramfs "
        "(cpio); if it can be mounted, give the mount point");
  const int kept[] = {fd};
  FileList list = list_of(run_confined({}, kept, [&](const AnswerPipe& out) {
    FileListWriter writer([&](std::string_view bytes) { out.send(bytes); });
    list_ext_image({.fd = fd, .start = *start, .size = image.size}, writer);
  }));
  return {.list = std::move(list), .around = std::move(image)};
}

std::string absolute_path(const std::string& path) {
  std::error_code error;
  const auto full = std::filesystem::absolute(path, error);
  return error ? path : full.lexically_normal().string();
}

}  // namespace

std::shared_ptr<const SysrootImage> SysrootImage::open(const std::string& path,
                                                       const OpenRules& rules) {
  return in_context(path, [&] {
    ListedImage found = list_image(open_image(path, rules));
    const FileList& list = found.list;
    if (list.names.empty())
      fail("{}", !list.error.empty() ? list.error
                 : !list.unreadable.empty()
                     ? "its directories are damaged; 'e2fsck -n' says more"
                     : "has no programs or libraries");
    return std::make_shared<const SysrootImage>(
        absolute_path(path), std::move(found.list), std::move(found.around.fd),
        found.around.size);
  });
}

SysrootImage::SysrootImage(std::string path, FileList files, UniqueFd around,
                           std::uint64_t size_around)
    : path_(std::move(path)),
      around_(std::make_shared<const UniqueFd>(std::move(around))) {
  for (const std::string& what : files.unreadable)
    diagnostics_.note_at(Problem::kUnreadableInImage, what);
  for (const std::string& what : files.left_out)
    diagnostics_.note_at(Problem::kLeftOutOfImage, what);
  // A path of many folders would leave no room for the reason.
  if (!files.error.empty())
    diagnostics_.note_at(Problem::kDamagedImage,
                         fmt::format("{}: {}", base_name(path_), files.error));
  add_files(files, size_around);
}

void SysrootImage::add_files(FileList& list, std::uint64_t size_around) {
  // What is wrong here, a reader of images has overlooked.
  std::vector<bool> is_good;
  for (FileList::File& file : list.files) {
    auto pieces = std::make_shared<FilePieces>(
        FilePieces{.around = around_,
                   .size = file.size,
                   .pieces = std::move(file.pieces)});
    is_good.push_back(is_valid(*pieces, size_around));
    pieces_.push_back(std::move(pieces));
  }
  for (FileList::Name& name : list.names)
    if (is_good[name.file])
      files_.insert_or_assign(std::move(name.path), name.file);
    else
      diagnostics_.note_at(Problem::kUnreadableInImage, name.path);
  for (FileList::Link& link : list.links)
    links_.insert_or_assign(std::move(link.path), std::move(link.target));
}

std::vector<std::string> SysrootImage::files() const {
  std::vector<std::string> all;
  for (const auto& [path, file] : files_) all.push_back(path);
  std::ranges::sort(all);
  std::vector<bool> seen(pieces_.size());
  std::erase_if(all, [&](const std::string& path) {
    const std::uint32_t file = files_.find(path)->second;
    const bool is_known = seen[file];
    seen[file] = true;
    return is_known;
  });
  return all;
}

std::shared_ptr<const FilePieces> SysrootImage::find(
    std::string_view path) const {
  std::string rest(path), at;
  for (int links = 0; !rest.empty();) {
    const std::size_t size = std::min(rest.find('/'), rest.size());
    const std::string part = rest.substr(0, size);
    rest.erase(0, size + 1);
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      at.resize(at.empty() ? 0 : at.rfind('/'));
      continue;
    }
    at += "/" + part;
    const auto link = links_.find(at);
    if (link == links_.end()) continue;
    if (++links > kMaxLinks) return nullptr;
    const std::string& target = link->second;
    at.resize(target.starts_with('/') ? 0 : at.rfind('/'));
    rest = rest.empty() ? target : target + "/" + rest;
  }
  const auto found = files_.find(at);
  return found == files_.end() ? nullptr : pieces_[found->second];
}

std::optional<std::string_view> SysrootImage::inside(
    std::string_view path) const {
  if (!path.starts_with(path_) || !path.substr(path_.size()).starts_with('/'))
    return {};
  return path.substr(path_.size());
}

Sysroot open_sysroot(const std::string& path, const OpenRules& rules) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0)
    fail("{}: {}", path, last_system_error());
  if (S_ISDIR(info.st_mode)) return {.path = path};
  auto image = SysrootImage::open(path, rules);
  const std::string name = image->path();
  return {.path = name, .image = std::move(image)};
}

}  // namespace wick
