// SPDX-License-Identifier: Apache-2.0
// Reads profiles of the Firefox Profiler: the processed format that its page
// saves and that samply and others write (tables by columns, per thread before
// version 60 and shared since), and the raw format of Gecko (tables by rows
// with a schema, processes inside processes).
#include "format/json/firefox.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "format/common/source_place.h"
#include "format/json/json.h"
#include "profile/format.h"
#include "profile/kind_names.h"
#include "profile/wasm_names.h"

namespace wick {
namespace {

constexpr std::int64_t kNull = -1;  // null, or not a number

// number × 10^power, rounded.
std::int64_t scaled(const Decimal& number, int power) {
  const int shift = power - number.decimals;
  if (shift >= 0)
    return saturating_mul(number.value, power_of_ten(std::min(shift, 18)));
  const std::int64_t divisor = power_of_ten(-shift);
  const std::int64_t half = number.value < 0 ? -divisor / 2 : divisor / 2;
  return saturating_add(number.value, half) / divisor;
}

// Milliseconds in nanoseconds.
std::int64_t to_nanoseconds(const Json& milliseconds) {
  const auto number = milliseconds.decimal();
  return number ? scaled(*number, 6) : 0;
}

std::vector<std::int64_t> numbers(const Json& column) {
  std::vector<std::int64_t> values;
  for (const Json value : column.items())
    values.push_back(value.integer().value_or(kNull));
  return values;
}

std::vector<std::string_view> texts(const Json& column) {
  std::vector<std::string_view> values;
  for (const Json value : column.items()) values.push_back(value.text());
  return values;
}

// The value in row `row`, or `missing`.
template <class T>
T at(const std::vector<T>& column, std::int64_t row, T missing) {
  return row >= 0 && static_cast<std::uint64_t>(row) < column.size()
             ? column[static_cast<std::size_t>(row)]
             : missing;
}

class FirefoxReader {
 public:
  FirefoxReader(const Json& root, Profile& profile, const ReadOptions& options)
      : root_(root),
        profile_(profile),
        options_(options),
        samples_(profile, options.keep_time) {}

  void run() {
    if (!root_["threads"].is_array())
      fail("has no \"threads\", which a Firefox profile must have");
    profile_.has_time = options_.keep_time;
    read_events_of_wick();
    read_categories(root_["meta"]);
    if (root_["meta"]["preprocessedProfileVersion"] || root_["shared"])
      read_processed();
    else
      read_gecko();
  }

 private:
  void bad(std::string_view what) {
    profile_.diagnostics.note_at(Problem::kBadRecord, what);
  }

  void read_events_of_wick() {
    const Json wick = root_["meta"]["wick"];
    from_wick_ = wick.is_object();
    if (!from_wick_) return;
    profile_.is_trace = wick["is_trace"].truth().value_or(false);
    if (!wick["times"].truth().value_or(true)) profile_.has_time = false;
    start_ = saturating_mul(root_["meta"]["startTime"].integer().value_or(0),
                            1'000'000);
    for (const Json event : wick["events"].items())
      profile_.events.push_back(
          {.name = profile_.strings.intern(event["name"].text()),
           .unit = profile_.strings.intern(event["unit"].text()),
           .decimals = static_cast<std::uint8_t>(std::clamp<std::int64_t>(
               event["decimals"].integer().value_or(0), 0, kMaxDecimals)),
           .role = event_role(event["role"].text()),
           .time = time_kind(event["time"].text())});
  }

  void read_categories(const Json& meta) {
    for (const Json category : meta["categories"].items()) {
      const std::string_view name = category["name"].text();
      kinds_.push_back(name == "Kernel"                  ? FrameKind::kKernel
                       : name == "JIT"                   ? FrameKind::kJit
                       : name == "Wasm" && from_wick_    ? FrameKind::kWasm
                       : name == "Label" && from_wick_   ? FrameKind::kLabel
                       : name == "Off-CPU" && from_wick_ ? FrameKind::kOffCpu
                                                         : FrameKind::kUser);
    }
  }

  // --- the processed format -------------------------------------------------

  void read_processed() {
    const Json shared = root_["shared"];
    const bool one_table = shared["stackTable"].is_object();
    const auto shared_strings = texts(shared["stringArray"]);
    read_modules(root_["libs"]);
    if (one_table) read_tables(shared, shared_strings);
    for (const Json thread : root_["threads"].items()) {
      if (!one_table) {
        if (thread["libs"].is_array()) read_modules(thread["libs"]);
        read_tables(thread, shared_strings.empty() ? texts(strings_of(thread))
                                                   : shared_strings);
      }
      read_thread(thread);
    }
  }

  // Before version 56 each thread has its own.
  static Json strings_of(const Json& thread) {
    const Json strings = thread["stringArray"];
    if (strings.is_array()) return strings;
    return thread["stringTable"];
  }

  void read_modules(const Json& libs) {
    modules_.clear();
    for (const Json lib : libs.items()) {
      std::string_view path = lib["path"].text();
      if (path.empty()) path = lib["name"].text();
      modules_.push_back(profile_.module_id(path, lib["codeId"].text()));
    }
  }

  // Fills stacks_ from "stackTable" and what it refers to.
  void read_tables(const Json& tables,
                   const std::vector<std::string_view>& strings) {
    const std::vector<FrameId> frames = read_frames(tables, strings);
    const Json table = tables["stackTable"];
    const auto frame_of = numbers(table["frame"]);
    const auto prefixes = numbers(table["prefix"]);
    const auto offsets = numbers(table["prefixOffset"]);
    stacks_.clear();
    for (std::int64_t row = 0; row < static_cast<std::int64_t>(frame_of.size());
         ++row) {
      const std::int64_t offset = at(offsets, row, std::int64_t{0});
      const std::int64_t prefix =
          offset > 0 ? row - offset : at(prefixes, row, kNull);
      add_stack(prefix, at(frames, frame_of[static_cast<std::size_t>(row)],
                           unknown_frame()));
    }
  }

  // The next row of the stack table; its caller must be an earlier row.
  void add_stack(std::int64_t prefix, FrameId frame) {
    if (prefix >= static_cast<std::int64_t>(stacks_.size()) || prefix < kNull) {
      bad("a stack before its caller");
      prefix = kNull;
    }
    stacks_.push_back(
        profile_.stacks.push(at(stacks_, prefix, StackId::kRoot), frame));
  }

  FrameId unknown_frame() { return profile_.named_frame("[unknown]"); }

  std::vector<FrameId> read_frames(
      const Json& tables, const std::vector<std::string_view>& strings) {
    const Json frames = tables["frameTable"];
    const auto functions = numbers(frames["func"]);
    const auto addresses = numbers(frames["address"]);
    const auto libs = numbers(frames["lib"]);
    const auto depths = numbers(frames["inlineDepth"]);
    const auto categories = numbers(frames["category"]);
    const auto lines = numbers(frames["line"]);
    const auto names = numbers(tables["funcTable"]["name"]);
    const auto resources = numbers(tables["funcTable"]["resource"]);
    const auto sources = numbers(tables["funcTable"]["source"]);
    const auto files = numbers(tables["funcTable"]["fileName"]);
    const auto resource_libs = numbers(tables["resourceTable"]["lib"]);
    const auto file_names = numbers(root_["shared"]["sources"]["filename"]);
    std::vector<FrameId> result;
    for (std::size_t i = 0; i < functions.size(); ++i) {
      const auto row = static_cast<std::int64_t>(i);
      const std::int64_t function = functions[i];
      const std::int64_t source = at(sources, function, kNull);
      const std::int64_t file = source != kNull ? at(file_names, source, kNull)
                                                : at(files, function, kNull);
      // Since version 70, the frame has the library.
      const std::int64_t lib =
          libs.empty()
              ? at(resource_libs, at(resources, function, kNull), kNull)
              : at(libs, row, kNull);
      const std::int64_t line = at(lines, row, kNull);
      const std::int64_t address = at(addresses, row, kNull);
      std::string_view name =
          at(strings, at(names, function, kNull), std::string_view());
      if (name.empty()) name = "[unknown]";
      FrameKind kind = at(kinds_, at(categories, row, kNull), FrameKind::kUser);
      if (kind == FrameKind::kJit) kind = generated_kind(name);
      if (at(depths, row, std::int64_t{0}) > 0) kind = FrameKind::kInlined;
      result.push_back(profile_.frames.intern(
          {.function = profile_.strings.intern(name),
           .file =
               profile_.strings.intern(at(strings, file, std::string_view())),
           .module = at(modules_, lib, ModuleId::kUnknown),
           .line = line > 0 && line <= UINT32_MAX
                       ? static_cast<std::uint32_t>(line)
                       : 0,
           .address = options_.keep_addresses && address > 0
                          ? static_cast<std::uint64_t>(address)
                          : 0,
           .kind = kind,
           .off_cpu = off_cpu_of(kind, name)}));
    }
    return result;
  }

  void read_thread(const Json& thread) {
    if (!thread.is_object()) {
      bad("a thread that is not an object");
      return;
    }
    const ThreadId id = thread_of(thread);
    std::optional<EventId> event;
    if (const auto number = thread["wick"]["event"].integer();
        from_wick_ && number && *number >= 0 &&
        static_cast<std::uint64_t>(*number) < profile_.events.size())
      event = EventId{static_cast<std::uint32_t>(*number)};
    read_samples(thread["samples"], id, event, "samples");
    read_samples(thread["jsAllocations"], id, {}, "js allocations");
    read_samples(thread["nativeAllocations"], id, {}, "native allocations");
  }

  ThreadId thread_of(const Json& thread) {
    const auto number = [](const Json& id) {
      const auto value =
          id.is_string() ? to_number<std::int64_t>(id.text()) : id.integer();
      return value && *value >= 0 && *value <= INT32_MAX
                 ? static_cast<std::int32_t>(*value)
                 : Thread::kUnknown;
    };
    const Json own = thread["wick"];
    if (from_wick_ && own.is_object())
      return profile_.thread_id(
          {.pid = number(own["pid"]),
           .tid = number(own["tid"]),
           .comm = profile_.strings.intern(own["comm"].text())});
    std::string_view name = thread["name"].text();
    if (name.empty()) name = thread["processName"].text();
    return profile_.thread_id({.pid = number(thread["pid"]),
                               .tid = number(thread["tid"]),
                               .comm = profile_.strings.intern(name)});
  }

  // Weights are counts, milliseconds or bytes.
  void read_samples(const Json& table, ThreadId thread,
                    std::optional<EventId> event, std::string_view name) {
    if (!table.is_object()) return;
    const std::string_view type = table["weightType"].text();
    if (!event)
      event =
          type == "tracing-ms" ? profile_.event_id("time", "nanoseconds")
          : type == "bytes"
              ? profile_.event_id(name == "samples" ? "bytes" : name, "bytes")
              : profile_.event_id(name);
    const int power =
        weight_form(profile_.strings[profile_.events[*event].unit]).power;
    const Json deltas = table["timeDeltas"];
    const bool has_deltas = deltas.is_array();
    const Json::Items times = (has_deltas ? deltas : table["time"]).items();
    const Json::Items weights = table["weight"].items();
    const bool has_weights = table["weight"].is_array();
    auto time = times.begin();
    auto weight = weights.begin();
    std::int64_t now = start_;
    for (const Json stack : table["stack"].items()) {
      if (time != times.end()) {
        const std::int64_t value = to_nanoseconds(*time);
        now = has_deltas ? saturating_add(now, value)
                         : saturating_add(start_, value);
        ++time;
      }
      std::optional<Decimal> number = Decimal{1, 0};
      if (has_weights) {
        number.reset();
        if (weight != weights.end()) {
          number = (*weight).decimal();
          ++weight;
        }
      }
      if (!number) {
        bad("a sample without a weight");
        continue;
      }
      raise_for(*event, *number, power);
      add(stack.integer().value_or(kNull), now,
          scaled(*number, power + profile_.events[*event].decimals), thread,
          *event);
    }
  }

  // Counts keep their decimals; events of wick say how many they have.
  void raise_for(EventId event, const Decimal& number, int power) {
    if (!from_wick_ && number.decimals > power && power == 0)
      raise_decimals(profile_, event, number.decimals);
  }

  void add(std::int64_t stack_row, std::int64_t time, std::int64_t weight,
           ThreadId thread, EventId event) {
    if (weight == 0) profile_.diagnostics.note(Problem::kZeroWeight);
    const StackId stack = at(stacks_, stack_row, StackId::kRoot);
    if (stack == StackId::kRoot) profile_.diagnostics.note(Problem::kNoStack);
    if (time < 0) profile_.diagnostics.note(Problem::kTimeDisorder);
    samples_.add({.time = profile_.has_time
                              ? static_cast<std::uint64_t>(
                                    std::max<std::int64_t>(0, time))
                              : 0,
                  .weight = weight,
                  .stack = stack,
                  .thread = thread,
                  .event = event});
  }

  // --- the raw format of Gecko ----------------------------------------------

  void read_gecko() {
    const EventId event = profile_.event_id("samples");
    const auto start = [](const Json& process) {
      return to_nanoseconds(process["meta"]["startTime"]);
    };
    std::vector<Json> pending{root_};
    while (!pending.empty()) {
      const Json process = pending.back();
      pending.pop_back();
      // Times count from the start of each process.
      start_ = saturating_add(start(process), -start(root_));
      for (const Json thread : process["threads"].items())
        read_gecko_thread(thread, event);
      for (const Json child : process["processes"].items())
        pending.push_back(child);
    }
  }

  // The places of columns in the rows of a table.
  static std::size_t place(const Json& table, std::string_view column,
                           std::size_t usual) {
    const auto number = table["schema"][column].integer();
    return number && *number >= 0 && *number < 64
               ? static_cast<std::size_t>(*number)
               : usual;
  }

  // The values of a row at the two places; nothing where it is shorter.
  static std::pair<Json, Json> row_values(const Json& row, std::size_t first,
                                          std::size_t second) {
    std::pair<Json, Json> result;
    std::size_t i = 0;
    for (const Json value : row.items()) {
      if (i == first) result.first = value;
      if (i == second) result.second = value;
      ++i;
    }
    return result;
  }

  void read_gecko_thread(const Json& thread, EventId event) {
    if (!thread.is_object()) {
      bad("a thread that is not an object");
      return;
    }
    const auto strings = texts(thread["stringTable"]);
    std::vector<FrameId> frames;
    const Json frame_table = thread["frameTable"];
    const std::size_t location = place(frame_table, "location", 0);
    const std::size_t category = place(frame_table, "category", 6);
    for (const Json row : frame_table["data"].items()) {
      const auto [text, kind] = row_values(row, location, category);
      frames.push_back(frame_at(
          at(strings, text.integer().value_or(kNull), std::string_view()),
          at(kinds_, kind.integer().value_or(kNull), FrameKind::kUser)));
    }
    stacks_.clear();
    const Json stack_table = thread["stackTable"];
    const std::size_t prefix = place(stack_table, "prefix", 0);
    const std::size_t frame = place(stack_table, "frame", 1);
    for (const Json row : stack_table["data"].items()) {
      const auto [caller, callee] = row_values(row, prefix, frame);
      add_stack(caller.integer().value_or(kNull),
                at(frames, callee.integer().value_or(kNull), unknown_frame()));
    }
    const ThreadId id = thread_of(thread);
    const Json sample_table = thread["samples"];
    const std::size_t stack = place(sample_table, "stack", 0);
    const std::size_t time = place(sample_table, "time", 1);
    for (const Json row : sample_table["data"].items()) {
      const auto [which, when] = row_values(row, stack, time);
      add(which.integer().value_or(kNull),
          saturating_add(start_, to_nanoseconds(when)), 1, id, event);
    }
  }

  // "name (file:line:column)[source]" of JavaScript, "0x7f12…" of native code
  // that was not symbolized, or a label.
  FrameId frame_at(std::string_view text, FrameKind kind) {
    if (text.empty()) text = "[unknown]";
    if (text.ends_with(']') && text.rfind(")[") != text.npos)
      text = text.substr(0, text.rfind(")[") + 1);
    Frame frame{.kind = kind};
    const std::size_t bracket = text.rfind(" (");
    if (text.ends_with(')') && bracket != text.npos) {
      const std::string_view place =
          text.substr(bracket + 2, text.size() - bracket - 3);
      text = text.substr(0, bracket);
      const SourcePlace source =
          parse_source_place(place).value_or(SourcePlace{place});
      frame.line = source.line;
      frame.file = profile_.strings.intern(source.file);
    }
    frame.function = profile_.strings.intern(text);
    return profile_.frames.intern(frame);
  }

  Json root_;
  Profile& profile_;
  const ReadOptions& options_;
  SampleCollector samples_;
  bool from_wick_ = false;
  std::int64_t start_ = 0;        // nanoseconds, added to every time
  std::vector<FrameKind> kinds_;  // by category
  std::vector<ModuleId> modules_;
  std::vector<StackId> stacks_;  // of the table that is being read
};

bool sniff_firefox(std::string_view head) {
  const auto keys = json_keys(head);
  const auto has = [&](std::string_view key) {
    return std::ranges::find(keys, key) != keys.end();
  };
  const auto mentions = [&](std::string_view name) {
    return head.find(name) != head.npos;
  };
  if (has("meta"))
    return has("threads") || has("libs") || has("shared") ||
           mentions("\"preprocessedProfileVersion\"") ||
           mentions("\"markerSchema\"") || mentions("\"stackwalk\"");
  return (has("threads") || has("shared")) &&
         (mentions("\"stackTable\"") || mentions("\"frameTable\""));
}

Profile read_firefox(InputFile& file, const ReadOptions& options) {
  Profile profile;
  const JsonDocument document(file.bytes(), profile.diagnostics);
  FirefoxReader(document.root(), profile, options).run();
  return profile;
}

}  // namespace

extern const InputFormat firefox_input = {
    .name = "firefox",
    .description = "Firefox Profiler (also from samply), processed or raw",
    .sniff = sniff_firefox,
    .read = read_firefox,
};

}  // namespace wick
