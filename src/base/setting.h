// SPDX-License-Identifier: Apache-2.0
// User-visible settings, named by their meaning. The library reports which
// setting is wrong or may help; only the front end (cli/, a server) knows how
// it spells a setting, and passes a SettingNames wherever text is made for
// people.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace wick {

// One line for each, in alphabetical order; cli/options/setting_names.cc has
// the spellings.
// clang-format off
enum class Setting : std::uint8_t {
  kAttribution,
  kBufferSize,
  kCallGraph,
  kCgroup,
  kClock,
  kComm,
  kCompat,
  kCpus,
  kDebuginfod,
  kElf,
  kEvent,
  kEventFilter,
  kEventList,
  kFormatList,
  kFramePointers,
  kHart,
  kInputFormat,
  kKallsyms,
  kLanguages,
  kMemory,
  kMinWidth,
  kModule,
  kOffCpu,
  kProcesses,
  kRecordedEvents,
  kSourceRoot,
  kSymfs,
  kSysroot,
  kThreads,
  kTime,
  kTop,
  kTraceLayout,
  kUartLog,
  kViewerPage,
  kWakers,
  kWallTime,
  kCount
};
// clang-format on

// A set of them, passed by value and usable at compile time.
class Settings {
 public:
  constexpr Settings() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): one setting is a set
  constexpr Settings(Setting setting) : bits_(bit(setting)) {}
  constexpr Settings(std::initializer_list<Setting> settings) {
    for (const Setting setting : settings) bits_ |= bit(setting);
  }

  constexpr bool empty() const { return bits_ == 0; }
  constexpr bool contains(Setting setting) const {
    return (bits_ & bit(setting)) != 0;
  }
  friend bool operator==(const Settings&, const Settings&) = default;

 private:
  static_assert(static_cast<int>(Setting::kCount) <= 64);
  static constexpr std::uint64_t bit(Setting setting) {
    return std::uint64_t{1} << static_cast<int>(setting);
  }
  std::uint64_t bits_ = 0;
};

// How a front end spells a setting: "--elf". Null if it has no settings; then
// hints are left out.
using SettingNames = std::string_view (*)(Setting);

// "--elf, --sysroot or --module", by `names`; "" for none.
std::string spelled(Settings settings, SettingNames names);

// `text` followed by the settings that may help: "…; see --symfs". Unchanged if
// there are none or `names` is null.
std::string with_hint(std::string_view text, Settings helps,
                      SettingNames names);

}  // namespace wick
