// SPDX-License-Identifier: Apache-2.0
// The viewer: one HTML file that contains the profile. The page is web/*.js,
// joined at build time; the profile is in a data block, which no browser runs,
// as base64 of gzip. Browsers verify gzip's checksum when they unpack it, which
// detects damage.
//
// The page's policy allows this script and this style by their hashes and
// nothing else: even if a name could become markup, it could load and run
// nothing.
#include <array>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/base64.h"
#include "base/error.h"
#include "base/metrics.h"
#include "base/text.h"
#include "io/compress.h"
#include "profile/format.h"
#include "render/page_assets.h"
#include "render/page_data.h"
#include "transform/recording.h"

namespace wick {
namespace {

// A page is written once and may be sent to many.
constexpr int kLevel = 9;

std::string policy() {
  return "default-src 'none'; script-src 'sha256-" +
         base64(from_hexadecimal(kViewerJsSha256)) + "'; style-src 'sha256-" +
         base64(from_hexadecimal(kViewerCssSha256)) +
         "'; base-uri 'none'; form-action 'none'";
}

void write_html(const Profile& profile, const WriteOptions& options,
                std::ostream& out) {
  const std::string plain = page_data(profile, options);
  const Timer timer("compress");
  const std::string data = base64(gzip(plain, kLevel));
  const std::string title = options.draw.title.empty()
                                ? recorded_command(profile)
                                : options.draw.title;
  // The placeholders of web/page.html, in their order.
  const std::array<std::pair<std::string_view, std::string>, 5> parts = {{
      {"{policy}", policy()},
      {"{title}", xml_escaped(title.empty() ? "Flame Graph" : title)},
      {"{style}", std::string(kViewerCss)},
      {"{script}", std::string(kViewerJs)},
      {"{data}", data},
  }};
  std::string_view page = kViewerHtml;
  for (const auto& [place, text] : parts) {
    const std::size_t at = page.find(place);
    if (at == page.npos) fail("web/page.html has no {}", place);
    out << page.substr(0, at) << text;
    page.remove_prefix(at + place.size());
  }
  out << page;
}

}  // namespace

extern const OutputFormat html_output = {
    .name = "html",
    .extension = ".html",
    .description = "viewer in one page: time, threads, callers, differences",
    .write = write_html,
    .lacks = "addresses and CPUs; times finer than a microsecond",
    .cost = {.repeats = Repeats::kThreads, .frame_bytes = 80},
    .media_type = "text/html; charset=utf-8",
    .inline_code =
        [](const WriteOptions&) {
          return std::vector<std::string>{std::string(kViewerCss),
                                          std::string(kViewerJs)};
        },
};

}  // namespace wick
