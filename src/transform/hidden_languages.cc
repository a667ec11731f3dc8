// SPDX-License-Identifier: Apache-2.0
#include "transform/hidden_languages.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "base/text.h"

namespace wick {
namespace {

constexpr std::size_t kLanguages = static_cast<std::size_t>(Language::kCount);
// A script among other programs is not worth a note below one sample in this
// many.
constexpr std::uint64_t kWorthANote = 20;

constexpr std::array<Problem, kLanguages> kProblems = {
    Problem::kHiddenPython,       Problem::kHiddenPythonBefore312,
    Problem::kHiddenPythonMap,    Problem::kHiddenRuby,
    Problem::kHiddenRubyBefore33, Problem::kHiddenPhp,
    Problem::kHiddenPerl,         Problem::kHiddenJava,
    Problem::kHiddenNode,         Problem::kHiddenDotnet};

// What a file's name begins with, before a version.
struct Known {
  std::string_view name;
  Language language;
};
constexpr Known kPrograms[] = {
    {"python", Language::kPython}, {"ruby", Language::kRuby},
    {"php", Language::kPhp},       {"php-fpm", Language::kPhp},
    {"php-cgi", Language::kPhp},   {"perl", Language::kPerl},
    {"node", Language::kNode},     {"nodejs", Language::kNode}};
constexpr Known kLibraries[] = {
    {"libpython", Language::kPython}, {"libruby", Language::kRuby},
    {"libphp", Language::kPhp},       {"libperl", Language::kPerl},
    {"libjvm", Language::kJava},      {"libnode", Language::kNode},
    {"libcoreclr", Language::kDotnet}};

// "3.11", "5.36-x86_64-linux-gnu", or nothing.
bool is_version(std::string_view text) {
  return text.empty() || (text[0] >= '0' && text[0] <= '9');
}

// Whether a file is certainly of a version before 3.`minor`, by what follows
// its name: "3.11", "3.11.so.1.0", "-3.1.so.3.1.2", ".so.3.1".
bool is_before(int minor, std::string_view version) {
  for (const std::string_view between : {"-", ".so."})
    if (version.starts_with(between)) version.remove_prefix(between.size());
  const auto its_major = take_number<int>(version);
  if (!its_major || !version.starts_with('.')) return false;
  version.remove_prefix(1);
  const auto its_minor = take_number<int>(version);
  return *its_major < 3 || (*its_major == 3 && its_minor && *its_minor < minor);
}

Language language_of(const Known& known, std::string_view version) {
  if (known.language == Language::kPython && is_before(12, version))
    return Language::kPythonBefore312;
  if (known.language == Language::kRuby && is_before(3, version))
    return Language::kRubyBefore33;
  return known.language;
}

// What the frames of a stack say together.
struct Signs {
  std::optional<Language> language;  // runs it; the innermost one
  bool generated = false;            // has code of a JIT without a name
  bool shown = false;                // has such code with a name
};

struct Process {
  std::array<std::uint64_t, kLanguages> samples{};
  std::uint64_t generated = 0;  // samples with no other sign
  // Samples of Python with generated code: `-X perf` calls every function
  // through some.
  std::uint64_t trampolines = 0;
  bool shown = false;

  void add(const Signs& signs, std::uint64_t count) {
    if (signs.shown)
      shown = true;
    else if (signs.language)
      samples[static_cast<std::size_t>(*signs.language)] += count;
    else if (signs.generated)
      generated += count;
    if (signs.language == Language::kPython && signs.generated)
      trampolines += count;
  }

  // Samples by language, of a process that shows none of its functions.
  std::array<std::uint64_t, kLanguages> hidden() const {
    std::array<std::uint64_t, kLanguages> sums = samples;
    // Stacks of generated code end in it if nothing tells how to leave it.
    const auto most = std::ranges::max_element(sums);
    if (*most > 0) *most += generated;
    std::uint64_t& python = sums[static_cast<std::size_t>(Language::kPython)];
    if (trampolines > python / 2)
      std::swap(python, sums[static_cast<std::size_t>(Language::kPythonMap)]);
    return sums;
  }
};

std::uint64_t count_of(const Profile& profile, std::size_t sample) {
  return sample < profile.sample_counts.size() ? profile.sample_counts[sample]
                                               : 1;
}

class HiddenLanguages {
 public:
  explicit HiddenLanguages(const Profile& profile)
      : profile_(profile), languages_(profile.modules.size()) {}

  // Whether there is any.
  bool find_modules() {
    bool any = false;
    for (const ModuleId id : profile_.modules.ids()) {
      languages_[id] =
          language_run_by(profile_.strings[profile_.modules[id].path]);
      any |= languages_[id].has_value();
    }
    return any;
  }

  // Processes that show functions of their language.
  std::set<std::int32_t> showing() const {
    std::set<std::int32_t> pids;
    for (const auto& [pid, process] : processes())
      if (process.shown) pids.insert(pid);
    return pids;
  }

  // Samples by language, without those of the processes `showing`.
  std::array<std::uint64_t, kLanguages> count(
      const std::set<std::int32_t>& showing) const {
    std::array<std::uint64_t, kLanguages> sums{};
    for (const auto& [pid, process] : processes()) {
      if (process.shown || showing.contains(pid)) continue;
      const auto hidden = process.hidden();
      for (std::size_t i = 0; i < kLanguages; ++i) sums[i] += hidden[i];
    }
    return sums;
  }

 private:
  absl::flat_hash_map<std::int32_t, Process> processes() const {
    const Column<StackId, Signs> signs = signs_of_stacks();
    absl::flat_hash_map<std::int32_t, Process> processes;
    for (std::size_t i = 0; i < profile_.samples.size(); ++i) {
      const Sample& sample = profile_.samples[i];
      processes[profile_.threads[sample.thread].pid].add(signs[sample.stack],
                                                         count_of(profile_, i));
    }
    return processes;
  }

  Column<StackId, Signs> signs_of_stacks() const {
    const StackTable& stacks = profile_.stacks;
    Column<StackId, Signs> signs(stacks.size());
    for (const StackId id : stacks.ids()) {
      if (id == StackId::kRoot) continue;
      const Frame& frame = profile_.frames[stacks.frame(id)];
      signs[id] = signs[stacks.parent(id)];
      if (const auto& language = languages_[frame.module])
        signs[id].language = language;
      if (!is_generated(frame.kind)) continue;
      (frame.function == StringId::kEmpty ? signs[id].generated
                                          : signs[id].shown) = true;
    }
    return signs;
  }

  const Profile& profile_;
  Column<ModuleId, std::optional<Language>> languages_;
};

void note(Profile& profile, const std::set<std::int32_t>& showing) {
  HiddenLanguages hidden(profile);
  if (!hidden.find_modules()) return;
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < profile.samples.size(); ++i)
    all += count_of(profile, i);
  const auto counts = hidden.count(showing);
  for (std::size_t i = 0; i < kLanguages; ++i)
    if (counts[i] > 0 && counts[i] >= all / kWorthANote)
      profile.diagnostics.note(kProblems[i], counts[i]);
}

}  // namespace

std::optional<Language> language_run_by(std::string_view path) {
  const std::string_view name = base_name(path);
  for (const Known& known : kPrograms)
    if (name.starts_with(known.name) &&
        is_version(name.substr(known.name.size())))
      return language_of(known, name.substr(known.name.size()));
  for (const Known& known : kLibraries)
    if (name.starts_with(known.name) && name.find(".so") != name.npos)
      return language_of(known, name.substr(known.name.size()));
  return {};
}

void note_hidden_languages(Profile& profile) { note(profile, {}); }

HiddenLanguageNotes::HiddenLanguageNotes(const Profile& profile)
    : has_any_(std::ranges::any_of(kProblems, [&](Problem problem) {
        return profile.diagnostics.count(problem) > 0;
      })) {
  if (!has_any_) return;
  HiddenLanguages languages(profile);
  languages.find_modules();
  showing_ = languages.showing();
}

void HiddenLanguageNotes::recount(Profile& profile) const {
  if (!has_any_) return;
  for (const Problem problem : kProblems)
    profile.diagnostics.keep_at_most(problem, 0);
  note(profile, showing_);
}

}  // namespace wick
