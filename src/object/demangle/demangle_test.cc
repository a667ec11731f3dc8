// SPDX-License-Identifier: Apache-2.0
#include "object/demangle/demangle.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <random>
#include <set>

#include "object/demangle/cxx_grammar.h"
#include "object/elf/elf_file.h"
#include "object/elf/symbol_table.h"

namespace wick {
namespace {

struct Case {
  const char *mangled, *short_form, *full;
};

void check(std::initializer_list<Case> cases) {
  for (const Case& c : cases) {
    EXPECT_EQ(demangle(c.mangled, Demangle::kShort), c.short_form);
    EXPECT_EQ(demangle(c.mangled, Demangle::kFull), c.full);
    EXPECT_EQ(demangle(c.mangled, Demangle::kNone), c.mangled);
  }
}

TEST(Demangle, FunctionsLoseParametersAndReturnTypeInTheShortForm) {
  check({{"_Z4sinfd", "sinf", "sinf(double)"},
         {"_ZN1a1b1cEiPKc", "a::b::c", "a::b::c(int, char const*)"},
         {"_Z3maxIiET_S0_S0_", "max<int>", "int max<int>(int, int)"},
         {"_ZNK3Foo3barEv", "Foo::bar", "Foo::bar() const"},
         {"_ZNKR3Foo3barEv", "Foo::bar", "Foo::bar() const &"},
         {"_ZN3FooC1Ei", "Foo::Foo", "Foo::Foo(int)"},
         {"_ZN3FooD0Ev", "Foo::~Foo", "Foo::~Foo()"},
         {"_Z1fIcEPFivET_", "f<char>", "int (*f<char>(char))()"},
         {"_Z1fPFivE", "f", "f(int (*)())"},
         {"_ZN12_GLOBAL__N_11fEv", "(anonymous namespace)::f",
          "(anonymous namespace)::f()"},
         {"_ZN1a3getB5cxx11Ev", "a::get[abi:cxx11]", "a::get[abi:cxx11]()"}});
}

TEST(Demangle, OperatorsKeepTheirNames) {
  check({{"_ZNK1AclEi", "A::operator()", "A::operator()(int) const"},
         {"_ZltRK1AS1_", "operator<", "operator<(A const&, A const&)"},
         {"_ZlsIiEvT_", "operator<< <int>", "void operator<< <int>(int)"},
         {"_Znwm", "operator new", "operator new(unsigned long)"},
         {"_ZdaPv", "operator delete[]", "operator delete[](void*)"},
         {"_ZNK1AcvbEv", "A::operator bool", "A::operator bool() const"},
         {"_ZNK1AcvPKcEv", "A::operator char const*",
          "A::operator char const*() const"},
         {"_ZN1AcvT_IiEEv", "A::operator int<int>", "A::operator int<int>()"},
         {"_ZNK1AptEv", "A::operator->", "A::operator->() const"}});
}

TEST(Demangle, WhatIsWithinAFunctionKeepsThatFunctionsParameters) {
  check({{"_ZZ4mainENKUliE_clEi", "main::{lambda(int)#1}::operator()",
          "main::{lambda(int)#1}::operator()(int) const"},
         {"_ZZN1a1fEiENUlvE0_4_FUNEv", "a::f(int)::{lambda()#2}::_FUN",
          "a::f(int)::{lambda()#2}::_FUN()"},
         {"_ZZ1fvEN5Local3runEv", "f()::Local::run", "f()::Local::run()"}});
}

TEST(Demangle, ThunksAndTablesAreSaidToBeSo) {
  check({{"_ZThn16_N3Foo3barEi", "non-virtual thunk to Foo::bar(int)",
          "non-virtual thunk to Foo::bar(int)"},
         {"_ZTV3Foo", "vtable for Foo", "vtable for Foo"},
         {"_ZGVZ1fvE1x", "guard variable for f()::x",
          "guard variable for f()::x"}});
}

// perf script drops the suffix of a C++ name and keeps that of a C name.
TEST(Demangle, ClonesAreMarkedInTheFullForm) {
  check({{"_Z1fi.cold", "f", "f(int) [clone .cold]"},
         {"_Z1fi.part.0.isra.1", "f", "f(int) [clone .part.0] [clone .isra.1]"},
         {"plain.constprop.0", "plain.constprop.0", "plain.constprop.0"}});
}

TEST(Demangle, StubsKeepTheirSuffixAndVersionsGo) {
  check(
      {{"_Z1fi@plt", "f@plt", "f(int)@plt"},
       {"memcpy@plt", "memcpy@plt", "memcpy@plt"},
       {"_Z1fi@@V_1", "f", "f(int)"},
       {"malloc@@GLIBC_2.2.5", "malloc@@GLIBC_2.2.5", "malloc@@GLIBC_2.2.5"}});
}

TEST(Demangle, RustNamesLoseTheirHash) {
  const auto rust = [](const char* mangled) {
    EXPECT_EQ(demangle(mangled, Demangle::kShort),
              demangle(mangled, Demangle::kFull));
    return demangle(mangled, Demangle::kShort);
  };
  EXPECT_EQ(rust("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE"),
            "core::fmt::Write::write_fmt");
  EXPECT_EQ(rust("_ZN38_$LT$T$u20$as$u20$app..A$u5b$$u5d$$GT$3run"
                 "17h0123456789abcdefE.llvm.77"),
            "<T as app::A[]>::run");
  EXPECT_EQ(rust("_ZN3app28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE"),
            "app::{{closure}}");
  // Too few different digits: a C++ function.
  EXPECT_EQ(rust("_ZN3app17h0000000000000001E"), "app::h0000000000000001");
}

TEST(Demangle, RustV0) {
  const auto rust = [](const char* mangled) {
    return demangle(mangled, Demangle::kShort);
  };
  EXPECT_EQ(rust("_RNvCs3QvkDaNtmvS_3app4main"), "app::main");
  EXPECT_EQ(rust("_RNvNtCs1_3app3net4sendCs2_5other.llvm.1"), "app::net::send");
  EXPECT_EQ(rust("_RINvC3app3maxlE"), "app::max::<i32>");
  EXPECT_EQ(rust("_RNvMC3appNtB2_3Foo3new"), "<app::Foo>::new");
  EXPECT_EQ(rust("_RNvXC3appNtB2_3FooNtB2_3Run3run"),
            "<app::Foo as app::Run>::run");
  EXPECT_EQ(rust("_RNCNvC3app4mains_0"), "app::main::{closure#1}");
  EXPECT_EQ(rust("_RINvC3app1fTRhQeSjPaEE"),
            "app::f::<(&u8, &mut str, [usize], *const i8)>");
  EXPECT_EQ(rust("_RINvC3app1fAhj10_E"), "app::f::<[u8; 16]>");
  EXPECT_EQ(rust("_RINvC3app1fFlEuE"), "app::f::<fn(i32)>");
  EXPECT_EQ(rust("_RINvC3app1fFG_RL0_hEhE"),
            "app::f::<for<'a> fn(&'a u8) -> u8>");
  EXPECT_EQ(rust("_RINvC3app1fDNtB2_3RunEL_E"), "app::f::<dyn app::Run>");
  EXPECT_EQ(rust("_RINvC3app1fDNtB2_4Iterp4ItemlEL_E"),
            "app::f::<dyn app::Iter<Item = i32>>");
  EXPECT_EQ(rust("_RINvC3app1fKb1_Kc41_Kln5_E"), "app::f::<true, 'A', -5>");
  EXPECT_EQ(rust("_RNvC3appu9bcher_kva"), "app::b\u00fccher");
}

TEST(Demangle, OcamlModulesAreSeparatedByDots) {
  EXPECT_EQ(demangle("camlStdlib__List__map_456", Demangle::kShort),
            "Stdlib.List.map_456");
  EXPECT_EQ(demangle("camlFoo__$2b$2b_1", Demangle::kShort), "Foo.++_1");
  EXPECT_EQ(demangle("caml_alloc", Demangle::kShort), "caml_alloc");
}

TEST(Demangle, OtherNamesStayAsTheyAre) {
  for (const char* name :
       {"", "_", "_Z", "_R", "main", "_start", "_Zfoo", "_ZN1aE1", "_Z3ab",
        "_ZNSt", "_RNvC3ap", "_Z99999999999999999999a", "_ZS_", "_RB_", "cafe",
        "_ZN3app17h0123456789abcdef"})
    EXPECT_EQ(demangle(name, Demangle::kShort), name);
}

// Frames are several times as large with sanitizers.
#ifdef __SANITIZE_ADDRESS__
constexpr std::size_t kSmallStack = 8 << 20;
#else
constexpr std::size_t kSmallStack = 1 << 20;
#endif

// Runs `body` with a stack as small as a thread of a server may have.
void with_small_stack(std::function<void()> body) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kSmallStack);
  pthread_t thread{};
  ASSERT_EQ(pthread_create(
                &thread, &attributes,
                [](void* body) -> void* {
                  (*static_cast<std::function<void()>*>(body))();
                  return nullptr;
                },
                &body),
            0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

std::string repeated(std::string_view part, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += part;
  return out;
}

TEST(Demangle, DeepNamesDoNotExhaustTheStack) {
  with_small_stack([] {
    for (const std::size_t depth : {50, 190, 1'000, 4'000, 100'000})
      for (const std::string& name :
           {"_Z1f" + repeated("P", depth) + "i",
            "_Z1fI" + repeated("1aI", depth) + "i" + repeated("E", depth) + "E",
            "_Z1f" + repeated("FvPF", depth), "_Z" + repeated("Z1fvE", depth),
            "_Z" + repeated("Z", depth), "_ZN" + repeated("1a", depth) + "Ev",
            "_Z1fIX" + repeated("ng", depth) + "Li1EEEvv",
            "_Z1fDT" + repeated("cl", depth),
            "_RINvC1a1f" + repeated("S", depth) + "hE",
            "_R" + repeated("Nv", depth) + "C1a", "_R" + repeated("Y", depth),
            "_Z1fI" + repeated("J", depth)})
        for (const Demangle how : {Demangle::kShort, Demangle::kFull})
          EXPECT_LE(demangle(name, how).size(),
                    std::max<std::size_t>(name.size(), 1 << 20));
  });
}

// Each argument is twice the one before it.
TEST(Demangle, NamesThatGrowWithoutBoundAreLeftAsTheyAre) {
  std::string cxx = "_Z1fI1aI1bS0_E";
  for (int i = 2; i < 60; ++i) {
    const std::string last =
        i < 12 ? fmt::format("{}", i - 1)
               : std::string(1, static_cast<char>('A' + (i - 12) % 26));
    cxx += "1cIS" + last + "_S" + last + "_E";
  }
  cxx += "Evv";
  EXPECT_LT(demangle(cxx, Demangle::kFull).size(), std::size_t{1} << 20);

  // A tuple of two references to the one before it, 40 times.
  std::string rust = "_RINvC1a1fTllE";
  std::size_t last = 7;
  for (int i = 0; i < 40; ++i) {
    const auto base_62 = [](std::size_t n) {
      if (n == 0) return std::string("_");
      std::string digits;
      for (--n; n > 0 || digits.empty(); n /= 62)
        digits.insert(digits.begin(),
                      "0123456789abcdefghijklmnopqrstuvwxyz"
                      "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[n % 62]);
      return digits + "_";
    };
    const std::size_t here = rust.size() - 2;
    rust += "TB" + base_62(last) + "B" + base_62(last) + "E";
    last = here;
  }
  rust += "E";
  EXPECT_EQ(demangle(rust, Demangle::kShort), rust);
}

TEST(Demangle, RandomNamesAreBounded) {
  constexpr std::string_view kPieces[] = {
      "_Z", "N",  "E",  "I",  "1a", "St", "S_",    "S0_", "T_", "T0_", "P",
      "K",  "F",  "v",  "i",  "X",  "L",  "li",    "cv",  "Dp", "DT",  "sr",
      "J",  "C1", "D1", "Ul", "_",  "Z",  "B3tag", "A5_", "M",  "cl",  "pl"};
  std::mt19937 random(7);
  for (int i = 0; i < 200'000; ++i) {
    std::string name = "_Z";
    for (std::size_t n = random() % 30; n > 0; --n)
      name += kPieces[random() % std::size(kPieces)];
    const auto shape = shape_of_cxx(name);
    const std::string full = demangle(name, Demangle::kFull);
    if (shape && full != name) {
      EXPECT_LE(full.size(), shape->size_bound) << name;
    }
  }
}

// Agreement with c++filt (from binutils, which the compiler needs) on all names
// that libstdc++ exports.
TEST(Demangle, AgreesWithCppfilt) {
  std::string library;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find("libstdc++.so") != line.npos)
      library = line.substr(line.find('/'));
  if (library.empty()) GTEST_SKIP() << "libstdc++ is not a shared library";
  const auto file = ElfFile::open(library);
  std::set<std::string> names;
  for (const Symbol& s : SymbolTable::from_elf(*file, nullptr))
    if (s.name.starts_with("_Z"))
      names.emplace(s.name.substr(0, s.name.find('@')));
  ASSERT_GT(names.size(), 1000U);
  const std::string list =
      testing::TempDir() + "demangle_names." + std::to_string(::getpid());
  {
    std::ofstream out(list);
    for (const std::string& name : names) out << name << '\n';
  }
  for (const Demangle how : {Demangle::kShort, Demangle::kFull}) {
    const std::string made = list + ".demangled";
    const std::string command = std::string("c++filt -i ") +
                                (how == Demangle::kShort ? "-p" : "") + " <" +
                                list + " >" + made + " 2>/dev/null";
    if (std::system(command.c_str()) != 0) GTEST_SKIP() << "no c++filt";
    std::ifstream in(made);
    std::size_t different = 0;
    for (const std::string& name : names) {
      std::string wanted;
      std::getline(in, wanted);
      const std::string got = demangle(name, how);
      if (got == wanted) continue;
      if (++different <= 5)
        ADD_FAILURE() << name << "\n" << got << "\n" << wanted;
    }
    std::remove(made.c_str());
  }
  std::remove(list.c_str());
}

}  // namespace
}  // namespace wick
