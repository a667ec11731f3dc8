// SPDX-License-Identifier: Apache-2.0
#include "itrace/code/user_files.h"

#include <elf.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "io/open_regular.h"
#include "io/unique_fd.h"
#include "sysroot/sysroot_image.h"

namespace wick {
namespace {

namespace fs = std::filesystem;

// The most directory entries visited, in case the sysroot is a whole file
// server.
constexpr std::size_t kMaxEntries = 2'000'000;

// Nothing is executed from there.
bool is_skipped(std::string_view name) {
  return name == "proc" || name == "sys" || name == "dev" || name == "boot";
}

// Regular files, sorted, so that the same sysroot gives the same answer.
// Symbolic links are not followed: their targets are found as well.
std::vector<std::string> files_below(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code error;
  fs::recursive_directory_iterator at(
      folder, fs::directory_options::skip_permission_denied, error);
  for (std::size_t n = 0; !error && at != fs::end(at) && n < kMaxEntries;
       ++n, at.increment(error)) {
    std::error_code ignored;
    const bool is_link = at->is_symlink(ignored);
    if ((at.depth() == 0 && is_skipped(at->path().filename().string())) ||
        at.depth() > 64)
      at.disable_recursion_pending();
    else if (!is_link && at->is_regular_file(ignored))
      found.push_back(at->path().string());
  }
  std::ranges::sort(found);
  return found;
}

// The same for an image, with paths inside it.
std::vector<std::string> files_in(const SysrootImage& image) {
  std::vector<std::string> found = image.files();
  std::erase_if(found, [](std::string_view path) {
    path.remove_prefix(1);
    return is_skipped(path.substr(0, path.find('/')));
  });
  return found;
}

// The size of the ELF file at the start of `bytes`: up to the end of its
// section headers, which come last.
std::size_t image_size(std::string_view bytes) {
  ByteReader in(bytes);
  in.read_bytes(0x28);
  const auto section_offset = in.read<std::uint64_t>();
  in.read_bytes(0x3a - 0x30);
  const auto entry_size = in.read<std::uint16_t>();
  const auto count = in.read<std::uint16_t>();
  if (in.failed() || section_offset > bytes.size()) return 0;
  return std::min<std::size_t>(
      bytes.size(), section_offset + std::size_t{entry_size} * count);
}

}  // namespace

std::shared_ptr<const ElfFile> find_vdso(const ElfFile& kernel) {
  // It begins at a page boundary of the kernel's data, and is the only ELF file
  // there apart from the vDSO of 32-bit programs.
  for (const ElfFile::Section& section : kernel.sections()) {
    if ((section.flags & SHF_ALLOC) == 0 || section.type != SHT_PROGBITS)
      continue;
    const std::string_view bytes = kernel.bytes(section);
    for (std::size_t at = -section.address & kTextPageMask; at < bytes.size();
         at += kTextPageSize) {
      const std::string_view rest = bytes.substr(at);
      if (!rest.starts_with(ELFMAG) || rest.size() < 64 ||
          rest[EI_CLASS] != ELFCLASS64)
        continue;
      try {
        auto elf = ElfFile::from_memory(
            "[vdso]", std::string(rest.substr(0, image_size(rest))));
        if (elf->machine() == Machine::kRiscV && elf->type() == ET_DYN)
          return elf;
      } catch (const Error&) {
        // Bytes that only look like an ELF file.
      }
    }
  }
  return nullptr;
}

std::optional<BinaryId> UserFiles::add(const std::string& path,
                                       std::shared_ptr<const ElfFile> elf) {
  const auto id = index_.add(path, std::move(elf));
  if (id) by_name_.try_emplace(std::string(base_name(path)), *id);
  return id;
}

void UserFiles::add_kernel(const ElfFile& kernel) {
  if (auto vdso = find_vdso(kernel)) add("[vdso]", std::move(vdso));
}

std::optional<BinaryId> UserFiles::add_file(const std::string& path) {
  try {
    return add(path, ElfFile::open(path));
  } catch (const Error&) {
    return {};  // most files of a sysroot are not ELF files
  }
}

// Links of a sysroot lead into it.
std::optional<BinaryId> UserFiles::add_in_sysroot(const std::string& path) {
  if (sysroot_.image) return add_in_image(path);
  const std::string name = sysroot_.path + path;
  UniqueFd fd = open_regular_in(sysroot_.path, path, {.on_network = true});
  if (!fd) return {};
  try {
    return add(name, ElfFile::from_fd(std::move(fd), name));
  } catch (const Error&) {
    return {};
  }
}

std::optional<BinaryId> UserFiles::add_in_image(const std::string& path) {
  auto pieces = sysroot_.image->find(path);
  if (!pieces) return {};
  const std::string name = sysroot_.path + path;
  try {
    return add(name, ElfFile::from_pieces(std::move(pieces), name, {}));
  } catch (const Error&) {
    return {};
  }
}

bool UserFiles::open_sysroot() {
  if (sysroot_is_open_ || sysroot_.path.empty()) return false;
  sysroot_is_open_ = true;
  const std::size_t before = index_.size();
  for (const std::string& path : sysroot_.image ? files_in(*sysroot_.image)
                                                : files_below(sysroot_.path)) {
    if (index_.size() >= kMaxFiles) break;
    sysroot_.image ? add_in_image(path) : add_file(path);
  }
  return index_.size() > before;
}

std::optional<BinaryId> UserFiles::find(std::string_view path) {
  if (!sysroot_.path.empty() && path.starts_with('/')) {
    if (const auto id = add_in_sysroot(std::string(path))) return id;
    // A link that was made on this machine.
    if (!sysroot_.image && path.find("/../") == path.npos)
      if (const auto id = add_file(sysroot_.path + std::string(path)))
        return id;
  }
  const std::string name(base_name(path));
  auto found = by_name_.find(name);
  if (found == by_name_.end() && open_sysroot()) found = by_name_.find(name);
  if (found == by_name_.end()) return {};
  return found->second;
}

}  // namespace wick
