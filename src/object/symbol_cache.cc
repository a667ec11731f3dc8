// SPDX-License-Identifier: Apache-2.0
#include "object/symbol_cache.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "base/bytes.h"
#include "base/text.h"
#include "io/output_file.h"
#include "io/read_file.h"

namespace wick {
namespace {

constexpr std::string_view kMagic = "wicksym1";

bool is_file_name(std::string_view build_id) {
  return build_id.size() >= 8 && build_id.size() <= 128 &&
         all_hex_digits(build_id);
}

// Against damage, not malice: the folder is the user's own.
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

void append_text(std::string& out, std::string_view text) {
  append_varint(out, text.size());
  out += text;
}

std::string_view read_text(ByteReader& in) {
  return in.read_bytes(in.read_varint());
}

std::string packed(std::string_view sources, const Resolved& resolved) {
  std::string out;
  append_text(out, sources);
  append_varint(out, resolved.texts().size());
  for (const std::string& text : resolved.texts()) append_text(out, text);
  append_varint(out, resolved.rows().size());
  std::vector<Resolved::Row> by_address(resolved.rows().begin(),
                                        resolved.rows().end());
  std::ranges::sort(by_address, {}, &Resolved::Row::elf_addr);
  std::uint64_t before = 0;
  for (const Resolved::Row& row : by_address) {
    append_varint(out, row.elf_addr - before);
    before = row.elf_addr;
    append_varint(out, row.count);
    for (const ResolvedFrame& frame : resolved.frames(row)) {
      append_varint(
          out, std::uint64_t{frame.function} << 1 | (frame.inlined ? 1 : 0));
      append_varint(out, frame.file);
      append_varint(out, frame.line);
    }
  }
  return out;
}

std::optional<Resolved> unpacked(std::string_view bytes,
                                 std::string_view sources) {
  ByteReader in(bytes);
  if (read_text(in) != sources) return {};
  Resolved resolved;
  // Ids of texts follow the order of first use, as when they were stored.
  const std::uint64_t texts = in.read_varint();
  if (!in.fits(texts, 1)) return {};
  std::vector<std::uint32_t> ids;
  for (std::uint64_t i = 0; i < texts; ++i)
    ids.push_back(resolved.text(read_text(in)));
  const std::uint64_t rows = in.read_varint();
  std::uint64_t address = 0;
  std::vector<ResolvedFrame> frames;
  for (std::uint64_t i = 0; i < rows && !in.failed(); ++i) {
    address += in.read_varint();
    const std::uint64_t count = in.read_varint();
    if (!in.fits(count, 3)) return {};
    frames.clear();
    for (std::uint64_t j = 0; j < count; ++j) {
      const std::uint64_t function = in.read_varint(), file = in.read_varint(),
                          line = in.read_varint();
      if (function / 2 >= ids.size() || file >= ids.size()) return {};
      frames.push_back({.function = ids[function / 2],
                        .file = ids[file],
                        .line = static_cast<std::uint32_t>(line),
                        .inlined = function % 2 == 1});
    }
    resolved.add(address, frames);
  }
  if (in.failed() || !in.at_end()) return {};
  return resolved;
}

}  // namespace

std::string SymbolCache::default_folder() {
  const auto from = [](const char* name, std::string_view rest) {
    const char* value = std::getenv(name);
    return value != nullptr && *value == '/' ? value + std::string(rest)
                                             : std::string();
  };
  std::string folder = from("XDG_CACHE_HOME", "/wick/symbols");
  if (folder.empty()) folder = from("HOME", "/.cache/wick/symbols");
  return folder;
}

std::string SymbolCache::path(std::string_view build_id) const {
  return folder_ + "/" + std::string(build_id);
}

std::optional<Resolved> SymbolCache::load(std::string_view build_id,
                                          std::string_view sources) const {
  if (folder_.empty() || !is_file_name(build_id)) return {};
  const std::string file_name = path(build_id);
  const std::optional<std::string> content =
      read_small_file(file_name, max_bytes_);
  if (!content) return {};
  ByteReader in(*content);
  if (in.read_bytes(kMagic.size()) != kMagic) return {};
  const auto sum = in.read<std::uint64_t>();
  if (in.failed() || checksum(in.rest()) != sum) return {};
  auto resolved = unpacked(in.rest(), sources);
  // Marks it as used: the oldest are removed first.
  if (resolved) ::utimensat(AT_FDCWD, file_name.c_str(), nullptr, 0);
  return resolved;
}

void SymbolCache::store(std::string_view build_id, std::string_view sources,
                        const Resolved& resolved) const {
  if (folder_.empty() || !is_file_name(build_id)) return;
  const std::string content = packed(sources, resolved);
  if (content.size() > max_bytes_ / 4) return;
  try {
    std::filesystem::create_directories(folder_);
    OutputFile file(path(build_id));
    std::string header(kMagic);
    append_raw(header, checksum(content));
    file.stream() << header << content;
    file.commit();
  } catch (const std::exception&) {
    return;
  }
  remove_oldest();
}

void SymbolCache::remove_oldest() const {
  struct File {
    std::filesystem::file_time_type time;
    std::uint64_t size;
    std::filesystem::path path;
  };
  std::vector<File> files;
  std::uint64_t total = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder_, error), end;
       !error && at != end; at.increment(error)) {
    std::error_code gone;  // removed by another run
    const std::uint64_t size = at->file_size(gone);
    const auto time = at->last_write_time(gone);
    if (gone) continue;
    files.push_back({time, size, at->path()});
    total += size;
  }
  std::ranges::sort(files, {}, &File::time);
  for (const File& file : files) {
    if (total <= max_bytes_) return;
    std::filesystem::remove(file.path, error);
    total -= file.size;
  }
}

}  // namespace wick
