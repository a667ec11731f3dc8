// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/error.h"
#include "builders/read.h"
#include "format/registry.h"

namespace wick {
namespace {

std::string document(std::string_view rows) {
  return "<?xml version=\"1.0\"?>\n<trace-query-result>\n<node>"
         "<schema name=\"time-profile\"><col><name>Weight</name></col></schema>"
         "\n" +
         std::string(rows) + "</node></trace-query-result>\n";
}

constexpr std::string_view kFirst =
    "<row><sample-time id=\"1\">2000</sample-time>"
    "<thread id=\"2\" fmt=\"main\"><tid id=\"3\">7</tid>"
    "<process id=\"4\" fmt=\"app (42)\"><pid id=\"5\">42</pid></process>"
    "</thread><process ref=\"4\"/><core id=\"6\">3</core>"
    "<weight id=\"9\">1000000</weight><backtrace id=\"10\">"
    "<frame id=\"11\" name=\"f(A&amp;)\" addr=\"0x10\"><binary id=\"12\" "
    "name=\"app\" path=\"/bin/app\" UUID=\"AB\"/><source line=\"5\">"
    "<path id=\"13\">/src/f.rs</path></source></frame>"
    "<frame id=\"14\" name=\"start\"><binary ref=\"12\"/></frame>"
    "</backtrace></row>\n";
constexpr std::string_view kSecond =
    "<row><sample-time id=\"15\">1000</sample-time><thread ref=\"2\"/>"
    "<core ref=\"6\"/><weight ref=\"9\"/><backtrace id=\"16\">"
    "<frame id=\"17\" name=\"g::h0123456789abcdef\"/><frame ref=\"14\"/>"
    "</backtrace></row>\n";
constexpr std::string_view kThird =
    "<row><sample-time id=\"18\">3000</sample-time><thread ref=\"2\"/>"
    "<weight ref=\"9\"/><backtrace ref=\"10\"/></row>\n";

std::string all_rows() {
  return std::string(kFirst) + std::string(kSecond) + std::string(kThird);
}

TEST(XcTrace, CountsRows) {
  EXPECT_EQ(folded(read_text("xctrace", document(all_rows()))),
            "start;f(A&) 2\nstart;g 1\n");
}

TEST(XcTrace, KeepsTimeThreadAndCore) {
  const Profile profile = read_text("xctrace", document(all_rows()));
  ASSERT_EQ(profile.samples.size(), 3u);
  EXPECT_TRUE(profile.has_time);
  EXPECT_EQ(profile.samples[0].time, 1000u);
  EXPECT_EQ(profile.samples[0].cpu, 3u);
  const Thread& thread = profile.threads[profile.samples[0].thread];
  EXPECT_EQ(thread.pid, 42);
  EXPECT_EQ(thread.tid, 7);
}

TEST(XcTrace, KeepsModuleFileAndLine) {
  const Profile profile = read_text("xctrace", document(kFirst));
  EXPECT_EQ(folded(profile, {.detail = NameDetail::kLine}),
            "start;f(A&):f.rs:5 1\n");
  EXPECT_EQ(folded(profile, {.detail = NameDetail::kModule}), "app;app 1\n");
}

TEST(XcTrace, ReadsStacksWithATag) {
  EXPECT_EQ(folded(read_text(
                "xctrace",
                document("<row><tagged-backtrace id=\"1\"><backtrace id=\"2\">"
                         "<frame id=\"3\" name=\"f\"/></backtrace>"
                         "</tagged-backtrace></row>"
                         "<row><tagged-backtrace ref=\"1\"/></row>"))),
            "f 2\n");
}

TEST(XcTrace, CountsRowsWithoutAStack) {
  const Profile profile = read_text(
      "xctrace", document(std::string(kFirst) +
                          "<row><thread ref=\"2\"/><sentinel/></row>"));
  EXPECT_EQ(folded(profile), "start;f(A&) 1\n");
  EXPECT_EQ(profile.diagnostics.weight(Problem::kLostSamples), 1);
}

TEST(XcTrace, KeepsARowWhoseSentinelStandsForSomethingElse) {
  EXPECT_EQ(folded(read_text("xctrace",
                             document("<row><sentinel/><backtrace id=\"2\">"
                                      "<frame id=\"3\" name=\"f\"/>"
                                      "</backtrace></row>"))),
            "f 1\n");
}

TEST(XcTrace, HasWeightsThatDifferAsAnotherEvent) {
  const std::string rows =
      std::string(kFirst) + std::string(kThird) +
      "<row><weight id=\"30\">500</weight><backtrace ref=\"10\"/></row>";
  EXPECT_EQ(folded(select(read_text("xctrace", document(rows)),
                          {.event = "samples"})),
            "start;f(A&) 3\n");
  for (const bool keep_time : {false, true})
    EXPECT_EQ(folded(select(read_text("xctrace", document(rows),
                                      {.keep_time = keep_time}),
                            {.event = "time"})),
              "start;f(A&) 2000500\n");
}

TEST(XcTrace, BearsReferencesToNothing) {
  const Profile profile =
      read_text("xctrace", document("<row><thread ref=\"99\"/><backtrace "
                                    "id=\"1\"><frame ref=\"98\"/><frame "
                                    "id=\"2\" name=\"f\"/></backtrace></row>"
                                    "<row><backtrace ref=\"97\"/></row>"));
  EXPECT_EQ(folded(profile), "f;[unknown] 1\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kBadRecord), 4u);
}

TEST(XcTrace, KeepsTheRowsBeforeTheCut) {
  const std::string text = document(all_rows());
  const Profile profile =
      read_text("xctrace", text.substr(0, text.find("<weight ref")));
  EXPECT_EQ(folded(profile), "start;f(A&) 1\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kTruncated), 1u);
}

TEST(XcTrace, NeedsATableOfSamples) {
  EXPECT_THROW(read_text("xctrace",
                         "<trace-query-result><node><schema "
                         "name=\"os-log\"/></node>"),
               Error);
}

TEST(XcTrace, IsRecognised) {
  EXPECT_EQ(detect(document(""))->name, "xctrace");
}

}  // namespace
}  // namespace wick
