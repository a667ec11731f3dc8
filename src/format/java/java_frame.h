// SPDX-License-Identifier: Apache-2.0
// A Java frame as thread dumps, exceptions and profilers print it:
//
//   java.base@17.0.15/java.util.ArrayList.forEach(ArrayList.java:1511)
//   java.util.ArrayList.forEach(java.base@17.0.15/ArrayList.java:1511)
//   java/util/ArrayList.forEach(ArrayList.java:1511(Compiled Code))
//   Shop$$Lambda$1/0x00007f9334000a08.call(Unknown Source)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "profile/format.h"

namespace wick {

struct JavaFrame {
  std::string_view name;  // "java.util.ArrayList.forEach"
  std::string_view file;  // "" if not known
  std::uint32_t line = 0;
};

// Views into `text`, which begins with the frame; text after its closing
// bracket
// ("~[shop.jar:1.0]") is ignored. Nothing if it is not a frame.
std::optional<JavaFrame> parse_java_frame(std::string_view text);

// "j.u.ArrayList.forEach": packages shortened to a letter each, the class and
// the method kept. Separators are "." or, where J9 prints classes, "/".
std::string with_short_packages(std::string_view name);
// "ArrayList.forEach": a view into `name`.
std::string_view without_packages(std::string_view name);

// The name to show: packages shortened or omitted by the options, and without
// the address in the names of lambda classes, which differs in every run.
std::string java_name(const JavaFrame& frame, const ReadOptions& options);

// Whether a running thread with this innermost method actually waits.
bool is_waiting_method(std::string_view name, Compat compat);

}  // namespace wick
