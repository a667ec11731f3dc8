// SPDX-License-Identifier: Apache-2.0
// Batches on their way through a pipe: the length of the encoded batch (u32,
// little-endian) and its bytes. A batch is kept by its sender until the other
// end says that it is stored, so that nothing is lost when a server dies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace wick {

// The writing end, which never waits for the reader. Beyond its budget, the
// oldest batches are dropped and counted.
class BatchSender {
 public:
  static constexpr std::size_t kBudget = std::size_t{16} << 20;

  explicit BatchSender(std::size_t budget = kBudget) : budget_(budget) {}

  // `sequence` is that of the encoded batch, larger than all before.
  void add(std::uint64_t sequence, std::string_view encoded);

  // Writes as much as the pipe takes; `fd` is non-blocking. False if nobody
  // reads it any longer. SIGPIPE must be ignored.
  bool write(int fd);
  // Whether there is something to write.
  bool has_more() const { return next_ < frames_.size(); }

  // Everything up to this number is stored.
  void acknowledge(std::uint64_t sequence);
  // The reader died. What was not acknowledged is to be sent again, to another
  // one.
  void start_again();

  // How many batches were dropped since the last call.
  std::uint64_t take_lost();

 private:
  struct Frame {
    std::uint64_t sequence = 0;
    std::string bytes;  // with the length
  };
  void drop_oldest();

  std::size_t budget_, size_ = 0;
  std::deque<Frame> frames_;        // sent or not, oldest first
  std::size_t next_ = 0;            // the frame that is being written
  std::size_t written_ = 0;         // bytes of it
  std::deque<std::uint64_t> sent_;  // dropped after they were sent
  std::uint64_t lost_ = 0;
};

// The reading end, untrusting.
class BatchReceiver {
 public:
  explicit BatchReceiver(int fd) : fd_(fd) {}

  // Reads once, and waits if nothing is there. False at the end.
  bool read();
  // The bytes of the next batch, once all of them were read. An Error if its
  // length is impossible: nothing after it can be found.
  std::optional<std::string> next();

 private:
  int fd_;
  std::string buffer_;
};

// What the reader of batches tells their sender, a line each.
struct BatchCommand {
  enum class Kind : std::uint8_t {
    kFrequency,  // "freq 99": sample so often
    kStored,     // "stored 7": everything up to this number is stored
  };
  Kind kind = Kind::kStored;
  std::uint64_t number = 0;
  friend bool operator==(const BatchCommand&, const BatchCommand&) = default;
};

// With the end of the line.
std::string to_line(const BatchCommand& command);
// Without it; nothing for what is no command.
std::optional<BatchCommand> parse_command(std::string_view line);

}  // namespace wick
