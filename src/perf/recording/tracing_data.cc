// SPDX-License-Identifier: Apache-2.0
// tracepoint.cc reads this, and describes the layout.
#include "perf/recording/tracing_data.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>

#include "base/bytes.h"
#include "base/error.h"
#include "io/read_file.h"

namespace wick {
namespace {

constexpr std::string_view kStart = "\x17\x08\x44tracing0.6";
constexpr std::uint64_t kMaxFile = 16 << 20;

void append_zero_ended(std::string& out, std::string_view text) {
  out += text;
  out += '\0';
}

void append_sized(std::string& out, std::string_view bytes) {
  append_raw(out, std::uint64_t{bytes.size()});
  out += bytes;
}

std::string read_or_fail(const std::string& path) {
  auto text = read_small_file(path, kMaxFile);
  if (!text) fail("{}: cannot be read: {}", path, last_system_error());
  return std::move(*text);
}

}  // namespace

std::string collect_tracing_data(std::span<const std::string> names,
                                 const std::string& tracefs) {
  if (tracefs.empty())
    fail("tracepoints need tracefs, which is not mounted or not readable");
  std::map<std::string_view, std::set<std::string_view>> systems;
  for (const std::string_view name : names) {
    const std::size_t colon = name.find(':');
    if (colon == std::string_view::npos || name.find('/') != name.npos)
      fail(
          "'{}' is not a tracepoint; expected a name such as "
          "sched:sched_switch",
          name);
    // Modifiers follow a second colon.
    std::string_view event = name.substr(colon + 1);
    event = event.substr(0, event.find(':'));
    systems[name.substr(0, colon)].insert(event);
  }
  std::string out(kStart);
  append_zero_ended(out, "");
  out += std::endian::native == std::endian::big ? '\1' : '\0';
  out += static_cast<char>(sizeof(long));
  append_raw(out, static_cast<std::uint32_t>(::sysconf(_SC_PAGESIZE)));
  for (const char* file : {"header_page", "header_event"}) {
    append_zero_ended(out, file);
    append_sized(out, read_or_fail(tracefs + "/events/" + file));
  }
  append_raw(out, std::uint32_t{0});  // ftrace's own events are never recorded
  append_raw(out, static_cast<std::uint32_t>(systems.size()));
  for (const auto& [system, events] : systems) {
    append_zero_ended(out, system);
    append_raw(out, static_cast<std::uint32_t>(events.size()));
    for (const std::string_view event : events)
      append_sized(out, read_or_fail(fmt::format("{}/events/{}/{}/format",
                                                 tracefs, system, event)));
  }
  append_raw(out, std::uint32_t{0});  // /proc/kallsyms, as perf leaves it out
  const auto formats = read_small_file(tracefs + "/printk_formats", kMaxFile);
  append_raw(out, static_cast<std::uint32_t>(formats ? formats->size() : 0));
  if (formats) out += *formats;
  // Thread names; COMM records have them.
  append_raw(out, std::uint64_t{0});
  return out;
}

}  // namespace wick
