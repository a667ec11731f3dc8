// SPDX-License-Identifier: Apache-2.0
#include "perf/events/proc_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "base/text.h"
#include "io/unique_fd.h"

namespace wick {
namespace {

template <class T>
bool take_number(std::string_view text, int base, T& out) {
  const auto value = to_number<T>(text, base);
  if (value) out = *value;
  return value.has_value();
}

// The kernel escapes only newlines, as "\012".
std::string unescaped(std::string_view path) {
  constexpr std::string_view kNewline = "\\012";
  std::string out;
  while (true) {
    const std::size_t at = path.find(kNewline);
    out += path.substr(0, at);
    if (at == std::string_view::npos) return out;
    out += '\n';
    path.remove_prefix(at + kNewline.size());
  }
}

}  // namespace

std::optional<ProcMapping> parse_maps_line(std::string_view line) {
  ProcMapping m;
  std::string_view range = take_word(line);
  const std::string_view start = take_until(range, '-');
  const std::string_view rights = take_word(line);
  const std::string_view offset = take_word(line);
  std::string_view device = take_word(line);
  const std::string_view major = take_until(device, ':');
  if (!take_number(start, 16, m.start) || !take_number(range, 16, m.end) ||
      !take_number(offset, 16, m.file_off) ||
      !take_number(major, 16, m.dev_major) ||
      !take_number(device, 16, m.dev_minor) ||
      !take_number(take_word(line), 10, m.inode) || m.end <= m.start ||
      rights.size() < 4)
    return {};
  if (rights[0] == 'r') m.protection |= PROT_READ;
  if (rights[1] == 'w') m.protection |= PROT_WRITE;
  if (rights[2] == 'x') m.protection |= PROT_EXEC;
  m.flags = rights[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
  // The name begins with '/' or '[', so leading blanks are padding.
  m.path = unescaped(trim_left(line));
  if (m.path.empty() || m.path.starts_with("[anon:")) m.path = "//anon";
  return m;
}

std::optional<ProcStatus> parse_status(std::string_view text) {
  ProcStatus status;
  bool has_tgid = false, has_parent = false;
  while (!text.empty()) {
    std::string_view line = take_line(text);
    const std::string_view key = take_until(line, ':');
    if (key == "Tgid") has_tgid = take_number(trim(line), 10, status.tgid);
    if (key == "PPid") has_parent = take_number(trim(line), 10, status.parent);
    if (key == "State")
      status.has_ended =
          trim(line).starts_with('Z') || trim(line).starts_with('X');
  }
  if (!has_tgid || !has_parent) return {};
  return status;
}

std::optional<KernelModule> parse_modules_line(std::string_view line) {
  // name size references users state address
  KernelModule module;
  module.name = take_word(line);
  const std::string_view size = take_word(line);
  take_word(line);
  take_word(line);
  take_word(line);
  std::string_view address = take_word(line);
  if (!address.starts_with("0x")) return {};
  address.remove_prefix(2);
  if (!take_number(size, 10, module.size) ||
      !take_number(address, 16, module.start) || module.name.empty())
    return {};
  return module;
}

bool for_each_line(const std::string& path,
                   const std::function<bool(std::string_view)>& visit) {
  constexpr std::size_t kMaxLine = 64 << 10;
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return false;
  std::string buffer;
  bool in_long_line = false;
  while (true) {
    const std::size_t kept = buffer.size();
    buffer.resize(kept + kMaxLine);
    const ssize_t got = ::read(fd.get(), buffer.data() + kept, kMaxLine);
    if (got < 0 && errno == EINTR) {
      buffer.resize(kept);
      continue;
    }
    // Reading fails with ESRCH once the process has ended; earlier lines stay
    // valid.
    buffer.resize(kept + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    const bool at_end = got <= 0;
    std::string_view rest = buffer;
    while (!rest.empty()) {
      const std::size_t newline = rest.find('\n');
      if (newline == std::string_view::npos && !at_end) break;
      const std::string_view line = rest.substr(0, newline);
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
      if (std::exchange(in_long_line, false)) continue;
      if (!visit(line)) return true;
    }
    if (at_end) return true;
    if (rest.size() >= kMaxLine) {
      in_long_line = true;
      rest = {};
    }
    buffer.erase(0, buffer.size() - rest.size());
  }
}

std::vector<pid_t> list_numbers(const std::string& folder) {
  std::vector<pid_t> numbers;
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(folder.c_str()),
                                                    ::closedir);
  while (const dirent* entry = entries ? ::readdir(entries.get()) : nullptr)
    if (const auto number = to_number<pid_t>(entry->d_name);
        number && *number > 0)
      numbers.push_back(*number);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

}  // namespace wick
