// SPDX-License-Identifier: Apache-2.0
// fold_trace TRACE EVENT FILE…: an instruction trace as folded stacks, without
// what options of the command line do to them; FILEs are the code. Threads are
// roots, "name-pid/tid"; EVENT is "instructions", "cycles" or "calls". Several
// TRACEs of one machine are separated by commas.
#include <fmt/format.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "format/registry.h"

namespace wick {
namespace {

int run(int argc, char** argv) {
  ReadOptions options;
  options.keep_time = false;
  options.threads = 1;
  for (int i = 3; i < argc; ++i) options.trace.elfs.emplace_back(argv[i]);
  std::vector<InputFile> files;
  std::istringstream paths(argv[1]);
  for (std::string path; std::getline(paths, path, ',');)
    files.push_back(InputFile::open(path));
  const Profile profile = files.size() == 1
                              ? read_profile(files.front(), options)
                              : read_machine(files, options).value();
  std::map<std::string, std::int64_t> weights;
  for (const Sample& sample : profile.samples) {
    if (profile.strings[profile.events[sample.event].name] != argv[2]) continue;
    std::string line;
    for (StackId id = sample.stack; id != StackId::kRoot;
         id = profile.stacks.parent(id)) {
      const Frame& frame = profile.frames[profile.stacks.frame(id)];
      std::string name(profile.strings[frame.function]);
      if (name.empty()) {  // code of a file without symbols for it
        const std::string_view path =
            profile.strings[profile.modules[frame.module].path];
        name = fmt::format("[{}]", path.substr(path.rfind('/') + 1));
      }
      if (frame.kind == FrameKind::kKernel) name += "_[k]";
      if (frame.kind == FrameKind::kInlined) name += "_[i]";
      line = ";" + name + line;
    }
    const Thread& thread = profile.threads[sample.thread];
    line = fmt::format("{}-{}/{}{}", profile.strings[thread.comm], thread.pid,
                       thread.tid, line);
    weights[line] += sample.weight;
  }
  for (const auto& [line, weight] : weights)
    fmt::print("{} {}\n", line, weight);
  for (const std::string& line : describe(profile.diagnostics))
    fmt::print(stderr, "{}\n", line);
  return 0;
}

}  // namespace
}  // namespace wick

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  try {
    return wick::run(argc, argv);
  } catch (const wick::Error& error) {
    fmt::print(stderr, "fold_trace: {}\n", error.what());
    return 1;
  }
}
