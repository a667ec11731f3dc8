// SPDX-License-Identifier: Apache-2.0
#include "cli/options/setting_names.h"

namespace wick {

std::string_view setting_name(Setting setting) {
  // One line for each, in the order of the enum.
  // clang-format off
  switch (setting) {
    case Setting::kAttribution: return "--attribute";
    case Setting::kBufferSize: return "'wick record -m'";
    case Setting::kCallGraph: return "'wick record --call-graph dwarf,65528'";
    case Setting::kCgroup: return "--cgroup";
    case Setting::kClock: return "--clockid";
    case Setting::kComm: return "'wick fold --comm'";
    case Setting::kCompat: return "--compat";
    case Setting::kCpus: return "-C";
    case Setting::kDebuginfod: return "--debuginfod";
    case Setting::kElf: return "--elf";
    case Setting::kEvent: return "--event";
    case Setting::kEventFilter: return "--filter";
    case Setting::kEventList: return "'wick doctor --events'";
    case Setting::kFormatList: return "'wick formats'";
    case Setting::kFramePointers: return "'wick record --call-graph fp'";
    case Setting::kHart: return "--hart";
    case Setting::kInputFormat: return "--format";
    case Setting::kKallsyms: return "--kallsyms";
    case Setting::kLanguages: return "'wick help languages'";
    case Setting::kMemory: return "'wick record --memory'";
    case Setting::kMinWidth: return "--minwidth";
    case Setting::kModule: return "--module";
    case Setting::kOffCpu: return "--off-cpu";
    case Setting::kProcesses: return "-p";
    case Setting::kRecordedEvents: return "-e";
    case Setting::kSourceRoot: return "--source-root";
    case Setting::kSymfs: return "--symfs";
    case Setting::kSysroot: return "--sysroot";
    case Setting::kThreads: return "-t";
    case Setting::kTime: return "--time";
    case Setting::kTop: return "--top 0";
    case Setting::kTraceLayout: return "--trace-layout";
    case Setting::kUartLog: return "--uartlog";
    case Setting::kViewerPage: return "'wick flame -o x.html'";
    case Setting::kWakers: return "--wakers";
    case Setting::kWallTime: return "--wall";
    case Setting::kCount: break;
  }
  // clang-format on
  return "";
}

}  // namespace wick
