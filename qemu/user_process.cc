// SPDX-License-Identifier: Apache-2.0
#include "user_process.h"

#include <elf.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "qemu_plugin_abi.h"

namespace wick_qemu {
namespace {

using wick::SideBandFact;

struct HostMapping {
  std::uint64_t start = 0, end = 0, file_off = 0;
  std::string path;
};

std::vector<HostMapping> host_mappings() {
  std::vector<HostMapping> result;
  std::ifstream in("/proc/self/maps");
  std::string line;
  while (std::getline(in, line)) {
    HostMapping row;
    unsigned long start = 0, end = 0, off = 0;
    int path_at = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx %*s %lx %*s %*s %n", &start, &end,
                    &off, &path_at) < 3 ||
        path_at == 0)
      continue;
    row.start = start;
    row.end = end;
    row.file_off = off;
    row.path = line.substr(static_cast<std::size_t>(path_at));
    if (row.path.starts_with('/')) result.push_back(std::move(row));
  }
  return result;
}

// The file's first executable segment.
bool code_of(const std::string& path, Elf64_Phdr& code) {
  std::ifstream in(path, std::ios::binary);
  Elf64_Ehdr header{};
  in.read(reinterpret_cast<char*>(&header), sizeof(header));
  in.seekg(static_cast<std::streamoff>(header.e_phoff));
  for (int i = 0; in && i < header.e_phnum; ++i) {
    in.read(reinterpret_cast<char*>(&code), sizeof(code));
    if (in && code.p_type == PT_LOAD && code.p_flags & PF_X) return true;
  }
  return false;
}

bool is_riscv(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  Elf64_Ehdr header{};
  in.read(reinterpret_cast<char*>(&header), sizeof(header));
  return in && header.e_machine == EM_RISCV;
}

std::string program() {
  if (!qemu_plugin_path_to_binary) return "";
  const char* path = qemu_plugin_path_to_binary();
  if (!path) return "";
  char real[PATH_MAX];
  return realpath(path, real) ? real : path;
}

}  // namespace

std::vector<SideBandFact> UserProcess::thread_facts() {
  std::vector<SideBandFact> result;
  SideBandFact fact;
  fact.kind = SideBandFact::Kind::kThread;
  fact.pid = getpid();
  fact.tid = gettid();
  const std::string path = program();
  fact.name = path.substr(path.rfind('/') + 1);
  result.push_back(fact);
  for (SideBandFact& mapping : mapping_facts())
    result.push_back(std::move(mapping));
  return result;
}

std::vector<SideBandFact> UserProcess::mapping_facts() {
  changed_ = false;
  std::vector<SideBandFact> result;
  const std::string path = program();
  Elf64_Phdr code;
  if (path.empty() || !qemu_plugin_start_code || !code_of(path, code))
    return result;
  const std::uint64_t start_code = qemu_plugin_start_code();
  const std::vector<HostMapping> mappings = host_mappings();
  // Where the guest's address 0 is in QEMU's memory: start_code is at p_offset
  // of the file.
  std::uint64_t base = 0;
  bool known = false;
  for (const HostMapping& row : mappings) {
    if (row.path != path || row.file_off > code.p_offset ||
        code.p_offset - row.file_off >= row.end - row.start)
      continue;
    base = row.start + (code.p_offset - row.file_off) - start_code;
    known = true;
    break;
  }
  if (!known) return result;
  std::string last_path;
  bool last_is_guest = false;
  for (const HostMapping& row : mappings) {
    if (row.path != last_path) {
      last_path = row.path;
      last_is_guest = is_riscv(row.path);
    }
    if (!last_is_guest) continue;
    SideBandFact fact;
    fact.kind = SideBandFact::Kind::kMapping;
    fact.pid = getpid();
    fact.start = row.start - base;
    fact.end = row.end - base;
    fact.file_off = row.file_off;
    fact.name = row.path;
    result.push_back(fact);
  }
  return result;
}

}  // namespace wick_qemu
