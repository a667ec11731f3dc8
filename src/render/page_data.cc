// SPDX-License-Identifier: Apache-2.0
#include "render/page_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <unordered_map>
#include <utility>

#include "base/append.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/json_writer.h"
#include "base/metrics.h"
#include "base/text.h"
#include "profile/kind_names.h"
#include "render/page_samples.h"
#include "render/page_source.h"
#include "render/page_stacks.h"
#include "render/palette.h"
#include "transform/confidence.h"
#include "transform/diff.h"
#include "transform/event_choice.h"
#include "transform/recording.h"

namespace wick {
namespace {

// Strings of the page: first the names of functions, whose numbers are those of
// the functions, then files, modules and sources as they come.
class PageStrings {
 public:
  explicit PageStrings(std::vector<std::string> functions)
      : all_(std::move(functions)) {}

  std::uint32_t add(std::string_view text) {
    const auto [at, is_new] = known_.try_emplace(
        valid_utf8(text), static_cast<std::uint32_t>(all_.size()));
    if (is_new) all_.push_back(at->first);
    return at->second;
  }
  const std::vector<std::string>& all() const { return all_; }

 private:
  std::vector<std::string> all_;
  std::unordered_map<std::string, std::uint32_t> known_;
};

// The palette that the command line chose; "": none. Who asks for colours by
// name means those of the SVG.
std::string_view chosen_palette(const DrawOptions& draw) {
  if (draw.colors.empty()) return draw.hash || draw.deterministic ? "hot" : "";
  check_palette(draw.colors);
  return draw.colors;
}

class Packer {
 public:
  Packer(const Profile& profile, const WriteOptions& options,
         const PageLimits& limits)
      : profile_(profile),
        options_(options),
        stacks_(page_stacks(profile, options.fold, options.code)),
        functions_(stacks_.functions.size()),
        samples_(page_samples(profile, stacks_.node_of_sample, limits)),
        strings_(std::move(stacks_.functions)) {}

  std::string run() {
    add_frames();
    add_nodes();
    add_samples();
    if (options_.embed_source) find_sources();
    add_code();
    add_strings();
    std::ostringstream json;
    write_json(json);
    std::string out(kPageMagic);
    append_raw(out, kPageVersion);
    append_raw(out, static_cast<std::uint32_t>(json.view().size()));
    out += json.view();
    for (const Columns& column : columns_) out += column.bytes;
    return out;
  }

 private:
  struct Columns {
    std::string_view name;
    std::size_t rows;
    std::string bytes;
  };
  struct Code {
    std::uint32_t module, name, text;  // strings
    std::uint64_t start;               // elf_addr
  };
  void add_column(std::string_view name, std::size_t rows, std::string bytes) {
    columns_.push_back({name, rows, std::move(bytes)});
  }

  void add_frames() {
    std::string functions, files, modules, lines, kinds, unnamed, codes,
        offsets;
    std::uint64_t before = 0;
    for (const PageFrame& frame : stacks_.frames) {
      append_varint(functions, frame.function - before);  // they are sorted
      before = frame.function;
      append_varint(files, strings_.add(profile_.strings[frame.file]));
      append_varint(
          modules,
          strings_.add(profile_.strings[profile_.modules[frame.module].path]));
      append_varint(lines, frame.line);
      append_varint(kinds, static_cast<std::uint64_t>(frame.kind));
      append_varint(unnamed, std::uint64_t{frame.unnamed});
      append_varint(codes, frame.code);
      append_varint(offsets, frame.offset);
    }
    const std::size_t rows = stacks_.frames.size();
    add_column("frame_function", rows, std::move(functions));
    add_column("frame_file", rows, std::move(files));
    add_column("frame_module", rows, std::move(modules));
    add_column("frame_line", rows, std::move(lines));
    add_column("frame_kind", rows, std::move(kinds));
    add_column("frame_unnamed", rows, std::move(unnamed));
    if (options_.code.empty()) return;
    add_column("frame_code", rows, std::move(codes));
    add_column("frame_offset", rows, std::move(offsets));
  }

  // Without the root, which has neither.
  void add_nodes() {
    std::string parents, frames;
    for (std::size_t i = 1; i < stacks_.nodes.size(); ++i) {
      append_varint(parents, i - stacks_.nodes[i].parent);
      append_varint(frames, stacks_.nodes[i].frame);
    }
    const std::size_t rows = stacks_.nodes.size() - 1;
    add_column("node_parent", rows, std::move(parents));
    add_column("node_frame", rows, std::move(frames));
  }

  void add_samples() {
    PageSampleColumns columns = columns_of(samples_);
    const std::size_t rows = samples_.rows.size();
    add_column("sample_tick", rows, std::move(columns.ticks));
    add_column("sample_node", rows, std::move(columns.nodes));
    add_column("sample_thread", rows, std::move(columns.threads));
    add_column("sample_event", rows, std::move(columns.events));
    add_column("sample_weight", rows, std::move(columns.weights));
  }

  void find_sources() {
    // What lies outside is for who runs wick, not for who reads the page: it
    // tells which files this machine has.
    Diagnostics notes;
    for (const SourceText& source :
         source_texts(profile_, stacks_, samples_.rows,
                      SourceRoots(options_.source_roots), notes)) {
      const std::uint32_t file = strings_.add(source.path);
      sources_.emplace_back(file, strings_.add(source.text));
    }
    if (options_.notes != nullptr) options_.notes->merge(notes);
  }

  // The text of a function has a line for each instruction: its offset in
  // hexadecimal and, after a space, what the disassembler printed.
  void add_code() {
    for (const FunctionCode& function : options_.code) {
      std::string text;
      for (const auto& [offset, instruction] : function.instructions)
        append(text, "{:x} {}\n", offset, instruction);
      code_.push_back(
          {.module = strings_.add(
               profile_.strings[profile_.modules[function.module].path]),
           .name = strings_.add(function.name),
           .text = strings_.add(text),
           .start = function.start});
    }
  }

  void add_strings() {
    std::string sizes, text;
    for (const std::string& string : strings_.all()) {
      append_varint(sizes, string.size());
      text += string;
    }
    add_column("string_size", strings_.all().size(), std::move(sizes));
    const std::size_t size = text.size();
    add_column("text", size, std::move(text));
  }

  void write_json(std::ostream& out) {
    JsonWriter json(out);
    json.begin_object();
    const DrawOptions& draw = options_.draw;
    const std::string_view palette = chosen_palette(draw);
    json.member("title", draw.title).member("subtitle", draw.subtitle);
    json.key("look").begin_object();
    json.member("colors", palette.empty() ? "kind" : palette)
        .member("colors_chosen", !palette.empty())
        .member("hash", draw.hash)
        .member("deterministic", draw.deterministic)
        .member("negate", draw.negate)
        .member("absolute", scale_of(profile_) == Scale::kAbsolute)
        .member("inverted", draw.inverted)
        .member("chart", options_.fold.flamechart)
        .member("reversed", options_.fold.reversed)
        .member("row", draw.frame_height)
        .member("font", draw.font_size)
        .member("count", draw.count_name)
        .member("cut_right", draw.truncate_text_right);
    json.end_object();
    json.member("event", first_group());
    json.member("functions", std::uint64_t{functions_});
    json.member("has_time", profile_.has_time);
    json.member("tick_ns", samples_.tick_ns);
    json.member("start_ns", samples_.start_ns);
    json.member("summed", samples_.summed);
    json.member("samples", std::uint64_t{profile_.samples.size()});
    write_recorded(json);
    write_events(json);
    write_threads(json);
    write_about(json);
    write_sides(json);
    json.key("sources").begin_array();
    for (const auto& [file, text] : sources_)
      json.begin_array().value(file).value(text).end_array();
    json.end_array();
    json.key("code").begin_array();
    for (const Code& code : code_)
      json.begin_array()
          .value(code.module)
          .value(code.name)
          .value(code.text)
          .value(fmt::format("{:x}", code.start))
          .end_array();
    json.end_array();
    json.key("columns").begin_array();
    for (const Columns& column : columns_)
      json.begin_array()
          .value(column.name)
          .value(std::uint64_t{column.rows})
          .value(std::uint64_t{column.bytes.size()})
          .end_array();
    json.end_array().end_object();
    json.flush();
  }

  std::string_view first_group() const {
    const auto groups = event_groups(profile_);
    for (const EventId id : profile_.events.ids())
      if (profile_.strings[profile_.events[id].name] == options_.first_event)
        return groups[id];
    return event_group(options_.first_event);
  }

  void write_recorded(JsonWriter& json) {
    const RecordingSummary recorded = summarize(profile_);
    json.key("recorded").begin_object();
    json.member("command", recorded.command)
        .member("date", recorded.date)
        .member("cpus", std::uint64_t{recorded.cpus});
    json.end_object();
  }

  void write_events(JsonWriter& json) {
    const std::vector<EventFacts> facts = facts_of_events(profile_);
    json.key("events").begin_array();
    const auto groups = event_groups(profile_);
    const std::optional<EventId> clock = clock_of_trace(profile_);
    for (const EventId id : profile_.events.ids()) {
      const Event& event = profile_.events[id];
      const bool is_clock = id == clock;
      const std::string_view name = profile_.strings[event.name];
      const std::string_view unit = profile_.strings[event.unit];
      json.begin_object();
      json.member("name", name)
          .member("group", groups[id])
          .member("unit", unit.empty() ? "samples" : unit)
          .member("decimals", int{event.decimals})
          .member("counts_samples", counts_samples(profile_, event))
          .member("samples", facts[index(id)].samples)
          .member("weight", facts[index(id)].weight)
          .member("unnamed", facts[index(id)].unnamed)
          .member("begin", facts[index(id)].begin)
          .member("end", facts[index(id)].end)
          .member("unit_ns", is_clock ? std::int64_t{1} : nanoseconds_in(unit))
          .member("is_clock", is_clock)
          .member("time", name_of(event.time))
          .member("role", event.role == EventRole::kBefore  ? "before"
                          : event.role == EventRole::kAfter ? "after"
                                                            : "");
      json.end_object();
    }
    json.end_array();
  }

  void write_threads(JsonWriter& json) {
    json.key("threads").begin_array();
    for (const ThreadId id : samples_.threads) {
      const Thread& thread = profile_.threads[id];
      json.begin_array()
          .value(int{thread.pid})
          .value(int{thread.tid})
          .value(profile_.strings[thread.comm])
          .end_array();
    }
    json.end_array();
    json.key("thread_names").begin_array();
    for (const std::uint32_t function : stacks_.thread_names)
      json.value(function);
    json.end_array();
  }

  void write_about(JsonWriter& json) {
    json.key("about").begin_array();
    for (const About& about : profile_.about)
      json.begin_array()
          .value(profile_.strings[about.key])
          .value(profile_.strings[about.value])
          .end_array();
    json.end_array();
    Diagnostics diagnostics = profile_.diagnostics;
    diagnostics.note(Problem::kDeepStack, stacks_.too_deep);
    const SizeOfWhole whole = size_of_whole(profile_);
    json.key("notes").begin_array();
    for (const Diagnostics::Entry& entry : diagnostics.entries()) {
      json.begin_object()
          .member("text", describe(entry, 0, options_.setting_names))
          .member("loss", info(entry.problem).is_loss)
          .member("cut_off", entry.problem == Problem::kTruncated)
          .member("repeats", entry.problem == Problem::kLostSwitches);
      if (const auto share = share_of(entry, diagnostics, whole))
        json.member("share", *share);
      json.end_object();
    }
    json.end_array();
  }

  // How many samples the sides of a difference are worth.
  void write_sides(JsonWriter& json) {
    if (!is_difference(profile_)) return;
    const auto sizes = options_.side_samples.value_or(
        SideSamples{.before = effective_samples(profile_, EventRole::kBefore),
                    .after = effective_samples(profile_, EventRole::kAfter)});
    json.key("side_samples")
        .begin_array()
        .value(sizes.before)
        .value(sizes.after)
        .end_array();
  }

  const Profile& profile_;
  const WriteOptions& options_;
  PageStacks stacks_;
  std::size_t functions_;
  PageSamples samples_;
  PageStrings strings_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> sources_;
  std::vector<Code> code_;
  std::vector<Columns> columns_;
};

}  // namespace

std::string page_data(const Profile& profile, const WriteOptions& options,
                      const PageLimits& limits) {
  const Timer timer("pack");
  std::string data = Packer(profile, options, limits).run();
  if (data.size() > 0xffffffff)
    fail("the profile is too large for a page; select part of it");
  return data;
}

}  // namespace wick
