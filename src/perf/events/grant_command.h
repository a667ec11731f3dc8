// SPDX-License-Identifier: Apache-2.0
// The command that lets every user who may run this program record everything
// with it. The one place that spells it.
#pragma once

#include <string>

namespace wick {

// "setcap cap_bpf,…=ep /usr/bin/wick", to be run as root.
std::string grant_command();
// The same inside a sentence, in quotes unless it has some.
std::string quoted_grant_command();

}  // namespace wick
