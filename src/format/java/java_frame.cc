// SPDX-License-Identifier: Apache-2.0
#include "format/java/java_frame.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace wick {
namespace {

// "/0x00007f9334000a08" after the name of a lambda's class.
bool is_lambda_address(std::string_view text) {
  return text.starts_with("/0x") || (text.size() > 1 && is_digit(text[1]));
}

// Removes a class loader and a module in front: "app//", "java.base@17.0.15/".
// A name with "/" between packages has no "." before its last "/".
std::string_view without_module(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  if (slash == name.npos || is_lambda_address(name.substr(slash))) {
    const std::size_t before =
        slash == name.npos ? slash : name.substr(0, slash).rfind('/');
    return before == name.npos ? name : name.substr(before + 1);
  }
  const std::string_view method = name.substr(slash + 1);
  const bool has_package = method.find('.') != method.rfind('.');
  const bool is_module = name.find('@') < slash || name.find("//") < slash ||
                         name.starts_with("java.") ||
                         name.starts_with("jdk.") || has_package;
  return is_module ? method : name;
}

char separator_of(std::string_view name) {
  return name.find('/') < name.find('.') ? '/' : '.';
}

}  // namespace

std::optional<JavaFrame> parse_java_frame(std::string_view text) {
  const std::size_t open = text.find('(');
  if (open == text.npos || open == 0) return {};
  const std::size_t close = text.find(')', open);
  if (close == text.npos) return {};
  JavaFrame frame{.name = without_module(text.substr(0, open))};
  if (frame.name.find('.') == frame.name.npos ||
      frame.name.find_first_of(" \t\"") != frame.name.npos)
    return {};
  std::string_view place = text.substr(open + 1, close - open - 1);
  place = place.substr(0, place.find('('));
  place = base_name(place);
  const std::size_t colon = place.rfind(':');
  if (colon == place.npos) {
    if (place.find('.') != place.npos) frame.file = place;
    return frame;
  }
  if (const auto line = to_number<std::uint32_t>(place.substr(colon + 1))) {
    frame.file = place.substr(0, colon);
    frame.line = *line;
  }
  return frame;
}

std::string with_short_packages(std::string_view name) {
  const char separator = separator_of(name);
  const std::string_view rest = without_packages(name);
  std::string out;
  std::string_view packages = name.substr(0, name.size() - rest.size());
  while (!packages.empty()) {
    const std::string_view package = take_until(packages, separator);
    if (!package.empty()) out += package.front();
    out += separator;
  }
  return out.append(rest);
}

std::string_view without_packages(std::string_view name) {
  const char separator = separator_of(name);
  // The method and, unless "/" ends the packages, the class follow.
  std::size_t end = name.rfind(separator);
  if (separator == '.' && end != name.npos && end > 0)
    end = name.rfind(separator, end - 1);
  return end == name.npos ? name : name.substr(end + 1);
}

std::string java_name(const JavaFrame& frame, const ReadOptions& options) {
  std::string name(frame.name);
  const std::size_t slash = name.rfind('/');
  if (options.compat != Compat::kPerl && slash != name.npos &&
      is_lambda_address(frame.name.substr(slash)))
    name.erase(slash, name.find('.', slash) - slash);
  if (options.no_packages) return std::string(without_packages(name));
  return options.shorten_packages ? with_short_packages(name) : name;
}

bool is_waiting_method(std::string_view name, Compat compat) {
  // Those that other tools leave out, and the same waits under their names in
  // later JDKs.
  static constexpr std::array<std::string_view, 5> kOfPeers = {
      "epollWait", "socketAccept", "socketRead0", "EPoll.wait",
      "ServerSocketChannelImpl.accept0"};
  static constexpr std::array<std::string_view, 7> kLater = {
      "Net.poll",
      "Net.accept",
      "KQueue.poll",
      "KQueueArrayWrapper.kevent0",
      "WEPoll.wait",
      "PollArrayWrapper.poll0",
      "waitForReferencePendingList"};
  const auto ends_name = [&](std::string_view end) {
    if (!name.ends_with(end) || name.size() == end.size()) return false;
    const char before = name[name.size() - end.size() - 1];
    return before == '.' || before == '/';
  };
  return std::ranges::any_of(kOfPeers, ends_name) ||
         (compat != Compat::kPerl && std::ranges::any_of(kLater, ends_name));
}

}  // namespace wick
