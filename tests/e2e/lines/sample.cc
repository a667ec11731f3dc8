// SPDX-License-Identifier: Apache-2.0
// Something of everything that makes inline chains: templates, lambdas, virtual
// calls, exceptions, anonymous namespaces, local classes, cold paths.
#include <algorithm>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct Shape {
  virtual ~Shape() = default;
  virtual double area() const = 0;
};
struct Square : Shape {
  double side;
  explicit Square(double length) : side(length) {}
  double area() const override { return side * side; }
};

inline int twice(int x) { return x * 2 + (x >> 3); }
inline int thrice(int x) { return twice(x) + x; }

template <class T>
T sum(const std::vector<T>& values) {
  T total{};
  for (const T& value : values) total += thrice(value);
  return total;
}

[[gnu::noinline]] int clamp(int value, int most) {
  if (value < 0) throw std::out_of_range("negative");
  return value > most ? most : twice(value);
}

}  // namespace

class Counter {
 public:
  void add(const std::string& name, int value) { counts_[name] += value; }
  std::size_t size() const { return counts_.size(); }

 private:
  std::map<std::string, int> counts_;
};

int work(int n) {
  struct Local {
    static int half(int x) { return x / 2; }
    [[gnu::noinline]] int scaled(int x) const { return half(x) * factor; }
    int factor;
  };
  Counter counter;
  std::vector<int> values;
  for (int i = 0; i < n; ++i) {
    values.push_back(twice(i));
    counter.add(std::to_string(i), thrice(i));
  }
  std::sort(values.begin(), values.end(),
            [](int a, int b) { return thrice(a) > twice(b); });
  if (n > 1000) throw std::runtime_error("too many");
  auto total = [&](int more) { return sum(values) + more; };
  return total(clamp(n, 50)) + static_cast<int>(counter.size()) +
         Local{3}.scaled(n);
}

int main(int argc, char**) {
  Square square(argc);
  try {
    std::printf("%d %f\n", work(argc * 10), square.area());
  } catch (const std::exception& error) {
    std::puts(error.what());
  }
}
