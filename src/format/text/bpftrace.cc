// SPDX-License-Identifier: Apache-2.0
// Maps with stacks as bpftrace prints them:
//
//   Attaching 1 probe...
//
//   @[
//       do_nanosleep+94              a stack, leaf first
//       hrtimer_nanosleep+135
//   ,
//       clock_nanosleep+72           another one: kstack, ustack
//   , worker]: 3                     further keys, then the value
//
// `ustack(perf)` prints "address symbol+offset (module)". An empty stack is an
// empty key. Every map is an event of its own: maps count different things.
// Keys that are not stacks become root frames; the first that is not a number
// is taken for the name of the thread.
#include <algorithm>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "format/text/perf_line.h"
#include "format/text/text_stacks.h"

namespace wick {
namespace {

bool is_name_char(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         c == '_';
}

// Takes "@name" before "[" or ":" from `line`; nothing if there is none.
std::string_view take_map_name(std::string_view& line) {
  if (!line.starts_with('@')) return {};
  std::size_t end = 1;
  while (end < line.size() && is_name_char(line[end])) ++end;
  if (end == line.size() || (line[end] != '[' && line[end] != ':')) return {};
  const std::string_view name = line.substr(0, end);
  line.remove_prefix(end);
  return name;
}

bool sniff_bpftrace(std::string_view head) {
  return any_head_line(head, 500, [](std::string_view line) {
    return !take_map_name(line).empty() && line.front() == '[';
  });
}

// The value of a map entry: "3", or "count 2, average 3, total 6".
std::optional<std::int64_t> parse_value(std::string_view text) {
  text = trim(text);
  const std::size_t total = text.rfind("total ");
  if (total != text.npos && text.starts_with("count "))
    text.remove_prefix(total + 6);
  return to_number<std::int64_t>(text);
}

class BpftraceReader {
 public:
  explicit BpftraceReader(const ReadOptions& options)
      : options_(options), stack_(profile_, options) {}

  Profile read(InputFile& file) {
    for_each_line(file, [&](std::string_view line, std::uint64_t number) {
      number_ = number;
      read_line(line);
    });
    if (state_ == State::kEntry)
      profile_.diagnostics.note_at(Problem::kTruncated,
                                   "the last entry has no value");
    end_entry();
    for (const auto& [sample, map] : without_stack_) {
      Sample late = sample;
      late.event = profile_.event_id(map);
      collector_.add(late);
    }
    return std::move(profile_);
  }

 private:
  enum class State { kOutside, kEntry, kHistogram };
  // A stack among the keys: frames [first, end) of stack_.frames().
  struct KeyStack {
    std::size_t first, end;
    bool kernel = false;
  };

  void bad_line(std::string_view line) {
    profile_.diagnostics.note_at(Problem::kBadLine, line, number_);
  }

  void read_line(std::string_view line) {
    if (line.starts_with('@')) {
      begin_entry(line);
    } else if (state_ == State::kEntry) {
      read_entry_line(line);
    } else if (trim(line).empty()) {
      end_entry();
    } else if (state_ == State::kHistogram) {
      if (!add_bucket(line)) bad_line(line);
    } else if (!line.starts_with("Attaching ") && trim(line) != "^C") {
      bad_line(line);
    }
  }

  void begin_entry(std::string_view line) {
    if (state_ == State::kEntry) bad_line(line);
    end_entry();
    const std::string_view whole = line;
    const std::string_view name = take_map_name(line);
    if (name.empty()) return bad_line(whole);
    if (line.front() == ':') return;  // a map without keys has no stacks
    map_ = name;
    state_ = State::kEntry;
    read_keys(line.substr(1), whole);
  }

  // A line inside an entry: one that continues the keys, or a frame.
  void read_entry_line(std::string_view line) {
    if (line.starts_with("]:") || line.starts_with(',')) {
      close_key_stack();
      if (line.front() == ',') line.remove_prefix(1);
      read_keys(line, line);
    } else if (!trim(line).empty()) {
      push_frame(line);
    }
  }

  // Keys separated by ", "; a value may follow "]: "; otherwise a stack follows
  // on the next lines.
  void read_keys(std::string_view keys, std::string_view line) {
    const std::size_t end = keys.rfind("]:");
    if (end == keys.npos) {
      const std::size_t last = keys.rfind(',');
      if (last != keys.npos) add_keys(keys.substr(0, last));
      open_stack_ = true;
      first_frame_ = stack_.frames().size();
      return;
    }
    // "]:" alone closes the stack above it; ", a]:" has one key more.
    if (end > 0 || key_stacks_.empty()) add_keys(keys.substr(0, end));
    const std::string_view value = trim(keys.substr(end + 2));
    if (value.empty()) {
      state_ = State::kHistogram;
      weight_ = 0;
      return;
    }
    const auto weight = parse_value(value);
    if (!weight) {
      bad_line(line);
      return forget_entry();
    }
    weight_ = *weight;
    finish_entry();
  }

  void add_keys(std::string_view keys) {
    while (true) {
      const std::size_t comma = keys.find(", ");
      const std::string_view key = trim(keys.substr(0, comma));
      if (key.empty())
        has_stack_ = true;  // an empty one
      else
        labels_.emplace_back(key);
      if (comma == keys.npos) return;
      keys.remove_prefix(comma + 2);
    }
  }

  void push_frame(std::string_view line) {
    const std::string_view text = trim(line);
    std::string_view symbol = text;
    Frame frame;
    if (const auto parsed = parse_perf_frame(line);
        parsed && !parsed->module.empty()) {
      symbol = parsed->symbol;
      if (parsed->module != "[unknown]") {
        frame.module = profile_.module_id(parsed->module);
        if (is_kernel_module(parsed->module, false))
          frame.kind = FrameKind::kKernel;
      }
      if (options_.keep_addresses)
        frame.address =
            to_number<std::uint64_t>(parsed->address, 16).value_or(0);
    }
    if (symbol.starts_with("0x") && all_hex_digits(symbol.substr(2)) &&
        options_.compat != Compat::kPerl) {
      if (options_.keep_addresses)
        frame.address =
            to_number<std::uint64_t>(symbol.substr(2), 16).value_or(0);
      symbol = "";
    }
    stack_.push_symbol(symbol, frame);
  }

  void close_key_stack() {
    if (!open_stack_) return;
    open_stack_ = false;
    has_stack_ = true;
    auto& frames = stack_.frames();
    KeyStack key{first_frame_, frames.size()};
    if (key.first < key.end)
      key.kernel = is_kernel_entry(profile_.strings[frames.back().function]);
    if (key.kernel)
      for (std::size_t i = key.first; i < key.end; ++i)
        frames[i].kind = FrameKind::kKernel;
    key_stacks_.push_back(key);
  }

  void end_entry() {
    if (state_ == State::kHistogram) finish_entry();
    forget_entry();
  }

  void forget_entry() {
    state_ = State::kOutside;
    stack_.clear();
    labels_.clear();
    key_stacks_.clear();
    open_stack_ = has_stack_ = false;
  }

  // "[2G, 4G)       1 |@@@@   |".
  bool add_bucket(std::string_view line) {
    const std::size_t bracket = line.find_first_of(")]");
    if (!line.starts_with('[') && !line.starts_with('(')) return false;
    if (bracket == line.npos) return false;
    line.remove_prefix(bracket + 1);
    const auto count = to_number<std::int64_t>(take_word(line));
    if (!count || *count < 0) return false;
    weight_ = saturating_add(weight_, *count);
    return true;
  }

  void finish_entry() {
    put_user_stack_outside();
    Thread thread;
    std::size_t named = labels_.size();
    for (std::size_t i = 0; i < labels_.size() && named == labels_.size(); ++i)
      if (!all_digits(labels_[i])) named = i;
    for (std::size_t i = labels_.size(); i-- > 0;)
      if (i != named) stack_.push(labels_[i], {.kind = FrameKind::kLabel});
    if (named < labels_.size())
      thread.comm = profile_.strings.intern(without_separator(labels_[named]));
    Sample sample{.weight = weight_, .thread = profile_.thread_id(thread)};
    if (has_stack_) {
      sample.event = profile_.event_id(map_);
      stack_.add(sample);
    } else {
      // Maps without stacks, often left over from measuring (@start[tid]), must
      // not become the first event.
      sample.stack = stack_.take_stack();
      without_stack_.emplace_back(sample, map_);
    }
    forget_entry();
  }

  // Leaf first means: the kernel's stack before the program's. Keys are mostly
  // in that order; where the other one is seen to be the kernel's, it is not.
  void put_user_stack_outside() {
    if (key_stacks_.size() != 2) return;
    const auto& [first, second] =
        std::pair(key_stacks_.front(), key_stacks_.back());
    if (first.kernel || !second.kernel) return;
    auto& frames = stack_.frames();
    std::rotate(frames.begin() + static_cast<std::ptrdiff_t>(first.first),
                frames.begin() + static_cast<std::ptrdiff_t>(second.first),
                frames.begin() + static_cast<std::ptrdiff_t>(second.end));
  }

  const ReadOptions& options_;
  Profile profile_;
  StackBuffer stack_;
  SampleCollector collector_{profile_, true};
  std::uint64_t number_ = 0;
  State state_ = State::kOutside;
  std::string map_;
  std::vector<std::string> labels_;
  std::vector<KeyStack> key_stacks_;
  bool open_stack_ = false;  // frames are being read
  bool has_stack_ = false;   // some key is a stack
  std::size_t first_frame_ = 0;
  std::int64_t weight_ = 0;
  std::vector<std::pair<Sample, std::string>> without_stack_;
};

}  // namespace

extern const InputFormat bpftrace_input = {
    .name = "bpftrace",
    .description = "bpftrace maps with kstack and ustack keys",
    .sniff = sniff_bpftrace,
    .read =
        [](InputFile& file, const ReadOptions& options) {
          return BpftraceReader(options).read(file);
        },
};

}  // namespace wick
