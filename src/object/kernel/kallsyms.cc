// SPDX-License-Identifier: Apache-2.0
#include "object/kernel/kallsyms.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>

#include "absl/container/flat_hash_map.h"
#include "base/error.h"
#include "base/text.h"
#include "io/open_regular.h"
#include "io/unique_fd.h"
#include "object/elf/symbol_table_builder.h"

namespace wick {
namespace {

// A kernel has about 200,000 symbols of 50 bytes. Room that is not used takes
// no memory.
constexpr std::size_t kUsualSize = std::size_t{1} << 24;
constexpr std::size_t kMaxSize = std::size_t{1} << 28;

struct Line {
  std::uint64_t address = 0;
  char kind = 0;
  std::string_view name, module;
};

constexpr std::array<std::int8_t, 256> kHexValue = [] {
  std::array<std::int8_t, 256> values{};
  values.fill(-1);
  for (int i = 0; i < 10; ++i) values['0' + i] = static_cast<std::int8_t>(i);
  for (int i = 0; i < 6; ++i)
    values['a' + i] = values['A' + i] = static_cast<std::int8_t>(10 + i);
  return values;
}();

// False if the line does not have this form.
bool parse(std::string_view text, Line& line) {
  std::size_t digits = 0;
  line.address = 0;
  while (digits < text.size() && digits < 17) {
    const std::int8_t value =
        kHexValue[static_cast<unsigned char>(text[digits])];
    if (value < 0) break;
    line.address = line.address << 4 | static_cast<std::uint64_t>(value);
    ++digits;
  }
  if (digits == 0 || digits > 16 || text.size() < digits + 4) return false;
  if (text[digits] != ' ' || text[digits + 2] != ' ') return false;
  line.kind = text[digits + 1];
  text.remove_prefix(digits + 3);
  const std::size_t tab = text.find('\t');
  line.name = trim_right(text.substr(0, tab));
  line.module = {};
  if (tab != text.npos) {
    text = trim(text.substr(tab));
    if (!text.starts_with('[') || !text.ends_with(']')) return false;
    line.module = text.substr(1, text.size() - 2);
  }
  return !line.name.empty();
}

bool is_code(char kind) {
  return kind == 't' || kind == 'T' || kind == 'w' || kind == 'W';
}

SymbolBinding binding_of(char kind) {
  return kind == 'T'   ? SymbolBinding::kGlobal
         : kind == 't' ? SymbolBinding::kLocal
                       : SymbolBinding::kWeak;
}

}  // namespace

Kallsyms Kallsyms::from_text(std::string text) {
  Kallsyms out;
  const auto owner = std::make_shared<const std::string>(std::move(text));
  // Row 0 is the kernel itself.
  std::vector<SymbolTableBuilder> builders(1);
  std::vector<std::string_view> names(1);
  absl::flat_hash_map<std::string_view, std::size_t> rows;
  std::size_t row = 0;  // the module of the previous line
  std::size_t functions = 0;
  std::uint64_t stext = 0;
  builders[0].reserve(owner->size() / 64);
  for (std::string_view rest = *owner; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view text_line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    Line line;
    if (!parse(text_line, line)) {
      out.damaged_lines_ += !trim(text_line).empty();
      continue;
    }
    if (!is_code(line.kind)) continue;
    ++functions;
    if (line.address == 0) continue;
    if (line.module != names[row]) {
      row = 0;
      if (!line.module.empty()) {
        const auto [at, fresh] = rows.try_emplace(line.module, names.size());
        row = at->second;
        if (fresh) {
          names.push_back(line.module);
          builders.emplace_back();
        }
      }
    }
    if (row == 0 && line.name == "_text") out.kernel_start_ = line.address;
    if (row == 0 && line.name == "_stext") stext = line.address;
    builders[row].add({.start = line.address,
                       .name = line.name,
                       .binding = binding_of(line.kind)});
  }
  if (out.kernel_start_ == 0) out.kernel_start_ = stext;
  bool any = false;
  for (std::size_t i = 0; i < builders.size(); ++i) {
    builders[i].keep(owner);
    SymbolTable table = builders[i].build();
    any |= table.size() > 0;
    if (i == 0)
      out.kernel_ = std::move(table);
    else
      out.modules_.push_back({names[i], std::move(table)});
  }
  std::ranges::sort(out.modules_, {}, &Module::name);
  out.addresses_hidden_ = functions > 0 && !any;
  return out;
}

Kallsyms Kallsyms::open(const std::string& path) {
  const UniqueFd fd = open_regular(path, {.on_network = true});
  if (!fd) fail("{}: {}", path, open_error());
  // Files of /proc report 0 bytes.
  std::string text;
  text.reserve(kUsualSize);
  while (true) {
    const std::size_t old = text.size();
    text.resize(old + std::max<std::size_t>(1 << 20, old / 2));
    const ssize_t got = ::read(fd.get(), text.data() + old, text.size() - old);
    text.resize(old + (got > 0 ? static_cast<std::size_t>(got) : 0));
    if (got == 0) break;
    if (got < 0 && errno != EINTR) fail("{}: {}", path, last_system_error());
    if (text.size() > kMaxSize)
      fail("{}: more than {} bytes; not a list of kernel symbols", path,
           kMaxSize);
  }
  return from_text(std::move(text));
}

const SymbolTable* Kallsyms::module(std::string_view name) const {
  const auto found =
      std::ranges::lower_bound(modules_, name, {}, &Module::name);
  return found == modules_.end() || found->name != name ? nullptr
                                                        : &found->symbols;
}

}  // namespace wick
