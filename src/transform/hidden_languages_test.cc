// SPDX-License-Identifier: Apache-2.0
#include "transform/hidden_languages.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "transform/select.h"

namespace wick {
namespace {

// "python3.11", "[jit]" for code without a name, "py::f" for a named function
// of a JIT.
struct Stack {
  std::int32_t pid;
  std::vector<std::string> modules;
  int samples;
};

FrameId frame_of(Profile& profile, const std::string& text) {
  if (text.find("::") != text.npos)
    return profile.named_frame(text, FrameKind::kJit);
  return profile.frames.intern(
      {.module = profile.module_id(text),
       .kind = text == "[jit]" ? FrameKind::kJit : FrameKind::kUser});
}

Profile profile_of(const std::vector<Stack>& stacks) {
  Profile profile;
  const EventId event = profile.event_id("cycles");
  for (const Stack& from : stacks) {
    StackId stack = StackId::kRoot;
    for (const std::string& text : from.modules)
      stack = profile.stacks.push(stack, frame_of(profile, text));
    const ThreadId thread =
        profile.thread_id({.pid = from.pid, .tid = from.pid});
    for (int i = 0; i < from.samples; ++i)
      profile.samples.push_back(
          {.weight = 1, .stack = stack, .thread = thread, .event = event});
  }
  note_hidden_languages(profile);
  return profile;
}

std::uint64_t noted(const std::vector<Stack>& stacks, Problem problem) {
  return profile_of(stacks).diagnostics.count(problem);
}

TEST(HiddenLanguages, FilesAreKnownByTheirNames) {
  using enum Language;
  const std::pair<std::string, Language> known[] = {
      {"/usr/bin/python3", kPython},
      {"/usr/bin/python3.12", kPython},
      {"/usr/bin/python3.11", kPythonBefore312},
      {"/usr/bin/python2.7", kPythonBefore312},
      {"/usr/lib/x86_64-linux-gnu/libpython3.11.so.1.0", kPythonBefore312},
      {"/usr/lib/x86_64-linux-gnu/libpython3.12.so.1.0", kPython},
      {"/opt/python3.13t", kPython},
      {"/usr/bin/ruby3.1", kRubyBefore33},
      {"/usr/lib/x86_64-linux-gnu/libruby-3.1.so.3.1.2", kRubyBefore33},
      {"/usr/bin/php8.2", kPhp},
      {"/usr/sbin/php-fpm8.2", kPhp},
      {"/usr/lib/apache2/modules/libphp8.2.so", kPhp},
      {"/usr/bin/perl", kPerl},
      {"/usr/bin/perl5.36-x86_64-linux-gnu", kPerl},
      {"/usr/lib/x86_64-linux-gnu/libperl.so.5.36.0", kPerl},
      {"/usr/lib/jvm/java-17-openjdk-amd64/lib/server/libjvm.so", kJava},
      {"/usr/bin/node", kNode},
      {"/usr/lib/x86_64-linux-gnu/libnode.so.108", kNode},
      {"/usr/share/dotnet/shared/x/8.0.0/libcoreclr.so", kDotnet}};
  for (const auto& [path, language] : known)
    EXPECT_EQ(language_run_by(path), language) << path;
}

TEST(HiddenLanguages, OtherFilesAreNot) {
  for (const std::string path :
       {"", "/usr/bin/gzip", "/usr/bin/node_exporter", "/usr/bin/pythonista",
        "/usr/bin/perlbench", "/home/ruby/main", "libpython", "phpize"})
    EXPECT_EQ(language_run_by(path), std::nullopt) << path;
}

TEST(HiddenLanguages, SamplesInAnInterpreterAreNoted) {
  EXPECT_EQ(noted({{1, {"libc.so.6", "python3.12", "libm.so.6"}, 7}},
                  Problem::kHiddenPython),
            7u);
}

TEST(HiddenLanguages, APythonWithoutPerfMapsHasAnotherNote) {
  const std::vector<Stack> stacks{{1, {"python3.11"}, 7}};
  EXPECT_EQ(noted(stacks, Problem::kHiddenPython), 0u);
  EXPECT_EQ(noted(stacks, Problem::kHiddenPythonBefore312), 7u);
}

TEST(HiddenLanguages, SoHasARubyWithoutPerfMaps) {
  for (const char* old : {"libruby-3.1.so.3.1.2", "libruby.so.3.2", "ruby2.7"})
    EXPECT_EQ(language_run_by(old), Language::kRubyBefore33) << old;
  for (const char* other : {"libruby-3.3.so.3.3.0", "libruby.so.4.0", "ruby"})
    EXPECT_EQ(language_run_by(other), Language::kRuby) << other;
  EXPECT_EQ(noted({{1, {"ruby3.1", "libruby-3.1.so.3.1.2"}, 7}},
                  Problem::kHiddenRubyBefore33),
            7u);
}

TEST(HiddenLanguages, TrampolinesWithoutNamesMeanThatAPythonMapIsMissing) {
  const std::vector<Stack> stacks{{1, {"python3.13"}, 2},
                                  {1, {"python3.13", "[jit]", "libm.so.6"}, 5}};
  EXPECT_EQ(noted(stacks, Problem::kHiddenPython), 0u);
  EXPECT_EQ(noted(stacks, Problem::kHiddenPythonMap), 7u);
}

TEST(HiddenLanguages, ALittleGeneratedCodeInPythonIsNoTrampoline) {
  EXPECT_EQ(noted({{1, {"python3.13"}, 5},
                   {1, {"python3.13", "[jit]", "libm.so.6"}, 2}},
                  Problem::kHiddenPython),
            7u);
}

TEST(HiddenLanguages, GeneratedCodeCountsAsThatOfItsProcess) {
  EXPECT_EQ(noted({{1, {"libc.so.6", "libjvm.so"}, 1},
                   {1, {"[jit]"}, 9},
                   {2, {"[jit]"}, 5}},
                  Problem::kHiddenJava),
            10u);
}

TEST(HiddenLanguages, AJavaThatRunsOnCanBeAskedForItsMap) {
  const std::string_view remedy = info(Problem::kHiddenJava).remedy;
  EXPECT_NE(remedy.find("`jcmd PID Compiler.perfmap`"), remedy.npos);
}

TEST(HiddenLanguages, AProcessThatShowsItsFunctionsIsNotNoted) {
  EXPECT_EQ(noted({{1, {"python3.13"}, 5},
                   {1, {"python3.13", "py::main", "python3.13"}, 1}},
                  Problem::kHiddenPython),
            0u);
}

TEST(HiddenLanguages, ButAnotherProcessIs) {
  EXPECT_EQ(noted({{1, {"python3.13", "py::main"}, 5}, {2, {"python3.12"}, 3}},
                  Problem::kHiddenPython),
            3u);
}

TEST(HiddenLanguages, AFewSamplesAreNotWorthANote) {
  EXPECT_EQ(noted({{1, {"gzip"}, 96}, {2, {"perl"}, 4}}, Problem::kHiddenPerl),
            0u);
  EXPECT_EQ(noted({{1, {"gzip"}, 94}, {2, {"perl"}, 6}}, Problem::kHiddenPerl),
            6u);
}

// What is noted after the samples of a process were selected.
std::uint64_t noted_of(std::int32_t pid, const std::vector<Stack>& stacks,
                       Problem problem) {
  return select(profile_of(stacks), {.pid = pid}).diagnostics.count(problem);
}

TEST(HiddenLanguages, SamplesThatAreLeftOutAreNotCounted) {
  const std::vector<Stack> stacks{
      {1, {"python3.13"}, 5}, {2, {"python3.13"}, 3}, {3, {"gzip"}, 2}};
  EXPECT_EQ(noted_of(2, stacks, Problem::kHiddenPython), 3u);
  EXPECT_EQ(noted_of(3, stacks, Problem::kHiddenPython), 0u);
}

TEST(HiddenLanguages, AProcessShowsItsFunctionsInThePartThatIsLeftOut) {
  Profile profile = profile_of({{1, {"python3.13"}, 5},
                                {2, {"libjvm.so", "Java::main"}, 1},
                                {2, {"libjvm.so"}, 4}});
  profile.samples[5].event = profile.event_id("faults");
  profile = select(std::move(profile), {.event = "cycles", .pid = 2});
  EXPECT_EQ(profile.samples.size(), 4u);
  EXPECT_EQ(profile.diagnostics.count(Problem::kHiddenJava), 0u);
}

}  // namespace
}  // namespace wick
