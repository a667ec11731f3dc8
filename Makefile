# SPDX-License-Identifier: Apache-2.0
# Short names for common jobs; CMakeLists.txt and CMakePresets.json build.
#   make            the program, at build/release/wick
#   make demo       profiles a small program and draws it
#   make test       every test, after installing what the tests need
#   make help       the other jobs
PREFIX ?= /usr/local
DESTDIR ?=
FUZZ_SECONDS ?= 60
FUZZ_TOTAL ?=
SOAK_SECONDS ?= 600
BENCH_ARGS ?=
WICK = build/release/wick
CXX_FILES = $(shell git ls-files 'src/*.cc' 'src/*.h' 'tests/*.cc' 'tests/*.h' 'examples/*.cc' 'qemu/*.cc' 'qemu/*.h')

release: deps-build build/release/build.ninja
	@cmake --build build/release --target wick

build/%/build.ninja: CMakeLists.txt CMakePresets.json
	@cmake --preset $* >build/$*.log 2>&1 || { cat build/$*.log; exit 1; }

deps-%:
	@mkdir -p build
	@tools/install-deps $*

# For qemu-riscv64 and qemu-system-riscv64; docs/qemu.md.
qemu-plugin: deps-build build/release/build.ninja
	@cmake --build build/release --target wick-trace

demo: deps-demo release
	@examples/demo $(WICK) build

# The program and the tests are both built with sanitizers.
test: deps-test build/asan/build.ninja
	@cmake --build build/asan --target wick wick_tests test_tools wick-trace
	@tests/run.py build/asan/wick build/asan/wick_tests

# Not in `make test`: downloads a kernel and QEMU 10, and takes minutes.
test-riscv-linux: deps-riscv release qemu-plugin
	@cmake --build build/release --target list_trace fold_trace cut_trace check_flow truth true_stacks
	@tests/riscv-linux/run $(WICK) build/qemu/wick-trace.so
	@tests/riscv-linux/truth/run $(WICK) build/qemu/wick-trace.so build/qemu/truth.so

# The second part alone, for a few machines: make riscv-linux-truth NAMES='sstc-1 plain-4'.
riscv-linux-truth: deps-riscv release qemu-plugin
	@cmake --build build/release --target truth true_stacks fold_trace cut_trace
	@tests/riscv-linux/truth/run $(WICK) build/qemu/wick-trace.so build/qemu/truth.so $(NAMES)

# Not in `make test`, except for a minute of it: kills, full disks and strangers,
# for ten minutes. NAMES='kills clock' selects tests.
test-serve: deps-test release
	@tests/serve/run.py $(WICK) $(NAMES)

# Not in `make test`: installs the languages, downloads a Debian 13 for its
# Python, and takes minutes.
test-languages: deps-languages release
	@tests/languages/run $(WICK)

golden-bless: release
	@tests/run_golden.py $(WICK) --bless

bench: deps-bench release
	@cmake --build build/release --target wick_bench simulate_day
	@build/release/wick_bench --benchmark_min_time=0.2
	@bench/run.py $(WICK) $(BENCH_ARGS)

bench-web: deps-bench deps-test release
	@bench/web/run.sh $(WICK) $(BENCH_ARGS)

soak: deps-bench release
	@bench/soak.py $(WICK) --seconds $(SOAK_SECONDS)
	@bench/soak_serve.py $(WICK) --seconds $(SOAK_SECONDS)

fuzz: deps-fuzz build/fuzz/build.ninja
	@cmake --build build/fuzz
	@tests/run_fuzz.py build/fuzz $(if $(FUZZ_TOTAL),--total $(FUZZ_TOTAL),--seconds $(FUZZ_SECONDS))

# Of what `make fuzz` found so far.
fuzz-coverage: deps-fuzz build/fuzz/build.ninja
	@cmake --build build/fuzz
	@tests/run_fuzz.py build/fuzz --coverage

lint: deps-lint build/lint/build.ninja
	@clang-format --dry-run -Werror $(CXX_FILES)
	@tools/prettier --check
	@tools/check_layers.py
	@tools/check_includes.py
	@tools/tidy build/lint

format: deps-lint
	@clang-format -i $(CXX_FILES)
	@tools/prettier --write

coverage: deps-coverage build/coverage/build.ninja
	@cmake --build build/coverage --target wick_tests
	@find build/coverage -name '*.gcda' -delete
	@build/coverage/wick_tests --gtest_brief=1
	@gcovr --root . --filter src/ --exclude '.*_(test|fuzz|bench)\.cc' \
	  --html-details build/coverage/index.html --print-summary build/coverage
	@echo "lines by file: build/coverage/index.html"

install: release
	@DESTDIR="$(DESTDIR)" cmake --install build/release --prefix "$(PREFIX)"
	@tools/install-pages $(WICK) "$(DESTDIR)" "$(PREFIX)"

uninstall:
	@tools/uninstall "$(DESTDIR)" "$(PREFIX)"

clean:
	rm -rf build compile_commands.json

help:
	@sed -n 's/^#   //p' Makefile
	@echo "make bench      compares wick with the peers in FLAMEGRAPH_DIR and INFERNO_BIN_DIR (BENCH_ARGS=--help)"
	@echo "make bench-web  compares the viewer with d3-flame-graph and speedscope in Chromium, on a million nodes"
	@echo "make soak       records the whole machine for SOAK_SECONDS ($(SOAK_SECONDS)) under a storm of forks, then serves for as long"
	@echo "make fuzz       fuzzes every reader for FUZZ_SECONDS ($(FUZZ_SECONDS)), or all of them for FUZZ_TOTAL"
	@echo "make fuzz-coverage  which lines of the readers the fuzzers' inputs reach"
	@echo "make lint       clang-format, prettier, layers, includes, clang-tidy"
	@echo "make format     C++ with clang-format, JavaScript and CSS with prettier"
	@echo "make coverage   which lines the unit tests run"
	@echo "make golden-bless  rewrites the expected outputs in tests/golden"
	@echo "make qemu-plugin  build/qemu/wick-trace.so, which traces RISC-V in QEMU"
	@echo "make test-riscv-linux  boots riscv64 Linuxes, traces and draws them, checks the figures"
	@echo "make riscv-linux-truth  only what of eight boots is on its true stack"
	@echo "make test-languages  records programs in Python, Java, Go and others and checks their stacks"
	@echo "make test-serve  what \`wick serve\` promises: truth, kills, full disks, strangers"
	@echo "make install    into DESTDIR and PREFIX ($(PREFIX)): program, man pages, completions, documentation, the unit of systemd"
	@echo "make uninstall  removes all of it; what wick serve stored stays"

# Install packages before building with them.
.NOTPARALLEL:
.PHONY: release qemu-plugin demo test test-riscv-linux riscv-linux-truth test-languages test-serve golden-bless bench bench-web soak fuzz fuzz-coverage lint format coverage install uninstall clean help
.DEFAULT_GOAL = release
