// SPDX-License-Identifier: Apache-2.0
// magic | checksum of the rest | head | profile as a .wick file | counts of its
// rows | processes | metrics | busiest processes | losses
#include "server/batch/batch.h"

#include <bit>
#include <cmath>
#include <optional>
#include <sstream>
#include <utility>

#include "base/bytes.h"
#include "base/error.h"
#include "format/registry.h"
#include "io/compress.h"
#include "object/resolved_coding.h"

namespace wick {
namespace {

// The last byte is the version.
constexpr std::string_view kMagic("wickbat\x01", 8);

void append_signed(std::string& out, std::int64_t value) {
  append_varint(out, zigzag(value));
}
std::int64_t read_signed(ByteReader& in) { return unzigzag(in.read_varint()); }

void append_number(std::string& out, double value) { append_raw(out, value); }
double read_number(ByteReader& in) {
  const auto value = in.read<double>();
  if (!std::isfinite(value)) in.fail();
  return value;
}

void append_optional(std::string& out, std::optional<double> value) {
  append_varint(out, value ? 1 : 0);
  if (value) append_number(out, *value);
}
std::optional<double> read_optional(ByteReader& in) {
  if (in.read_varint() == 0) return {};
  return read_number(in);
}

void append_optional(std::string& out, std::optional<std::uint64_t> value) {
  append_varint(out, value ? 1 : 0);
  if (value) append_varint(out, *value);
}
std::optional<std::uint64_t> read_optional_count(ByteReader& in) {
  if (in.read_varint() == 0) return {};
  return in.read_varint();
}

template <class T>
T read_as(ByteReader& in) {
  const std::uint64_t value = in.read_varint();
  if (!std::in_range<T>(value)) in.fail();
  return static_cast<T>(value);
}

template <class T>
T read_signed_as(ByteReader& in) {
  const std::int64_t value = read_signed(in);
  if (!std::in_range<T>(value)) in.fail();
  return static_cast<T>(value);
}

// A list of items of at least `size` bytes.
template <class Read>
auto read_list(ByteReader& in, std::size_t size, Read read) {
  std::vector<decltype(read())> items;
  const std::uint64_t count = in.read_varint();
  if (!in.fits(count, size)) in.fail();
  for (std::uint64_t i = 0; i < count && !in.failed(); ++i)
    items.push_back(read());
  return items;
}

std::string profile_bytes(const Profile& profile) {
  std::ostringstream out;
  output_format("wick").write(profile, {}, out);
  return std::move(out).str();
}

Profile read_profile_of(std::string_view bytes) {
  InputFile file = InputFile::from_memory("batch", std::string(bytes));
  return read_profile(
      file, {.keep_addresses = true, .full_names = true, .threads = 1}, "wick");
}

void append_process(std::string& out, const ProcessMetrics& process) {
  append_number(out, process.seconds);
  append_signed(out, process.pid);
  append_signed(out, process.parent);
  append_varint(out, process.start_ticks);
  append_text(out, process.name);
  out += process.state;
  append_varint(out, process.threads);
  append_optional(out, process.uid ? std::optional<std::uint64_t>(*process.uid)
                                   : std::nullopt);
  for (const double value : {process.cpu, process.system_cpu,
                             process.minor_faults, process.major_faults})
    append_number(out, value);
  for (const auto& value :
       {process.read_bytes, process.written_bytes, process.switches,
        process.forced_switches, process.wait})
    append_optional(out, value);
  append_varint(out, process.resident_bytes);
  append_optional(out, process.swap_bytes);
  append_optional(out, process.pss_bytes);
}

ProcessMetrics read_process(ByteReader& in) {
  ProcessMetrics process;
  process.seconds = read_number(in);
  process.pid = read_signed_as<pid_t>(in);
  process.parent = read_signed_as<pid_t>(in);
  process.start_ticks = in.read_varint();
  process.name = read_text(in);
  process.state = in.read<char>();
  process.threads = read_as<std::uint32_t>(in);
  if (const auto uid = read_optional_count(in))
    process.uid = static_cast<std::uint32_t>(*uid);
  for (double* value : {&process.cpu, &process.system_cpu,
                        &process.minor_faults, &process.major_faults})
    *value = read_number(in);
  for (auto* value :
       {&process.read_bytes, &process.written_bytes, &process.switches,
        &process.forced_switches, &process.wait})
    *value = read_optional(in);
  process.resident_bytes = in.read_varint();
  process.swap_bytes = read_optional_count(in);
  process.pss_bytes = read_optional_count(in);
  return process;
}

void read_counts(ByteReader& in, Profile& profile) {
  auto counts = read_list(in, 1, [&] { return read_as<std::uint32_t>(in); });
  if (counts.size() > profile.samples.size()) in.fail();
  if (!in.failed() && !profile.has_time)
    profile.sample_counts = std::move(counts);
}

}  // namespace

std::string encode(const Batch& batch) {
  std::string body;
  append_text(body, batch.agent);
  append_varint(body, batch.sequence);
  append_varint(body, batch.numbers);
  append_text(body, batch.host);
  append_signed(body, batch.from_ns);
  append_signed(body, batch.to_ns);
  append_text(body, profile_bytes(batch.profile));
  append_varint(body, batch.profile.sample_counts.size());
  for (const std::uint32_t count : batch.profile.sample_counts)
    append_varint(body, count);
  append_varint(body, batch.processes.size());
  for (const BatchProcess& process : batch.processes) {
    append_signed(body, process.pid);
    append_text(body, process.name);
    append_text(body, process.cgroup);
    append_text(body, process.container);
  }
  append_varint(body, batch.metrics.size());
  for (const BatchMetric& metric : batch.metrics) {
    append_text(body, metric.name);
    append_text(body, metric.label);
    append_number(body, metric.mean);
    append_number(body, metric.max);
  }
  append_varint(body, batch.busiest.size());
  for (const ProcessMetrics& process : batch.busiest)
    append_process(body, process);
  append_varint(body, batch.losses.size());
  for (const Loss& loss : batch.losses) {
    append_text(body, loss.reason);
    append_varint(body, loss.count);
  }
  std::string bytes(kMagic);
  append_raw(bytes, crc32(body));
  return bytes + body;
}

Batch decode_batch(std::string_view bytes) {
  if (bytes.size() > kMaxBatchBytes)
    fail("a batch of {} bytes; expected at most {}", bytes.size(),
         kMaxBatchBytes);
  ByteReader in(bytes);
  const std::string_view magic = in.read_bytes(kMagic.size());
  if (magic.substr(0, 7) != kMagic.substr(0, 7)) fail("this is not a batch");
  if (magic != kMagic)
    fail("a batch of version {}; expected {}: update the server",
         int{magic.back()}, int{kMagic.back()});
  if (const auto checksum = in.read<std::uint32_t>();
      in.failed() || checksum != crc32(in.rest()))
    fail("the batch is damaged");

  Batch batch;
  batch.agent = read_text(in);
  batch.sequence = in.read_varint();
  batch.numbers = in.read_varint();
  batch.host = read_text(in);
  batch.from_ns = read_signed(in);
  batch.to_ns = read_signed(in);
  const std::string_view profile = read_text(in);
  if (!in.failed()) batch.profile = read_profile_of(profile);
  read_counts(in, batch.profile);
  batch.processes = read_list(in, 4, [&] {
    BatchProcess process{.pid = read_signed_as<std::int32_t>(in)};
    process.name = read_text(in);
    process.cgroup = read_text(in);
    process.container = read_text(in);
    return process;
  });
  batch.metrics = read_list(in, 18, [&] {
    BatchMetric metric;
    metric.name = read_text(in);
    metric.label = read_text(in);
    metric.mean = read_number(in);
    metric.max = read_number(in);
    return metric;
  });
  batch.busiest = read_list(in, 48, [&] { return read_process(in); });
  batch.losses = read_list(in, 2, [&] {
    Loss loss;
    loss.reason = read_text(in);
    loss.count = in.read_varint();
    return loss;
  });
  if (in.failed() || batch.agent.empty() || batch.numbers == 0 ||
      batch.numbers > batch.sequence || batch.from_ns > batch.to_ns)
    fail("the batch is damaged");
  return batch;
}

}  // namespace wick
