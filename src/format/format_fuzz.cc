// SPDX-License-Identifier: Apache-2.0
// One libFuzzer program for all readers. Its name says which one it tries:
// fuzz_pprof reads pprof. The build makes a link for each folder of
// tests/golden and tests/corpus. Without libFuzzer, corpus_test.cc calls this
// with the inputs that are kept.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/fuzz_target.h"
#include "format/registry.h"
#include "itrace/formats/trace_reader.h"
#include "transform/select.h"

namespace wick {

// Decoders that are no formats.
extern const FuzzTarget access_fuzz;
extern const FuzzTarget api_fuzz;
extern const FuzzTarget auto_counter_fuzz;
extern const FuzzTarget batch_fuzz;
extern const FuzzTarget btf_fuzz;
extern const FuzzTarget buckets_fuzz;
extern const FuzzTarget cpio_fuzz;
extern const FuzzTarget demangle_fuzz;
extern const FuzzTarget dwarf_fuzz;
extern const FuzzTarget elf_fuzz;
extern const FuzzTarget go_rules_fuzz;
extern const FuzzTarget host_fuzz;
extern const FuzzTarget jitdump_fuzz;
extern const FuzzTarget kallsyms_fuzz;
extern const FuzzTarget kept_names_fuzz;
extern const FuzzTarget perf_map_fuzz;
extern const FuzzTarget perf_records_fuzz;
extern const FuzzTarget proc_files_fuzz;
extern const FuzzTarget runtime_config_fuzz;
extern const FuzzTarget stack_tracker_fuzz;
extern const FuzzTarget unwind_fuzz;
extern const FuzzTarget user_code_fuzz;
extern const FuzzTarget wick_trace_fuzz;

namespace {

// One line for each, so that lines can be added side by side.
// clang-format off
const FuzzTarget* const kDecoders[] = {
    &access_fuzz,
    &api_fuzz,
    &auto_counter_fuzz,
    &batch_fuzz,
    &btf_fuzz,
    &buckets_fuzz,
    &cpio_fuzz,
    &demangle_fuzz,
    &dwarf_fuzz,
    &elf_fuzz,
    &go_rules_fuzz,
    &host_fuzz,
    &jitdump_fuzz,
    &kallsyms_fuzz,
    &kept_names_fuzz,
    &perf_map_fuzz,
    &perf_records_fuzz,
    &proc_files_fuzz,
    &runtime_config_fuzz,
    &stack_tracker_fuzz,
    &unwind_fuzz,
    &user_code_fuzz,
    &wick_trace_fuzz,
};
// clang-format on

std::string reader_name;
std::string format_name;
const FuzzTarget* decoder = nullptr;        // what is tried, if it is no format
const TraceFormat* trace_format = nullptr;  // the same: fuzz_trace-spike

class Nowhere : public std::streambuf {
  std::streamsize xsputn(const char*, std::streamsize n) override { return n; }
  int_type overflow(int_type c) override { return traits_type::not_eof(c); }
};

void require(const std::string& problem) {
  if (problem.empty()) return;
  fprintf(stderr, "broken invariant: %s\n", problem.c_str());
  std::abort();
}

// Every way in which a block refers to its instructions must hold.
void check_block(const TraceBlock& block) {
  const std::size_t size = block.instructions.size();
  if (size == 0 || size > TraceReader::kBlockSize) require("size of a block");
  if (!block.bits.empty() && block.bits.size() != size) require("bits");
  std::uint32_t last = 0;
  const auto in_order = [&](std::uint32_t at) {
    if (at < last || at >= size) require("rows of a block");
    last = at;
  };
  for (const ContextChange& row : block.contexts) in_order(row.from);
  last = 0;
  for (const TrapMark& row : block.traps) in_order(row.at);
  last = 0;
  for (const SideBandFact& row : block.facts) in_order(row.from);
}

void read_trace(const TraceFormat& format, std::string bytes) {
  format.sniff(std::string_view(bytes).substr(0, InputFile::kHeadSize));
  InputFile file = InputFile::from_memory("input", std::move(bytes));
  const auto reader = open_trace(file, format.name, {});
  TraceBlock block;
  while (reader->next(block)) check_block(block);
  if (!block.instructions.empty()) require("the block behind the end");
}

void read_and_write(std::string bytes) {
  const bool keep_time = bytes.size() % 2 == 0;
  InputFile file = InputFile::from_memory("input", std::move(bytes));
  Profile profile = read_profile(
      file,
      {.keep_time = keep_time, .threads = 1, .symbols = {.use_cache = false}},
      format_name);
  require(check(profile));
  profile = select(std::move(profile), {});
  require(check(profile));
  require(check(fold(profile, {})));
  Nowhere nowhere;
  std::ostream out(&nowhere);
  for (const OutputFormat* format : output_formats())
    format->write(profile, {}, out);
}

}  // namespace

std::string_view fuzzed_reader() { return reader_name; }

}  // namespace wick

extern "C" int LLVMFuzzerInitialize(int*, char*** argv) {
  std::string_view name = **argv;
  name.remove_prefix(name.rfind("fuzz_") + 5);
  wick::reader_name = name;
  wick::decoder = nullptr;
  for (const wick::FuzzTarget* target : wick::kDecoders)
    if (target->name == name) wick::decoder = target;
  wick::trace_format = nullptr;
  for (const wick::TraceFormat* format : wick::trace_formats())
    if (name == "trace-" + std::string(format->name))
      wick::trace_format = format;
  if (wick::decoder == nullptr && wick::trace_format == nullptr)
    wick::format_name = wick::input_format(name).name;
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    if (wick::decoder != nullptr)
      wick::decoder->run(bytes);
    else if (wick::trace_format != nullptr)
      wick::read_trace(*wick::trace_format, std::string(bytes));
    else
      wick::read_and_write(std::string(bytes));
  } catch (const wick::Error&) {
    // Refusing an input is an answer.
  }
  return 0;
}
