// SPDX-License-Identifier: Apache-2.0
#include "perf/events/bpf.h"

#include <sys/stat.h>

#include <algorithm>

namespace wick {

void BpfAssembler::emit(int code, int to, int from, int offset,
                        std::int32_t value) {
  bpf_insn one{};
  one.code = static_cast<__u8>(code);
  one.dst_reg = static_cast<__u8>(to & 0xf);
  one.src_reg = static_cast<__u8>(from & 0xf);
  one.off = static_cast<__s16>(offset);
  one.imm = value;
  code_.push_back(one);
}

UniqueFd make_bpf_map(bpf_map_type type, std::size_t value_size,
                      std::uint32_t most) {
  return open_bpf(BPF_MAP_CREATE, [&](bpf_attr& attr) {
    attr.map_type = type;
    attr.key_size = sizeof(std::uint32_t);
    attr.value_size = static_cast<__u32>(value_size);
    attr.max_entries = most;
  });
}

UniqueFd load_bpf_program(bpf_prog_type type, const BpfAssembler& program,
                          std::string_view name, std::uint32_t attach_to) {
  // The kernel offers registers and memory only to programs under a licence
  // that the GPL allows. The instructions may be used under either of these.
  static constexpr char kLicence[] = "Dual MIT/GPL";
  return open_bpf(BPF_PROG_LOAD, [&](bpf_attr& attr) {
    attr.prog_type = type;
    if (attach_to != 0) attr.expected_attach_type = BPF_TRACE_ITER;
    attr.attach_btf_id = attach_to;
    attr.insns = reinterpret_cast<std::uintptr_t>(program.code().data());
    attr.insn_cnt = static_cast<__u32>(program.code().size());
    attr.license = reinterpret_cast<std::uintptr_t>(kLicence);
    std::memcpy(attr.prog_name, name.data(),
                std::min(name.size(), sizeof attr.prog_name - 1));
  });
}

bool is_in_initial_pid_namespace(const SystemPaths& paths) {
  constexpr ino_t kInitial = 0xeffffffc;  // PROC_PID_INIT_INO
  struct stat status {};
  return ::stat((paths.proc + "/self/ns/pid").c_str(), &status) == 0 &&
         status.st_ino == kInitial;
}

}  // namespace wick
