// SPDX-License-Identifier: Apache-2.0
// What LEPD, the agent of LEP, answers to GetCmdPerfFlame: the text of
// `perf script` in a JSON string that ends with a marker.
//
//   {"result": "swapper 0 [000] 12.5: …\n\n…lepdendstring", "id": 1}
//
// LEPD sends the first 16,370 bytes of a command's output and the marker, so
// most replies are cut within a sample even though they have the marker. A
// reply read from the socket may also end before it, and several replies may
// follow each other. So the strings are found by hand, without a JSON parser.
#include <algorithm>
#include <string>

#include "base/error.h"
#include "base/text.h"
#include "format/json/json.h"
#include "format/text/perf_script.h"
#include "profile/format.h"

namespace wick {
namespace {

constexpr std::string_view kMarker = "lepdendstring";
constexpr std::string_view kResult = "\"result\"";

struct Reply {
  std::string text;
  bool is_cut = false;
};

// Takes a JSON string after its opening quote; false if the closing quote is
// missing.
bool take_string(std::string_view& json, std::string& out) {
  while (!json.empty()) {
    const char c = json.front();
    if (c == '"') {
      json.remove_prefix(1);
      return true;
    }
    if (c != '\\') {
      const std::size_t run = std::min(json.find_first_of("\"\\"), json.size());
      out += json.substr(0, run);
      json.remove_prefix(run);
      continue;
    }
    if (json.size() < 2) break;
    const char escaped = json[1];
    if (escaped == 'u') {
      const auto code = to_number<std::uint32_t>(json.substr(2, 4), 16);
      if (json.size() < 6) break;
      append_utf8(out,
                  code && (*code < 0xd800 || *code > 0xdfff) ? *code : 0xfffd);
      json.remove_prefix(6);
      continue;
    }
    constexpr std::string_view kLetters = "nrtbf", kMeanings = "\n\r\t\b\f";
    const std::size_t letter = kLetters.find(escaped);
    out += letter == kLetters.npos ? escaped : kMeanings[letter];
    json.remove_prefix(2);
  }
  json = {};
  return false;
}

// Takes the next reply with a result; false if there is none.
bool take_reply(std::string_view& json, Reply& reply) {
  reply = {};
  while (true) {
    const std::size_t at = json.find(kResult);
    if (at == json.npos) return false;
    json = trim_left(json.substr(at + kResult.size()));
    if (!json.starts_with(':')) continue;
    json = trim_left(json.substr(1));
    if (json.starts_with('"')) break;
  }
  json.remove_prefix(1);
  reply.is_cut = !take_string(json, reply.text);
  const std::size_t marker = reply.text.rfind(kMarker);
  if (marker != std::string::npos) {
    reply.text.resize(marker);
    reply.is_cut = !reply.text.empty() && !reply.text.ends_with('\n');
  }
  // The last line of a cut text names half a function.
  if (reply.is_cut) reply.text.resize(reply.text.rfind('\n') + 1);
  return true;
}

bool sniff_lepd(std::string_view head) {
  if (!trim(head).starts_with('{')) return false;
  const auto keys = json_keys(head);
  if (std::ranges::find(keys, "error") != keys.end())
    return head.find("\"code\"") != head.npos &&
           head.find("\"message\"") != head.npos;
  std::string_view rest = head;
  Reply reply;
  return std::ranges::find(keys, "result") != keys.end() &&
         take_reply(rest, reply);
}

[[noreturn]] void fail_without_result(std::string_view text) {
  Diagnostics diagnostics;
  const JsonDocument document(text, diagnostics);
  const Json error = document.root()["error"];
  if (!error) fail("is a reply of LEPD without a \"result\"");
  fail("LEPD answered with an error: {} (code {})",
       excerpt(error["message"].text(), 200),
       error["code"].integer().value_or(0));
}

Profile read_lepd(InputFile& file, const ReadOptions& options) {
  std::string_view json = file.bytes();
  std::string script;
  std::uint64_t replies = 0, cut = 0;
  for (Reply reply; take_reply(json, reply); ++replies) {
    script += reply.text;
    script += "\n\n";
    cut += reply.is_cut;
  }
  if (replies == 0) fail_without_result(file.bytes());
  const std::string start = excerpt(trim(script), 60);
  InputFile text = InputFile::from_memory(file.name(), std::move(script));
  Profile profile = perf_script_input.read(text, options);
  if (profile.samples.empty() && cut == 0 && !start.empty())
    fail(
        "this reply of LEPD holds no perf script text but '{}'; ask for "
        "GetCmdPerfFlame",
        start);
  for (std::uint64_t i = 0; i < cut; ++i)
    profile.diagnostics.note_at(Problem::kTruncated,
                                "LEPD cut the text off within a sample");
  return profile;
}

}  // namespace

extern const InputFormat lepd_input = {
    .name = "lepd",
    .description = "reply of LEP's agent to GetCmdPerfFlame",
    .sniff = sniff_lepd,
    .read = read_lepd,
};

}  // namespace wick
