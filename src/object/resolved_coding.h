// SPDX-License-Identifier: Apache-2.0
// Resolved as bytes, in the symbol cache and in recordings.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "object/resolved.h"

namespace wick {

void append_text(std::string& out, std::string_view text);
// Lives as long as the bytes.
std::string_view read_text(ByteReader& in);

// In the order of addresses.
void append_resolved(std::string& out, const Resolved& resolved);
// Nothing if the bytes are damaged.
std::optional<Resolved> read_resolved(ByteReader& in);

}  // namespace wick
