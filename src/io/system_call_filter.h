// SPDX-License-Identifier: Apache-2.0
// What this process and its children can never ask the kernel for again.
#pragma once

#include <cstdint>
#include <span>

namespace wick {

// From now on, all system calls but these fail with EPERM, or only these do.
// It needs no rights, and takes the right to gain any by executing a program
// (no_new_privs). For the calling thread and those that it starts. Nothing
// happens on a kernel, or an architecture, without such filters; false if the
// kernel refuses.
bool allow_only_system_calls(std::span<const std::uint32_t> numbers);
bool forbid_system_calls(std::span<const std::uint32_t> numbers);

}  // namespace wick
