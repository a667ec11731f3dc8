// SPDX-License-Identifier: Apache-2.0
// Reads pprof's profile.proto, which Go, gperftools, perf_to_profile, Datadog
// and many others write.
//
// A profile is tables (strings, functions, locations, mappings) that samples
// refer to by id, in any order. Two passes: the first collects the tables, the
// second turns the samples into stacks. A location with several lines is
// several frames, the innermost first, all but the last inlined.
#include "format/binary/pprof.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/append.h"
#include "base/error.h"
#include "base/text.h"
#include "format/binary/id_table.h"
#include "format/binary/pprof_labels.h"
#include "format/binary/protobuf.h"
#include "format/common/event_label.h"
#include "format/common/text_cache.h"
#include "profile/format.h"
#include "profile/off_cpu_reason.h"
#include "profile/stack_batch.h"

namespace wick {
namespace pprof {

bool is_kernel_module(std::string_view path) {
  return path.starts_with("[kernel") || path.starts_with("[guest.kernel") ||
         path.ends_with(".ko") || path.ends_with(".ko.xz") ||
         path.ends_with(".ko.zst") || path == "vmlinux" ||
         path.ends_with("/vmlinux");
}

}  // namespace pprof

namespace {

using namespace pprof;

struct ValueType {
  std::uint64_t type = 0, unit = 0;
};

struct Mapping {
  std::uint64_t start = 0, limit = 0, offset = 0;
  ModuleId module = ModuleId::kUnknown;
  FrameKind kind = FrameKind::kUser;
};

struct Function {
  StringId name = StringId::kEmpty, file = StringId::kEmpty;
};

// "millicount" is how the writer keeps three decimals of a count.
int take_decimal_prefix(std::string_view& unit) {
  if (time_unit_decimals(unit) >= 0) return 0;
  int decimals = 3;
  for (const std::string_view prefix : {"milli", "micro", "nano"}) {
    if (unit.starts_with(prefix) && unit.size() > prefix.size() + 1) {
      unit.remove_prefix(prefix.size());
      return decimals;
    }
    decimals += 3;
  }
  return 0;
}

class PprofReader {
 public:
  PprofReader(std::string_view bytes, const ReadOptions& options)
      : bytes_(bytes),
        options_(options),
        samples_(profile_, options.keep_time),
        inlined_left_(1'000'000 + 4 * bytes.size()) {}

  Profile read();

 private:
  // No compiler inlines this deep. Without a limit, a location of a million
  // lines that a million samples name would never end.
  static constexpr std::size_t kMaxLines = 256;
  static constexpr std::size_t kMaxEvents = 1000;
  static constexpr std::size_t kMaxAbout = 1000;
  static constexpr std::size_t kBatchFrames = 16'000'000;
  static constexpr std::size_t kBatchSamples = 1'000'000;

  void collect();
  void bad_record(std::string_view what) {
    profile_.diagnostics.note_at(Problem::kBadRecord, what);
  }
  std::string_view text(std::uint64_t string);
  StringId intern(std::uint64_t string);
  ValueType value_type(std::string_view message);

  void make_events();
  // Whether the writer says so; see kSamplesComment.
  bool has_samples_comment();
  // How many samples the values of a sample are the sum of. Clears that value
  // if it is no event.
  std::uint32_t take_sample_count();
  // pprof has no kinds of frames: an off-CPU frame is known by its label.
  OffCpuReason reason_of(StringId function) const;
  void read_mapping(std::string_view message);
  void read_function(std::string_view message);
  void read_location(std::string_view message);
  void read_about();

  void read_sample(std::string_view message);
  bool read_label(std::string_view message, Sample& sample, Thread& thread);
  LabelRole label_role(std::uint64_t key);
  void expand_locations();
  void add_batch();
  std::uint32_t stack_number(std::string_view locations, bool repeats);

  std::string_view bytes_;  // cut back to the fields that are whole
  const ReadOptions& options_;
  Profile profile_;
  SampleCollector samples_;
  // Frames that inlining may still add to stacks. A location is a byte of a
  // sample and may have many lines.
  std::size_t inlined_left_;
  bool truncated_ = false;

  std::vector<std::string_view> strings_;
  std::vector<ValueType> sample_types_;
  std::vector<std::string_view> mapping_messages_, function_messages_,
      location_messages_;
  std::vector<ProtoField> about_;
  std::uint64_t bad_strings_ = 0;

  static constexpr std::size_t kNoType = SIZE_MAX;
  std::vector<EventId> events_;  // of the values of a sample
  // Of these values, the number of samples and what they are samples of, if
  // there are only these two; and whether the number is not an event.
  std::size_t samples_type_ = kNoType, weight_type_ = kNoType;
  bool samples_are_no_event_ = false;
  bool has_off_cpu_ = false;  // one of them has time off the CPU
  IdTable mapping_ids_, function_ids_, location_ids_;
  std::vector<Mapping> mappings_;
  std::vector<Function> functions_;
  // Location i is frames_[begin_[i]] … frames_[begin_[i + 1] - 1], outermost
  // first.
  std::vector<FrameId> frames_;
  std::vector<std::uint32_t> begin_{0};

  std::vector<LabelRole> label_roles_;  // by string
  std::vector<std::string_view> lost_labels_;
  std::vector<std::int64_t> values_;
  std::vector<std::uint32_t> locations_;  // of the sample, leaf first
  std::vector<FrameId> stack_;
  // Stacks go into the profile many at a time. Until then, the stack of a
  // pending sample is its number in the batch.
  StackBatch batch_;
  std::vector<StackId> stacks_;  // of the batches added so far
  TextCache<std::uint32_t> known_stacks_;
  struct Pending {
    Sample sample;
    std::uint32_t count = 1;
  };
  std::vector<Pending> pending_;
  std::uint64_t timed_ = 0, untimed_ = 0;
};

void PprofReader::collect() {
  ByteReader in(bytes_);
  ProtoField field;
  std::size_t good = 0, sample_count = 0;
  while (next_field(in, field)) {
    good = bytes_.size() - in.rest().size();
    const bool is_message = field.wire == Wire::kBytes;
    switch (field.number) {
      case kStringTable:
        if (is_message) strings_.push_back(field.bytes);
        break;
      case kSampleType:
        if (is_message) sample_types_.push_back(value_type(field.bytes));
        break;
      case kMapping:
        if (is_message) mapping_messages_.push_back(field.bytes);
        break;
      case kFunction:
        if (is_message) function_messages_.push_back(field.bytes);
        break;
      case kLocation:
        if (is_message) location_messages_.push_back(field.bytes);
        break;
      case kSample:
        ++sample_count;
        break;
      default:
        if (field.number <= kDocUrl && about_.size() < kMaxAbout)
          about_.push_back(field);
    }
  }
  if (sample_count + strings_.size() + sample_types_.size() == 0)
    fail("is not a pprof profile: it has neither samples nor strings");
  truncated_ = in.failed();
  if (truncated_)
    profile_.diagnostics.note_at(
        Problem::kTruncated,
        fmt::format("the profile ends after byte {}", good));
  bytes_ = bytes_.substr(0, good);
}

std::string_view PprofReader::text(std::uint64_t string) {
  if (string < strings_.size()) return strings_[string];
  // Encoders that write the strings last lose them all when cut off.
  if (string != 0) ++bad_strings_;
  return {};
}

StringId PprofReader::intern(std::uint64_t string) {
  return profile_.strings.intern(text(string));
}

ValueType PprofReader::value_type(std::string_view message) {
  ValueType result;
  ByteReader in(message);
  for (ProtoField field; next_field(in, field);) {
    if (field.number == kType) result.type = field.value;
    if (field.number == kUnit) result.unit = field.value;
  }
  return result;
}

// pprof shows the default type if there is one, else the last; it becomes the
// first event, which is the one wick shows.
void PprofReader::make_events() {
  if (sample_types_.size() > kMaxEvents) {
    bad_record("too many sample types");
    sample_types_.resize(kMaxEvents);
  }
  if (sample_types_.empty()) {
    events_.push_back(profile_.event_id("samples"));
    return;
  }
  std::size_t shown = sample_types_.size() - 1;
  for (const ProtoField& field : about_)
    if (field.number == kDefaultSampleType && field.value != 0)
      for (std::size_t i = 0; i < sample_types_.size(); ++i)
        if (text(sample_types_[i].type) == text(field.value)) shown = i;
  if (sample_types_.size() == 2 &&
      text(sample_types_[1 - shown].type) == kSampleCount &&
      text(sample_types_[1 - shown].unit) == kCount) {
    weight_type_ = shown;
    samples_type_ = 1 - shown;
    samples_are_no_event_ = has_samples_comment();
  }
  const auto make = [&](const ValueType& type) {
    const EventLabel label = parse_event_label(text(type.type));
    std::string_view unit = text(type.unit);
    const int decimals = take_decimal_prefix(unit);
    if (unit == kCount) unit = "";
    return profile_.events.push_back(
        {.name = profile_.strings.intern(label.name),
         .unit = profile_.strings.intern(unit),
         .decimals = static_cast<std::uint8_t>(decimals),
         .role = label.role});
  };
  const EventId first = make(sample_types_[shown]);
  for (std::size_t i = 0; i < sample_types_.size(); ++i)
    events_.push_back(
        i == shown || samples_are_no_event_ ? first : make(sample_types_[i]));
  guess_event_times(profile_);
  has_off_cpu_ = std::ranges::any_of(profile_.events, [](const Event& event) {
    return event.time == TimeKind::kOffCpu || event.time == TimeKind::kWall;
  });
}

bool PprofReader::has_samples_comment() {
  bool has_it = false;
  for (const ProtoField& field : about_)
    if (field.number == kComment)
      for_each_integer(field, [&](std::uint64_t string) {
        has_it |=
            string < strings_.size() && strings_[string] == kSamplesComment;
      });
  return has_it;
}

std::uint32_t PprofReader::take_sample_count() {
  if (samples_type_ >= values_.size()) return 1;
  std::int64_t& value = values_[samples_type_];
  const auto count = std::clamp<std::int64_t>(value, 1, UINT32_MAX);
  if (samples_are_no_event_) value = 0;
  return static_cast<std::uint32_t>(count);
}

OffCpuReason PprofReader::reason_of(StringId function) const {
  return has_off_cpu_ ? off_cpu_reason(profile_.strings[function])
                      : OffCpuReason::kNone;
}

void PprofReader::read_mapping(std::string_view message) {
  Mapping mapping;
  std::uint64_t id = 0, path = 0, build_id = 0;
  ByteReader in(message);
  for (ProtoField field; next_field(in, field);) {
    switch (field.number) {
      case kMappingId:
        id = field.value;
        break;
      case kMemoryStart:
        mapping.start = field.value;
        break;
      case kMemoryLimit:
        mapping.limit = field.value;
        break;
      case kFileOffset:
        mapping.offset = field.value;
        break;
      case kMappingFilename:
        path = field.value;
        break;
      case kBuildId:
        build_id = field.value;
        break;
      default:
        break;
    }
  }
  if (in.failed() || id == 0 || !mapping_ids_.add(id))
    return bad_record("a mapping");
  if (!text(path).empty() || !text(build_id).empty())
    mapping.module = profile_.module_id(text(path), text(build_id));
  if (is_kernel_module(text(path))) mapping.kind = FrameKind::kKernel;
  mappings_.push_back(mapping);
}

void PprofReader::read_function(std::string_view message) {
  std::uint64_t id = 0, name = 0, system_name = 0, file = 0;
  ByteReader in(message);
  for (ProtoField field; next_field(in, field);) {
    switch (field.number) {
      case kFunctionId:
        id = field.value;
        break;
      case kName:
        name = field.value;
        break;
      case kSystemName:
        system_name = field.value;
        break;
      case kFilename:
        file = field.value;
        break;
      default:
        break;
    }
  }
  if (in.failed() || id == 0 || !function_ids_.add(id))
    return bad_record("a function");
  functions_.push_back(
      {intern(text(name).empty() ? system_name : name), intern(file)});
}

void PprofReader::read_location(std::string_view message) {
  std::uint64_t id = 0, mapping_id = 0, address = 0;
  struct Line {
    std::uint64_t function = 0, line = 0;
  };
  std::vector<Line> lines;
  ByteReader in(message);
  for (ProtoField field; next_field(in, field);) {
    switch (field.number) {
      case kLocationMessageId:
        id = field.value;
        break;
      case kMappingOfLocation:
        mapping_id = field.value;
        break;
      case kAddress:
        address = field.value;
        break;
      case kLine: {
        Line line;
        ByteReader inner(field.bytes);
        for (ProtoField part; next_field(inner, part);) {
          if (part.number == kFunctionOfLine) line.function = part.value;
          if (part.number == kLineNumber) line.line = part.value;
        }
        lines.push_back(line);
        break;
      }
      default:
        break;
    }
  }
  if (in.failed() || id == 0 || !location_ids_.add(id))
    return bad_record("a location");

  Mapping mapping;
  if (const auto row = mapping_ids_.find(mapping_id); row != IdTable::kNone)
    mapping = mappings_[row];
  Frame frame{.module = mapping.module, .kind = mapping.kind};
  if (options_.keep_addresses && address != 0)
    frame.address = address >= mapping.start && address < mapping.limit
                        ? address - mapping.start + mapping.offset
                        : address;
  if (lines.size() > kMaxLines) {
    profile_.diagnostics.note(Problem::kDeepStack, lines.size() - kMaxLines);
    lines.erase(lines.begin(),
                lines.end() - static_cast<std::ptrdiff_t>(kMaxLines));
  }
  if (lines.empty()) lines.emplace_back();
  for (std::size_t i = lines.size(); i-- > 0;) {
    const auto [function_id, line] = lines[i];
    frame.function = frame.file = StringId::kEmpty;
    if (const auto row = function_ids_.find(function_id);
        row != IdTable::kNone) {
      frame.function = functions_[row].name;
      frame.file = functions_[row].file;
    } else if (function_id != 0 && !truncated_) {
      bad_record("a line of an unknown function");
    }
    frame.line = line <= UINT32_MAX ? static_cast<std::uint32_t>(line) : 0;
    const OffCpuReason reason = reason_of(frame.function);
    frames_.push_back(reason != OffCpuReason::kNone
                          ? off_cpu_frame(profile_, reason)
                          : profile_.frames.intern(frame));
    frame.kind = FrameKind::kInlined;
  }
  begin_.push_back(static_cast<std::uint32_t>(frames_.size()));
}

void PprofReader::read_about() {
  ValueType period_type;
  std::int64_t period = 0;
  for (const ProtoField& field : about_) {
    for (const AboutField& known : kAboutFields) {
      if (field.number != static_cast<std::uint64_t>(known.field) ||
          field.value == 0 || field.wire == Wire::kBytes)
        continue;
      profile_.set_about(
          known.key,
          known.is_text
              ? std::string(text(field.value))
              : std::to_string(static_cast<std::int64_t>(field.value)));
    }
    if (field.number == kPeriodType) period_type = value_type(field.bytes);
    if (field.number == kPeriod)
      period = static_cast<std::int64_t>(field.value);
    if (field.number != kComment) continue;
    for_each_integer(field, [&](std::uint64_t string) {
      if (profile_.about.size() >= kMaxAbout) return;
      // The writer keeps other facts as comments of the form "key: value".
      std::string_view value = text(string);
      if (value == kTraceComment) {
        profile_.is_trace = true;
        return;
      }
      if (value == kSamplesComment && samples_are_no_event_) return;
      const std::size_t colon = value.find(": ");
      const bool has_key =
          colon != value.npos && colon > 0 &&
          std::ranges::all_of(value.substr(0, colon), [](char c) {
            return (c >= 'a' && c <= 'z') || c == '_' || c == '-';
          });
      if (has_key)
        profile_.set_about(value.substr(0, colon), value.substr(colon + 2));
      else if (!value.empty())
        profile_.set_about(kCommentKey, value);
    });
  }
  if (period > 0)
    profile_.set_about(
        kPeriodKey, fmt::format("{} {} of {}", period, text(period_type.unit),
                                text(period_type.type)));
  if (!lost_labels_.empty())
    profile_.set_about("labels left out", joined(lost_labels_, ", "));
}

LabelRole PprofReader::label_role(std::uint64_t key) {
  constexpr std::size_t kMaxNamed = 20;
  if (key >= strings_.size()) return LabelRole::kNone;
  if (label_roles_.empty()) label_roles_.resize(strings_.size());
  LabelRole& role = label_roles_[key];
  if (role == LabelRole::kNotLooked) {
    role = role_of(strings_[key]);
    if (role == LabelRole::kNone && lost_labels_.size() < kMaxNamed)
      lost_labels_.push_back(strings_[key]);
  }
  return role;
}

bool PprofReader::read_label(std::string_view message, Sample& sample,
                             Thread& thread) {
  std::uint64_t key = 0, string = 0;
  std::int64_t number = 0;
  ByteReader in(message);
  for (ProtoField field; next_field(in, field);) {
    if (field.number == kKey) key = field.value;
    if (field.number == kStr) string = field.value;
    if (field.number == kNum) number = static_cast<std::int64_t>(field.value);
  }
  if (in.failed()) return false;
  // Some encoders write numbers as text.
  if (string != 0 && number == 0)
    number = to_number<std::int64_t>(text(string)).value_or(0);
  const auto id = [&] {
    return number >= 0 && number <= INT32_MAX
               ? static_cast<std::int32_t>(number)
               : Thread::kUnknown;
  };
  switch (label_role(key)) {
    case LabelRole::kThreadName:
      if (string != 0)
        thread.comm = intern(string);
      else
        thread.tid = id();
      break;
    case LabelRole::kProcessName:
      if (thread.comm == StringId::kEmpty) thread.comm = intern(string);
      break;
    case LabelRole::kPid:
      thread.pid = id();
      break;
    case LabelRole::kTid:
      thread.tid = id();
      break;
    case LabelRole::kTime:
      if (number > 0) sample.time = static_cast<std::uint64_t>(number);
      break;
    case LabelRole::kCpu:
      if (number >= 0 && number < Sample::kNoCpu)
        sample.cpu = static_cast<std::uint32_t>(number);
      break;
    case LabelRole::kNone:
    case LabelRole::kNotLooked:
      break;
  }
  return true;
}

// The frames of the sample, outermost first, into `stack_`.
void PprofReader::expand_locations() {
  stack_.clear();
  for (std::size_t i = locations_.size(); i-- > 0;) {
    // One frame too many tells the table that the stack is cut.
    if (stack_.size() > StackTable::kMaxDepth) return;
    const std::uint32_t begin = begin_[locations_[i]];
    std::uint32_t end = begin_[locations_[i] + 1];
    if (end - begin == 1) {
      stack_.push_back(frames_[begin]);
      continue;
    }
    const std::uint32_t inlined = end - begin - 1;
    if (inlined > inlined_left_) {
      profile_.diagnostics.note(Problem::kDeepStack, inlined);
      end = begin + 1;
    } else {
      inlined_left_ -= inlined;
    }
    stack_.insert(stack_.end(), frames_.begin() + begin, frames_.begin() + end);
  }
}

void PprofReader::add_batch() {
  for (const StackId id : batch_.move_to(profile_.stacks))
    stacks_.push_back(id);
  for (auto& [sample, count] : pending_) {
    sample.stack = stacks_[index(sample.stack)];
    samples_.add(sample, count);
  }
  pending_.clear();
}

// The number of the stack of these locations in `stacks_`, where it will be
// once its batch is added. Samples that share a stack name it by the same
// bytes, which saves putting it together again.
std::uint32_t PprofReader::stack_number(std::string_view locations,
                                        bool repeats) {
  const TextHash hash = hash_text(locations);
  if (repeats)
    if (const std::uint32_t* known = known_stacks_.find(hash)) return *known;
  expand_locations();
  if (stack_.empty()) profile_.diagnostics.note(Problem::kNoStack);
  const auto number =
      static_cast<std::uint32_t>(stacks_.size() + batch_.size());
  batch_.add(stack_);
  if (repeats && stack_.size() == locations_.size() && !stack_.empty())
    known_stacks_.add(hash, number);
  return number;
}

void PprofReader::read_sample(std::string_view message) {
  values_.clear();
  locations_.clear();
  Sample sample;
  Thread thread;
  bool good = true;
  std::uint64_t missing = 0;
  int location_fields = 0;
  std::string_view location_bytes;
  ByteReader in(message);
  for (ProtoField field; next_field(in, field);) {
    switch (field.number) {
      case kLocationId:
        ++location_fields;
        location_bytes = field.bytes;
        good &= for_each_integer(field, [&](std::uint64_t id) {
          const std::uint32_t row = location_ids_.find(id);
          if (row == IdTable::kNone)
            ++missing;
          else
            locations_.push_back(row);
        });
        break;
      case kValue:
        good &= for_each_integer(field, [&](std::uint64_t value) {
          values_.push_back(static_cast<std::int64_t>(value));
        });
        break;
      case kLabel:
        good &= read_label(field.bytes, sample, thread);
        break;
      default:
        break;
    }
  }
  if (in.failed() || !good) return bad_record("a sample");
  if (missing > 0 && !truncated_)
    bad_record("a sample with an unknown location");
  if (values_.size() > events_.size()) {
    bad_record("a sample with more values than there are types");
    values_.resize(events_.size());
  }
  const std::uint32_t count = take_sample_count();
  if (std::ranges::all_of(values_, [](std::int64_t v) { return v == 0; })) {
    profile_.diagnostics.note(Problem::kZeroWeight);
    return;
  }
  const bool repeats =
      location_fields == 1 && !location_bytes.empty() && missing == 0;
  sample.stack = StackId{stack_number(location_bytes, repeats)};
  if (thread != Thread{}) sample.thread = profile_.thread_id(thread);
  ++(sample.time != 0 ? timed_ : untimed_);
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (values_[i] == 0) continue;
    sample.weight = values_[i];
    sample.event = events_[i];
    pending_.push_back({sample, i == weight_type_ ? count : 1});
  }
  if (batch_.frame_count() > kBatchFrames || pending_.size() > kBatchSamples)
    add_batch();
}

Profile PprofReader::read() {
  collect();
  make_events();
  for (const std::string_view message : mapping_messages_)
    read_mapping(message);
  for (const std::string_view message : function_messages_)
    read_function(message);
  for (const std::string_view message : location_messages_)
    read_location(message);

  ByteReader in(bytes_);
  for (ProtoField field; next_field(in, field);)
    if (field.number == kSample && field.wire == Wire::kBytes)
      read_sample(field.bytes);
  add_batch();
  read_about();

  profile_.has_time = timed_ > 0 && untimed_ == 0 && options_.keep_time;
  if (profile_.has_time)
    profile_.sample_counts.clear();
  else
    for (Sample& sample : profile_.samples) sample.time = 0;
  if (timed_ > 0 && untimed_ > 0)
    profile_.diagnostics.note(Problem::kTimeDisorder, untimed_);
  if (bad_strings_ > 0 && !truncated_)
    profile_.diagnostics.note(Problem::kBadRecord, bad_strings_);
  return std::move(profile_);
}

}  // namespace

extern const InputFormat pprof_input = {
    .name = "pprof",
    .description = "pprof protobuf (Go, gperftools, perf_to_profile, Datadog)",
    .sniff = sniff,
    .read =
        [](InputFile& file, const ReadOptions& options) {
          return PprofReader(file.bytes(), options).read();
        },
};

}  // namespace wick
