// SPDX-License-Identifier: Apache-2.0
#include "object/debuginfod.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <mutex>

#include "base/error.h"

namespace wick {
namespace {

// The part of elfutils' debuginfod.h that is used here.
using Client = void;
using Begin = Client* (*)();
using End = void (*)(Client*);
using Find = int (*)(Client*, const unsigned char* build_id, int size,
                     char** path);

struct Library {
  Begin begin = nullptr;
  End end = nullptr;
  Find find_debuginfo = nullptr, find_executable = nullptr;
};

const Library& library() {
  static const Library loaded = [] {
    Library result;
    void* handle = ::dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) return result;
    const auto load = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
          ::dlsym(handle, name));
    };
    load(result.begin, "debuginfod_begin");
    load(result.end, "debuginfod_end");
    load(result.find_debuginfo, "debuginfod_find_debuginfo");
    load(result.find_executable, "debuginfod_find_executable");
    return result;
  }();
  return loaded;
}

}  // namespace

void check_debuginfod() {
  const char* urls = std::getenv("DEBUGINFOD_URLS");
  if (urls == nullptr || *urls == '\0')
    throw Error(
        "no server is named; set DEBUGINFOD_URLS, for example to "
        "https://debuginfod.debian.net",
        {.wrong = Setting::kDebuginfod, .helps = {}});
  const Library& functions = library();
  if (functions.begin == nullptr || functions.end == nullptr ||
      functions.find_debuginfo == nullptr ||
      functions.find_executable == nullptr)
    throw Error("needs libdebuginfod; `apt install libdebuginfod1`",
                {.wrong = Setting::kDebuginfod, .helps = {}});
}

std::optional<std::string> ask_debuginfod(DebuginfodKind kind,
                                          std::string_view build_id) {
  check_debuginfod();
  // The client is not thread-safe, and servers should not be flooded.
  static std::mutex one_at_a_time;
  const std::scoped_lock lock(one_at_a_time);
  const Library& functions = library();
  Client* client = functions.begin();
  if (client == nullptr) return {};
  const Find find = kind == DebuginfodKind::kExecutable
                        ? functions.find_executable
                        : functions.find_debuginfo;
  char* path = nullptr;
  const std::string id(build_id);
  const int fd = find(
      client, reinterpret_cast<const unsigned char*>(id.c_str()), 0, &path);
  std::optional<std::string> result;
  if (fd >= 0) {
    ::close(fd);
    if (path != nullptr) result = path;
  }
  std::free(path);
  functions.end(client);
  return result;
}

}  // namespace wick
