// SPDX-License-Identifier: Apache-2.0
#include "itrace/code/code_map.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "io/input_file.h"
#include "io/line_reader.h"
#include "itrace/code/firmware.h"
#include "itrace/code/module_list.h"
#include "object/demangle/demangle.h"
#include "object/kernel/kallsyms.h"
#include "sysroot/sysroot_image.h"

namespace wick {
namespace {

// 32 MiB of unknown code have their own pages. The rest shares one page, since
// a damaged trace has any number of pcs.
constexpr std::size_t kMaxUnknownPages = 8192;

constexpr std::size_t kMaxSystemMap = std::size_t{1} << 28;

// Unknown code has a row for each layer.
constexpr FunctionId unknown_function(Layer layer) {
  return FunctionId{static_cast<std::uint32_t>(layer)};
}
constexpr std::size_t kLayers = 4;

struct TextRange {
  std::uint64_t start = UINT64_MAX, end = 0;
  void add(std::uint64_t from, std::uint64_t size) {
    if (size == 0 || from + size < from) return;
    start = std::min(start, from);
    end = std::max(end, from + size);
  }
};

// In a relocatable file, an address is a file offset, as in SymbolTable; only
// .text is at a module's address.
TextRange text_range(const ElfFile& elf) {
  TextRange range;
  if (elf.type() == ET_REL) {
    if (const auto* text = elf.section(".text"))
      range.add(text->offset, text->size);
    return range;
  }
  for (const ElfFile::Section& section : elf.sections())
    if ((section.flags & SHF_ALLOC) != 0 &&
        (section.flags & SHF_EXECINSTR) != 0 && section.type != SHT_NOBITS)
      range.add(section.address, section.size);
  if (range.end == 0)
    for (const ElfFile::Segment& segment : elf.segments())
      if (segment.type == PT_LOAD && (segment.flags & PF_X) != 0)
        range.add(segment.address, segment.memory_size);
  return range;
}

// "/lib/modules/…/nf-tables.ko" is the module nf_tables.
std::string module_name(std::string_view path) {
  path = base_name(path);
  std::string name(path.substr(0, path.find('.')));
  std::ranges::replace(name, '-', '_');
  return name;
}

bool in_kernel_half(std::uint64_t address, bool is_64) {
  return is_64 ? address >> 63 != 0 : address >= 0xc0000000;
}

bool is_interpreted(const ElfFile& elf) {
  return std::ranges::any_of(elf.segments(), [](const auto& segment) {
    return segment.type == PT_INTERP;
  });
}

// Decides where the file's code runs, and whether that is fixed.
void place_image(CodeImage& image) {
  const ElfFile& elf = *image.elf;
  image.fixed = true;
  if (in_kernel_half(image.text_start, elf.is_64())) {
    image.layer = Layer::kKernel;
  } else if (image.text_start >= kDramStart && !is_interpreted(elf)) {
    image.layer = Layer::kMachine;
  } else if (is_firmware(elf)) {
    image.layer = Layer::kMachine;
    image.bias = kDramStart;
  } else {
    image.layer = Layer::kUser;
    image.fixed = elf.type() == ET_EXEC;
  }
}

DebugFileOptions with_sysroot(DebugFileOptions options,
                              const Sysroot& sysroot) {
  options.debug_dirs = {options.symfs + "/usr/lib/debug"};
  if (!sysroot.path.empty())
    options.debug_dirs.push_back(sysroot.path + "/usr/lib/debug");
  options.sysroot_image = sysroot.image;
  return options;
}

// The path of a file on the traced machine, if it is in the sysroot.
std::string traced_path(const std::string& path, const std::string& sysroot) {
  const auto inside = std::filesystem::path(path).lexically_relative(sysroot);
  if (sysroot.empty() || inside.empty() || *inside.begin() == "..") return path;
  return "/" + inside.string();
}

}  // namespace

std::string_view unknown_name(Layer layer) {
  switch (layer) {
    case Layer::kUser:
      return "[unknown user code]";
    case Layer::kKernel:
      return "[unknown kernel code]";
    case Layer::kMachine:
      return "[unknown machine code]";
    case Layer::kUnknown:
      break;
  }
  return "[unknown code]";
}

std::string_view CodeImage::text(std::uint64_t elf_addr,
                                 std::uint64_t size) const {
  if (elf == nullptr || elf_addr < text_start || elf_addr >= text_end)
    return {};
  size = std::min(size, text_end - elf_addr);
  if (elf->type() != ET_REL) return elf->bytes_at(elf_addr, size);
  const auto* section = elf->section(".text");
  return section == nullptr
             ? std::string_view()
             : elf->bytes(*section).substr(
                   std::min<std::size_t>(elf_addr - text_start,
                                         elf->bytes(*section).size()),
                   size);
}

CodeMap::CodeMap(const TraceOptions& options, const TraceInfo& info,
                 const SymbolOptions& symbols)
    : pc_mask_(info.pc_bits >= 64 ? ~std::uint64_t{0}
                                  : (std::uint64_t{1} << info.pc_bits) - 1),
      knows_privilege_(info.has_privilege),
      only_regular_files_(options.only_regular_files),
      sysroot_(options.sysroot.path),
      debug_files_(with_sysroot(debug_file_options(symbols), options.sysroot)) {
  if (symbols.use_cache) symbol_cache_.emplace(SymbolCache::default_folder());
  if (options.sysroot.image)
    diagnostics_.merge(options.sysroot.image->diagnostics());
  images_.emplace_back();
  first_function_.push_back(FunctionId::kNone);
  for (std::size_t i = 0; i < kLayers; ++i)
    functions_.push_back({.layer = static_cast<Layer>(i)});
  if (!options.uartlog.empty()) read_module_list(options.uartlog);
  for (const std::string& path : options.elfs) add_file(path);
  for (const std::string& spec : options.modules) add_module(spec);
}

CodeMap::~CodeMap() = default;

InputFile CodeMap::open_input(const std::string& path) const {
  return only_regular_files_ ? InputFile::open_regular(path)
                             : InputFile::open(path);
}

void CodeMap::add_file(const std::string& path) {
  InputFile file = open_input(path);
  if (file.head().starts_with("\177ELF")) {
    const std::shared_ptr<const ElfFile> elf = ElfFile::open(path);
    std::optional<std::uint64_t> at;
    if (elf->type() == ET_REL) {
      const auto known = module_starts_.find(module_name(path));
      if (known == module_starts_.end()) {
        if (has_console_) {
          // Few workloads print /proc/modules. If they do, a module that is
          // not listed was not loaded and has no code in the trace.
          diagnostics_.note_at(module_starts_.empty()
                                   ? Problem::kNoModuleList
                                   : Problem::kUnlistedModule,
                               path);
          return;
        }
        fail_usage({Setting::kModule, Setting::kUartLog},
                   "{} is a kernel module, and its address is not known", path);
      }
      at = known->second;
    }
    add_elf(elf, path, at);
    return;
  }
  // Text has no zeros; /dev/zero has no end.
  const bool is_text = file.head().find('\0') == std::string_view::npos;
  const std::string_view text =
      is_text ? file.peek(kMaxSystemMap) : std::string_view();
  if (!is_text || text.size() >= kMaxSystemMap)
    fail("{}: neither ELF nor a System.map", path);
  add_system_map(std::string(text), path);
}

void CodeMap::read_module_list(const std::string& path) {
  InputFile file = open_input(path);
  has_console_ = true;
  in_context(path, [&] {
    for_each_line(file, [&](std::string_view line, std::uint64_t) {
      if (const auto module = parse_loaded_module(line))
        module_starts_[std::string(module->name)] = module->start;
    });
  });
}

void CodeMap::add_module(const std::string& spec) {
  const std::size_t at = spec.rfind('@');
  std::string_view digits;
  if (at != spec.npos) digits = std::string_view(spec).substr(at + 1);
  if (digits.starts_with("0x")) digits.remove_prefix(2);
  const auto address = to_number<std::uint64_t>(digits, 16);
  if (!address)
    fail_setting(Setting::kModule,
                 "'{}' is not FILE@ADDRESS, with the address in hexadecimal",
                 excerpt(spec));
  const std::string path = spec.substr(0, at);
  add_elf(ElfFile::open(path), path, *address);
}

std::unique_ptr<ModuleSymbols> CodeMap::names_of(
    const std::shared_ptr<const ElfFile>& elf, const std::string& path) {
  return std::make_unique<ModuleSymbols>(
      debug_files_,
      CodeFile{.path = traced_path(path, sysroot_),
               .build_id = elf->build_id()},
      FoundFile{.elf = elf, .state = FileState::kFound},
      ModuleSymbols::Options{
          .addresses = CodeAddresses::kExact,
          .cache = symbol_cache_ ? &*symbol_cache_ : nullptr});
}

CodeImageId CodeMap::add_elf(const std::shared_ptr<const ElfFile>& elf,
                             std::string path,
                             std::optional<std::uint64_t> at) {
  if (elf->machine() != Machine::kRiscV)
    fail("{}: is not RISC-V code; traces of other machines cannot be followed",
         path);
  if (!elf->is_64()) xlen_ = Xlen::k32;
  const TextRange range = text_range(*elf);
  std::unique_ptr<ModuleSymbols> names = names_of(elf, path);
  CodeImage image{.path = std::move(path),
                  .elf = elf,
                  .names = std::move(names),
                  .text_start = std::min(range.start, range.end),
                  .text_end = range.end};
  place_image(image);
  // .dynsym alone has a few labels of assembly code, without sizes: each would
  // be the name of everything up to the next one.
  if (is_firmware(*elf) && image.names->why_no_names() == NoNames::kStripped)
    image.names.reset();
  if (at) {
    image.fixed = true;
    image.bias = *at - image.text_start;
    image.layer = in_kernel_half(*at, elf->is_64())        ? Layer::kKernel
                  : *at >= kDramStart || is_firmware(*elf) ? Layer::kMachine
                                                           : Layer::kUser;
  }
  return add_image(std::move(image));
}

CodeImageId CodeMap::add_system_map(std::string text, std::string path) {
  Kallsyms symbols = Kallsyms::from_text(std::move(text));
  if (symbols.kernel().size() == 0)
    fail(
        "{}: contains no kernel functions; expected an ELF file or a "
        "System.map "
        "with lines like 'ffffffff80002000 T _stext'",
        path);
  if (symbols.damaged_lines() > 0)
    diagnostics_.note(Problem::kBadLine, symbols.damaged_lines());
  CodeImage image{
      .path = std::move(path), .layer = Layer::kKernel, .fixed = true};
  image.system_map = symbols.take_kernel();
  image.text_start = image.system_map.begin()->start;
  const Symbol& last = *(image.system_map.end() - 1);
  image.text_end = last.start + last.size;
  return add_image(std::move(image));
}

CodeImageId CodeMap::add_image(CodeImage image) {
  const auto id = CodeImageId{static_cast<std::uint32_t>(images_.size())};
  images_.push_back(std::move(image));
  index_functions(id);
  add_range(id);
  found_.clear();
  ++own_generation_;
  return id;
}

void CodeMap::index_functions(CodeImageId id) {
  const CodeImage& image = images_[index(id)];
  first_function_.push_back(
      FunctionId{static_cast<std::uint32_t>(functions_.size())});
  functions_.push_back({.image = id, .layer = image.layer});
  functions_.reserve(functions_.size() + image.symbols().size());
  for (const Symbol& symbol : image.symbols())
    functions_.push_back({.image = id,
                          .layer = image.layer,
                          .start = symbol.start,
                          .size = symbol.size,
                          .name = symbol.name});
}

void CodeMap::add_range(CodeImageId id) {
  const CodeImage& image = images_[index(id)];
  if (!image.fixed || image.text_end <= image.text_start) return;
  // Other programs have the same addresses in other address spaces.
  if (user_code_ != nullptr && image.layer == Layer::kUser) return;
  const std::uint64_t start = (image.text_start + image.bias) & pc_mask_;
  const std::uint64_t size =
      std::min(image.text_end - image.text_start, pc_mask_ - start);
  ranges_.push_back({start, start + size, id});
  std::ranges::stable_sort(ranges_, {}, &Range::start);
}

void CodeMap::set_user_code(std::unique_ptr<UserCode> user_code) {
  user_code_ = std::move(user_code);
  std::erase_if(ranges_, [&](const Range& range) {
    return image(range.image).layer == Layer::kUser;
  });
  found_.clear();
  ++own_generation_;
}

std::span<const SpaceChange> CodeMap::learn(const TraceBlock& block) {
  space_changes_.clear();
  if (user_code_ == nullptr) return {};
  user_code_->learn(block, space_changes_);
  if (user_code_->generation() != user_generation_) {
    user_generation_ = user_code_->generation();
    found_.clear();
  }
  return space_changes_;
}

std::uint32_t CodeMap::generation() const {
  return own_generation_ + user_generation_;
}

CodePage& CodeMap::page(SpaceId space, std::uint64_t pc) {
  const std::uint64_t page_pc = pc & pc_mask_ & ~(CodePage::kBytes - 1);
  CodePage*& known = found_[{index(space), page_pc}];
  if (known == nullptr) {
    // make_page() may invalidate the reference.
    CodePage& made = make_page(space, page_pc);
    found_[{index(space), page_pc}] = &made;
    return made;
  }
  return *known;
}

CodePage& CodeMap::make_page(SpaceId space, std::uint64_t page_pc) {
  // If files overlap, the one that begins last: a module or a program may be
  // inside the range that a kernel's symbols span.
  const Range* best = nullptr;
  for (const Range& range : ranges_)
    if (range.start < page_pc + CodePage::kBytes && range.end > page_pc)
      best = &range;
  if (best != nullptr) {
    const CodeImage& image = images_[index(best->image)];
    const std::uint64_t start = (image.text_start + image.bias) & pc_mask_;
    return image_page(best->image, image.text_start + (page_pc - start));
  }
  if (user_code_ != nullptr)
    if (const auto place = user_code_->find(space, page_pc))
      return image_page(place->image, place->elf_addr);
  return unknown_page(space, page_pc);
}

CodePage& CodeMap::image_page(CodeImageId id, std::uint64_t elf_addr) {
  CodePage*& known = image_pages_[{index(id), elf_addr}];
  if (known != nullptr) return *known;
  CodePage& page = pages_.emplace_back();
  known = &page;
  const CodeImage& image = images_[index(id)];
  page.image = id;
  page.layer = image.layer;
  page.elf_addr = elf_addr;
  // Includes the second half of an instruction that crosses the page's end.
  const std::uint64_t skipped =
      elf_addr < image.text_start &&
              image.text_start - elf_addr < CodePage::kBytes
          ? image.text_start - elf_addr
          : 0;
  const std::string_view text =
      image.text(elf_addr + skipped, CodePage::kBytes + 2 - skipped);
  const auto half = [&](std::size_t at) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[at]) |
                                      static_cast<unsigned char>(text[at + 1])
                                          << 8);
  };
  // A 64-bit kernel may run 32-bit programs.
  const Xlen xlen =
      image.elf != nullptr && image.elf->is_64() ? Xlen::k64 : Xlen::k32;
  for (std::size_t at = 0;
       at + 2 <= text.size() && skipped + at < CodePage::kBytes; at += 2) {
    std::uint32_t bits = half(at);
    if ((bits & 3) == 3) {
      if (at + 4 > text.size()) break;
      bits |= half(at + 2) << 16;
    }
    page.flow[(skipped + at) / 2] = decode_riscv(bits, xlen);
  }
  const SymbolTable& symbols = image.symbols();
  const FunctionId nameless = first_function_[index(id)];
  std::uint64_t until = elf_addr;
  FunctionId current = nameless;
  for (std::size_t slot = 0; slot < CodePage::kSlots; ++slot) {
    const std::uint64_t address = elf_addr + slot * 2;
    if (address >= until) {
      const Symbol* symbol = symbols.find(address);
      const auto next =
          std::ranges::upper_bound(symbols, address, {}, &Symbol::start);
      until = next == symbols.end() ? UINT64_MAX : next->start;
      current = nameless;
      if (symbol != nullptr) {
        until = std::min(until, symbol->start + symbol->size);
        current =
            FunctionId{index(nameless) + 1 +
                       static_cast<std::uint32_t>(symbol - &*symbols.begin())};
        if (symbol->start == address)
          page.flow[slot] = page.flow[slot].as_entry();
      }
    }
    if (page.spots.empty() || current != page.spots.back().function) {
      // Control that falls through into other code must be noticed, even if
      // that has no symbol: StackTracker counts by function between entries.
      if (slot > 0) {
        page.flow[slot] = page.flow[slot].as_entry();
        page.spots.back().end = static_cast<std::uint16_t>(slot);
      }
      page.spots.push_back(
          {.function = current, .first = static_cast<std::uint16_t>(slot)});
    }
    page.spot[slot] = static_cast<std::uint16_t>(page.spots.size() - 1);
    // The same if an instruction extends into other code, as in a file from
    // another build.
    if (slot > 1 && current != page.function(slot - 2))
      page.flow[slot] = page.flow[slot].as_place();
  }
  return page;
}

CodePage& CodeMap::unknown_page(SpaceId space, std::uint64_t page_pc) {
  if (unknown_pages_.size() >= kMaxUnknownPages) {
    space = SpaceId{0xffffffff};
    page_pc = 0;
  }
  CodePage*& known = unknown_pages_[{index(space), page_pc}];
  if (known != nullptr) return *known;
  CodePage& page = pages_.emplace_back();
  known = &page;
  page.elf_addr = page_pc;
  if (page_pc >= kDramStart && page_pc < kFirmwareEnd)
    page.layer = Layer::kMachine;
  else if (pc_mask_ == ~std::uint64_t{0} && xlen_ == Xlen::k64)
    // In the lower half, it may be anyone; the trace may have the privilege.
    page.layer = in_kernel_half(page_pc, true) ? Layer::kKernel
                 : knows_privilege_            ? Layer::kUnknown
                                               : Layer::kUser;
  page.spots.push_back({unknown_function(page.layer)});
  return page;
}

void CodeMap::raise_layer(CodeImageId id, Layer layer) {
  CodeImage& image = images_[index(id)];
  if (image.layer >= layer) return;
  image.layer = layer;
  const std::size_t first = index(first_function_[index(id)]);
  for (std::size_t i = 0; i <= image.symbols().size(); ++i)
    functions_[first + i].layer = layer;
  for (CodePage& page : pages_)
    if (page.image == id) page.layer = layer;
}

void CodeMap::set_layer(CodePage& page, Layer layer) {
  page.layer = layer;
  page.spots.front().function = unknown_function(layer);
}

FunctionId CodeMap::find_function(std::string_view name) const {
  for (std::size_t i = kLayers; i < functions_.size(); ++i)
    if (functions_[i].name == name && image(functions_[i].image).fixed)
      return FunctionId{static_cast<std::uint32_t>(i)};
  return FunctionId::kNone;
}

std::string CodeMap::shown_name(const CodeFunction& function) const {
  if (!function.name.empty()) return demangle(function.name, Demangle::kShort);
  if (function.image == CodeImageId::kNone)
    return std::string(unknown_name(function.layer));
  return fmt::format("[{}]", base_name(image(function.image).path));
}

std::string CodeMap::space_name(SpaceId space) const {
  return user_code_ == nullptr ? "" : user_code_->name(space);
}

}  // namespace wick
