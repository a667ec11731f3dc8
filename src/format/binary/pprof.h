// SPDX-License-Identifier: Apache-2.0
// Shared by the reader and the writer of pprof: the field numbers of
// profile.proto, and how wick uses the fields.
#pragma once

#include <string_view>

namespace wick::pprof {

// The messages and their fields, from github.com/google/pprof/proto.
enum ProfileField {
  kSampleType = 1,
  kSample = 2,
  kMapping = 3,
  kLocation = 4,
  kFunction = 5,
  kStringTable = 6,
  kDropFrames = 7,
  kKeepFrames = 8,
  kTimeNanos = 9,
  kDurationNanos = 10,
  kPeriodType = 11,
  kPeriod = 12,
  kComment = 13,
  kDefaultSampleType = 14,
  kDocUrl = 15,
};
enum ValueTypeField { kType = 1, kUnit = 2 };
enum SampleField { kLocationId = 1, kValue = 2, kLabel = 3 };
enum LabelField { kKey = 1, kStr = 2, kNum = 3, kNumUnit = 4 };
enum MappingField {
  kMappingId = 1,
  kMemoryStart = 2,
  kMemoryLimit = 3,
  kFileOffset = 4,
  kMappingFilename = 5,
  kBuildId = 6,
  kHasFunctions = 7,
  kHasFilenames = 8,
  kHasLineNumbers = 9,
  kHasInlineFrames = 10,
};
enum LocationField {
  kLocationMessageId = 1,
  kMappingOfLocation = 2,
  kAddress = 3,
  kLine = 4,
  kIsFolded = 5,
};
enum LineField { kFunctionOfLine = 1, kLineNumber = 2, kColumn = 3 };
enum FunctionField {
  kFunctionId = 1,
  kName = 2,
  kSystemName = 3,
  kFilename = 4,
  kStartLine = 5,
};

// Fields about the whole that are kept under these keys of Profile::about.
struct AboutField {
  int field;
  std::string_view key;
  bool is_text;  // an index into the string table; else a number
};
inline constexpr AboutField kAboutFields[] = {
    {kDropFrames, "drop_frames", true},
    {kKeepFrames, "keep_frames", true},
    {kTimeNanos, "time_nanos", false},
    {kDurationNanos, "duration_nanos", false},
    {kDocUrl, "doc_url", true},
};
inline constexpr std::string_view kPeriodKey = "period";
inline constexpr std::string_view kCommentKey = "comment";
// The comment that marks an instruction trace.
inline constexpr std::string_view kTraceComment =
    "contents: an instruction trace";

// The comment that says that the type samples/count is not an event: it has the
// number of samples that the other value is the sum of.
inline constexpr std::string_view kSamplesComment =
    "contents: one event, and the number of its samples";
inline constexpr std::string_view kSampleCount = "samples";

// The unit of plain counts.
inline constexpr std::string_view kCount = "count";

// Labels of samples, as perf_to_profile names them.
inline constexpr std::string_view kCommLabel = "comm", kPidLabel = "pid",
                                  kTidLabel = "tid";

// The module of kernel frames that have none.
inline constexpr std::string_view kKernelModule = "[kernel.kallsyms]";
bool is_kernel_module(std::string_view path);

// There is no magic number: every field must be a field of a profile, with its
// wire type.
bool sniff(std::string_view head);

}  // namespace wick::pprof
