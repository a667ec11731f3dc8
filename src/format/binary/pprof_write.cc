// SPDX-License-Identifier: Apache-2.0
// Writes pprof's profile.proto: a sample for each stack and thread, with a
// value for each event. References point backwards only, so that a truncated
// file has lost samples but no names.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/metrics.h"
#include "base/text.h"
#include "format/binary/main_module.h"
#include "format/binary/pprof.h"
#include "format/binary/protobuf.h"
#include "format/common/event_label.h"
#include "io/compress.h"
#include "profile/fold.h"
#include "profile/format.h"

namespace wick {
namespace {

using namespace pprof;

// How the weights of an event become whole numbers.
struct Scale {
  std::string unit;
  std::int64_t multiply = 1, divide = 1;

  std::int64_t operator()(std::int64_t weight) const {
    if (divide > 1) return weight / divide + (weight % divide >= divide / 2);
    return saturating_mul(weight, multiply);
  }
};

// Weights with decimals are written in a smaller unit: thousandths of a
// millisecond are microseconds, thousandths of a count are millicounts.
// `needed` of the `decimals` are not always 0.
Scale scale_for(std::string_view unit, int decimals, int needed) {
  constexpr int kFinest = 9;
  Scale scale{.unit = std::string(unit.empty() ? kCount : unit)};
  const bool is_time = time_unit_decimals(unit) >= 0;
  const int base = is_time ? time_unit_decimals(unit) : 0;
  int wanted = base;
  if (needed > 0) {
    static constexpr std::string_view kPrefixes[] = {"", "milli", "micro",
                                                     "nano"};
    wanted = std::min((base + needed + 2) / 3 * 3, kFinest);
    scale.unit =
        std::string(kPrefixes[wanted / 3]) + (is_time ? "seconds" : scale.unit);
  }
  const int shift = wanted - base - decimals;
  if (shift >= 0)
    scale.multiply = power_of_ten(shift);
  else
    scale.divide = power_of_ten(std::min(-shift, 18));
  return scale;
}

// A location is a frame, or an inlined frame and the location around it.
struct Location {
  std::uint32_t around = 0xffffffff;
  FrameId frame{0};
  std::uint32_t lines = 1;
  std::uint32_t id = 0;  // 0 if no sample has it
};

class PprofWriter {
 public:
  PprofWriter(const Profile& profile, SettingNames setting_names,
              std::ostream& out)
      : profile_(profile),
        setting_names_(setting_names),
        out_(out),
        strings_(profile.strings.size()) {}

  void write();

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  // Deeper inlining than this is written as calls, because a location repeats
  // all the lines around it.
  static constexpr std::uint32_t kMaxLines = 200;

  struct Row {
    StackId stack;
    ThreadId thread;
    std::uint32_t first;  // of its samples in order_
  };

  void message(int field, std::string_view bytes) {
    append_field(buffer_, field, bytes);
  }
  std::uint64_t new_string(std::string_view text);
  std::uint64_t string(StringId id);

  void choose_events();
  void write_sample_types();
  void write_about();
  void sum_samples();
  void make_locations();
  void make_inlined_locations();
  Location& location_of(StackId id) {
    return locations_[has_inlined_ ? location_numbers_[id]
                                   : index(profile_.stacks.frame(id))];
  }
  // Without the frames that are inlined in between.
  StackId caller_of(StackId id) const {
    return has_inlined_ ? callers_[id] : profile_.stacks.parent(id);
  }
  void write_mappings();
  void write_locations();
  void append_lines(std::string& out, const Location& location);
  std::uint32_t function_id(const Frame& frame);
  bool needs_kernel_mapping(const Frame& frame) const;
  const Location& outermost(const Location& location) const {
    const Location* at = &location;
    while (at->around != kNone) at = &locations_[at->around];
    return *at;
  }
  struct Sums {
    std::vector<std::int64_t> weights;  // by event
    std::uint64_t samples = 0;
  };
  void sum_row(std::size_t row, Sums& sums) const;
  void write_samples();
  struct LabelKeys {
    std::uint64_t comm, pid, tid;
  };
  std::string labels(const Thread& thread, const LabelKeys& keys);

  const Profile& profile_;
  SettingNames setting_names_;
  std::ostream& out_;
  std::string buffer_;
  std::uint64_t string_count_ = 0;
  Column<StringId, std::uint64_t> strings_;  // 0: not written yet
  std::vector<EventId> events_;              // those that are written
  bool counts_samples_ = false;              // and the number of their samples
  Column<EventId, Scale> scales_;
  std::vector<Row> rows_;
  std::vector<std::uint32_t> order_;  // of samples: row by row
  std::vector<Location> locations_;
  bool has_inlined_ = false;
  // Where frames are inlined: the location and the caller of each stack.
  Column<StackId, std::uint32_t> location_numbers_;
  Column<StackId, StackId> callers_;
  Column<ModuleId, std::uint64_t> mapping_ids_;
  std::uint64_t kernel_mapping_ = 0;
  struct Function {
    StringId name, file;
    ModuleId module;
    std::uint64_t start;
    friend bool operator==(const Function&, const Function&) = default;
  };
  std::vector<Function> functions_;
  HashIndex function_index_;
};

std::uint64_t PprofWriter::new_string(std::string_view text) {
  if (text.empty() && string_count_ > 0) return 0;
  message(kStringTable, valid_utf8(text));
  return string_count_++;
}

std::uint64_t PprofWriter::string(StringId id) {
  if (id != StringId::kEmpty && strings_[id] == 0)
    strings_[id] = new_string(profile_.strings[id]);
  return strings_[id];
}

// All but one that only tells of mappings. The sum of an event's samples does
// not tell their number; with several events, that would be one number for all.
void PprofWriter::choose_events() {
  Column<EventId, bool> has_samples(profile_.events.size());
  for (const Sample& sample : profile_.samples)
    has_samples[sample.event] = true;
  for (const EventId id : profile_.events.ids())
    if (has_samples[id] ||
        !profile_.strings[profile_.events[id].name].starts_with("dummy"))
      events_.push_back(id);
  if (events_.size() != 1 || profile_.is_trace) return;
  const Event& event = profile_.events[events_.front()];
  counts_samples_ = event.role == EventRole::kPlain &&
                    profile_.strings[event.name] != kSampleCount &&
                    (profile_.has_time || !profile_.sample_counts.empty());
}

void PprofWriter::write_sample_types() {
  Column<EventId, int> needed(profile_.events.size());
  for (const Sample& sample : profile_.samples) {
    const int decimals =
        std::min<int>(profile_.events[sample.event].decimals, 18);
    int& n = needed[sample.event];
    while (n < decimals && sample.weight % power_of_ten(decimals - n) != 0) ++n;
  }
  for (const EventId id : profile_.events.ids())
    scales_.push_back(scale_for(profile_.strings[profile_.events[id].unit],
                                profile_.events[id].decimals, needed[id]));
  const auto write_type = [&](std::uint64_t name, std::string_view unit) {
    std::string type;
    append_field(type, kType, name);
    append_field(type, kUnit, new_string(unit));
    message(kSampleType, type);
  };
  // As in Go's profiles, the number of samples comes first.
  if (counts_samples_) write_type(new_string(kSampleCount), kCount);
  for (const EventId id : events_) {
    const std::uint64_t name = new_string(event_label(profile_, id));
    if (id == events_.front()) append_field(buffer_, kDefaultSampleType, name);
    write_type(name, scales_[id].unit);
  }
}

// "10000000 nanoseconds of cpu", as the reader keeps it.
struct Period {
  std::int64_t count = 0;
  std::string_view unit, type;
};
std::optional<Period> parse_period(std::string_view text) {
  Period period;
  const auto count = to_number<std::int64_t>(take_word(text));
  period.unit = take_word(text);
  if (!count || take_word(text) != "of") return {};
  period.count = *count;
  period.type = trim(text);
  return period;
}

void PprofWriter::write_about() {
  const auto comment = [&](std::string_view text) {
    const std::uint64_t string = new_string(text);
    append_field(buffer_, kComment, string);
  };
  if (profile_.is_trace) comment(kTraceComment);
  if (counts_samples_) comment(kSamplesComment);
  for (const auto& [key_id, value_id] : profile_.about) {
    const std::string_view key = profile_.strings[key_id],
                           value = profile_.strings[value_id];
    const auto* known = std::ranges::find(kAboutFields, key, &AboutField::key);
    if (known != std::end(kAboutFields)) {
      const auto number = to_number<std::int64_t>(value);
      if (known->is_text || number) {
        const auto content = known->is_text
                                 ? string(value_id)
                                 : static_cast<std::uint64_t>(*number);
        append_field(buffer_, known->field, content);
        continue;
      }
    }
    if (const auto period = parse_period(value); key == kPeriodKey && period) {
      std::string type;
      append_field(type, kType, new_string(period->type));
      append_field(type, kUnit, new_string(period->unit));
      message(kPeriodType, type);
      append_field(buffer_, kPeriod, static_cast<std::uint64_t>(period->count));
    } else if (key == kCommentKey) {
      comment(value);
    } else if (key != "format") {
      comment(fmt::format("{}: {}", key, value));
    }
  }
  for (const std::string& sentence :
       describe(profile_.diagnostics, 0, setting_names_))
    comment("note: " + sentence);
  for (const EventId id : profile_.events.ids())
    if (scales_[id].divide > 1 && profile_.events[id].decimals > 0 &&
        scales_[id].unit == "nanoseconds")
      comment(fmt::format("note: {} is rounded to whole nanoseconds",
                          event_label(profile_, id)));
}

// Rows in the order of the stack table, where callers are near their callees.
// Stacks are numbers without gaps, so counting puts samples in order.
void PprofWriter::sum_samples() {
  Column<StackId, std::uint32_t> end(profile_.stacks.size());
  for (const Sample& sample : profile_.samples) ++end[sample.stack];
  std::uint32_t count = 0;
  for (std::uint32_t& n : end) n = std::exchange(count, count + n);
  order_.resize(profile_.samples.size());
  for (std::uint32_t i = 0; i < order_.size(); ++i)
    order_[end[profile_.samples[i].stack]++] = i;

  const auto thread_of = [&](std::uint32_t i) {
    return profile_.samples[i].thread;
  };
  rows_.reserve(order_.size());
  for (std::uint32_t from = 0; from < order_.size();) {
    const StackId stack = profile_.samples[order_[from]].stack;
    const std::uint32_t to = end[stack];
    const auto group = std::span(order_).subspan(from, to - from);
    if (!std::ranges::is_sorted(group, {}, thread_of))
      std::ranges::stable_sort(group, {}, thread_of);
    for (std::uint32_t i = from; i < to; ++i)
      if (i == from || thread_of(order_[i]) != rows_.back().thread)
        rows_.push_back({stack, thread_of(order_[i]), i});
    from = to;
  }
}

void PprofWriter::make_locations() {
  const StackTable& stacks = profile_.stacks;
  for (const FrameId id : profile_.frames.ids()) {
    locations_.push_back({.frame = id});
    has_inlined_ |= profile_.frames[id].kind == FrameKind::kInlined;
  }
  if (has_inlined_) make_inlined_locations();
  std::vector<bool> used(stacks.size());
  for (const Row& row : rows_) used[index(row.stack)] = true;
  for (const StackId id : stacks.ids() | std::views::reverse) {
    if (id == StackId::kRoot || !used[index(id)]) continue;
    used[index(caller_of(id))] = true;
    location_of(id).id = 1;
  }
  std::uint32_t count = 0;
  for (Location& location : locations_)
    if (location.id != 0) location.id = ++count;
}

void PprofWriter::make_inlined_locations() {
  const StackTable& stacks = profile_.stacks;
  location_numbers_.resize(stacks.size());
  callers_.resize(stacks.size());
  const auto plain = static_cast<std::uint32_t>(locations_.size());
  HashIndex index_of_location;
  for (const StackId id : stacks.ids()) {
    if (id == StackId::kRoot) continue;
    const StackId parent = stacks.parent(id);
    const FrameId frame = stacks.frame(id);
    callers_[id] = parent;
    location_numbers_[id] = index(frame);
    const std::uint32_t around = location_numbers_[parent];
    if (profile_.frames[frame].kind != FrameKind::kInlined ||
        parent == StackId::kRoot || locations_[around].lines >= kMaxLines)
      continue;
    callers_[id] = callers_[parent];
    location_numbers_[id] =
        plain +
        index_of_location.find_or_add(
            hash_pair(around, index(frame)),
            [&](std::uint32_t i) {
              return locations_[plain + i].around == around &&
                     locations_[plain + i].frame == frame;
            },
            [&] {
              locations_.push_back({.around = around,
                                    .frame = frame,
                                    .lines = locations_[around].lines + 1});
              return static_cast<std::uint32_t>(locations_.size()) - plain - 1;
            });
  }
}

// Readers know the kernel by its module.
bool PprofWriter::needs_kernel_mapping(const Frame& frame) const {
  return frame.kind == FrameKind::kKernel &&
         !is_kernel_module(
             profile_.strings[profile_.modules[frame.module].path]);
}

void PprofWriter::write_mappings() {
  // The end of each module: addresses are already relative to its start.
  Column<ModuleId, std::uint64_t> limit(profile_.modules.size());
  Column<ModuleId, bool> used(profile_.modules.size());
  bool kernel = false;
  for (const Location& location : locations_) {
    if (location.id == 0) continue;
    const Frame& frame = profile_.frames[outermost(location).frame];
    used[frame.module] = true;
    limit[frame.module] = std::max(limit[frame.module], frame.address);
    kernel |= needs_kernel_mapping(frame);
  }
  mapping_ids_.resize(profile_.modules.size());
  std::uint64_t count = 0;
  const auto write_one = [&](std::uint64_t path, std::uint64_t build_id,
                             std::uint64_t last) {
    std::string mapping;
    append_field(mapping, kMappingId, ++count);
    if (last != 0)
      append_field(mapping, kMemoryLimit, last == UINT64_MAX ? last : last + 1);
    append_field(mapping, kMappingFilename, path);
    if (build_id != 0) append_field(mapping, kBuildId, build_id);
    // The functions are named; no symbols are needed.
    for (const int has :
         {kHasFunctions, kHasFilenames, kHasLineNumbers, kHasInlineFrames})
      append_field(mapping, has, 1);
    message(kMapping, mapping);
    return count;
  };
  const auto write_module = [&](ModuleId id) {
    if (id == ModuleId::kUnknown || !used[id] || mapping_ids_[id] != 0) return;
    const Module& module = profile_.modules[id];
    mapping_ids_[id] =
        write_one(string(module.path), string(module.build_id), limit[id]);
  };
  // "mapping[0] will be the main binary" (profile.proto).
  write_module(main_module(profile_));
  for (const ModuleId id : profile_.modules.ids()) write_module(id);
  if (kernel) kernel_mapping_ = write_one(new_string(kKernelModule), 0, 0);
}

// One without a name is told by where it begins.
std::uint32_t PprofWriter::function_id(const Frame& frame) {
  const bool is_named = frame.function_start == 0;
  const Function function{
      .name = frame.function,
      .file = frame.file,
      .module = is_named ? ModuleId::kUnknown : frame.module,
      .start = frame.function_start};
  return 1 +
         function_index_.find_or_add(
             hash_pair(hash_pair(index(function.name), index(function.file)),
                       hash_pair(index(function.module), function.start)),
             [&](std::uint32_t i) { return functions_[i] == function; },
             [&] {
               functions_.push_back(function);
               const auto row =
                   static_cast<std::uint32_t>(functions_.size() - 1);
               std::string bytes;
               const std::uint64_t name =
                   is_named ? string(frame.function)
                            : new_string(frame_name(profile_, frame, {}));
               append_field(bytes, kFunctionId, row + std::uint64_t{1});
               append_field(bytes, kName, name);
               append_field(bytes, kSystemName, name);
               if (frame.file != StringId::kEmpty)
                 append_field(bytes, kFilename, string(frame.file));
               message(kFunction, bytes);
               return row;
             });
}

void PprofWriter::append_lines(std::string& out, const Location& innermost) {
  std::string line;
  for (const Location* at = &innermost;; at = &locations_[at->around]) {
    const Frame& frame = profile_.frames[at->frame];
    const bool known = frame.function != StringId::kEmpty ||
                       frame.file != StringId::kEmpty ||
                       frame.function_start != 0;
    if (known || innermost.lines > 1) {
      line.clear();
      append_field(line, kFunctionOfLine, function_id(frame));
      if (frame.line != 0) append_field(line, kLineNumber, frame.line);
      append_field(out, kLine, line);
    }
    if (at->around == kNone) return;
  }
}

void PprofWriter::write_locations() {
  std::string lines, bytes;
  for (const Location& location : locations_) {
    if (location.id == 0) continue;
    const Frame& code = profile_.frames[outermost(location).frame];
    const std::uint64_t mapping = needs_kernel_mapping(code)
                                      ? kernel_mapping_
                                      : mapping_ids_[code.module];
    lines.clear();
    append_lines(lines, location);
    bytes.clear();
    append_field(bytes, kLocationMessageId, location.id);
    if (mapping != 0) append_field(bytes, kMappingOfLocation, mapping);
    if (code.address != 0) append_field(bytes, kAddress, code.address);
    bytes += lines;
    message(kLocation, bytes);
  }
}

std::string PprofWriter::labels(const Thread& thread, const LabelKeys& keys) {
  std::string out, label;
  const auto add = [&](std::uint64_t key, LabelField field,
                       std::uint64_t value) {
    label.clear();
    append_field(label, kKey, key);
    append_field(label, field, value);
    append_field(out, kLabel, label);
  };
  if (thread.comm != StringId::kEmpty)
    add(keys.comm, kStr, string(thread.comm));
  if (thread.pid >= 0)
    add(keys.pid, kNum, static_cast<std::uint64_t>(thread.pid));
  if (thread.tid >= 0)
    add(keys.tid, kNum, static_cast<std::uint64_t>(thread.tid));
  return out;
}

void PprofWriter::sum_row(std::size_t row, Sums& sums) const {
  sums.weights.assign(profile_.events.size(), 0);
  sums.samples = 0;
  const std::size_t end =
      row + 1 < rows_.size() ? rows_[row + 1].first : order_.size();
  for (std::size_t i = rows_[row].first; i < end; ++i) {
    const Sample& sample = profile_.samples[order_[i]];
    std::int64_t& sum = sums.weights[index(sample.event)];
    sum = saturating_add(sum, sample.weight);
    sums.samples += samples_in_row(profile_, order_[i]);
  }
}

void PprofWriter::write_samples() {
  const LabelKeys keys{.comm = new_string(kCommLabel),
                       .pid = new_string(kPidLabel),
                       .tid = new_string(kTidLabel)};
  std::vector<std::string> labels_of;
  for (const Thread& thread : profile_.threads)
    labels_of.push_back(labels(thread, keys));
  Sums sums;
  std::string ids, values, bytes;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    std::size_t used = 0;  // of `ids`, whose size only grows
    count_steps(profile_.stacks.depth(rows_[row].stack));
    for (StackId at = rows_[row].stack; at != StackId::kRoot;
         at = caller_of(at)) {
      if (ids.size() < used + kMaxVarint) ids.resize(2 * used + 512);
      used += put_varint(ids.data() + used, location_of(at).id);
    }
    sum_row(row, sums);
    values.clear();
    if (counts_samples_) append_varint(values, sums.samples);
    for (const EventId id : events_)
      append_varint(values, static_cast<std::uint64_t>(
                                scales_[id](sums.weights[index(id)])));
    bytes.clear();
    append_field(bytes, kLocationId, std::string_view(ids).substr(0, used));
    append_field(bytes, kValue, values);
    bytes += labels_of[index(rows_[row].thread)];
    message(kSample, bytes);
  }
}

void PprofWriter::write() {
  new_string("");
  choose_events();
  write_sample_types();
  write_about();
  sum_samples();
  make_locations();
  write_mappings();
  write_locations();
  write_samples();
  const std::string packed = gzip(buffer_);
  out_.write(packed.data(), static_cast<std::streamsize>(packed.size()));
}

}  // namespace

extern const OutputFormat pprof_output = {
    .name = "pprof",
    .extension = ".pb.gz",
    .description = "pprof protobuf, gzip",
    .write =
        [](const Profile& profile, const WriteOptions& options,
           std::ostream& out) {
          PprofWriter(profile, options.setting_names, out).write();
        },
    .lacks = "times, CPUs, JIT marks or (in most readers) samples of weight 0",
    .binary = true,
    .no_times = true,
    // A sample has a value for each event.
    .max_events = 1000,
    // It is kept until it is compressed.
    .cost = {.repeats = Repeats::kStacks,
             .frame_bytes = 2,
             .free_bytes = std::uint64_t{128} << 20,
             .bytes_per_input_byte = 32},
};

}  // namespace wick
