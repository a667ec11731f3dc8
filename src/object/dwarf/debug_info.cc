// SPDX-License-Identifier: Apache-2.0
// Addresses are grouped by the unit that covers them; each unit is then read
// once for all of its addresses, several units in parallel, and only the
// strings of the frames are kept. The parts:
//
//   dwarf_index      address -> unit
//   dwarf_functions  unit, addresses -> functions and inlined calls
//   dwarf_line       unit, addresses -> file and line
//   dwarf_names      function -> name
//   dwarf_split      skeleton unit -> unit in a .dwo or .dwp
#include "object/dwarf/debug_info.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/node_hash_set.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <tuple>
#include <vector>

#include "base/parallel.h"
#include "object/dwarf/dwarf_functions.h"
#include "object/dwarf/dwarf_index.h"
#include "object/dwarf/dwarf_line.h"
#include "object/dwarf/dwarf_names.h"
#include "object/dwarf/dwarf_split.h"

namespace wick {
namespace {

// An address and the unit it is looked up in.
struct Query {
  std::uint32_t unit = 0;
  std::uint32_t choice = 0;  // which of the units that cover it
  std::size_t index = 0;     // of the address
};

// What is known about the addresses of one unit.
struct UnitResult {
  FunctionsAt functions;
  std::vector<FunctionNames::Name> names;                 // by node
  std::vector<LineAt> lines;                              // by address
  absl::flat_hash_map<std::uint64_t, std::string> paths;  // by file
  // Names that point into a file which will be closed.
  std::shared_ptr<DwarfFile> split;
  bool damaged = false;

  explicit UnitResult(std::size_t addresses) : lines(addresses) {
    functions.innermost.assign(addresses, -1);
  }
  bool knows(std::size_t i) const {
    return functions.innermost[i] >= 0 || lines[i].found;
  }
};

// The names and paths of all resulting frames.
void name_functions(UnitResult& result, FunctionNames names,
                    const std::optional<LineTable>& lines) {
  const std::vector<FunctionNode>& nodes = result.functions.nodes;
  const auto need_path = [&](std::uint64_t file) {
    if (!lines) return;
    const auto [path, is_new] = result.paths.try_emplace(file);
    if (is_new) path->second = lines->path(file);
  };
  std::vector<bool> shown(nodes.size());
  for (std::int32_t node : result.functions.innermost)
    for (; node >= 0 && !shown[node]; node = nodes[node].caller)
      shown[node] = true;
  result.names.resize(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!shown[i]) continue;
    result.names[i] = names.name(nodes[i].die);
    if (nodes[i].inlined) need_path(nodes[i].call_file);
  }
  for (const LineAt& line : result.lines)
    if (line.found) need_path(line.file);
}

}  // namespace

struct DebugInfo::State {
  explicit State(Files from) : files(std::move(from)), split(files.open_dwo) {}

  void start(int workers);
  std::vector<Query> first_queries(std::span<const std::uint64_t> addresses,
                                   int workers, const Found& found);
  UnitResult resolve_unit(std::uint32_t number,
                          std::span<const std::uint64_t> addresses);
  void deliver(const UnitResult& result, std::span<const Query> queries,
               const Found& found);
  std::string_view keep(std::string_view text) {
    return *texts.emplace(text).first;
  }

  Files files;
  std::unique_ptr<DwarfFile> main, alternate;
  UnitIndex index;
  SplitFiles split;
  std::mutex mutex;  // of what follows
  absl::node_hash_set<std::string> texts;
  std::vector<bool> damaged;  // by unit
  std::vector<Query> again;   // for the next unit that covers the address
};

DebugInfo::DebugInfo(Files files)
    : state_(std::make_unique<State>(std::move(files))) {}
DebugInfo::~DebugInfo() = default;

void DebugInfo::State::start(int workers) {
  if (main != nullptr) {
    main->begin_pass();
    if (alternate != nullptr) alternate->begin_pass();
    return;
  }
  main =
      std::make_unique<DwarfFile>(files.main, DwarfFile::Kind::kMain, workers);
  if (files.alternate != nullptr)
    alternate = std::make_unique<DwarfFile>(
        files.alternate, DwarfFile::Kind::kAlternate, workers);
  index = UnitIndex(*main, alternate.get(), workers);
  damaged.resize(main->units().size());
}

std::vector<Query> DebugInfo::State::first_queries(
    std::span<const std::uint64_t> addresses, int workers, const Found& found) {
  std::vector<Query> queries;
  std::vector<std::size_t> nowhere;
  const auto ask = [&](std::size_t i) {
    const std::uint32_t unit = index.find(addresses[i])[0];
    if (unit == UnitIndex::kNone) return false;
    queries.push_back({.unit = unit, .index = i});
    return true;
  };
  for (std::size_t i = 0; i < addresses.size(); ++i)
    if (!ask(i)) nowhere.push_back(i);
  const bool more = !nowhere.empty() && index.has_silent_units();
  if (more) index.read_silent_units(*main, alternate.get(), workers);
  for (const std::size_t i : nowhere)
    if (!more || !ask(i)) found(i, {});
  return queries;
}

void DebugInfo::resolve(std::span<const std::uint64_t> elf_addrs, int workers,
                        const Found& found) {
  State& state = *state_;
  state.start(workers);
  std::vector<Query> queries = state.first_queries(elf_addrs, workers, found);
  while (!queries.empty()) {
    std::ranges::sort(queries, [](const Query& a, const Query& b) {
      return std::tie(a.unit, a.index) < std::tie(b.unit, b.index);
    });
    std::vector<std::span<const Query>> units;
    for (auto begin = queries.begin(); begin != queries.end();) {
      const auto end = std::find_if(begin, queries.end(), [&](const Query& q) {
        return q.unit != begin->unit;
      });
      units.emplace_back(begin, end);
      begin = end;
    }
    // Largest first, so that no worker starts on it when the others are done.
    std::ranges::stable_sort(units, std::greater(), [&](auto unit) {
      const UnitHeader& header = state.main->units()[unit.front().unit];
      return header.end - header.offset;
    });
    parallel_for(units.size(), workers, [&](std::size_t i) {
      std::vector<std::uint64_t> addresses;
      for (const Query& query : units[i])
        addresses.push_back(elf_addrs[query.index]);
      const UnitResult result =
          state.resolve_unit(units[i].front().unit, addresses);
      const std::scoped_lock lock(state.mutex);
      state.deliver(result, units[i], found);
    });

    queries.clear();
    for (Query query : std::exchange(state.again, {})) {
      const auto choices = state.index.find(elf_addrs[query.index]);
      ++query.choice;
      query.unit = query.choice < choices.size() ? choices[query.choice]
                                                 : UnitIndex::kNone;
      if (query.unit == UnitIndex::kNone)
        found(query.index, {});
      else
        queries.push_back(query);
    }
  }
}

UnitResult DebugInfo::State::resolve_unit(
    std::uint32_t number, std::span<const std::uint64_t> addresses) {
  UnitResult result(addresses.size());
  const UnitHeader& header = main->units()[number];
  auto table = main->abbrevs(header, main->sections().abbrev);
  const auto unit =
      open_unit(*main, alternate.get(), header, main->sections(), *table);
  if (!unit) {
    result.damaged = true;
    return result;
  }
  auto lines = LineTable::open(*unit);
  if (!lines && unit->root[Attr::kStmtList]) result.damaged = true;
  if (lines && !lines->find(addresses, result.lines)) result.damaged = true;

  std::optional<SplitUnit> full;
  if (SplitFiles::is_skeleton(*unit)) full = split.open(*unit);
  const Unit& dies = full ? full->unit : *unit;
  if (full) {
    table = full->table;
    result.split = full->file;
  }
  result.functions = find_functions(dies, *table, addresses);
  result.damaged |= result.functions.damaged;
  name_functions(result, FunctionNames(dies, table), lines);
  return result;
}

void DebugInfo::State::deliver(const UnitResult& result,
                               std::span<const Query> queries,
                               const Found& found) {
  if (result.damaged) damaged[queries.front().unit] = true;
  absl::flat_hash_map<std::uint64_t, std::string_view> paths;
  for (const auto& [file, path] : result.paths) paths[file] = keep(path);
  const auto path_of = [&](std::uint64_t file) {
    const auto path = paths.find(file);
    return path == paths.end() ? std::string_view() : path->second;
  };

  std::vector<SourceFrame> frames;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    if (!result.knows(i)) {
      again.push_back(queries[i]);
      continue;
    }
    // From the innermost outwards: each call has the line in its caller.
    frames.clear();
    SourceFrame frame;
    if (const LineAt& line = result.lines[i]; line.found)
      frame = {.file = path_of(line.file), .line = line.line};
    std::int32_t node = result.functions.innermost[i];
    for (; node >= 0; node = result.functions.nodes[node].caller) {
      const FunctionNode& function = result.functions.nodes[node];
      frame.function = result.names[node].text;
      frame.is_linkage_name = result.names[node].is_linkage;
      if (result.split != nullptr) frame.function = keep(frame.function);
      frame.inlined = function.inlined;
      frames.push_back(frame);
      frame = {.file = path_of(function.call_file), .line = function.call_line};
    }
    if (frames.empty()) frames.push_back(frame);
    std::ranges::reverse(frames);
    found(queries[i].index, frames);
  }
}

std::uint64_t DebugInfo::damaged_units() const {
  if (state_->main == nullptr) return 0;
  return state_->main->damaged_headers() + state_->index.damaged() +
         static_cast<std::uint64_t>(std::ranges::count(state_->damaged, true));
}

}  // namespace wick
