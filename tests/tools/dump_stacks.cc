// SPDX-License-Identifier: Apache-2.0
// For tests/e2e/compare_perf.py: the samples of a recording, one after the
// other, with all that is known of their frames.
//
// usage: dump_stacks FILE [--no-inline]
//
// A sample is "TIME PID TID EVENT COMM"; its frames follow, leaf first, each
// with a tab before each of KIND, ADDRESS, LINE, MODULE, FILE, FUNCTION; "!"
// says what was lost.
#include <cstdio>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "format/registry.h"

namespace wick {
namespace {

char letter(FrameKind kind) {
  switch (kind) {
    case FrameKind::kKernel:
      return 'k';
    case FrameKind::kInlined:
      return 'i';
    case FrameKind::kJit:
      return 'j';
    default:
      return 'u';
  }
}

void print_frame(const Profile& profile, const Frame& frame) {
  const auto text = [&](StringId id) { return profile.strings[id]; };
  fmt::print("\t{}\t{:x}\t{}\t{}\t{}\t{}\n", letter(frame.kind), frame.address,
             frame.line, text(profile.modules[frame.module].path),
             text(frame.file), text(frame.function));
}

void dump(const Profile& profile) {
  std::vector<FrameId> frames;
  for (const Sample& sample : profile.samples) {
    const Thread& thread = profile.threads[sample.thread];
    fmt::print("{} {} {} {} {}\n", sample.time, thread.pid, thread.tid,
               profile.strings[profile.events[sample.event].name],
               profile.strings[thread.comm]);
    profile.stacks.frames_of(sample.stack, frames);
    for (std::size_t i = frames.size(); i-- > 0;)
      print_frame(profile, profile.frames[frames[i]]);
  }
  for (const std::string& sentence : describe(profile.diagnostics))
    fmt::print("! {}\n", sentence);
  for (const Module& module : profile.modules)
    if (module.no_names != StringId::kEmpty)
      fmt::print("! {}: {}\n", profile.strings[module.path],
                 profile.strings[module.no_names]);
}

}  // namespace
}  // namespace wick

int main(int argc, char** argv) try {
  if (argc < 2) wick::fail_usage("usage: dump_stacks FILE [--no-inline]");
  wick::ReadOptions options{.keep_addresses = true};
  options.symbols.use_cache = false;
  if (argc > 2 && std::strcmp(argv[2], "--no-inline") == 0)
    options.symbols.inlines = false;
  wick::InputFile input = wick::InputFile::open(argv[1]);
  wick::dump(wick::read_profile(input, options));
} catch (const wick::Error& error) {
  fmt::print(stderr, "dump_stacks: {}\n", error.what());
  return 1;
}
