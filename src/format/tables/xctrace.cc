// SPDX-License-Identifier: Apache-2.0
// Instruments' Time Profiler as `xctrace export` writes it: a row for each
// sample.
//
//   <row><sample-time id="1">57246708</sample-time>
//        <thread id="2" fmt="main 0x84 (app, pid: 49374)"><tid id="3">132</tid>
//          <process id="4" fmt="app (49374)"><pid id="5">49374</pid></process>
//        </thread>
//        <weight id="9">1000000</weight>
//        <backtrace id="10"><frame id="11" name="f" addr="0x10"><binary …/>
//          </frame><frame id="13" name="start" …/></backtrace></row>
//   <row><sample-time id="14">59248125</sample-time><thread ref="2"/>
//        <weight ref="9"/><backtrace ref="10"/></row>
//
// Elements that repeat are references to an id. Backtraces have their innermost
// frame first. A row without one has <sentinel/> instead.
//
// Each row counts as one sample, as in inferno. If rows have different weights
// (samples of cycles do), their weights are a second event.
#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "base/text.h"
#include "format/tables/xml.h"
#include "profile/about_keys.h"
#include "profile/format.h"
#include "profile/tidy.h"

namespace wick {
namespace {

enum class Tag : std::uint8_t {
  kOther,
  kRow,
  kSchema,
  kTime,
  kThread,
  kTid,
  kProcess,
  kPid,
  kCore,
  kWeight,
  kCycles,
  kBacktrace,
  kTaggedBacktrace,
  kFrame,
  kBinary,
  kSource,
  kPath,
  kSentinel,
  kResult,
};

Tag tag_of(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, Tag>, 19> kTags = {{
      {"row", Tag::kRow},
      {"schema", Tag::kSchema},
      {"sample-time", Tag::kTime},
      {"event-time", Tag::kTime},
      {"thread", Tag::kThread},
      {"tid", Tag::kTid},
      {"process", Tag::kProcess},
      {"pid", Tag::kPid},
      {"core", Tag::kCore},
      {"weight", Tag::kWeight},
      {"cycle-weight", Tag::kCycles},
      {"backtrace", Tag::kBacktrace},
      {"tagged-backtrace", Tag::kTaggedBacktrace},
      {"frame", Tag::kFrame},
      {"binary", Tag::kBinary},
      {"source", Tag::kSource},
      {"path", Tag::kPath},
      {"sentinel", Tag::kSentinel},
      {"trace-query-result", Tag::kResult},
  }};
  for (const auto& [text, tag] : kTags)
    if (text == name) return tag;
  return Tag::kOther;
}

// Tables whose rows are samples.
bool is_sample_table(std::string_view schema) {
  return schema == "time-profile" || schema == "time-sample" ||
         schema == "cpu-profile" || schema == "counters-profile";
}

class XctraceReader {
 public:
  explicit XctraceReader(const ReadOptions& options)
      : options_(options), samples_(profile_, options.keep_time) {}

  Profile read(InputFile& file) {
    profile_.event_id("samples");
    XmlReader xml(file.bytes());
    bool complete = false;
    using Token = XmlReader::Token;
    for (Token token; (token = xml.next()) != Token::kEnd;) {
      if (token == Token::kText) {
        if (wants_text_) text_ += xml.text();
        continue;
      }
      const Tag tag = tag_of(xml.name());
      if (token == Token::kOpen)
        open(tag, xml);
      else
        close(tag);
      if (tag == Tag::kResult) complete = token == Token::kClose;
    }
    if (!any_table_)
      fail(
          "has no rows of samples; export them with xctrace export --xpath "
          "'/trace-toc/run[1]/data/table[@schema=\"time-profile\"]'");
    if (!complete)
      profile_.diagnostics.note_at(Problem::kTruncated,
                                   "</trace-query-result> is missing");
    if (first_weight_ && !weights_differ_)
      profile_.set_about("weight of a sample", std::to_string(*first_weight_));
    profile_.has_time = options_.keep_time && all_have_time_;
    if (!profile_.has_time)
      for (Sample& sample : profile_.samples) sample.time = 0;
    return std::move(profile_);
  }

 private:
  // What an id refers to; the meaning of `value` follows from the tag.
  struct Known {
    Tag tag = Tag::kOther;
    std::uint64_t value = 0;
  };
  struct Element {
    Tag tag = Tag::kOther;
    std::uint64_t id = 0;  // 0: none
    bool is_reference = false;
  };

  void open(Tag tag, const XmlReader& xml) {
    wants_text_ = false;
    if (tag == Tag::kOther) return;
    Element element{.tag = tag};
    if (const auto ref = xml.attribute("ref")) {
      element.is_reference = true;
      resolve(tag, to_number<std::uint64_t>(*ref).value_or(0));
    } else {
      if (const auto id = xml.attribute("id"))
        element.id = to_number<std::uint64_t>(*id).value_or(0);
      begin(tag, xml);
    }
    open_.push_back(element);
  }

  void begin(Tag tag, const XmlReader& xml) {
    switch (tag) {
      case Tag::kSchema:
        in_table_ = is_sample_table(xml.attribute("name").value_or(""));
        any_table_ |= in_table_;
        break;
      case Tag::kRow:
        row_ = {};
        break;
      case Tag::kThread:
        tid_ = Thread::kUnknown;
        pid_ = Thread::kUnknown;
        break;
      case Tag::kProcess:
        pid_ = Thread::kUnknown;
        name_process(xml.attribute("fmt").value_or(""));
        break;
      case Tag::kBacktrace:
        frames_.clear();
        break;
      case Tag::kFrame:
        begin_frame(xml);
        break;
      case Tag::kBinary:
        binary_ = profile_.module_id(
            xml.attribute("path").value_or(xml.attribute("name").value_or("")),
            xml.attribute("UUID").value_or(""));
        break;
      case Tag::kSource:
        frame_.line =
            to_number<std::uint32_t>(xml.attribute("line").value_or(""))
                .value_or(0);
        break;
      case Tag::kSentinel:
        row_.has_sentinel = true;
        break;
      case Tag::kTime:
      case Tag::kTid:
      case Tag::kPid:
      case Tag::kCore:
      case Tag::kWeight:
      case Tag::kCycles:
      case Tag::kPath:
        text_.clear();
        wants_text_ = true;
        break;
      default:
        break;
    }
  }

  // "app (49374)"
  void name_process(std::string_view text) {
    const std::size_t pid = text.rfind(" (");
    if (pid == text.npos || pid == 0 || has_command_) return;
    profile_.set_about(kAboutCommand, text.substr(0, pid));
    has_command_ = true;
  }

  void begin_frame(const XmlReader& xml) {
    std::string name = rust_demangled(xml.attribute("name").value_or(""));
    std::ranges::replace(name, ';', ':');
    frame_ = {.function = profile_.strings.intern(name)};
    binary_ = ModuleId::kUnknown;
    const std::string address = xml.attribute("addr").value_or("");
    if (options_.keep_addresses && address.starts_with("0x"))
      frame_.address =
          to_number<std::uint64_t>(std::string_view(address).substr(2), 16)
              .value_or(0);
  }

  void close(Tag tag) {
    wants_text_ = false;
    if (tag == Tag::kOther) return;
    // Tags that do not match are damage; what is inside them has no end.
    while (!open_.empty() && open_.back().tag != tag) open_.pop_back();
    if (open_.empty()) {
      profile_.diagnostics.note(Problem::kBadRecord);
      return;
    }
    const Element element = open_.back();
    open_.pop_back();
    if (element.is_reference) return;
    if (tag == Tag::kRow) {
      end_row();
      return;
    }
    const std::uint64_t value = value_of(tag);
    if (element.id != 0) known_.insert_or_assign(element.id, Known{tag, value});
    use(tag, value);
  }

  // The value of the element that ends here.
  std::uint64_t value_of(Tag tag) {
    switch (tag) {
      case Tag::kThread:
        return index(profile_.thread_id({.pid = pid_, .tid = tid_}));
      case Tag::kProcess:
        return static_cast<std::uint32_t>(pid_);
      case Tag::kBacktrace:
        return index(stack_of_frames());
      case Tag::kTaggedBacktrace:
        return index(row_.stack);
      case Tag::kFrame:
        frame_.module = binary_;
        return index(profile_.frames.intern(frame_));
      case Tag::kBinary:
        return index(binary_);
      case Tag::kPath:
        return index(profile_.strings.intern(trim(text_)));
      case Tag::kTime:
      case Tag::kTid:
      case Tag::kPid:
      case Tag::kCore:
      case Tag::kWeight:
      case Tag::kCycles:
        return to_number<std::uint64_t>(trim(text_)).value_or(0);
      default:
        return 0;
    }
  }

  StackId stack_of_frames() {
    StackId stack = StackId::kRoot;
    for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame)
      stack = profile_.stacks.push(stack, *frame);
    return stack;
  }

  void resolve(Tag tag, std::uint64_t ref) {
    const auto known = known_.find(ref);
    if (known == known_.end() || known->second.tag != tag) {
      profile_.diagnostics.note_at(Problem::kBadRecord,
                                   "a reference to an unknown id");
      // The frame is missing, the stack around it is not.
      if (tag == Tag::kFrame)
        frames_.push_back(profile_.named_frame("[unknown]"));
      return;
    }
    use(tag, known->second.value);
  }

  // Hands a value to what contains it.
  void use(Tag tag, std::uint64_t value) {
    const auto number = static_cast<std::uint32_t>(value);
    switch (tag) {
      case Tag::kTime:
        row_.time = value;
        row_.has_time = true;
        break;
      case Tag::kThread:
        row_.thread = ThreadId{number};
        break;
      case Tag::kTid:
        tid_ = static_cast<std::int32_t>(number);
        break;
      case Tag::kProcess:
      case Tag::kPid:
        pid_ = static_cast<std::int32_t>(number);
        break;
      case Tag::kCore:
        row_.core = number;
        break;
      case Tag::kWeight:
      case Tag::kCycles:
        row_.weight = static_cast<std::int64_t>(
            std::min<std::uint64_t>(value, INT64_MAX));
        row_.is_cycles = tag == Tag::kCycles;
        break;
      case Tag::kBacktrace:
      case Tag::kTaggedBacktrace:
        row_.stack = StackId{number};
        row_.has_stack = true;
        break;
      case Tag::kFrame:
        frames_.push_back(FrameId{number});
        break;
      case Tag::kBinary:
        binary_ = ModuleId{number};
        break;
      case Tag::kPath:
        frame_.file = StringId{number};
        break;
      default:
        break;
    }
  }

  void end_row() {
    if (!in_table_) return;
    if (!row_.has_stack) {
      // Instruments took the sample but has no stack for it.
      profile_.diagnostics.note(
          row_.has_sentinel ? Problem::kLostSamples : Problem::kBadRecord, 1,
          1);
      return;
    }
    if (row_.stack == StackId::kRoot)
      profile_.diagnostics.note(Problem::kNoStack);
    all_have_time_ = all_have_time_ && row_.has_time;
    const Sample sample{.time = row_.time,
                        .weight = 1,
                        .stack = row_.stack,
                        .thread = row_.thread,
                        .cpu = row_.core};
    add_weight(sample);
    samples_.add(sample);
  }

  // Equal weights add nothing to the count; they become an event as soon as one
  // differs.
  void add_weight(Sample sample) {
    if (!first_weight_) first_weight_ = row_.weight;
    if (!weights_differ_ && row_.weight == *first_weight_) return;
    const EventId event = row_.is_cycles
                              ? profile_.event_id("cycles", "cycles")
                              : profile_.event_id("time", "nanoseconds");
    if (!weights_differ_) {
      weights_differ_ = true;
      const std::size_t before = profile_.samples.size();
      for (std::size_t i = 0; i < before; ++i) {
        Sample earlier = profile_.samples[i];
        earlier.weight = saturating_mul(earlier.weight, *first_weight_);
        earlier.event = event;
        samples_.add(earlier);
      }
    }
    sample.weight = row_.weight;
    sample.event = event;
    samples_.add(sample);
  }

  struct Row {
    std::uint64_t time = 0;
    StackId stack = StackId::kRoot;
    ThreadId thread = ThreadId::kUnknown;
    std::uint32_t core = Sample::kNoCpu;
    std::int64_t weight = 0;
    bool is_cycles = false;
    bool has_time = false, has_stack = false, has_sentinel = false;
  };

  const ReadOptions& options_;
  Profile profile_;
  SampleCollector samples_;
  absl::flat_hash_map<std::uint64_t, Known> known_;
  std::vector<Element> open_;
  bool in_table_ = false, any_table_ = false;
  std::string text_;
  bool wants_text_ = false;
  // What is being put together; each of them ends before another begins.
  Row row_;
  std::int32_t tid_ = Thread::kUnknown, pid_ = Thread::kUnknown;
  ModuleId binary_ = ModuleId::kUnknown;
  Frame frame_;
  std::vector<FrameId> frames_;  // innermost first
  bool all_have_time_ = true, has_command_ = false;
  std::optional<std::int64_t> first_weight_;
  bool weights_differ_ = false;
};

bool sniff_xctrace(std::string_view head) {
  return head.substr(0, 1000).find("<trace-query-result") != head.npos;
}

}  // namespace

extern const InputFormat xctrace_input = {
    .name = "xctrace",
    .description = "Instruments Time Profiler as exported by xctrace (XML)",
    .sniff = sniff_xctrace,
    .read =
        [](InputFile& file, const ReadOptions& options) {
          return XctraceReader(options).read(file);
        },
};

}  // namespace wick
