// SPDX-License-Identifier: Apache-2.0
#include "object/symbol_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "base/bytes.h"
#include "base/text.h"
#include "io/output_file.h"
#include "io/output_place.h"
#include "io/unique_fd.h"
#include "object/resolved_coding.h"

namespace wick {
namespace {

constexpr std::string_view kMagic = "wicksym2";

bool is_file_name(std::string_view build_id) {
  return build_id.size() >= 8 && build_id.size() <= 128 &&
         all_hex_digits(build_id);
}

// Against damage, not malice: only the user can write to the folder.
std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t sum = 0x9e3779b97f4a7c15;
  for (std::size_t at = 0; at < bytes.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at,
                std::min<std::size_t>(8, bytes.size() - at));
    sum = (sum ^ word) * 0xff51afd7ed558ccd;
    sum ^= sum >> 32;
  }
  return sum;
}

std::string packed(std::string_view sources, const Resolved& resolved) {
  std::string out;
  append_text(out, sources);
  append_resolved(out, resolved);
  return out;
}

std::optional<Resolved> unpacked(std::string_view bytes,
                                 std::string_view sources) {
  ByteReader in(bytes);
  if (read_text(in) != sources) return {};
  auto resolved = read_resolved(in);
  if (!in.at_end()) return {};
  return resolved;
}

bool is_own_file(const struct stat& info) {
  return S_ISREG(info.st_mode) && info.st_uid == ::geteuid();
}

// Nothing unless it is a file of this user of at most `max_size` bytes.
std::optional<std::string> content_of(const UniqueFd& file,
                                      std::uint64_t max_size) {
  struct stat info {};
  if (!file || ::fstat(file.get(), &info) != 0 || !is_own_file(info) ||
      static_cast<std::uint64_t>(info.st_size) > max_size)
    return {};
  std::string content(static_cast<std::size_t>(info.st_size), '\0');
  std::size_t used = 0;
  while (used < content.size()) {
    const ssize_t got =
        ::read(file.get(), content.data() + used, content.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return {};
    used += static_cast<std::size_t>(got);
  }
  return content;
}

// Files of the cache, and what a killed run left of one. Other names are none
// of its business.
bool is_of_cache(std::string_view name) {
  if (name.ends_with(".part")) name = name.substr(0, name.find('.'));
  return is_file_name(name);
}

std::vector<std::string> names_in(int folder) {
  const int copy = ::dup(folder);
  const std::unique_ptr<DIR, int (*)(DIR*)> list(::fdopendir(copy), ::closedir);
  std::vector<std::string> names;
  if (!list) {
    ::close(copy);
    return names;
  }
  while (const dirent* entry = ::readdir(list.get()))
    if (is_of_cache(entry->d_name)) names.emplace_back(entry->d_name);
  return names;
}

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

OutputName SymbolCache::default_folder() {
  // The user chose `folder`, by the environment.
  const auto below = [](const std::string& folder) {
    return OutputName::chosen(folder + "/wick/symbols", folder);
  };
  const auto value = [](const char* name) -> std::string {
    const char* text = std::getenv(name);
    return text != nullptr && *text == '/' ? text : "";
  };
  if (const std::string cache = value("XDG_CACHE_HOME"); !cache.empty())
    return below(cache);
  // A home that does not exist (of a service) is not made for a cache.
  if (const std::string home = value("HOME");
      !home.empty() && ::access(home.c_str(), X_OK) == 0)
    return below(home + "/.cache");
  return {};
}

std::optional<Resolved> SymbolCache::load(std::string_view build_id,
                                          std::string_view sources) const {
  if (folder_.empty() || !is_file_name(build_id)) return {};
  const UniqueFd folder = open_own_folder(folder_, false);
  if (!folder) return {};
  const UniqueFd file(
      ::openat(folder.get(), std::string(build_id).c_str(),
               O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  const std::optional<std::string> content = content_of(file, max_bytes_);
  if (!content) return {};
  ByteReader in(*content);
  if (in.read_bytes(kMagic.size()) != kMagic) return {};
  const auto sum = in.read<std::uint64_t>();
  if (in.failed() || checksum(in.rest()) != sum) return {};
  auto resolved = unpacked(in.rest(), sources);
  // Marks it as used: the oldest are removed first.
  if (resolved) ::futimens(file.get(), nullptr);
  return resolved;
}

void SymbolCache::store(std::string_view build_id, std::string_view sources,
                        const Resolved& resolved) const {
  if (folder_.empty() || !is_file_name(build_id)) return;
  const std::string content = packed(sources, resolved);
  if (content.size() > max_bytes_ / 4) return;
  UniqueFd folder = open_own_folder(folder_, true);
  if (!folder) return;
  const UniqueFd readable(
      ::openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  try {
    OutputFile file(std::move(folder), std::string(build_id));
    std::string header(kMagic);
    append_raw(header, checksum(content));
    file.stream() << header << content;
    file.commit();
  } catch (const std::exception&) {
    return;
  }
  remove_oldest(readable.get());
}

void SymbolCache::remove_oldest(int folder) const {
  struct File {
    std::int64_t time;  // of its last use
    std::uint64_t size;
    std::string name;
  };
  std::vector<File> files;
  std::uint64_t total = 0;
  for (const std::string& name : names_in(folder)) {
    struct stat info {};
    if (::fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0 ||
        !is_own_file(info))
      continue;
    const auto size = static_cast<std::uint64_t>(info.st_size);
    files.push_back({nanoseconds(info.st_mtim), size, name});
    total += size;
  }
  std::ranges::sort(files, {}, &File::time);
  for (const File& file : files) {
    if (total <= max_bytes_) return;
    ::unlinkat(folder, file.name.c_str(), 0);
    total -= file.size;
  }
}

}  // namespace wick
