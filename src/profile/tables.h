// SPDX-License-Identifier: Apache-2.0
// The tables of the model: strings, frames and stacks, each distinct one stored
// once.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/hash_index.h"
#include "base/id.h"

namespace wick {

enum class StringId : std::uint32_t { kEmpty = 0 };
enum class ModuleId : std::uint32_t { kUnknown = 0 };
enum class FrameId : std::uint32_t {};
enum class StackId : std::uint32_t { kRoot = 0 };
enum class ThreadId : std::uint32_t { kUnknown = 0 };
enum class EventId : std::uint32_t {};

class StringTable {
 public:
  // Longer texts are cut: a name is repeated for every frame that has it.
  static constexpr std::size_t kMaxSize = std::size_t{64} << 10;

  StringTable() { intern(""); }
  StringTable(StringTable&&) noexcept = default;
  StringTable& operator=(StringTable&&) noexcept = default;

  StringId intern(std::string_view text);
  // Lives as long as the table.
  std::string_view operator[](StringId id) const { return views_[index(id)]; }

  auto ids() const { return id_range<StringId>(views_.size()); }
  bool contains(StringId id) const { return index(id) < views_.size(); }
  std::size_t size() const { return views_.size(); }
  // How many strings are the beginnings of longer texts.
  std::size_t cut_count() const { return cut_count_; }

 private:
  std::string_view keep(std::string_view text);
  StringId intern_cut(std::string_view text);

  std::vector<std::unique_ptr<char[]>> chunks_;
  std::size_t room_ = 0;
  std::size_t chunk_size_ = 0;
  std::vector<std::string_view> views_;
  std::size_t cut_count_ = 0;
  HashIndex index_;
};

// What a frame is. The letter is the annotation in folded stacks.
enum class FrameKind : std::uint8_t {
  kUser,
  kKernel,   // _[k]
  kInlined,  // _[i]
  kJit,      // _[j]
  kLabel,    // not code: a process, a separator, a category
  kOffCpu,   // not code: from here on, the thread is off the CPU
  kWasm,     // WebAssembly, compiled at run time: _[j]
};

// Whether the code was made at run time.
constexpr bool is_generated(FrameKind kind) {
  return kind == FrameKind::kJit || kind == FrameKind::kWasm;
}

// Why a thread is off the CPU.
enum class OffCpuReason : std::uint8_t {
  kNone,  // it is not, or the reason is unknown
  kBlocked,
  kInIo,         // or in another uninterruptible wait
  kPreempted,    // runnable
  kNearby,       // unknown, and the stack is only near where it happened
  kSinceBefore,  // unknown: off since before the recording began
  kFirstRun,     // new, and has not run yet
  kNotSampled,   // unknown: the sample that has the reason was lost
};

// One place in the code.
struct Frame {
  StringId function = StringId::kEmpty;
  StringId file = StringId::kEmpty;
  ModuleId module = ModuleId::kUnknown;
  std::uint32_t line = 0;  // 0: unknown
  // In the module; for callers, already inside the call instruction; 0:
  // unknown.
  std::uint64_t address = 0;
  // Where in the module the function begins, of one without a name; 0: unknown.
  std::uint64_t function_start = 0;
  FrameKind kind = FrameKind::kUser;
  OffCpuReason off_cpu = OffCpuReason::kNone;  // only with kOffCpu
  friend auto operator<=>(const Frame&, const Frame&) = default;
};

class FrameTable {
 public:
  FrameId intern(const Frame& frame);
  const Frame& operator[](FrameId id) const { return rows_[id]; }

  auto ids() const { return rows_.ids(); }
  bool contains(FrameId id) const { return rows_.contains(id); }
  std::size_t size() const { return rows_.size(); }

 private:
  Column<FrameId, Frame> rows_;
  HashIndex index_;
};

// Every distinct stack: its caller's stack plus one frame. Parents come before
// their children, so passing something down is a loop over ascending ids, and
// summing is a loop over descending ones:
//
//   for (StackId id : stacks.ids() | std::views::reverse)
//     if (id != StackId::kRoot) total[stacks.parent(id)] += total[id];
//
// Row 0 is the empty stack; its parent is itself and it has no frame.
//
// No stack has more than kMaxDepth frames. A frame that is called from a stack
// of that depth is left out, and the stack is marked as cut; mark_cut_stacks()
// shows and counts the samples that end there.
class StackTable {
 public:
  static constexpr std::uint32_t kMaxDepth = 16384;

  StackTable() {
    rows_.push_back({});
    depths_.push_back(0);
  }

  // The stack of `frame` called from `caller`.
  StackId push(StackId caller, FrameId frame);

  // As push(), without the look-up: the stack must be new.
  StackId append(StackId caller, FrameId frame) {
    const std::uint32_t depth = this->depth(caller);
    if (depth == kMaxDepth) return cut(caller);
    depths_.push_back(static_cast<std::uint16_t>(depth + 1));
    return rows_.push_back({caller, frame});
  }

  StackId parent(StackId id) const { return rows_[id].parent; }
  FrameId frame(StackId id) const { return rows_[id].frame; }
  // How many frames a stack has.
  std::uint32_t depth(StackId id) const { return depths_[id] & kDepthMask; }

  // Whether frames that were called from this stack were left out.
  bool is_cut(StackId id) const { return (depths_[id] & kCut) != 0; }
  bool any_cut() const { return any_cut_; }
  StackId cut(StackId id) {
    depths_[id] |= kCut;
    any_cut_ = true;
    return id;
  }

  auto ids() const { return rows_.ids(); }
  bool contains(StackId id) const { return rows_.contains(id); }
  std::size_t size() const { return rows_.size(); }
  void reserve(std::size_t count) {
    rows_.reserve(count);
    depths_.reserve(count);
  }

  // The frames of a stack, outermost first, into a reused buffer.
  void frames_of(StackId id, std::vector<FrameId>& out) const;

 private:
  struct Row {
    StackId parent = StackId::kRoot;
    FrameId frame{0xffffffff};
  };
  static constexpr std::uint16_t kCut = 0x8000, kDepthMask = 0x7fff;

  Column<StackId, Row> rows_;
  Column<StackId, std::uint16_t> depths_;  // with kCut
  bool any_cut_ = false;
  HashIndex index_;  // of the rows below indexed_
  std::size_t indexed_ = 1;
};

}  // namespace wick
