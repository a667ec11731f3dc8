// SPDX-License-Identifier: Apache-2.0
// The results of a FireSim run: a directory with a folder for each job, which
// has traces, the console's output and counters. The files with code
// (<bootbinary>-dwarf is vmlinux, <bootbinary> the SBI) are in that folder, in
// the results directory, or in the workload's directory, where FireSim runs its
// post_run_hook; the workload's JSON file has their names.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wick {

struct FireSimJob {
  std::string name;  // of its folder
  std::string folder;
  std::vector<std::string> traces;    // TRACEFILE*, by name
  bool is_one_trace = false;          // the user named it, not a directory
  std::vector<std::string> elfs;      // the kernel and the boot binary; or none
  bool has_kernel = false;            // it is among them
  std::vector<std::string> counters;  // AUTOCOUNTERFILE*
  std::string uartlog;                // "" if there is none
  // The root file system of its machine, a disk image; "" if none was found.
  std::string rootfs;
  std::string named_rootfs;  // as the workload names it; "" if it does not
  // Symbolic links among these files. They are not followed: the directory may
  // come from somebody who wants to see where they lead.
  std::vector<std::string> links;
};

struct FireSimResults {
  std::string path;              // as given, but absolute
  std::vector<FireSimJob> jobs;  // those with traces, by name
  std::string workload;          // the JSON file, "" if none was found
  std::string benchmark;         // its name
  std::string runtime_config;    // "" if there is none
};

// `path` is a results directory, the folder of one job, or one trace.
// `workload_folder` is searched, too. Fails if there is no trace.
FireSimResults find_firesim_results(const std::string& path,
                                    const std::string& workload_folder);

// The content of a workload's JSON file; empty if it is not JSON.
struct FireSimWorkload {
  struct Job {
    std::string name, bootbinary;
    std::optional<std::string> rootfs;  // "": explicitly none
    std::vector<std::string> inputs;
  };
  std::string benchmark, bootbinary;
  std::optional<std::string> rootfs;  // "": explicitly none
  std::vector<std::string> inputs;
  std::vector<Job> jobs;

  const std::string& bootbinary_of(std::string_view job) const;
  // "" if it has none. Without any, FireSim takes "<job>.ext2".
  std::string rootfs_of(std::string_view job) const;
};
FireSimWorkload parse_firesim_workload(std::string_view json);

}  // namespace wick
