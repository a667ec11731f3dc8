# Recordings of programs whose stacks are known: threads, recursion, C++ without
# frame pointers.
. "$(dirname "$0")/lib.bash"
"$WICK" doctor | grep -q '^NO' && skip 'the kernel does not allow recording'
command -v g++ >/dev/null || skip 'there is no g++'

# whole WHAT FOLDED: 99 % of all samples have the first function of their
# thread as the root.
whole() {
  awk '{ all += $NF; if (/^[^;]*;(_start|clone3?)[; ]/) rooted += $NF }
       END { if (all == 0 || rooted < 0.99 * all)
               print rooted / (all + (all == 0)) " of " all " reach the root" }' \
    "$2" >roots.txt
  same "$1: roots" "$(cat roots.txt)" ''
}
# more WHAT FOLDED A B: the stacks that match A weigh more than those that match B.
more() {
  awk -v a="$3" -v b="$4" '
    $0 ~ a { of_a += $NF } $0 ~ b { of_b += $NF }
    END { if (!(of_a > of_b && of_b > 0)) print of_a + 0, "and", of_b + 0 }' \
    "$2" >more.txt
  same "$1: $3 is not more than $4" "$(cat more.txt)" ''
}

# Two threads, side by side. (`make bench` measures how near the shares are.)
g++ -g -O2 -fomit-frame-pointer -pthread -o turns \
  "$SOURCE/tests/e2e/programs/turns.cc"
"$WICK" flame -q -o turns.folded -- ./turns
whole 'threads' turns.folded
more 'threads' turns.folded ';first[; ]' ';second;'
more 'threads' turns.folded ';sixty[; ]' ';forty[; ]'
has 'the root of main' "$(cat turns.folded)" ';_start;[^ ]*main;first'
has 'the root of a thread' "$(cat turns.folded)" \
  ';clone3?;start_thread;[^;]*(;[^;]*)*;second;'
same 'who is under whom' "$(grep -c '_start;.*;second;' turns.folded)" 0

# Recursion: every stack has as many frames as the program has calls. The
# kernel's own limit of 127 (kernel.perf_event_max_stack) is one of frame
# pointers; stacks that wick unwinds may have 4,096.
cat >recursion.cc <<'C'
#include <cstdlib>
#include <ctime>
int calls;
__attribute__((noinline)) void bottom() {
  volatile unsigned long sum = 0;
  for (int i = 0; i < 1000000; ++i) sum = sum + i;
}
__attribute__((noinline, optimize("no-ipa-icf"))) void deeper(int left) {
  if (left == 0) bottom();
  else deeper(left - 1);
  ++calls;
}
int main(int, char** argv) {
  const clock_t end = clock() + CLOCKS_PER_SEC / 3;
  while (clock() < end) deeper(std::atoi(argv[1]) - 1);
}
C
g++ -g -O1 -fno-optimize-sibling-calls -fomit-frame-pointer -o recursion \
  recursion.cc
for depth in 60 500; do
  "$WICK" flame -q -o deep.folded -- ./recursion $depth
  whole "depth $depth" deep.folded
  awk -v depth=$depth '
    /;bottom[; ]/ { all += $NF; if (gsub(/;deeper/, "") == depth) right += $NF }
    END { if (all == 0 || right < 0.99 * all) print right, "of", all }' \
    deep.folded >depth.txt
  same "stacks of $depth calls" "$(cat depth.txt)" ''
done
# With frame pointers the kernel stops at its limit, and wick says so.
g++ -g -O1 -fno-optimize-sibling-calls -fno-omit-frame-pointer -o pointers \
  recursion.cc
said=$("$WICK" record --call-graph fp -o fp.data -- ./pointers 500 2>&1)
limit=$(cat /proc/sys/kernel/perf_event_max_stack)
if [ "$limit" -lt 500 ]; then
  cut="stacks reach the kernel's limit of frames .*; .sudo sysctl kernel.perf_event_max_stack=4096. raises it; see 'wick record --call-graph dwarf"
  has 'stacks that the kernel cut, at once' "$said" "$cut"
  has 'stacks that the kernel cut' "$("$WICK" report fp.data 2>&1)" "$cut"
fi

# C++ without frame pointers: exceptions, templates, virtual calls, a sort
# that calls back, from a shared library without debug information.
cat >library.cc <<'C'
#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>
__attribute__((noinline)) void throws(int depth) {
  const std::string text(depth + 20, 'x');
  if (depth == 0) throw std::runtime_error(text);
  throws(depth - 1);
  asm volatile("" : : "r"(text.data()));
}
void library_throws() {
  try {
    throws(12);
  } catch (const std::exception& error) {
    asm volatile("" : : "r"(error.what()));
  }
}
void library_sorts(const std::function<bool(int, int)>& less) {
  std::vector<int> numbers;
  for (unsigned i = 0; i < 3000; ++i) numbers.push_back(i * 7919 % 3001);
  std::sort(numbers.begin(), numbers.end(), less);
}
C
cat >program.cc <<'C'
#include <ctime>
#include <functional>
#include <map>
#include <memory>
#include <string>
void library_throws();
void library_sorts(const std::function<bool(int, int)>& less);
struct Shape {
  virtual ~Shape() = default;
  virtual long size(long n) const = 0;
};
template <int N> struct Nested : Shape {
  Nested<N - 1> inner;
  __attribute__((noinline)) long size(long n) const override {
    return inner.size(n) + N;
  }
};
template <> struct Nested<0> : Shape {
  __attribute__((noinline)) long size(long n) const override {
    std::map<std::string, long> map;
    for (long i = 0; i < n; ++i) map[std::to_string(i)] += i;
    return static_cast<long>(map.size());
  }
};
volatile long sum;
int main() {
  const std::unique_ptr<Shape> shape = std::make_unique<Nested<20>>();
  const clock_t end = clock() + CLOCKS_PER_SEC;
  while (clock() < end) {
    for (int i = 0; i < 20; ++i) library_throws();
    library_sorts([](int a, int b) { sum = sum + 1; return a < b; });
    sum = sum + shape->size(500);
  }
}
C
g++ -O2 -fomit-frame-pointer -fPIC -shared -o liblibrary.so library.cc
strip liblibrary.so
g++ -O2 -fomit-frame-pointer -o program program.cc -L. -llibrary \
  -Wl,-rpath,"$PWD"
"$WICK" flame -q -o program.folded -- ./program
whole 'C++' program.folded
for calls in main\;{library_throws,library_sorts,'Nested<20>::size'} \
  '__cxa_throw;_Unwind_RaiseException' 'Nested<1>::size;Nested<0>::size' 'main::{lambda'; do
  grep -qF "$calls" program.folded || complain "no stack has $calls"
done
finish
