// SPDX-License-Identifier: Apache-2.0
// Caches callchains and the frames of their addresses. Most samples repeat a
// whole chain, so it is compared as bytes before any address is looked up.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/hash_index.h"
#include "profile/tables.h"

namespace wick {

class ChainCache {
 public:
  // The stack of a chain, made by make() the first time.
  template <class Make>
  StackId stack(std::span<const std::uint64_t> chain, Make make) {
    const std::string_view bytes(reinterpret_cast<const char*>(chain.data()),
                                 chain.size_bytes());
    const std::uint32_t row = chains_.find_or_add(
        hash_bytes(bytes),
        [&](std::uint32_t i) {
          const Chain& known = rows_[i];
          return known.size == chain.size() &&
                 std::memcmp(words_.data() + known.begin, chain.data(),
                             chain.size_bytes()) == 0;
        },
        [&] {
          rows_.push_back({words_.size(), chain.size(), make()});
          words_.insert(words_.end(), chain.begin(), chain.end());
          return static_cast<std::uint32_t>(rows_.size() - 1);
        });
    return rows_[row].stack;
  }

  // The frame of an address, made by make() the first time.
  template <class Make>
  FrameId frame(std::uint64_t address, Make make) {
    return frames_[addresses_.find_or_add(
                       hash_pair(address, 0),
                       [&](std::uint32_t i) {
                         return frames_[i].address == address;
                       },
                       [&] {
                         frames_.push_back({address, make()});
                         return static_cast<std::uint32_t>(frames_.size() - 1);
                       })]
        .frame;
  }

  void clear() { *this = {}; }

 private:
  struct Chain {
    std::size_t begin, size;
    StackId stack;
  };
  struct AddressFrame {
    std::uint64_t address;
    FrameId frame;
  };
  std::vector<std::uint64_t> words_;
  std::vector<Chain> rows_;
  std::vector<AddressFrame> frames_;
  HashIndex chains_, addresses_;
};

}  // namespace wick
