# SPDX-License-Identifier: Apache-2.0
"""Makes perf.data files for the benchmark with a real perf:

  compiler  a g++ run with 32 kB of stack for each sample, about 90 MB
  deep      a program with frame pointers, stacks some 60 deep, for a given time
  machine   everything that runs during a g++ run and a search, about 3 MB; by
            wick or perf
"""
import pathlib
import shutil
import subprocess

SOURCE = pathlib.Path(__file__).resolve().parents[1]

# Functions that call each other along some thousand paths, a few often and most
# seldom, as those of a real program are; two threads, for a given time.
DEEP = r"""
#include <chrono>
#include <cstdlib>
#include <thread>
thread_local volatile unsigned long sink;
thread_local unsigned long state;
unsigned long random_number() {
  state ^= state << 13; state ^= state >> 7; state ^= state << 17;
  return state;
}
void work() { for (int i = 0; i < 200; ++i) sink = sink + i; }
void next(int depth);
template <int N> __attribute__((noinline)) void step(int depth) {
  if (random_number() % 8 == 0) work();
  next(depth - 1);
  sink = sink + N;
}
void (*const steps[])(int) = {step<0>, step<1>, step<2>, step<3>, step<4>,
                              step<5>, step<6>, step<7>, step<8>, step<9>};
__attribute__((noinline)) void next(int depth) {
  if (depth <= 0) { for (int i = 0; i < 20; ++i) work(); return; }
  steps[random_number() % 10](depth);
  sink = sink + 1;
}
void run(unsigned long seed, double seconds) {
  const auto end = std::chrono::steady_clock::now() +
                   std::chrono::duration<double>(seconds);
  while (std::chrono::steady_clock::now() < end) {
    seed = seed * 6364136223846793005 + 1442695040888963407;
    const unsigned long pick = seed >> 33;
    state = 1 + pick % (1 + (pick >> 8) % 2000);
    for (int i = 0; i < 10; ++i) random_number();
    next(25 + state % 10);
  }
}
int main(int, char** argv) {
  std::thread other(run, 1, std::atof(argv[1]));
  run(2, std::atof(argv[1]));
  other.join();
}
"""


def possible():
    """Why nothing can be recorded here; "" if it can."""
    if not shutil.which("perf"):
        return "there is no perf"
    trial = subprocess.run(["perf", "record", "-q", "-e", "cpu-clock", "-o",
                            "/dev/null", "--", "true"], capture_output=True,
                           text=True, check=False)
    return "" if trial.returncode == 0 else "perf cannot record here"


def perf_record(path, options, command):
    part = path.with_suffix(".part")
    subprocess.run(["perf", "record", "-q", "-e", "cpu-clock", "-m", "8M",
                    *options, "-o", part, "--", *command],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   check=True)
    part.rename(path)


def compiler(folder):
    path = folder / "compiler.data"
    if not path.exists():
        perf_record(path, ["-F", "499", "--call-graph", "dwarf,32768"],
                    ["g++", "-std=c++20", "-O2", f"-I{SOURCE}/src", "-c",
                     SOURCE / "src/cli/options/option_set.cc", "-o", "/dev/null"])
    return path


def deep(folder, seconds):
    path = folder / f"deep-{seconds:g}.data"
    program = folder / "deep"
    if not program.exists():
        subprocess.run(["g++", "-O1", "-fno-omit-frame-pointer", "-pthread",
                        "-x", "c++", "-", "-o", program], input=DEEP, text=True, check=True)
    if not path.exists():
        perf_record(path, ["-F", "9999", "-g"], [program, str(seconds)])
    return path


def machine(folder, recorder, wick):
    path = folder / f"machine-{recorder}.data"
    if path.exists():
        return path
    load = (f"find /usr -newer /proc/self/exe >/dev/null 2>&1 & "
            f"g++ -std=c++20 -O2 -I{SOURCE}/src -c "
            f"{SOURCE}/src/perf/session/chain.cc -o /dev/null; wait")
    if recorder == "perf":
        perf_record(path, ["-a", "-g", "-F", "2999"], ["sh", "-c", load])
    else:
        subprocess.run([wick, "record", "-q", "-a", "-F", "1999", "-o", path, "--",
                        "sh", "-c", load], check=True)
    return path


def hotspot_parser():
    """The parser of Hotspot, where it is installed; else None."""
    for path in [shutil.which("hotspot-perfparser"),
                 *pathlib.Path("/usr/lib").glob(
                     "*/libexec/hotspot-perfparser")]:
        if path:
            return str(path)
    return None

