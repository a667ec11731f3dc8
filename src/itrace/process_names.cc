// SPDX-License-Identifier: Apache-2.0
#include "itrace/process_names.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "base/text.h"
#include "object/elf/needed.h"

namespace wick {
namespace {

class ProcessNamer {
 public:
  ProcessNamer(const Contexts& contexts, const Accounts& accounts,
               const CodeMap& map)
      : threads_(contexts.threads()), accounts_(accounts), map_(map) {}

  ProcessNames name() && {
    find_programs();
    find_beginnings();
    for (std::uint32_t i = 0; i < threads_.size(); ++i) {
      processes_.push_back(process_of(i));
      names_.of_thread.push_back(name_of(i));
    }
    return std::move(names_);
  }

 private:
  // The program of each thread: that of which it ran the most. Of a thread that
  // only runs a library, it is one that is on its stack.
  void find_programs() {
    std::vector<std::optional<bool>> is_program(map_.image_count());
    absl::flat_hash_map<std::pair<std::uint32_t, CodeImageId>, std::uint64_t>
        instructions;
    programs_.resize(threads_.size());
    std::vector<std::uint64_t> most(threads_.size());
    for (const CallNodeId id : accounts_.ids()) {
      const Accounts::Node& node = accounts_[id];
      const CodeImageId image = map_.function(node.function).image;
      if (node.depth == 0 || image == CodeImageId::kNone) continue;
      std::optional<bool>& known = is_program[index(image)];
      if (!known) known = is_user_program(map_.image(image));
      if (!*known) continue;
      std::uint64_t& sum = instructions[{node.thread, image}];
      for (std::uint32_t place = 0; place < node.places; ++place)
        sum += accounts_.counter(id, place).instructions;
      CodeImageId& program = programs_[node.thread];
      if (program != CodeImageId::kNone && sum <= most[node.thread]) continue;
      program = image;
      most[node.thread] = sum;
    }
  }

  static bool is_user_program(const CodeImage& image) {
    return image.layer == Layer::kUser && image.elf != nullptr &&
           is_main_program(*image.elf);
  }

  using Seen = std::pair<SpaceId, CodeImageId>;
  Seen seen(std::uint32_t thread) const {
    return {threads_[thread].space, programs_[thread]};
  }

  void find_beginnings() {
    for (std::uint32_t i = 0; i < threads_.size(); ++i)
      if (threads_[i].begins_process) first_begun_.try_emplace(seen(i), i);
  }

  // A thread of its process, the same one for all.
  std::uint32_t process_of(std::uint32_t thread) {
    const ThreadFacts& facts = threads_[thread];
    if (facts.creator && *facts.creator < thread)
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

  // Whether no other process has the thread's address space. Without satp,
  // programs with fixed addresses share one.
  bool is_one_process(std::uint32_t thread) const {
    const CodeImageId program = programs_[thread];
    return program != CodeImageId::kNone &&
           (!map_.image(program).fixed ||
            !map_.space_name(threads_[thread].space).empty());
  }

  std::string name_of(std::uint32_t thread) {
    const ThreadFacts& facts = threads_[thread];
    if (!facts.name.empty() || facts.space == SpaceId::kNone) return facts.name;
    const auto [name, is_new] = by_process_.try_emplace(processes_[thread]);
    if (is_new) {
      name->second = new_name(programs_[thread]);
      names_.processes.push_back({name->second, facts.space});
    }
    return name->second;
  }

  std::string new_name(CodeImageId program) {
    if (program == CodeImageId::kNone)
      return fmt::format("process {}", ++nameless_);
    const std::string_view name = base_name(map_.image(program).path);
    const std::uint32_t number = ++numbers_[name];
    return number == 1 ? std::string(name)
                       : fmt::format("{} #{}", name, number);
  }

  const std::vector<ThreadFacts>& threads_;
  const Accounts& accounts_;
  const CodeMap& map_;
  std::vector<CodeImageId> programs_;     // by thread
  std::vector<std::uint32_t> processes_;  // by thread
  absl::flat_hash_map<Seen, std::uint32_t> first_begun_, last_seen_;
  absl::flat_hash_map<std::uint32_t, std::string> by_process_;
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
