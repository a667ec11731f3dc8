// SPDX-License-Identifier: Apache-2.0
// Writes the processed format of the Firefox Profiler, version 70, which
// profiler.firefox.com and `samply load` show.
//
// Its tables are much like those of Profile. A thread there has one kind of
// weight, so each thread is written once for each event it has samples of.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/bytes.h"
#include "base/hash_index.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "format/json/firefox.h"
#include "profile/format.h"
#include "profile/kind_names.h"

namespace wick {
namespace {

constexpr std::string_view kCategories =
    R"([{"name":"Other","color":"grey","subcategories":["Other"]},)"
    R"({"name":"User","color":"yellow","subcategories":["Other"]},)"
    R"({"name":"Kernel","color":"orange","subcategories":["Other"]},)"
    R"({"name":"JIT","color":"green","subcategories":["Other"]},)"
    R"({"name":"Label","color":"lightblue","subcategories":["Other"]})";
// Only where they are needed; the last one follows the one before.
constexpr std::string_view kOffCpuCategory =
    R"(,{"name":"Off-CPU","color":"blue","subcategories":["Other"]})";
constexpr std::string_view kWasmCategory =
    R"(,{"name":"Wasm","color":"purple","subcategories":["Other"]})";

int category(FrameKind kind) {
  switch (kind) {
    case FrameKind::kUser:
    case FrameKind::kInlined:
      return 1;
    case FrameKind::kKernel:
      return 2;
    case FrameKind::kJit:
      return 3;
    case FrameKind::kLabel:
      return 4;
    case FrameKind::kOffCpu:
      return 5;
    case FrameKind::kWasm:
      return 6;
  }
  return 0;
}

// The id by which symbol servers know a file: the build id as a GUID, whose
// first three numbers are little-endian, and an age of 0.
std::string breakpad_id(std::string_view build_id) {
  if (build_id.size() < 8 || !all_hex_digits(build_id)) return "";
  std::string id(build_id.substr(0, 32));
  id.resize(32, '0');
  const auto swap = [&](std::size_t begin, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes / 2; ++i)
      std::swap_ranges(
          id.begin() + static_cast<std::ptrdiff_t>(begin + 2 * i),
          id.begin() + static_cast<std::ptrdiff_t>(begin + 2 * i + 2),
          id.begin() +
              static_cast<std::ptrdiff_t>(begin + 2 * (bytes - 1 - i)));
  };
  swap(0, 4);
  swap(8, 2);
  swap(12, 2);
  for (char& c : id)
    if (c >= 'a' && c <= 'f') c = static_cast<char>(c - 'a' + 'A');
  return id + '0';
}

class FirefoxWriter {
 public:
  FirefoxWriter(const Profile& profile, const WriteOptions& options,
                std::ostream& out)
      : profile_(profile), options_(options), out_(out) {}

  void run() {
    split_samples();
    collect_functions();
    put_meta();
    put_libs();
    text_ += ",\n\"shared\":{";
    put_stacks();
    put_frames();
    put_functions();
    put_small_tables();
    put_strings();
    text_ += "},\n\"threads\":[";
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      text_ += i == 0 ? "\n" : ",\n";
      put_thread(lanes_[i]);
    }
    text_ += "\n]}\n";
    flush();
  }

 private:
  bool has_frame(FrameKind kind) const {
    return std::ranges::any_of(profile_.frames.ids(), [&](FrameId id) {
      return profile_.frames[id].kind == kind;
    });
  }

  struct Lane {
    ThreadId thread;
    EventId event;
    std::vector<const Sample*> samples;
  };
  struct Function {
    std::uint32_t name;
    StringId file;
    ModuleId module;
    friend bool operator==(const Function&, const Function&) = default;
  };

  void split_samples() {
    HashIndex index_of;
    for (const Sample& sample : profile_.samples) {
      const std::uint32_t row = index_of.find_or_add(
          hash_pair(index(sample.thread), index(sample.event)),
          [&](std::uint32_t i) {
            return lanes_[i].thread == sample.thread &&
                   lanes_[i].event == sample.event;
          },
          [&] {
            lanes_.push_back({sample.thread, sample.event, {}});
            return static_cast<std::uint32_t>(lanes_.size() - 1);
          });
      lanes_[row].samples.push_back(&sample);
    }
    std::ranges::stable_sort(lanes_, {}, [](const Lane& lane) {
      return std::pair(lane.thread, lane.event);
    });
    if (profile_.has_time && !profile_.samples.empty())
      start_ms_ = profile_.samples.front().time / 1'000'000;
  }

  // Frames with the same name, file and module share a function.
  void collect_functions() {
    HashIndex index_of;
    for (const FrameId id : profile_.frames.ids()) {
      const Frame& frame = profile_.frames[id];
      const Function function{name_of_frame(frame), frame.file, frame.module};
      const std::uint64_t key =
          function.name | std::uint64_t{index(function.file)} << 32;
      function_of_.push_back(index_of.find_or_add(
          hash_pair(key, index(function.module)),
          [&](std::uint32_t row) { return functions_[row] == function; },
          [&] {
            functions_.push_back(function);
            return static_cast<std::uint32_t>(functions_.size() - 1);
          }));
    }
    source_of_.resize(profile_.strings.size(), kNone);
    for (const Function& function : functions_) {
      std::uint32_t& source = source_of_[index(function.file)];
      if (function.file == StringId::kEmpty || source != kNone) continue;
      source = static_cast<std::uint32_t>(sources_.size());
      sources_.push_back(function.file);
    }
  }

  // The index of the name in "stringArray": strings of the profile keep their
  // numbers, and further ones follow them.
  std::uint32_t name_of_frame(const Frame& frame) {
    if (frame.function != StringId::kEmpty) return index(frame.function);
    return more_string(frame_name(profile_, frame, options_.fold));
  }
  std::uint32_t more_string(std::string_view text) {
    return static_cast<std::uint32_t>(profile_.strings.size()) +
           index(more_strings_.intern(text));
  }

  void put_meta() {
    text_ += R"({"meta":{"interval":)";
    put_milliseconds(usual_interval());
    text_ += R"(,"startTime":)";
    put_number(start_ms_);
    text_ += R"(,"processType":0,"product":)";
    std::string_view product = "wick";
    for (const About& row : profile_.about)
      if (profile_.strings[row.key] == "command")
        product = profile_.strings[row.value];
    append_json_string(text_, product);
    text_ += R"(,"importedFrom":"wick","stackwalk":1,"debug":false,)"
             R"("version":36,"preprocessedProfileVersion":70,)"
             R"("symbolicated":true,"usesOnlyOneStackType":true,)"
             R"("sourceCodeIsNotOnSearchfox":true,"markerSchema":[],)"
             R"("extensions":{"baseURL":[],"id":[],"name":[],"length":0},)"
             R"("categories":)";
    text_ += kCategories;
    const bool has_wasm = has_frame(FrameKind::kWasm);
    if (has_wasm || has_frame(FrameKind::kOffCpu)) text_ += kOffCpuCategory;
    if (has_wasm) text_ += kWasmCategory;
    text_ += R"(],"wick":{"times":)";
    text_ += profile_.has_time ? "true" : "false";
    if (profile_.is_trace) text_ += R"(,"is_trace":true)";
    text_ += R"(,"events":[)";
    for (const EventId id : profile_.events.ids()) {
      const Event& event = profile_.events[id];
      text_ += index(id) == 0 ? R"({"name":)" : R"(,{"name":)";
      append_json_string(text_, profile_.strings[event.name]);
      text_ += R"(,"unit":)";
      append_json_string(text_, profile_.strings[event.unit]);
      text_ += R"(,"role":)";
      append_json_string(text_, name_of(event.role));
      if (event.time != TimeKind::kNone) {
        text_ += R"(,"time":)";
        append_json_string(text_, name_of(event.time));
      }
      text_ += R"(,"decimals":)" + std::to_string(event.decimals) + "}";
    }
    text_ += "]}}";
  }

  // Nanoseconds between samples of the busiest thread.
  std::uint64_t usual_interval() const {
    std::uint64_t interval = 1'000'000;
    std::size_t most = 1;
    for (const Lane& lane : lanes_) {
      if (!profile_.has_time || lane.samples.size() <= most) continue;
      most = lane.samples.size();
      interval =
          (lane.samples.back()->time - lane.samples.front()->time) / (most - 1);
    }
    return std::max<std::uint64_t>(interval, 1);
  }

  void put_libs() {
    text_ += ",\n\"libs\":[";
    for (const ModuleId id : profile_.modules.ids()) {
      if (id == ModuleId::kUnknown) continue;
      const Module& module = profile_.modules[id];
      const std::string_view path = profile_.strings[module.path];
      const std::string_view build_id = profile_.strings[module.build_id];
      const auto add = [&](std::string_view key, std::string_view value) {
        text_ += key;
        append_json_string(text_, value);
      };
      text_ += index(id) == 1 ? "{" : ",{";
      add(R"("arch":)", "");
      add(R"(,"name":)", base_name(path));
      add(R"(,"path":)", path);
      add(R"(,"debugName":)", base_name(path));
      add(R"(,"debugPath":)", path);
      add(R"(,"breakpadId":)", breakpad_id(build_id));
      if (build_id.empty())
        text_ += R"(,"codeId":null)";
      else
        add(R"(,"codeId":)", build_id);
      text_ += '}';
    }
    text_ += ']';
  }

  // One column: value(row) appends what it has for a row.
  template <class Ids, class Value>
  void put_column(std::string_view name, Ids&& ids, Value value) {
    text_ += '"';
    text_ += name;
    text_ += "\":[";
    bool first = true;
    for (const auto id : ids) {
      if (!first) text_ += ',';
      first = false;
      value(id);
      if (text_.size() > (64 << 10)) flush();
    }
    text_ += "],";
  }
  template <class Ids>
  void put_same(std::string_view name, Ids&& ids, std::string_view value) {
    put_column(name, ids, [&](auto) { text_ += value; });
  }
  void put_length(std::size_t length) {
    text_ += R"("length":)";
    put_number(length);
    text_ += '}';
  }

  // The empty stack is not a row there.
  void put_stacks() {
    const StackTable& stacks = profile_.stacks;
    const auto rows = stacks.ids() | std::views::drop(1);
    text_ += R"("stackTable":{)";
    put_column("frame", rows,
               [&](StackId id) { put_number(index(stacks.frame(id))); });
    put_column("prefixOffset", rows, [&](StackId id) {
      const StackId caller = stacks.parent(id);
      put_number(caller == StackId::kRoot ? 0 : index(id) - index(caller));
    });
    put_length(stacks.size() - 1);
  }

  void put_frames() {
    const auto ids = profile_.frames.ids();
    const auto frame = [&](FrameId id) -> const Frame& {
      return profile_.frames[id];
    };
    text_ += ",\n\"frameTable\":{";
    put_column("address", ids, [&](FrameId id) {
      // Numbers beyond are not exact in JavaScript.
      const std::uint64_t address = frame(id).address;
      if (address == 0 || address >> 53 != 0)
        text_ += "-1";
      else
        put_number(address);
    });
    put_column("lib", ids, [&](FrameId id) {
      put_number(static_cast<std::int64_t>(index(frame(id).module)) - 1);
    });
    put_column("inlineDepth", ids, [&](FrameId id) {
      text_ += frame(id).kind == FrameKind::kInlined ? '1' : '0';
    });
    put_column("category", ids,
               [&](FrameId id) { put_number(category(frame(id).kind)); });
    put_same("subcategory", ids, "0");
    put_column("func", ids, [&](FrameId id) { put_number(function_of_[id]); });
    put_same("nativeSymbol", ids, "null");
    put_same("innerWindowID", ids, "0");
    put_column("line", ids, [&](FrameId id) {
      if (frame(id).line == 0)
        text_ += "null";
      else
        put_number(frame(id).line);
    });
    put_same("column", ids, "null");
    put_same("originalLocation", ids, "null");
    put_length(profile_.frames.size());
  }

  void put_functions() {
    text_ += ",\n\"funcTable\":{";
    put_column("name", functions_,
               [&](const Function& f) { put_number(f.name); });
    put_same("isJS", functions_, "false");
    put_same("relevantForJS", functions_, "false");
    put_column("resource", functions_, [&](const Function& f) {
      put_number(static_cast<std::int64_t>(index(f.module)) - 1);
    });
    put_column("source", functions_, [&](const Function& f) {
      const std::uint32_t source = source_of_[index(f.file)];
      if (source == kNone)
        text_ += "null";
      else
        put_number(source);
    });
    put_same("lineNumber", functions_, "null");
    put_same("columnNumber", functions_, "null");
    put_same("originalLocation", functions_, "null");
    put_length(functions_.size());
  }

  void put_small_tables() {
    const auto modules = profile_.modules.ids() | std::views::drop(1);
    text_ += ",\n\"resourceTable\":{";
    put_column("name", modules, [&](ModuleId id) {
      put_number(
          more_string(base_name(profile_.strings[profile_.modules[id].path])));
    });
    put_same("host", modules, "null");
    put_same("type", modules, "1");  // a library
    put_length(profile_.modules.size() - 1);
    text_ += ",\n\"sources\":{";
    put_same("id", sources_, "null");
    put_column("filename", sources_,
               [&](StringId file) { put_number(index(file)); });
    put_same("startLine", sources_, "1");
    put_same("startColumn", sources_, "1");
    put_same("sourceMapURL", sources_, "null");
    put_same("content", sources_, "null");
    put_length(sources_.size());
    text_ +=
        ",\n\"nativeSymbols\":{\"libIndex\":[],\"address\":[],"
        "\"name\":[],\"functionSize\":[],\"length\":0}"
        ",\n\"sourceLocationTable\":{\"source\":[],\"line\":[],"
        "\"column\":[],\"length\":0}";
  }

  void put_strings() {
    text_ += ",\n\"stringArray\":[";
    bool first = true;
    const StringTable* const tables[] = {&profile_.strings, &more_strings_};
    for (const StringTable* strings : tables)
      for (const StringId id : strings->ids()) {
        if (!first) text_ += ',';
        first = false;
        append_json_string(text_, (*strings)[id]);
        if (text_.size() > (64 << 10)) flush();
      }
    text_ += ']';
  }

  void put_thread(const Lane& lane) {
    const Thread& thread = profile_.threads[lane.thread];
    const std::string_view comm = profile_.strings[thread.comm];
    const Event& event = profile_.events[lane.event];
    std::string name(comm.empty() ? "thread" : comm);
    if (profile_.events.size() > 1)
      name += fmt::format(" ({})", profile_.strings[event.name]);
    text_ += R"({"name":)";
    append_json_string(text_, name);
    text_ += fmt::format(
        R"(,"pid":"{}","tid":{},"isMainThread":{},"processType":"default",)"
        R"("processStartupTime":0,"processShutdownTime":null,)"
        R"("registerTime":0,"unregisterTime":null,"pausedRanges":[],)"
        R"("markers":{{"data":[],"name":[],"startTime":[],"endTime":[],)"
        R"("phase":[],"category":[],"length":0}},)",
        std::max(0, thread.pid), std::max(0, thread.tid),
        thread.pid == thread.tid);
    text_ += fmt::format(R"("wick":{{"event":{},"pid":{},"tid":{},"comm":)",
                         index(lane.event), thread.pid, thread.tid);
    append_json_string(text_, comm);
    text_ += R"(},"samples":{)";
    put_samples(lane, weight_form(profile_.strings[event.unit]),
                event.decimals);
    text_ += '}';
  }

  void put_samples(const Lane& lane, const WeightForm& form, int decimals) {
    put_column("stack", lane.samples, [&](const Sample* sample) {
      if (sample->stack == StackId::kRoot)
        text_ += "null";
      else
        put_number(index(sample->stack) - 1);
    });
    std::uint64_t before = start_ms_ * 1'000'000;
    put_column("timeDeltas", lane.samples, [&](const Sample* sample) {
      if (!profile_.has_time) {
        text_ += '1';
        return;
      }
      put_milliseconds(sample->time - before);
      before = sample->time;
    });
    put_column("weight", lane.samples, [&](const Sample* sample) {
      if (decimals + form.power == 0)
        put_number(sample->weight);
      else if (decimals + form.power > 0)
        text_ += format_decimal(sample->weight, decimals + form.power);
      else
        put_number(saturating_mul(sample->weight,
                                  power_of_ten(-decimals - form.power)));
    });
    text_ += fmt::format(R"("weightType":"{}",)", form.type);
    put_length(lane.samples.size());
  }

  template <class T>
  void put_number(T number) {
    const fmt::format_int digits(number);
    text_.append(digits.data(), digits.size());
  }

  // Milliseconds, with as many decimals as they have.
  void put_milliseconds(std::uint64_t nanoseconds) {
    put_number(nanoseconds / 1'000'000);
    auto rest = static_cast<std::uint32_t>(nanoseconds % 1'000'000);
    if (rest == 0) return;
    char digits[7] = {'.', '0', '0', '0', '0', '0', '0'};
    for (int i = 6; i > 0; --i, rest /= 10)
      digits[i] = static_cast<char>('0' + rest % 10);
    std::size_t size = sizeof digits;
    while (digits[size - 1] == '0') --size;
    text_.append(digits, size);
  }

  void flush() {
    out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
    text_.clear();
  }

  static constexpr std::uint32_t kNone = 0xffffffff;

  const Profile& profile_;
  const WriteOptions& options_;
  std::ostream& out_;
  std::string text_;
  std::vector<Lane> lanes_;
  std::uint64_t start_ms_ = 0;
  std::vector<Function> functions_;
  Column<FrameId, std::uint32_t> function_of_;
  std::vector<std::uint32_t> source_of_;  // by string
  std::vector<StringId> sources_;
  StringTable more_strings_;
};

void write_firefox(const Profile& profile, const WriteOptions& options,
                   std::ostream& out) {
  FirefoxWriter(profile, options, out).run();
}

}  // namespace

extern const OutputFormat firefox_output = {
    .name = "firefox",
    .extension = ".firefox.json",
    .description = "Firefox Profiler (profiler.firefox.com)",
    .write = write_firefox,
    .lacks = "cpus, addresses beyond 2^53",
    .cost = {.repeats = Repeats::kThreads, .frame_bytes = 100},
    .media_type = "application/json; charset=utf-8",
};

}  // namespace wick
