// SPDX-License-Identifier: Apache-2.0
// The list of everything that can be read and written.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "profile/format.h"

namespace wick {

std::span<const InputFormat* const> input_formats();
std::span<const OutputFormat* const> output_formats();

// By name; a UsageError lists the names there are.
const InputFormat& input_format(std::string_view name);
const OutputFormat& output_format(std::string_view name);

// By the longest extension that `path` ends with; null if none fits.
const OutputFormat* output_format_for(std::string_view path);

// The first format that recognises `head`; null if none does.
const InputFormat* detect(std::string_view head);

// Reads `file` with the format of that name, or with the one that recognises
// it if the name is empty. Samples come out ordered, the invariants hold.
Profile read_profile(InputFile& file, const ReadOptions& options,
                     std::string_view format_name = "");

// Notes that the compressed data of `file` is damaged or cut off, if it is;
// known once everything was read. It is the reason for an end that the reader
// missed, not another one. read_profile() does so.
void note_damage(const InputFile& file, Diagnostics& diagnostics);

}  // namespace wick
