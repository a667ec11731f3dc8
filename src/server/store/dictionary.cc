// SPDX-License-Identifier: Apache-2.0
#include "server/store/dictionary.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <ranges>
#include <utility>

#include "base/bytes.h"
#include "profile/stack_batch.h"

namespace wick {
namespace {

constexpr const char* kTables[kItems] = {"text", "module", "frame", "stack"};
constexpr std::string_view kDamaged = "[damaged]";

const char* table_of(Item item) {
  return kTables[static_cast<std::size_t>(item)];
}

// Bounds the memory for numbers that are known: 24 bytes each.
constexpr std::size_t kMostKnown = std::size_t{1} << 18;

// --- contents

std::string stack_content(const StackTable& stacks, StackId id,
                          const Column<FrameId, std::uint64_t>& frames,
                          std::vector<FrameId>& buffer) {
  stacks.frames_of(id, buffer);
  std::string content;
  std::uint64_t before = 0;
  for (const FrameId frame : buffer) {
    append_varint(content,
                  zigzag(static_cast<std::int64_t>(frames[frame] - before)));
    before = frames[frame];
  }
  return content;
}

void append_frames(std::string_view content,
                   std::vector<std::uint64_t>& frames) {
  ByteReader in(content);
  std::uint64_t frame = 0;
  while (!in.at_end()) {
    frame += static_cast<std::uint64_t>(unzigzag(in.read_varint()));
    if (!in.failed()) frames.push_back(frame);
  }
}

struct FrameContent {
  std::uint64_t function = 0, file = 0, module = 0, line = 0;
  std::uint64_t address = 0, function_start = 0, kind = 0, off_cpu = 0;
};

std::string packed(const FrameContent& frame) {
  std::string content;
  for (const std::uint64_t value :
       {frame.function, frame.file, frame.module, frame.line, frame.address,
        frame.function_start, frame.kind, frame.off_cpu})
    append_varint(content, value);
  return content;
}

std::optional<FrameContent> frame_of_content(std::string_view content) {
  ByteReader in(content);
  FrameContent frame;
  for (std::uint64_t* value :
       {&frame.function, &frame.file, &frame.module, &frame.line,
        &frame.address, &frame.function_start, &frame.kind, &frame.off_cpu})
    *value = in.read_varint();
  if (in.failed() || frame.line > std::numeric_limits<std::uint32_t>::max() ||
      frame.kind > static_cast<std::uint64_t>(FrameKind::kWasm) ||
      frame.off_cpu > static_cast<std::uint64_t>(OffCpuReason::kNotSampled))
    return {};
  return frame;
}

// --- reading many rows

// Passing over a row that is not wanted costs a fifth of looking one up.
constexpr std::uint64_t kSparse = 5;

// Calls visit(position, content) for each of the numbers, ascending, that has a
// row.
void read_rows(
    Database& database, Item item, std::span<const std::uint64_t> numbers,
    const std::function<void(std::size_t, std::string_view)>& visit) {
  if (numbers.empty()) return;
  const std::string table = table_of(item);
  const auto signed_of = [](std::uint64_t number) {
    return static_cast<std::int64_t>(number);
  };
  if ((numbers.back() - numbers.front()) / kSparse < numbers.size()) {
    Statement rows = database.prepare("SELECT id, content FROM " + table +
                                      " WHERE id BETWEEN ? AND ? ORDER BY id");
    rows.bind(signed_of(numbers.front()), signed_of(numbers.back()));
    for (std::size_t at = 0; rows.step();) {
      const auto id = static_cast<std::uint64_t>(rows.number(0));
      while (at < numbers.size() && numbers[at] < id) ++at;
      if (at < numbers.size() && numbers[at] == id) visit(at, rows.blob(1));
    }
    return;
  }
  Statement row =
      database.prepare("SELECT content FROM " + table + " WHERE id = ?");
  for (std::size_t at = 0; at < numbers.size(); ++at)
    if (row.bind(signed_of(numbers[at])).step()) visit(at, row.blob(0));
}

// A stack of thirty frames shares most of them with others, so most numbers are
// repeated.
void sort_distinct(std::vector<std::uint64_t>& numbers) {
  if (numbers.empty()) return;
  const auto [least, most] = std::ranges::minmax(numbers);
  if ((most - least) / 64 < numbers.size()) {
    std::vector<bool> is_there(most - least + 1);
    for (const std::uint64_t number : numbers) is_there[number - least] = true;
    numbers.clear();
    for (std::uint64_t i = 0; i < is_there.size(); ++i)
      if (is_there[i]) numbers.push_back(least + i);
    return;
  }
  std::ranges::sort(numbers);
  const auto rest = std::ranges::unique(numbers);
  numbers.erase(rest.begin(), rest.end());
}

// What some numbers became. Most often they are close together, and then a look
// at one costs nothing.
template <class Value>
class Found {
 public:
  Found(std::vector<std::uint64_t> numbers, const Value& missing)
      : numbers_(std::move(numbers)), missing_(missing) {
    sort_distinct(numbers_);
    is_dense_ =
        !numbers_.empty() &&
        (numbers_.back() - numbers_.front()) / kSparse < numbers_.size();
    values_.resize(
        is_dense_ ? numbers_.back() - numbers_.front() + 1 : numbers_.size(),
        missing_);
  }
  std::span<const std::uint64_t> numbers() const { return numbers_; }
  Value& at(std::size_t position) {
    return values_[is_dense_ ? numbers_[position] - numbers_.front()
                             : position];
  }
  const Value& operator[](std::uint64_t number) const {
    if (is_dense_) {
      const std::uint64_t place = number - numbers_.front();
      return place < values_.size() ? values_[place] : missing_;
    }
    const auto found = std::ranges::lower_bound(numbers_, number);
    if (found == numbers_.end() || *found != number) return missing_;
    return values_[static_cast<std::size_t>(found - numbers_.begin())];
  }

 private:
  std::vector<std::uint64_t> numbers_;
  std::vector<Value> values_;
  Value missing_;
  bool is_dense_ = false;
};

Found<StringId> read_texts(Database& database,
                           std::vector<std::uint64_t> numbers,
                           Profile& profile) {
  Found<StringId> texts(std::move(numbers), profile.strings.intern(kDamaged));
  read_rows(database, Item::kText, texts.numbers(),
            [&](std::size_t at, std::string_view text) {
              texts.at(at) = profile.strings.intern(text);
            });
  return texts;
}

struct ModuleContent {
  std::uint64_t path = 0, build_id = 0, no_names = 0;
};

Found<ModuleId> read_modules(Database& database,
                             std::vector<std::uint64_t> numbers,
                             Profile& profile) {
  Found<ModuleContent> contents(std::move(numbers), {});
  std::vector<std::uint64_t> wanted;
  read_rows(database, Item::kModule, contents.numbers(),
            [&](std::size_t at, std::string_view content) {
              ByteReader in(content);
              ModuleContent& module = contents.at(at);
              for (std::uint64_t* value :
                   {&module.path, &module.build_id, &module.no_names}) {
                *value = in.read_varint();
                wanted.push_back(*value);
              }
            });
  const auto texts = read_texts(database, std::move(wanted), profile);
  const auto text = [&](std::uint64_t number) {
    return number == 0 ? StringId::kEmpty : texts[number];
  };
  Found<ModuleId> modules(
      {contents.numbers().begin(), contents.numbers().end()},
      ModuleId::kUnknown);
  for (std::size_t at = 0; at < modules.numbers().size(); ++at) {
    if (modules.numbers()[at] == 0) continue;
    const ModuleContent& module = contents.at(at);
    modules.at(at) = profile.module_id(profile.strings[text(module.path)],
                                       profile.strings[text(module.build_id)]);
    profile.modules[modules.at(at)].no_names = text(module.no_names);
  }
  return modules;
}

Found<FrameId> read_frames(Database& database,
                           std::vector<std::uint64_t> numbers,
                           Profile& profile) {
  Found<std::optional<FrameContent>> contents(std::move(numbers), std::nullopt);
  std::vector<std::uint64_t> texts_wanted, modules_wanted;
  read_rows(database, Item::kFrame, contents.numbers(),
            [&](std::size_t at, std::string_view content) {
              const auto& frame = contents.at(at) = frame_of_content(content);
              if (!frame) return;
              texts_wanted.push_back(frame->function);
              texts_wanted.push_back(frame->file);
              modules_wanted.push_back(frame->module);
            });
  const auto modules =
      read_modules(database, std::move(modules_wanted), profile);
  const auto texts = read_texts(database, std::move(texts_wanted), profile);
  const auto text = [&](std::uint64_t number) {
    return number == 0 ? StringId::kEmpty : texts[number];
  };
  Found<FrameId> frames({contents.numbers().begin(), contents.numbers().end()},
                        profile.named_frame(kDamaged, FrameKind::kLabel));
  for (std::size_t at = 0; at < frames.numbers().size(); ++at)
    if (const auto& frame = contents.at(at))
      frames.at(at) = profile.frames.intern(
          {.function = text(frame->function),
           .file = text(frame->file),
           .module = modules[frame->module],
           .line = static_cast<std::uint32_t>(frame->line),
           .address = frame->address,
           .function_start = frame->function_start,
           .kind = static_cast<FrameKind>(frame->kind),
           .off_cpu = static_cast<OffCpuReason>(frame->off_cpu)});
    else
      profile.diagnostics.note(Problem::kBadRecord);
  return frames;
}

}  // namespace

std::int64_t day_of(std::int64_t unix_ns) {
  constexpr std::int64_t kDay = std::int64_t{24} * 3600 * 1'000'000'000;
  const std::int64_t day = unix_ns / kDay;
  return unix_ns % kDay < 0 ? day - 1 : day;
}

void create_dictionary(Database& database) {
  for (const std::string table : kTables) {
    database.run("CREATE TABLE " + table +
                 "(id INTEGER PRIMARY KEY, hash INTEGER NOT NULL, "
                 "day INTEGER NOT NULL, content BLOB NOT NULL)");
    database.run("CREATE UNIQUE INDEX " + table + "_hash ON " + table +
                 "(hash)");
    database.run("CREATE INDEX " + table + "_day ON " + table + "(day)");
  }
}

DictionaryWriter::Statements DictionaryWriter::prepare(Database& database,
                                                       Item item) {
  const std::string table = table_of(item);
  return {database.prepare("SELECT id, day FROM " + table + " WHERE hash = ?"),
          database.prepare("INSERT INTO " + table +
                           "(hash, day, content) VALUES(?, ?, ?)"),
          database.prepare("UPDATE " + table + " SET day = ? WHERE id = ?")};
}

DictionaryWriter::DictionaryWriter(Database& database, const SipKey& key)
    : database_(database),
      key_(key),
      statements_{
          prepare(database, Item::kText), prepare(database, Item::kModule),
          prepare(database, Item::kFrame), prepare(database, Item::kStack)} {}

void DictionaryWriter::forget_numbers() {
  for (auto& known : known_) known.clear();
}

std::uint64_t DictionaryWriter::add(Item item, std::string_view content,
                                    std::int64_t day) {
  const auto at = static_cast<std::size_t>(item);
  const std::uint64_t hash = siphash(key_, content);
  if (known_[at].size() >= kMostKnown) known_[at].clear();
  Known& known = known_[at][hash];
  if (known.number != 0 && known.day >= day) return known.number;
  auto& [find, insert, mark] = statements_[at];
  const auto signed_hash = static_cast<std::int64_t>(hash);
  if (known.number == 0 && find.bind(signed_hash).step()) {
    known = {static_cast<std::uint64_t>(find.number(0)), find.number(1)};
    find.reset();
  }
  if (known.number == 0) {
    insert.bind(signed_hash, day, content).run();
    known = {static_cast<std::uint64_t>(database_.last_row()), day};
  } else if (known.day < day) {
    mark.bind(day, static_cast<std::int64_t>(known.number)).run();
    known.day = day;
  }
  return known.number;
}

Column<StackId, std::uint64_t> DictionaryWriter::add_stacks(
    const Profile& profile, const std::vector<bool>& wanted, std::int64_t day) {
  // Which frames are in wanted stacks: passed down from stacks to callers.
  const StackTable& stacks = profile.stacks;
  std::vector<bool> used(wanted);
  used.resize(stacks.size());
  std::vector<bool> frame_used(profile.frames.size());
  for (const StackId id : stacks.ids() | std::views::reverse) {
    if (id == StackId::kRoot || !used[index(id)]) continue;
    used[index(stacks.parent(id))] = true;
    frame_used[index(stacks.frame(id))] = true;
  }
  Column<ModuleId, std::uint64_t> modules(profile.modules.size());
  Column<FrameId, std::uint64_t> frames(profile.frames.size());
  const auto text = [&](StringId id) {
    return add_text(profile.strings[id], day);
  };
  for (const FrameId id : profile.frames.ids()) {
    if (!frame_used[index(id)]) continue;
    const Frame& frame = profile.frames[id];
    std::uint64_t& module = modules[frame.module];
    if (module == 0 && frame.module != ModuleId::kUnknown) {
      const Module& row = profile.modules[frame.module];
      std::string content;
      for (const StringId part : {row.path, row.build_id, row.no_names})
        append_varint(content, text(part));
      module = add(Item::kModule, content, day);
    }
    frames[id] =
        add(Item::kFrame,
            packed({.function = text(frame.function),
                    .file = text(frame.file),
                    .module = module,
                    .line = frame.line,
                    .address = frame.address,
                    .function_start = frame.function_start,
                    .kind = static_cast<std::uint64_t>(frame.kind),
                    .off_cpu = static_cast<std::uint64_t>(frame.off_cpu)}),
            day);
  }
  Column<StackId, std::uint64_t> numbers(stacks.size());
  std::vector<FrameId> buffer;
  for (const StackId id : stacks.ids())
    if (wanted[index(id)])
      numbers[id] =
          add(Item::kStack, stack_content(stacks, id, frames, buffer), day);
  return numbers;
}

std::string DictionaryReader::text(std::uint64_t number) {
  if (number == 0) return {};
  if (!text_)
    text_ = database_.prepare("SELECT content FROM text WHERE id = ?");
  if (!text_->bind(static_cast<std::int64_t>(number)).step())
    return std::string(kDamaged);
  std::string text(text_->blob(0));
  text_->reset();
  return text;
}

std::vector<StackId> DictionaryReader::add_stacks(
    std::span<const std::uint64_t> numbers, Profile& profile) {
  // Frames of all stacks, one after the other; [damaged] ones have none.
  std::vector<std::uint64_t> frames;
  std::vector<std::pair<std::size_t, std::size_t>> pieces(numbers.size());
  std::vector<bool> found(numbers.size());
  read_rows(database_, Item::kStack, numbers,
            [&](std::size_t at, std::string_view content) {
              const std::size_t first = frames.size();
              append_frames(content, frames);
              pieces[at] = {first, frames.size() - first};
              found[at] = true;
            });
  const auto rows = read_frames(database_, frames, profile);
  const FrameId damaged = profile.named_frame(kDamaged, FrameKind::kLabel);
  StackBatch batch;
  batch.reserve(frames.size());
  std::vector<FrameId> stack;
  for (std::size_t at = 0; at < numbers.size(); ++at) {
    const auto [first, count] = pieces[at];
    stack.clear();
    for (std::size_t i = first; i < first + count; ++i)
      stack.push_back(rows[frames[i]]);
    if (!found[at]) {
      profile.diagnostics.note(Problem::kBadRecord);
      stack.push_back(damaged);
    }
    batch.add(stack);
  }
  return batch.move_to(profile.stacks);
}

bool forget_before(Database& database, std::int64_t day, std::int64_t most) {
  bool more = false;
  for (const std::string table : kTables) {
    Statement forget = database.prepare("DELETE FROM " + table +
                                        " WHERE id IN (SELECT id FROM " +
                                        table + " WHERE day < ? LIMIT ?)");
    forget.bind(day, most).run();
    more |= database.changes() >= most;
  }
  return more;
}

}  // namespace wick
