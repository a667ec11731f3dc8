// SPDX-License-Identifier: Apache-2.0
// Commands that messages suggest. Users paste them, so a file name in them must
// be one word to the shell, whatever it contains.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace wick {

// `word` for a POSIX shell, in single quotes if it needs any; control
// characters as bash, zsh and ksh read them: $'\x1b'.
std::string shell_quoted(std::string_view word);
// The same for a file, which must not look like an option: "./-x".
std::string shell_quoted_file(const std::string& path);

// A whole command.
std::string shell_command(std::span<const std::string> words);

// `command` with a file as its last argument, set off from the text around it
// by quotes unless the file itself needs them: those would cancel each other.
std::string suggested_command(std::string_view command,
                              const std::string& path);

}  // namespace wick
