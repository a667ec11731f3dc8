// SPDX-License-Identifier: Apache-2.0
#include "cli/disassembly.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/metrics.h"
#include "base/text.h"
#include "cli/process.h"
#include "io/pipe.h"
#include "io/program_path.h"
#include "object/debug_files.h"
#include "object/demangle/demangle.h"
#include "object/elf/symbol_table.h"

namespace wick {
namespace {

using Clock = std::chrono::steady_clock;
using Instruction = FunctionCode::Instruction;

constexpr char kDisassembler[] = "objdump";
constexpr std::size_t kMaxFunctions = 100;
constexpr std::size_t kMaxModules = 50;
constexpr std::uint64_t kMaxCode = std::uint64_t{64} << 10;  // of a function
constexpr std::size_t kMaxPrinted = std::size_t{2} << 20;    // for it
constexpr std::size_t kMaxAllPrinted = std::size_t{4} << 20;
constexpr std::size_t kMaxText = 200;  // of an instruction
constexpr std::chrono::seconds kMaxTime{30};
constexpr rlim_t kMaxMemory = rlim_t{4} << 30;
// Functions and modules with less of the samples are not worth a message.
constexpr double kNotable = 0.01;

// Where samples ended: an address of a module.
struct Place {
  double share = 0;                      // of all samples
  StringId function = StringId::kEmpty;  // around inlined calls
};
using Places = std::map<std::uint64_t, Place>;

// The function whose code it is, if others were inlined where a stack ends.
StringId physical_function(const Profile& profile, StackId stack) {
  const Frame& leaf = profile.frames[profile.stacks.frame(stack)];
  const Frame* frame = &leaf;
  while (frame->kind == FrameKind::kInlined) {
    stack = profile.stacks.parent(stack);
    if (stack == StackId::kRoot) break;
    const Frame& caller = profile.frames[profile.stacks.frame(stack)];
    if (caller.module != leaf.module || caller.address != leaf.address) break;
    frame = &caller;
  }
  return frame->function;
}

std::map<ModuleId, Places> hot_places(const Profile& profile) {
  Column<EventId, double> whole(profile.events.size());
  Column<StackId, double> shares(profile.stacks.size());
  for (const Sample& sample : profile.samples)
    whole[sample.event] += static_cast<double>(sample.weight);
  for (const Sample& sample : profile.samples)
    if (sample.weight > 0)
      shares[sample.stack] +=
          static_cast<double>(sample.weight) / whole[sample.event];
  std::map<ModuleId, Places> places;
  for (const StackId id : profile.stacks.ids()) {
    if (id == StackId::kRoot || shares[id] <= 0) continue;
    const Frame& leaf = profile.frames[profile.stacks.frame(id)];
    if (leaf.address == 0 || leaf.module == ModuleId::kUnknown) continue;
    Place& place = places[leaf.module][leaf.address];
    place.share += shares[id];
    place.function = physical_function(profile, id);
  }
  return places;
}

// A module's file, and its functions.
struct CodeOfModule {
  std::shared_ptr<const ElfFile> elf, debug;
  SymbolTable symbols;
  UniqueFd handle;
};

struct HotFunction {
  FunctionCode code;
  CodeOfModule* file = nullptr;
  double share = 0;
  bool is_named_so = false;  // as in the profile
};

class Disassembler {
 public:
  Disassembler(const Profile& profile, const SymbolOptions& symbols)
      : profile_(profile),
        files_(debug_file_options(symbols)),
        program_(find_program(kDisassembler).value_or(kDisassembler)) {}

  Disassembly run() {
    find_functions();
    std::ranges::stable_sort(hot_, std::ranges::greater{}, &HotFunction::share);
    std::size_t printed = 0;
    for (HotFunction& function : hot_) {
      if (result_.functions.size() == kMaxFunctions ||
          printed > kMaxAllPrinted || Clock::now() > deadline_)
        break;
      const std::optional<std::string> whole = print(function);
      if (!whole) {
        add_problem(function.share, function.code.name,
                    "objdump took too long or printed too much");
        continue;
      }
      const std::string& text = *whole;
      printed += text.size();
      function.code.instructions =
          parse_instructions(text, function.code.start, function.code.size);
      if (!function.code.instructions.empty())
        result_.functions.push_back(std::move(function.code));
      else
        add_problem(function.share, function.code.name, last_line(text));
    }
    return std::move(result_);
  }

 private:
  void add_problem(double share, std::string_view what, std::string_view why) {
    constexpr std::size_t kMost = 3;
    if (share < kNotable || result_.problems.size() == kMost) return;
    result_.problems.push_back(
        fmt::format("no assembly of {}: {}", excerpt(what), excerpt(why, 200)));
  }

  static std::string_view last_line(std::string_view text) {
    while (text.ends_with('\n')) text.remove_suffix(1);
    text = text.substr(text.rfind('\n') + 1);
    return text.empty() ? "objdump printed nothing" : text;
  }

  void find_functions() {
    const std::map<ModuleId, Places> places = hot_places(profile_);
    std::vector<std::pair<double, ModuleId>> order;
    for (const auto& [module, in_module] : places) {
      double share = 0;
      for (const auto& [address, place] : in_module) share += place.share;
      order.emplace_back(-share, module);
    }
    std::ranges::sort(order);
    if (order.size() > kMaxModules) order.resize(kMaxModules);
    for (const auto& [share, module] : order)
      if (CodeOfModule* file = open(module, -share))
        add_functions(module, *file, places.at(module));
  }

  // Null if the file that was profiled is not here.
  CodeOfModule* open(ModuleId id, double share) {
    const Module& module = profile_.modules[id];
    const std::string_view path =
        without_deleted_mark(profile_.strings[module.path]);
    if (!path.starts_with('/') || kind_of_mapping(path) != CodeKind::kFile)
      return nullptr;
    if (module.build_id == StringId::kEmpty) {
      add_problem(share, path, "it has no build id");
      return nullptr;
    }
    const CodeFile wanted{
        .path = std::string(path),
        .build_id = std::string(profile_.strings[module.build_id])};
    auto file = std::make_unique<CodeOfModule>();
    file->elf = files_.binary(wanted).elf;
    if (file->elf != nullptr) file->handle = file->elf->handle();
    if (!file->handle) {
      add_problem(share, path, "the file that was profiled is not here");
      return nullptr;
    }
    file->debug = files_.debug(*file->elf, wanted);
    file->symbols = SymbolTable::from_elf(*file->elf, file->debug.get());
    return opened_.emplace_back(std::move(file)).get();
  }

  void add_functions(ModuleId module, CodeOfModule& file,
                     const Places& places) {
    std::map<std::uint64_t, HotFunction> functions;  // by start
    for (const auto& [address, place] : places) {
      const Symbol* symbol = file.symbols.find(address);
      if (symbol == nullptr || symbol->size == 0 || symbol->size > kMaxCode)
        continue;
      HotFunction& hot = functions[symbol->start];
      if (hot.file == nullptr) {
        hot.file = &file;
        hot.code = {.module = module,
                    .name = demangle(symbol->name, Demangle::kShort),
                    .start = symbol->start,
                    .size = symbol->size,
                    .instructions = {}};
      }
      hot.share += place.share;
      const std::string_view name = profile_.strings[place.function];
      // Addresses of other formats may count from elsewhere.
      if (name == hot.code.name || name == symbol->name ||
          name == demangle(symbol->name, Demangle::kFull))
        hot.is_named_so = true;
    }
    for (auto& [start, hot] : functions)
      if (hot.is_named_so) hot_.push_back(std::move(hot));
  }

  // Nothing if it cannot be complete.
  std::optional<std::string> print(const HotFunction& function) const {
    const FunctionCode& code = function.code;
    Pipe pipe = make_pipe();
    // Without servers of debug information: wick alone decides about them.
    Child child(
        {"env", "-u", "DEBUGINFOD_URLS", program_, "-d", "-w", "-C",
         "--no-show-raw-insn", fmt::format("--start-address={:#x}", code.start),
         fmt::format("--stop-address={:#x}", code.start + code.size), "--",
         "/proc/self/fd/0"},
        {.in = function.file->handle.get(),
         .out = pipe.write.get(),
         .err = pipe.write.get()});
    pipe.write.reset();
    const rlimit memory{kMaxMemory, kMaxMemory};
    ::prlimit(child.pid(), RLIMIT_AS, &memory, nullptr);
    return read_until_deadline(pipe.read.get());
  }

  // The child is killed if it has not finished by then.
  std::optional<std::string> read_until_deadline(int fd) const {
    std::string text;
    char buffer[16384];
    while (text.size() < kMaxPrinted) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          deadline_ - Clock::now());
      pollfd wanted{.fd = fd, .events = POLLIN, .revents = 0};
      const int ready =
          ::poll(&wanted, 1, static_cast<int>(std::max<long>(left.count(), 0)));
      if (ready < 0 && errno == EINTR) continue;
      if (ready <= 0) return {};
      const ssize_t got = ::read(fd, buffer, sizeof buffer);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return {};
      if (got == 0) return text;
      text.append(buffer, static_cast<std::size_t>(got));
    }
    return {};
  }

  const Profile& profile_;
  DebugFiles files_;
  std::string program_;
  Clock::time_point deadline_ = Clock::now() + kMaxTime;
  std::vector<std::unique_ptr<CodeOfModule>> opened_;
  std::vector<HotFunction> hot_;
  Disassembly result_;
};

// "mov    %rsp,%rbp" of "    1139:\tmov    %rsp,%rbp".
std::string instruction_text(std::string_view text) {
  std::string clean = valid_utf8(trim(text).substr(0, kMaxText));
  for (char& c : clean)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  return clean;
}

}  // namespace

void check_disassembler() {
  if (!find_program(kDisassembler))
    fail("--embed-asm: cannot find objdump (apt install binutils)");
}

Disassembly disassemble(const Profile& profile, const SymbolOptions& symbols) {
  const Timer timer("disassemble");
  return Disassembler(profile, symbols).run();
}

std::vector<Instruction> parse_instructions(std::string_view printed,
                                            std::uint64_t start,
                                            std::uint64_t size) {
  std::vector<Instruction> instructions;
  while (!printed.empty()) {
    const std::size_t end = std::min(printed.find('\n'), printed.size());
    // The last line may be cut off.
    if (end == printed.size()) break;
    const std::string_view line = printed.substr(0, end);
    printed.remove_prefix(end + 1);
    const std::size_t colon = line.find(':');
    if (colon == line.npos || !line.starts_with(' ')) continue;
    const auto address =
        to_number<std::uint64_t>(trim(line.substr(0, colon)), 16);
    if (!address || *address < start || *address - start >= size) continue;
    const auto offset = static_cast<std::uint32_t>(*address - start);
    if (!instructions.empty() && offset <= instructions.back().offset) continue;
    std::string text = instruction_text(line.substr(colon + 1));
    if (!text.empty()) instructions.push_back({offset, std::move(text)});
  }
  return instructions;
}

}  // namespace wick
