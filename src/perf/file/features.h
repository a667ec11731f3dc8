// SPDX-License-Identifier: Apache-2.0
// Fills a PerfHeader from feature sections, or from the records that replace
// them in a pipe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "perf/file/header.h"
#include "perf/records/abi.h"

namespace wick {

class HeaderReader {
 public:
  explicit HeaderReader(PerfHeader& header) : header_(header) {}

  // The content of a section, or of a HEADER_FEATURE record after its number.
  void feature(Feature feature, std::string_view bytes);
  // The bodies of records.
  void header_attr(std::string_view body);
  void event_update(std::string_view body);
  void build_id(std::string_view body, std::uint16_t misc);
  void tracing_data(std::string_view bytes);

  // False if the attr cannot be read, or if there are too many for a real
  // recording.
  bool add_event(std::string_view attr, std::string_view ids);

  // Call last: names the events, finds their tracepoints, groups and ids, and
  // the machine.
  void finish();

 private:
  struct EventName {
    std::string name;
    std::vector<std::uint64_t> ids;
  };
  struct EventUpdate {
    std::uint64_t id = 0;
    bool is_unit = false;  // else a name
    std::string text;
  };

  void build_ids(std::string_view bytes);
  void event_names(std::string_view bytes);
  void name_events();
  void group_events();
  void find_tracepoints();
  PerfEvent* event(std::uint64_t id);
  std::string name_of(const PerfEvent& event) const;
  Machine guess_machine() const;

  PerfHeader& header_;
  std::vector<EventName> event_names_;
  std::vector<EventUpdate> event_updates_;
};

}  // namespace wick
