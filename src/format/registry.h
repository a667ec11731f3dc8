// SPDX-License-Identifier: Apache-2.0
// All input and output formats.
#pragma once

#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>

#include "profile/format.h"

namespace wick {

std::span<const InputFormat* const> input_formats();
std::span<const OutputFormat* const> output_formats();

// By name; the UsageError for an unknown one lists all names.
const InputFormat& input_format(std::string_view name);
const OutputFormat& output_format(std::string_view name);

// By the longest matching extension of `path`; null if none matches.
const OutputFormat* output_format_for(std::string_view path);

// The first format that recognises `head`; null if none does.
const InputFormat* detect(std::string_view head);

// Reads `file` in the format of that name; if the name is empty, detects the
// format. The samples are sorted, and the invariants hold.
Profile read_profile(InputFile& file, const ReadOptions& options,
                     std::string_view format_name = "");

// Reads traces of one machine, each of other harts, as one profile. Nothing if
// they are not that: then each is to be read alone.
std::optional<Profile> read_machine(std::span<InputFile> files,
                                    const ReadOptions& options,
                                    std::string_view format_name = "");

// What a profile costs in this format: a chart or a reversed graph repeats more
// than the usual tree.
OutputCost cost_of_output(const OutputFormat& format,
                          const FoldOptions& options);

// Writes `profile` in this format. Cuts and notes stacks that would make the
// output many times as large as the input (see profile/output_fit.h).
void write_profile(Profile& profile, const OutputFormat& format,
                   const WriteOptions& options, std::ostream& out);

// Notes whether the compressed data of `file` is damaged or truncated, once
// everything was read. It is the reason for a missing end that the reader
// noted, not another one. read_profile() calls it.
void note_damage(const InputFile& file, Diagnostics& diagnostics);

}  // namespace wick
