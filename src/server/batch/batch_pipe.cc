// SPDX-License-Identifier: Apache-2.0
#include "server/batch/batch_pipe.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/bytes.h"
#include "base/error.h"
#include "base/text.h"
#include "server/batch/batch.h"

namespace wick {
namespace {

constexpr std::size_t kLengthBytes = 4;

constexpr std::pair<std::string_view, BatchCommand::Kind> kCommands[] = {
    {"freq", BatchCommand::Kind::kFrequency},
    {"stored", BatchCommand::Kind::kStored}};

}  // namespace

void BatchSender::add(std::uint64_t sequence, std::string_view encoded) {
  Frame frame{.sequence = sequence};
  append_raw(frame.bytes, static_cast<std::uint32_t>(encoded.size()));
  frame.bytes += encoded;
  size_ += frame.bytes.size();
  frames_.push_back(std::move(frame));
  while (size_ > budget_ && frames_.size() > 1) drop_oldest();
}

// A frame that is half written must be continued, so the one after it goes.
void BatchSender::drop_oldest() {
  const std::size_t oldest = next_ == 0 && written_ > 0 ? 1 : 0;
  const Frame& frame = frames_[oldest];
  if (next_ > oldest) {
    sent_.push_back(frame.sequence);
    --next_;
  } else {
    ++lost_;
  }
  size_ -= frame.bytes.size();
  frames_.erase(frames_.begin() + static_cast<std::ptrdiff_t>(oldest));
}

bool BatchSender::write(int fd) {
  while (has_more()) {
    const std::string& bytes = frames_[next_].bytes;
    const ssize_t n =
        ::write(fd, bytes.data() + written_, bytes.size() - written_);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno == EAGAIN;
    written_ += static_cast<std::size_t>(n);
    if (written_ < bytes.size()) continue;
    written_ = 0;
    ++next_;
  }
  return true;
}

void BatchSender::acknowledge(std::uint64_t sequence) {
  while (!sent_.empty() && sent_.front() <= sequence) sent_.pop_front();
  while (next_ > 0 && frames_.front().sequence <= sequence) {
    size_ -= frames_.front().bytes.size();
    frames_.pop_front();
    --next_;
  }
}

void BatchSender::start_again() {
  next_ = written_ = 0;
  lost_ += sent_.size();
  sent_.clear();
}

std::uint64_t BatchSender::take_lost() { return std::exchange(lost_, 0); }

bool BatchReceiver::read() {
  char bytes[std::size_t{64} << 10];
  ssize_t n = 0;
  do {
    n = ::read(fd_, bytes, sizeof bytes);
  } while (n < 0 && errno == EINTR);
  if (n < 0 && errno == EAGAIN) return true;
  if (n < 0) fail("the pipe of batches: {}", last_system_error());
  buffer_.append(bytes, static_cast<std::size_t>(n));
  return n > 0;
}

std::optional<std::string> BatchReceiver::next() {
  ByteReader in(buffer_);
  if (!in.fits(1, kLengthBytes)) return std::nullopt;
  const auto size = in.read<std::uint32_t>();
  if (size == 0 || size > kMaxBatchBytes)
    fail("the pipe of batches is damaged: a batch of {} bytes", size);
  if (!in.fits(size, 1)) return std::nullopt;
  std::string bytes = buffer_.substr(kLengthBytes, size);
  buffer_.erase(0, kLengthBytes + size);
  return bytes;
}

std::string to_line(const BatchCommand& command) {
  for (const auto& [word, kind] : kCommands)
    if (kind == command.kind)
      return fmt::format("{} {}\n", word, command.number);
  return "";
}

std::optional<BatchCommand> parse_command(std::string_view line) {
  const std::string_view word = take_until(line, ' ');
  const auto number = to_number<std::uint64_t>(line);
  if (!number) return std::nullopt;
  for (const auto& [name, kind] : kCommands)
    if (name == word) return BatchCommand{kind, *number};
  return std::nullopt;
}

}  // namespace wick
