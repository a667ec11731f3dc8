// SPDX-License-Identifier: Apache-2.0
#include "sysroot/file_list.h"

#include <algorithm>

#include "base/bytes.h"

namespace wick {
namespace {

enum class Row : std::uint8_t {
  kFile = 1,
  kName,
  kLink,
  kUnreadable,
  kLeftOut,
  kError,
  kEnd,
};

constexpr std::size_t kFull = 1 << 16;
constexpr std::size_t kMaxPath = 4096;  // the kernel's PATH_MAX

std::string read_text(ByteReader& in) {
  return std::string(in.read_bytes(in.read_varint()));
}

FileList::File read_file(ByteReader& in) {
  FileList::File file;
  file.size = in.read_varint();
  const std::uint64_t count = in.read_varint();
  if (!in.fits(count, 3)) {
    in.fail();
    return file;
  }
  file.pieces.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    FilePiece piece;
    piece.file_off = in.read_varint();
    piece.size = in.read_varint();
    piece.stored_at = in.read_varint();
    file.pieces.push_back(piece);
  }
  return file;
}

// False at the end of the list.
bool read_row(ByteReader& in, FileList& list) {
  const auto row = static_cast<Row>(in.read<std::uint8_t>());
  switch (row) {
    case Row::kFile: {
      FileList::File file = read_file(in);
      if (!in.failed()) list.files.push_back(std::move(file));
      break;
    }
    case Row::kName: {
      const std::uint64_t file = in.read_varint();
      std::string path = read_text(in);
      if (file >= list.files.size()) in.fail();
      if (!in.failed())
        list.names.push_back({.path = std::move(path),
                              .file = static_cast<std::uint32_t>(file)});
      break;
    }
    case Row::kLink: {
      std::string path = read_text(in), target = read_text(in);
      if (!in.failed())
        list.links.push_back(
            {.path = std::move(path), .target = std::move(target)});
      break;
    }
    case Row::kUnreadable:
      list.unreadable.push_back(read_text(in));
      break;
    case Row::kLeftOut:
      list.left_out.push_back(read_text(in));
      break;
    case Row::kError:
      list.error = read_text(in);
      break;
    case Row::kEnd:
      list.is_complete = true;
      return false;
    default:
      in.fail();
  }
  return !in.failed() && !in.at_end();
}

}  // namespace

std::uint32_t FileListWriter::add(const FileList::File& file) {
  buffer_ += static_cast<char>(Row::kFile);
  append_varint(buffer_, file.size);
  append_varint(buffer_, file.pieces.size());
  for (const FilePiece& piece : file.pieces) {
    append_varint(buffer_, piece.file_off);
    append_varint(buffer_, piece.size);
    append_varint(buffer_, piece.stored_at);
  }
  flush_if_full();
  return file_count_++;
}

void FileListWriter::add(const FileList::Name& name) {
  buffer_ += static_cast<char>(Row::kName);
  append_varint(buffer_, name.file);
  put_text(name.path);
}

void FileListWriter::add(const FileList::Link& link) {
  buffer_ += static_cast<char>(Row::kLink);
  put_text(link.path);
  put_text(link.target);
}

void FileListWriter::add_unreadable(std::string_view what) {
  buffer_ += static_cast<char>(Row::kUnreadable);
  put_text(what);
}

void FileListWriter::add_left_out(std::string_view what) {
  buffer_ += static_cast<char>(Row::kLeftOut);
  put_text(what);
}

void FileListWriter::add_error(std::string_view message) {
  buffer_ += static_cast<char>(Row::kError);
  put_text(message);
  send_(buffer_);
  buffer_.clear();
}

void FileListWriter::finish() {
  buffer_ += static_cast<char>(Row::kEnd);
  send_(buffer_);
  buffer_.clear();
}

void FileListWriter::put_text(std::string_view text) {
  append_varint(buffer_, text.size());
  buffer_ += text;
  flush_if_full();
}

void FileListWriter::flush_if_full() {
  if (buffer_.size() < kFull) return;
  send_(buffer_);
  buffer_.clear();
}

FileList read_file_list(std::string_view bytes) {
  FileList list;
  ByteReader in(bytes);
  while (!in.at_end() && read_row(in, list)) {
  }
  return list;
}

std::string path_in_image(std::string_view name) {
  name = name.substr(0, name.find('\0'));
  std::string path;
  if (name.size() > kMaxPath) return path;
  while (!name.empty()) {
    const std::string_view part = name.substr(0, name.find('/'));
    name.remove_prefix(std::min(name.size(), part.size() + 1));
    if (part.empty() || part == ".") continue;
    if (part == "..") return "";
    path += '/';
    path += part;
  }
  return path;
}

}  // namespace wick
