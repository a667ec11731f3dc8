// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/name_fitting.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "object/jit/jit_map.h"

namespace wick {
namespace {

// Which addresses keep what: the `lines` most frequent ones in files
// everything, the `functions` most frequent ones at least the name of their
// function; the names of the `jit_functions` most frequent compiled functions.
struct Cut {
  std::size_t lines = 0, functions = 0, jit_functions = 0;
};

// Ranks by count, 0 for the highest.
class Ranking {
 public:
  // `rank` lives until rank_all().
  void add(std::uint64_t count, std::size_t& rank) {
    places_.push_back({count, &rank});
  }
  // Returns how many there are.
  std::size_t rank_all() {
    std::ranges::stable_sort(places_, std::greater(), &Place::count);
    for (std::size_t i = 0; i < places_.size(); ++i) *places_[i].rank = i;
    return places_.size();
  }

 private:
  struct Place {
    std::uint64_t count;
    std::size_t* rank;
  };
  std::vector<Place> places_;
};

struct JitFunction {
  std::vector<std::uint64_t> addresses;  // of samples
  std::uint64_t count = 0;
  std::size_t rank = 0;
};

struct RankedJitFile {
  KeptJitFile file;
  JitMap map;  // of its content
  std::vector<JitFunction> functions;
};

RankedJitFile split(SampledJitFile sampled) {
  RankedJitFile ranked;
  const std::string& content = sampled.file.content;
  ranked.map = sampled.file.is_jitdump ? JitMap::from_jitdump(content)
                                       : JitMap::from_perf_map(content);
  std::map<std::uint64_t, JitFunction> by_start;
  for (const auto& [address, count] : sampled.addresses)
    if (const auto found = ranked.map.find(address)) {
      JitFunction& function = by_start[found->start];
      function.addresses.push_back(address);
      function.count += count;
    }
  for (auto& [start, function] : by_start)
    ranked.functions.push_back(std::move(function));
  ranked.file = std::move(sampled.file);
  return ranked;
}

// The largest number up to `all` for which fits() is true, or one somewhat
// smaller; 0 if none is. Each try costs an encoding of everything.
template <class Fits>
std::size_t most_that_fit(std::size_t all, const Fits& fits) {
  if (all == 0 || fits(all)) return all;
  std::size_t good = 0, bad = all;
  for (int refinements = 3; refinements > 0 && bad - good > 1;) {
    const std::size_t middle = good + (bad - good) / 2;
    if (fits(middle))
      good = middle;
    else
      bad = middle;
    if (good > 0) --refinements;
  }
  return good;
}

class Fitting {
 public:
  Fitting(std::vector<NamedModule> modules,
          std::vector<SampledJitFile> jit_files)
      : modules_(std::move(modules)), ranks_(modules_.size()) {
    Ranking ranking;
    for (std::size_t m = 0; m < modules_.size(); ++m) {
      ranks_[m].resize(modules_[m].counts.size());
      for (std::size_t i = 0; i < ranks_[m].size(); ++i)
        ranking.add(modules_[m].counts[i], ranks_[m][i]);
    }
    all_.lines = all_.functions = ranking.rank_all();
    for (SampledJitFile& file : jit_files)
      jit_files_.push_back(split(std::move(file)));
    Ranking jit_ranking;
    for (RankedJitFile& file : jit_files_)
      for (JitFunction& function : file.functions)
        jit_ranking.add(function.count, function.rank);
    all_.jit_functions = jit_ranking.rank_all();
  }

  bool is_empty() const {
    return all_.functions == 0 && all_.jit_functions == 0;
  }

  std::string fit(std::uint64_t most_bytes, Diagnostics& diagnostics) {
    std::string bytes = encode(all_);
    if (bytes.size() > most_bytes) bytes = encode(cut_to(most_bytes));
    if (bytes.size() > most_bytes) {  // of paths alone
      encode({});
      bytes.clear();
    }
    diagnostics.note(Problem::kNamesNotKept, dropped_);
    return bytes;
  }

 private:
  Cut cut_to(std::uint64_t most_bytes) {
    const std::uint64_t jit_bytes =
        encode({.jit_functions = all_.jit_functions}).size();
    const std::uint64_t file_bytes =
        most_bytes - std::min(jit_bytes, most_bytes / 2);
    Cut cut;
    cut.functions = most_that_fit(all_.functions, [&](std::size_t n) {
      return encode({.functions = n}).size() <= file_bytes;
    });
    cut.lines = most_that_fit(cut.functions, [&](std::size_t n) {
      return encode({n, cut.functions}).size() <= file_bytes;
    });
    cut.jit_functions = most_that_fit(all_.jit_functions, [&](std::size_t n) {
      return encode({cut.lines, cut.functions, n}).size() <= most_bytes;
    });
    return cut;
  }

  // Counts what it leaves out in dropped_.
  std::string encode(const Cut& cut) {
    dropped_ = 0;
    KeptNames names;
    for (std::size_t i = 0; i < modules_.size(); ++i) {
      KeptModule module = excerpt(modules_[i].module, ranks_[i], cut);
      const bool lost_all = module.names.rows().empty() && !ranks_[i].empty();
      if (!lost_all) names.add(std::move(module));
    }
    for (const RankedJitFile& jit_file : jit_files_) {
      KeptJitFile file = excerpt(jit_file, cut);
      if (!file.content.empty()) names.add(std::move(file));
    }
    return names.encode();
  }

  KeptModule excerpt(const KeptModule& from,
                     const std::vector<std::size_t>& ranks, const Cut& cut) {
    KeptModule module{.file = from.file,
                      .parts = from.parts,
                      .why_no_names = from.why_no_names,
                      .has_lines = from.has_lines,
                      .is_partial = from.is_partial};
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      const Resolved::Row& row = from.names.rows()[i];
      const bool is_kept = ranks[i] < cut.functions;
      const bool keeps_lines = ranks[i] < cut.lines;
      if (!is_kept || (!keeps_lines && has_detail(from.names, row))) {
        ++dropped_;
        module.is_partial = true;
      }
      if (is_kept) copy(from.names, row, keeps_lines, module.names);
    }
    return module;
  }

  static bool has_detail(const Resolved& names, const Resolved::Row& row) {
    return row.count > 1 ||
           (row.count == 1 && names.frames(row).front().file != 0);
  }

  static void copy(const Resolved& from, const Resolved::Row& row,
                   bool keeps_lines, Resolved& to) {
    std::vector<ResolvedFrame> frames;
    for (const ResolvedFrame& frame : from.frames(row)) {
      frames.push_back({.function = to.text(from[frame.function])});
      if (!keeps_lines) break;
      frames.back().file = to.text(from[frame.file]);
      frames.back().line = frame.line;
      frames.back().inlined = frame.inlined;
    }
    to.add(row.elf_addr, frames, row.function_start);
  }

  KeptJitFile excerpt(const RankedJitFile& from, const Cut& cut) {
    std::vector<std::uint64_t> kept;
    for (const JitFunction& function : from.functions)
      if (function.rank < cut.jit_functions)
        kept.insert(kept.end(), function.addresses.begin(),
                    function.addresses.end());
      else
        dropped_ += function.addresses.size();
    KeptJitFile file = from.file;
    if (cut.jit_functions < all_.jit_functions)
      file.content = from.map.excerpt(kept);
    return file;
  }

  std::vector<NamedModule> modules_;
  std::vector<std::vector<std::size_t>> ranks_;  // of counts in each module
  std::vector<RankedJitFile> jit_files_;
  Cut all_;
  std::uint64_t dropped_ = 0;
};

}  // namespace

std::string fit_names(std::vector<NamedModule> modules,
                      std::vector<SampledJitFile> jit_files,
                      std::uint64_t most_bytes, Diagnostics& diagnostics) {
  Fitting fitting(std::move(modules), std::move(jit_files));
  return fitting.is_empty() ? "" : fitting.fit(most_bytes, diagnostics);
}

}  // namespace wick
