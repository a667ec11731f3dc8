// SPDX-License-Identifier: Apache-2.0
// Vectors in pieces of 2^kBits elements. What is in them stays where it is, and
// growing copies nothing: a vector that doubles needs three times its old size
// while it does so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/id.h"

namespace wick {

template <class T, int kBits>
class Pieces {
 public:
  static constexpr std::size_t kPiece = std::size_t{1} << kBits;

  T& operator[](std::size_t i) { return pieces_[i >> kBits][i & (kPiece - 1)]; }
  const T& operator[](std::size_t i) const {
    return pieces_[i >> kBits][i & (kPiece - 1)];
  }
  std::size_t size() const { return size_; }

  // Adds `count` elements, at most kPiece, in a row; gives the first one's
  // index. If they do not fit into the last piece, the rest of that is left
  // out.
  std::size_t add(std::size_t count = 1) {
    const std::size_t room = (pieces_.size() << kBits) - size_;
    if (count > room) {
      size_ += room;
      pieces_.push_back(std::make_unique<T[]>(kPiece));
    }
    const std::size_t first = size_;
    size_ += count;
    return first;
  }

 private:
  std::vector<std::unique_ptr<T[]>> pieces_;
  std::size_t size_ = 0;
};

// The same with an id as the index.
template <Id I, class T, int kBits>
class PieceColumn {
 public:
  T& operator[](I id) { return rows_[index(id)]; }
  const T& operator[](I id) const { return rows_[index(id)]; }
  I push_back(const T& value) {
    const std::size_t row = rows_.add();
    rows_[row] = value;
    return I{static_cast<std::uint32_t>(row)};
  }
  auto ids() const { return id_range<I>(rows_.size()); }
  std::size_t size() const { return rows_.size(); }

 private:
  Pieces<T, kBits> rows_;
};

}  // namespace wick
