// SPDX-License-Identifier: Apache-2.0
// What C++ makes of code: exceptions, lambdas, deep templates, virtual calls,
// containers, cold paths.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "work.h"

namespace {

struct Shape {
  virtual ~Shape() = default;
  virtual unsigned long measure(unsigned long rounds) const = 0;
};

template <int N>
struct Nested : Shape {
  Nested<N - 1> inner;
  [[gnu::noinline]] unsigned long measure(unsigned long rounds) const override {
    const unsigned long got = inner.measure(rounds);
    return got + N;
  }
};
template <>
struct Nested<0> : Shape {
  [[gnu::noinline]] unsigned long measure(unsigned long rounds) const override {
    return spin(rounds) + 1;
  }
};

template <class First, class... Rest>
[[gnu::noinline]] unsigned long visit(First first, Rest... rest) {
  unsigned long sum = first(10);
  if constexpr (sizeof...(rest) > 0) sum += visit(rest...);
  return sum;
}

[[gnu::noinline]] void thrower(int depth) {
  const std::string padding(static_cast<std::size_t>(depth) + 20, 'x');
  if (depth == 0) throw std::runtime_error(padding);
  thrower(depth - 1);
  work_done = work_done + padding.size();
}

[[gnu::noinline]] void exceptions() {
  for (int i = 0; i < 20; ++i) {
    try {
      thrower(i);
    } catch (const std::exception& error) {
      work_done = work_done + std::string(error.what()).size();
    }
  }
}

[[gnu::noinline]] void lambdas() {
  std::vector<std::function<unsigned long(unsigned long)>> calls;
  for (unsigned long i = 0; i < 10; ++i)
    calls.emplace_back([i, text = std::to_string(i)](unsigned long n) {
      return spin(n + i) + text.size();
    });
  for (auto& call : calls) work_done = work_done + call(200);
  const auto twice = [](auto f) {
    return [f](unsigned long n) { return f(n) + f(n); };
  };
  work_done = work_done + visit(twice([](unsigned long n) { return spin(n); }),
                                twice([](unsigned long n) { return n; }),
                                [](unsigned long n) { return spin(n * 2); });
}

[[gnu::noinline]] void containers() {
  std::map<std::string, std::vector<int>> words;
  for (int i = 0; i < 60; ++i)
    words[std::to_string(i % 17)].push_back(i * 7919 % 61);
  for (auto& [word, numbers] : words)
    std::sort(numbers.begin(), numbers.end(), [&](int a, int b) {
      return a % 7 < b % 7 || (a % 7 == b % 7 && a + int(word.size()) < b);
    });
  work_done = work_done + words.begin()->second.size();
}

int compare(const void* a, const void* b) {
  work_done = work_done + 1;
  return *static_cast<const int*>(a) - *static_cast<const int*>(b);
}

// A callback: between it and its caller is code of libc.
[[gnu::noinline]] void callbacks() {
  int numbers[200];
  for (int i = 0; i < 200; ++i) numbers[i] = i * 7919 % 211;
  std::qsort(numbers, 200, sizeof *numbers, compare);
}

}  // namespace

int main(int argc, char** argv) {
  const double end = now_ms() + (argc > 1 ? std::atof(argv[1]) : 300);
  const std::unique_ptr<Shape> shape = std::make_unique<Nested<40>>();
  while (now_ms() < end) {
    work_done = work_done + shape->measure(1000);
    exceptions();
    lambdas();
    containers();
    callbacks();
  }
}
