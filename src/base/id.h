// SPDX-License-Identifier: Apache-2.0
// Ids are scoped enums over uint32_t: distinct types that compare, hash and
// switch without further code. A Column is a vector indexed by one type of id.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

namespace wick {

template <class T>
concept Id =
    std::is_enum_v<T> && std::same_as<std::underlying_type_t<T>, std::uint32_t>;

template <Id I>
constexpr std::uint32_t index(I id) {
  return static_cast<std::uint32_t>(id);
}

template <Id I>
constexpr auto id_range(std::size_t count) {
  return std::views::iota(std::uint32_t{0}, static_cast<std::uint32_t>(count)) |
         std::views::transform([](std::uint32_t i) { return I{i}; });
}

template <Id I, class T>
class Column {
 public:
  Column() = default;
  explicit Column(std::size_t count, const T& value = T())
      : rows_(count, value) {}

  typename std::vector<T>::reference operator[](I id) {
    return rows_[index(id)];
  }
  typename std::vector<T>::const_reference operator[](I id) const {
    return rows_[index(id)];
  }

  I push_back(T value) {
    rows_.push_back(std::move(value));
    return I{static_cast<std::uint32_t>(rows_.size() - 1)};
  }

  auto ids() const { return id_range<I>(rows_.size()); }
  bool contains(I id) const { return index(id) < rows_.size(); }
  std::size_t size() const { return rows_.size(); }
  bool empty() const { return rows_.empty(); }
  void reserve(std::size_t count) { rows_.reserve(count); }
  void resize(std::size_t count, const T& value = T()) {
    rows_.resize(count, value);
  }
  void clear() { rows_.clear(); }
  auto begin() { return rows_.begin(); }
  auto end() { return rows_.end(); }
  auto begin() const { return rows_.begin(); }
  auto end() const { return rows_.end(); }
  const T* data() const { return rows_.data(); }

  friend bool operator==(const Column&, const Column&) = default;

 private:
  std::vector<T> rows_;
};

}  // namespace wick
