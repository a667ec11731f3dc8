// SPDX-License-Identifier: Apache-2.0
// Writes speedscope's JSON: a sampled profile for each thread and event, the
// samples in the order of time.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "format/common/event_label.h"
#include "profile/format.h"
#include "profile/kind_names.h"

namespace wick {
namespace {

// speedscope knows these units only.
std::string_view unit_for(std::string_view unit) {
  switch (time_unit_decimals(unit)) {
    case 0:
      return "seconds";
    case 3:
      return "milliseconds";
    case 6:
      return "microseconds";
    case 9:
      return "nanoseconds";
    default:
      return unit == "bytes" ? "bytes" : "none";
  }
}

class SpeedscopeWriter {
 public:
  SpeedscopeWriter(const Profile& profile, const WriteOptions& options,
                   std::ostream& out)
      : profile_(profile), options_(options), json_(out) {}

  void write() {
    group_samples();
    json_.begin_object();
    json_.member("$schema",
                 "https://www.speedscope.app/file-format-schema.json");
    json_.member("exporter", "wick");
    write_about();
    json_.key("shared").begin_object().key("frames").begin_array();
    write_frames();
    json_.end_array().end_object();
    json_.key("profiles").begin_array();
    for (const Group& group : groups_) write_profile(group);
    json_.end_array().end_object();
    json_.flush();
  }

 private:
  struct Group {
    ThreadId thread;
    EventId event;
    std::vector<std::uint32_t> samples;
    std::int64_t total = 0;
  };

  void group_samples() {
    HashIndex index_of_group;
    for (std::uint32_t i = 0; i < profile_.samples.size(); ++i) {
      const Sample& sample = profile_.samples[i];
      const std::uint32_t group = index_of_group.find_or_add(
          hash_pair(index(sample.thread), index(sample.event)),
          [&](std::uint32_t g) {
            return groups_[g].thread == sample.thread &&
                   groups_[g].event == sample.event;
          },
          [&] {
            groups_.push_back({sample.thread, sample.event, {}});
            return static_cast<std::uint32_t>(groups_.size() - 1);
          });
      groups_[group].samples.push_back(i);
      groups_[group].total =
          saturating_add(groups_[group].total, sample.weight);
    }
    std::ranges::stable_sort(groups_, {}, &Group::event);
  }

  void write_about() {
    json_.key("about").begin_object();
    for (const About& row : profile_.about) {
      const std::string_view key = profile_.strings[row.key];
      if (key != "format" && key != "name" && key != "exporter")
        json_.member(key, profile_.strings[row.value]);
    }
    json_.end_object();
    if (profile_.is_trace) json_.member("is_trace", true);
    json_.key("notes").begin_array();
    for (const std::string& sentence :
         describe(profile_.diagnostics, 0, options_.setting_names))
      json_.value(sentence);
    json_.end_array();
    for (const About& row : profile_.about)
      if (profile_.strings[row.key] == "name")
        return void(json_.member("name", profile_.strings[row.value]));
  }

  // Frames that differ only in what speedscope does not know become one.
  void write_frames() {
    struct Written {
      StringId name, file;
      std::uint32_t line;
      FrameKind kind;
      bool operator==(const Written&) const = default;
    };
    StringTable names;
    std::vector<Written> written;
    HashIndex index_of_frame;
    for (const FrameId id : profile_.frames.ids()) {
      const Frame& frame = profile_.frames[id];
      const Written row{
          names.intern(frame_name(profile_, frame, options_.fold)), frame.file,
          frame.line, frame.kind};
      frames_.push_back(index_of_frame.find_or_add(
          hash_pair(
              index(row.name) | std::uint64_t{index(row.file)} << 32,
              row.line | std::uint64_t{static_cast<std::uint8_t>(row.kind)}
                             << 32),
          [&](std::uint32_t i) { return written[i] == row; },
          [&] {
            written.push_back(row);
            json_.begin_object().member("name", names[row.name]);
            if (row.file != StringId::kEmpty)
              json_.member("file", profile_.strings[row.file]);
            if (row.line != 0) json_.member("line", row.line);
            if (row.kind != FrameKind::kUser)
              json_.member("kind", name_of(row.kind));
            json_.end_object();
            return static_cast<std::uint32_t>(written.size() - 1);
          }));
    }
  }

  void write_number(std::int64_t weight, int decimals) {
    if (decimals == 0)
      json_.value(weight);
    else
      json_.raw(format_decimal(weight, decimals));
  }

  void write_profile(const Group& group) {
    const Event& event = profile_.events[group.event];
    const Thread& thread = profile_.threads[group.thread];
    const std::string label = event_label(profile_, group.event);
    const std::string thread_name =
        thread_root_name(profile_, thread, ThreadRoot::kCommPidTid);
    std::string name = thread_name.empty() ? label : thread_name;
    if (!thread_name.empty() && profile_.events.size() > 1)
      name += fmt::format(" ({})", label);

    json_.begin_object().member("type", "sampled").member("name", name);
    json_.member("unit", unit_for(profile_.strings[event.unit]));
    json_.key("thread").begin_object();
    json_.member("name", profile_.strings[thread.comm]);
    if (thread.pid >= 0) json_.member("pid", thread.pid);
    if (thread.tid >= 0) json_.member("tid", thread.tid);
    json_.end_object();
    json_.key("event").begin_object().member("name", label);
    json_.member("unit", profile_.strings[event.unit]);
    if (event.time != TimeKind::kNone)
      json_.member("time", name_of(event.time));
    json_.end_object();
    json_.member("startValue", 0).key("endValue");
    write_number(group.total, event.decimals);
    json_.key("samples").begin_array();
    std::vector<FrameId> frames;
    for (const std::uint32_t i : group.samples) {
      profile_.stacks.frames_of(profile_.samples[i].stack, frames);
      json_.begin_array();
      for (const FrameId frame : frames) json_.value(frames_[frame]);
      json_.end_array();
    }
    json_.end_array().key("weights").begin_array();
    for (const std::uint32_t i : group.samples)
      write_number(profile_.samples[i].weight, event.decimals);
    json_.end_array().end_object();
  }

  const Profile& profile_;
  const WriteOptions& options_;
  JsonWriter json_;
  std::vector<Group> groups_;
  Column<FrameId, std::uint32_t> frames_;  // their places in the file
};

}  // namespace

extern const OutputFormat speedscope_output = {
    .name = "speedscope",
    .extension = ".speedscope.json",
    .description = "speedscope JSON, a profile for each thread and event",
    .write =
        [](const Profile& profile, const WriteOptions& options,
           std::ostream& out) {
          SpeedscopeWriter(profile, options, out).write();
        },
    .lacks =
        "times (except their order), CPUs, modules, addresses or (in most "
        "readers) samples of weight 0",
    .cost = {.repeats = Repeats::kSamples, .frame_bytes = 4},
    .media_type = "application/json; charset=utf-8",
};

}  // namespace wick
