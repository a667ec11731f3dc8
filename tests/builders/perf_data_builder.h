// SPDX-License-Identifier: Apache-2.0
// Writes perf.data in memory, as the kernel and the perf tool lay it out, so
// that a test shows its whole input:
//
//   PerfDataBuilder file;
//   file.event({.sample_type = sample_type::kIp | sample_type::kTime},
//   "cycles"); file.sample({.ip = 0x1000, .time = 5}); InputFile input =
//   file.input();
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/input_file.h"
#include "perf/records/abi.h"
#include "perf/records/attr.h"

namespace wick {

// Integers of either byte order, one behind the other.
class Bytes {
 public:
  explicit Bytes(bool big_endian = false) : big_endian_(big_endian) {}

  Bytes& u8(std::uint64_t value) { return integer(value, 1); }
  Bytes& u16(std::uint64_t value) { return integer(value, 2); }
  Bytes& u32(std::uint64_t value) { return integer(value, 4); }
  Bytes& u64(std::uint64_t value) { return integer(value, 8); }
  Bytes& bytes(std::string_view value) {
    text_ += value;
    return *this;
  }
  // With a zero behind it, padded to a multiple of 8.
  Bytes& name(std::string_view value);
  // u32 size and a text, as feature sections have it.
  Bytes& sized_text(std::string_view value);
  Bytes& pad();

  const std::string& str() const { return text_; }
  std::size_t size() const { return text_.size(); }

 private:
  Bytes& integer(std::uint64_t value, int size);
  std::string text_;
  bool big_endian_;
};

// perf_event_attr, `size` bytes of it.
std::string encode_attr(const EventAttr& attr, bool big_endian,
                        std::size_t size = 128);

class PerfDataBuilder {
 public:
  // Whether the records of the kernel are compressed, in front of the others.
  enum class Packing { kNone, kCompressed, kCompressed2 };
  struct Options {
    bool big_endian = false;
    bool pipe = false;
    Packing packing = Packing::kNone;
    std::size_t packed_size = 100;  // of the pieces of the compressed stream
  };

  PerfDataBuilder() : PerfDataBuilder(Options()) {}
  explicit PerfDataBuilder(Options options);

  // An event with the ids 100 · n + 1, 100 · n + 2 of its number n.
  PerfDataBuilder& event(const EventAttr& attr, std::string name = "");
  std::uint64_t id(std::size_t event) const { return event * 100 + 1; }

  // What a sample may hold; what the event does not record is left out.
  struct Sample {
    std::size_t event = 0;
    std::uint16_t misc = misc::kUser;
    std::uint64_t ip = 0;
    std::uint32_t pid = 0, tid = 0;
    std::uint64_t time = 0, addr = 0, stream_id = 0;
    std::uint32_t cpu = 0;
    std::uint64_t period = 0;
    std::vector<std::uint64_t> read;  // words as they are
    std::vector<std::uint64_t> callchain;
    std::string raw;                      // padded as the kernel does
    std::vector<std::uint64_t> branches;  // words behind the count
    std::uint64_t user_abi = 2;
    std::vector<std::uint64_t> user_registers;
    std::string user_stack;  // of a multiple of 8 bytes
    std::uint64_t user_stack_copied = ~std::uint64_t{0};
    std::uint64_t weight = 0, data_src = 0, transaction = 0;
    std::uint64_t interrupt_abi = 2;
    std::vector<std::uint64_t> interrupt_registers;
    std::uint64_t phys_addr = 0, cgroup = 0;
    std::uint64_t data_page_size = 0, code_page_size = 0;
    std::string aux;
  };
  PerfDataBuilder& sample(const Sample& sample);

  // Where and when another record was written.
  struct Trailer {
    std::uint32_t pid = 0, tid = 0;
    std::uint64_t time = 0;
    std::uint32_t cpu = 0;
    std::size_t event = 0;
    std::uint64_t stream_id = 0;
  };
  // Any record of the kernel: its body, then its trailer if the event has one.
  PerfDataBuilder& record(RecordType type, std::uint16_t misc,
                          const Bytes& body, const Trailer& trailer);
  PerfDataBuilder& comm(std::uint32_t pid, std::uint32_t tid,
                        std::string_view name, std::uint64_t time = 0);

  // Records of the perf tool, and damaged ones: nothing is added.
  PerfDataBuilder& plain(RecordType type, std::uint16_t misc,
                         const Bytes& body);
  PerfDataBuilder& round() {
    return plain(RecordType::kFinishedRound, 0, make());
  }
  // Bytes between records.
  PerfDataBuilder& garbage(std::string_view bytes);

  // A section behind the data; a record in a pipe.
  PerfDataBuilder& feature(Feature feature, const Bytes& content);

  // Bytes of the file's byte order.
  Bytes make() const { return Bytes(options_.big_endian); }

  // The whole file.
  std::string build() const;
  InputFile input() const {
    return InputFile::from_memory("perf.data", build());
  }
  // The records alone, as in a part of a directory.
  std::string records() const;

 private:
  struct Event {
    EventAttr attr;
    std::string name;
    std::vector<std::uint64_t> ids;
  };
  void append(RecordType type, std::uint16_t misc, std::string_view body);
  std::string encode(RecordType type, std::uint16_t misc,
                     std::string_view body) const;
  std::string build_file() const;
  std::string build_pipe() const;

  Options options_;
  std::vector<Event> events_;
  std::vector<std::pair<Feature, std::string>> features_;
  // Records, those that are to be compressed marked.
  std::vector<std::pair<bool, std::string>> records_;
};

// The kernel's description of a tracepoint, in perf's tracing data.
std::string encode_tracing_data(
    std::initializer_list<std::pair<std::string_view, std::string_view>>
        system_and_format,
    bool big_endian = false);

}  // namespace wick
