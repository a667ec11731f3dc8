// SPDX-License-Identifier: Apache-2.0
#include "itrace/process_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "base/text.h"
#include "object/elf/needed.h"

namespace wick {
namespace {

// Processes of one program. Further ones share the last name: a machine that
// runs for long starts any number of them.
constexpr std::uint32_t kMostNumbered = 100;

class ProcessNamer {
 public:
  ProcessNamer(const Contexts& contexts, const Accounts& accounts,
               const CodeMap& map)
      : threads_(contexts.threads()), accounts_(accounts), map_(map) {}

  ProcessNames name() && {
    find_order();
    find_programs();
    find_beginnings();
    processes_.resize(threads_.size());
    for (const std::uint32_t thread : order_) {
      processes_[thread] = process_of(thread);
      if (threads_[thread].process) keep_name_of(thread);
    }
    names_.of_thread.resize(threads_.size());
    for (const std::uint32_t thread : order_)
      names_.of_thread[thread] = process_name_of(thread);
    return std::move(names_);
  }

 private:
  void find_order() {
    for (std::uint32_t i = 0; i < threads_.size(); ++i)
      if (threads_[i].number != 0) order_.push_back(i);
    std::ranges::sort(order_, {},
                      [&](std::uint32_t i) { return threads_[i].number; });
  }

  // The program of each thread: that which ran the most, with the libraries and
  // the kernel on top of it.
  void find_programs() {
    is_program_.resize(map_.image_count());
    innermost_.resize(accounts_.size());
    absl::flat_hash_map<std::pair<std::uint32_t, CodeImageId>, std::uint64_t>
        instructions;
    programs_.resize(threads_.size());
    for (std::uint32_t i = 0; i < threads_.size(); ++i)
      if (threads_[i].process) programs_[i] = threads_[i].process->program;
    std::vector<std::uint64_t> most(threads_.size());
    for (const CallNodeId id : accounts_.ids()) {
      const Accounts::Node& node = accounts_[id];
      if (node.depth == 0 || threads_[node.thread].process) continue;
      const CodeImageId image = innermost_program(id);
      if (image == CodeImageId::kNone) continue;
      std::uint64_t& sum = instructions[{node.thread, image}];
      for (std::uint32_t place = 0; place < node.places; ++place)
        sum += accounts_.counter(id, place).instructions;
      CodeImageId& program = programs_[node.thread];
      if (program != CodeImageId::kNone && sum <= most[node.thread]) continue;
      program = image;
      most[node.thread] = sum;
    }
  }

  // A name that was given when a thread of the process ended.
  void keep_name_of(std::uint32_t thread) {
    const ThreadFacts::Process& given = *threads_[thread].process;
    if (given.number == 0) return;
    by_process_.try_emplace(processes_[thread], given);
    std::uint32_t& number = given.program == CodeImageId::kNone
                                ? nameless_
                                : numbers_[file_name(given.program)];
    number = std::max(number, given.number);
  }

  // Of the stack of a node.
  CodeImageId innermost_program(CallNodeId id) {
    path_.clear();
    CodeImageId program = CodeImageId::kNone;
    for (CallNodeId at = id; accounts_[at].depth > 0;
         at = accounts_[at].caller) {
      if (const auto known = innermost_[index(at)]) {
        program = *known;
        break;
      }
      path_.push_back(at);
      const CodeImageId image = map_.function(accounts_[at].function).image;
      if (!is_program(image)) continue;
      program = image;
      break;
    }
    for (const CallNodeId at : path_) innermost_[index(at)] = program;
    return program;
  }

  bool is_program(CodeImageId id) {
    std::optional<bool>& known = is_program_[index(id)];
    if (!known) {
      const CodeImage& image = map_.image(id);
      known = image.layer == Layer::kUser && image.elf != nullptr &&
              is_main_program(*image.elf);
    }
    return *known;
  }

  using Seen = std::pair<SpaceId, CodeImageId>;
  Seen seen(std::uint32_t thread) const {
    return {threads_[thread].space, programs_[thread]};
  }

  void find_beginnings() {
    for (const std::uint32_t i : order_)
      if (threads_[i].begins_process) first_begun_.try_emplace(seen(i), i);
  }

  // A thread of its process, the same one for all.
  std::uint32_t process_of(std::uint32_t thread) {
    const ThreadFacts& facts = threads_[thread];
    if (facts.creator && is_earlier(*facts.creator, thread))
      return processes_[*facts.creator];
    if (facts.space == SpaceId::kNone) return thread;
    if (facts.begins_process) return last_seen_[seen(thread)] = thread;
    const auto [last, is_first] = last_seen_.try_emplace(seen(thread), thread);
    if (is_first && is_one_process(thread))
      if (const auto begun = first_begun_.find(last->first);
          begun != first_begun_.end())
        last->second = begun->second;
    return last->second;
  }

  // False also if the row of `a` is not used any more.
  bool is_earlier(std::uint32_t a, std::uint32_t b) const {
    return threads_[a].number != 0 && threads_[a].number < threads_[b].number;
  }

  // Whether no other process has the thread's address space. Without satp,
  // programs with fixed addresses share one.
  bool is_one_process(std::uint32_t thread) const {
    const CodeImageId program = programs_[thread];
    return program != CodeImageId::kNone &&
           (!map_.image(program).fixed ||
            !map_.space_name(threads_[thread].space).empty());
  }

  ThreadFacts::Process process_name_of(std::uint32_t thread) {
    const ThreadFacts& facts = threads_[thread];
    if (!facts.name.empty() || facts.space == SpaceId::kNone)
      return {.name = facts.name, .program = programs_[thread]};
    const auto [name, is_new] = by_process_.try_emplace(processes_[thread]);
    if (is_new) name->second = new_name(programs_[thread]);
    if (is_listed_.insert(name->second.name).second)
      names_.processes.push_back({name->second.name, facts.space});
    return name->second;
  }

  std::string_view file_name(CodeImageId program) const {
    return base_name(map_.image(program).path);
  }

  ThreadFacts::Process new_name(CodeImageId program) {
    const bool has_file = program != CodeImageId::kNone;
    std::uint32_t& number = has_file ? numbers_[file_name(program)] : nameless_;
    number = std::min(number + 1, kMostNumbered);
    const char* more = number == kMostNumbered ? "+" : "";
    std::string name =
        !has_file ? fmt::format("process {}{}", number, more)
        : number == 1
            ? std::string(file_name(program))
            : fmt::format("{} #{}{}", file_name(program), number, more);
    return {std::move(name), program, number};
  }

  const std::vector<ThreadFacts>& threads_;
  const Accounts& accounts_;
  const CodeMap& map_;
  std::vector<std::uint32_t> order_;             // threads, as they appeared
  std::vector<std::optional<bool>> is_program_;  // by image
  std::vector<std::optional<CodeImageId>> innermost_;  // by node
  std::vector<CallNodeId> path_;                       // of innermost_program()
  std::vector<CodeImageId> programs_;                  // by thread
  std::vector<std::uint32_t> processes_;               // by thread
  absl::flat_hash_map<Seen, std::uint32_t> first_begun_, last_seen_;
  absl::flat_hash_map<std::uint32_t, ThreadFacts::Process> by_process_;
  absl::flat_hash_set<std::string> is_listed_;
  absl::flat_hash_map<std::string_view, std::uint32_t> numbers_;
  std::uint32_t nameless_ = 0;
  ProcessNames names_;
};

}  // namespace

ProcessNames name_processes(const Contexts& contexts, const Accounts& accounts,
                            const CodeMap& map) {
  return ProcessNamer(contexts, accounts, map).name();
}

}  // namespace wick
