// SPDX-License-Identifier: Apache-2.0
#include "object/kept_names.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "io/compress.h"
#include "object/jit/jit_map.h"
#include "object/resolved_coding.h"

namespace wick {
namespace {

constexpr std::string_view kNamesMagic = "wicknam1";
// Far more than the names of any recording take.
constexpr std::uint64_t kMostBytes = std::uint64_t{512} << 20;
// Higher levels take twice the time for some percent.
constexpr int kCompressionLevel = 9;

// Flags of a module.
constexpr std::uint64_t kHasLines = 1, kIsPartial = 2, kHasInode = 4;

void append_inode(std::string& out, const Inode& inode) {
  append_varint(out, inode.dev_major);
  append_varint(out, inode.dev_minor);
  append_varint(out, inode.number);
  append_varint(out, inode.generation);
}

Inode read_inode(ByteReader& in) {
  Inode inode;
  inode.dev_major = static_cast<std::uint32_t>(in.read_varint());
  inode.dev_minor = static_cast<std::uint32_t>(in.read_varint());
  inode.number = in.read_varint();
  inode.generation = in.read_varint();
  return inode;
}

void append_module(std::string& out, const KeptModule& module) {
  append_text(out, module.file.path);
  append_text(out, module.file.build_id);
  append_varint(out, static_cast<std::uint64_t>(module.file.kind));
  append_varint(out, static_cast<std::uint64_t>(module.why_no_names));
  const bool has_inode =
      module.file.build_id.empty() && module.file.inode != Inode{};
  append_varint(out, (module.has_lines ? kHasLines : 0) |
                         (module.is_partial ? kIsPartial : 0) |
                         (has_inode ? kHasInode : 0));
  if (has_inode) append_inode(out, module.file.inode);
  append_varint(out, module.parts.size());
  for (const KeptModule::Part& part : module.parts) {
    append_varint(out, part.file_off);
    append_varint(out, part.size);
    append_varint(out, part.elf_addr);
  }
  append_resolved(out, module.names);
}

std::optional<KeptModule> read_module(ByteReader& in) {
  KeptModule module;
  // wick 0.1.0 stored the kernel's mark as a part of the name.
  module.file.path = without_deleted_mark(read_text(in));
  module.file.build_id = read_text(in);
  const std::uint64_t kind = in.read_varint(), why = in.read_varint();
  if (kind > static_cast<std::uint64_t>(CodeKind::kAnonymous)) return {};
  module.file.kind = static_cast<CodeKind>(kind);
  // A newer wick may know other reasons.
  if (why < static_cast<std::uint64_t>(NoNames::kCount))
    module.why_no_names = static_cast<NoNames>(why);
  const std::uint64_t flags = in.read_varint();
  module.has_lines = (flags & kHasLines) != 0;
  module.is_partial = (flags & kIsPartial) != 0;
  if ((flags & kHasInode) != 0) module.file.inode = read_inode(in);
  const std::uint64_t parts = in.read_varint();
  if (!in.fits(parts, 3)) return {};
  for (std::uint64_t i = 0; i < parts; ++i) {
    KeptModule::Part& part = module.parts.emplace_back();
    part.file_off = in.read_varint();
    part.size = in.read_varint();
    part.elf_addr = in.read_varint();
  }
  auto names = read_resolved(in);
  if (!names) return {};
  module.names = std::move(*names);
  return module;
}

void append_jit_file(std::string& out, const KeptJitFile& file) {
  append_varint(out, file.pid);
  append_varint(out, file.from);
  append_varint(out, file.until - file.from);
  append_varint(out, file.is_jitdump ? 1 : 0);
  append_text(out, file.path);
  append_text(out, file.content);
}

KeptJitFile read_jit_file(ByteReader& in) {
  KeptJitFile file;
  file.pid = static_cast<std::uint32_t>(in.read_varint());
  file.from = in.read_varint();
  file.until = file.from + in.read_varint();
  file.is_jitdump = in.read_varint() != 0;
  file.path = read_text(in);
  file.content = read_text(in);
  return file;
}

std::optional<KeptNames> read_plain(std::string_view plain) {
  ByteReader in(plain);
  KeptNames names;
  for (std::uint64_t i = in.read_varint(); i > 0 && !in.failed(); --i) {
    auto module = read_module(in);
    if (!module) return {};
    names.add(std::move(*module));
  }
  const std::uint64_t jit_files = in.read_varint();
  if (jit_files > KeptNames::kMostJitFiles) return {};
  for (std::uint64_t i = 0; i < jit_files && !in.failed(); ++i)
    names.add(read_jit_file(in));
  if (in.failed() || !in.at_end()) return {};
  return names;
}

}  // namespace

std::uint64_t KeptModule::elf_addr(std::uint64_t file_off) const {
  for (const Part& part : parts)
    if (file_off - part.file_off < part.size)
      return part.elf_addr + (file_off - part.file_off);
  return file_off;
}

bool KeptModule::is_complete() const {
  return std::ranges::all_of(
      names.rows(), [](const Resolved::Row& row) { return row.count > 0; });
}

void KeptNames::add(KeptModule module) {
  module_index_.find_or_add(
      hash_of(module.file),
      [&](std::uint32_t i) {
        return is_same_file(modules_[i].file, module.file);
      },
      [&] {
        modules_.push_back(std::move(module));
        return static_cast<std::uint32_t>(modules_.size() - 1);
      });
}

const KeptModule* KeptNames::module(const CodeFile& file) const {
  const std::uint32_t at = module_index_.find(
      hash_of(file),
      [&](std::uint32_t i) { return is_same_file(modules_[i].file, file); });
  return at == HashIndex::kNone ? nullptr : &modules_[at];
}

const KeptJitFile* KeptNames::perf_map(std::uint32_t pid,
                                       std::uint64_t time) const {
  const auto at = std::ranges::find_if(jit_files_, [&](const KeptJitFile& f) {
    return f.pid == pid && !f.is_jitdump &&
           (time == JitMap::kAnyTime || (time >= f.from && time <= f.until));
  });
  return at == jit_files_.end() ? nullptr : &*at;
}

const KeptJitFile* KeptNames::jitdump(std::uint32_t pid,
                                      std::string_view path) const {
  const auto at = std::ranges::find_if(jit_files_, [&](const KeptJitFile& f) {
    return f.pid == pid && f.is_jitdump && f.path == path;
  });
  return at == jit_files_.end() ? nullptr : &*at;
}

std::string KeptNames::encode() const {
  std::string plain;
  append_varint(plain, modules_.size());
  for (const KeptModule& module : modules_) append_module(plain, module);
  append_varint(plain, jit_files_.size());
  for (const KeptJitFile& file : jit_files_) append_jit_file(plain, file);
  std::string packed;
  append_varint(packed, plain.size());
  packed += zstd_compress(plain, kCompressionLevel);
  std::string out(kNamesMagic);
  append_varint(out, crc32(packed));
  return out + packed;
}

std::optional<KeptNames> KeptNames::decode(std::string_view bytes) {
  ByteReader in(bytes);
  if (in.read_bytes(kNamesMagic.size()) != kNamesMagic) return {};
  const std::uint64_t sum = in.read_varint();
  if (in.failed() || crc32(in.rest()) != sum) return {};
  const std::uint64_t size = in.read_varint();
  if (size > kMostBytes || !believable_size(in.rest().size(), size)) return {};
  std::string plain(size, '\0');
  if (!zstd_decompress_to(in.rest(), plain)) return {};
  return read_plain(plain);
}

}  // namespace wick
