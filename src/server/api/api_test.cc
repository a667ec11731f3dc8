// SPDX-License-Identifier: Apache-2.0
#include "server/api/api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/text.h"
#include "builders/batch_builder.h"
#include "builders/batch_times.h"
#include "builders/test_folder.h"
#include "format/registry.h"
#include "server/store/sqlite_store.h"

namespace wick {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Key;
using testing::Not;
using testing::Pair;
using testing::StartsWith;

// The time is 1,700,000,060; the last minute has one batch, which is stored.
class Apis : public testing::Test {
 protected:
  Apis() {
    store_->put(BatchBuilder(1)
                    .at(kTen)
                    .process(7, "server")
                    .thread(7, 8, "worker")
                    .sample(";main;compress", 60)
                    .sample(";main;read", 40)
                    .metric("cpu.user", "0", 5e8, 7e8)
                    .metric("load.1", "", 2, 3)
                    .loss("no memory", 4)
                    .batch());
  }

  HttpResponse get(std::string_view target, std::string method = "GET") {
    return api_.answer(
        {.method = std::move(method), .target = *parse_target(target)});
  }
  std::string body(std::string_view target) {
    const HttpResponse response = get(target);
    EXPECT_EQ(response.status, 200) << response.body;
    return response.body;
  }
  std::string error(std::string_view target, int status) {
    const HttpResponse response = get(target);
    EXPECT_EQ(response.status, status) << response.body;
    EXPECT_THAT(response.type, StartsWith("application/json"));
    return response.body;
  }

  TestFolder folder_;
  std::unique_ptr<Store> store_ =
      open_sqlite_store(folder_.path() + "/store.db");
  Recent recent_;
  History history_{*store_, recent_};
  Live live_;
  Api api_{{.history = history_,
            .live = live_,
            .state = [] { return ServerState{.store_bytes = 4096}; },
            .now_ns = [] { return kTen + 60 * kSecond; }}};
};

TEST_F(Apis, KnowHosts) {
  EXPECT_EQ(body("/api/v1/hosts"),
            R"({"now":1700000060,"hosts":[{"name":"box","first":1700000000,)"
            R"("stored_until":1700000010}]})"
            "\n");
}

TEST_F(Apis, HaveAProfileInEachFormat) {
  for (const OutputFormat* format : output_formats()) {
    const HttpResponse response =
        get("/api/v1/profile?format=" + std::string(format->name));
    EXPECT_EQ(response.status, 200) << format->name;
    EXPECT_EQ(response.type, format->media_type);
    EXPECT_FALSE(response.body.empty()) << format->name;
  }
}

TEST_F(Apis, HaveFoldedStacks) {
  EXPECT_EQ(body("/api/v1/profile?format=folded"),
            "worker;main;compress 60\nworker;main;read 40\n");
}

TEST_F(Apis, HaveTheViewerByDefault) {
  const HttpResponse response = get("/api/v1/profile");
  EXPECT_THAT(response.type, StartsWith("text/html"));
  EXPECT_THAT(response.body, HasSubstr("<title>all hosts, 2023-11-14"));
}

TEST_F(Apis, LetNothingButTheirOwnScriptRunInAPage) {
  for (const char* format : {"html", "svg"}) {
    const HttpResponse response =
        get(std::string("/api/v1/profile?format=") + format);
    std::string policy;
    for (const auto& [name, value] : response.headers)
      if (name == "Content-Security-Policy") policy = value;
    EXPECT_THAT(policy, AllOf(HasSubstr("default-src 'none'"),
                              HasSubstr("script-src 'sha256-"),
                              Not(HasSubstr("unsafe"))));
  }
}

// Browsers compare the hash with that of the text of the element.
TEST_F(Apis, AllowTheScriptsThatArePartOfAPage) {
  for (const char* name : {"html", "svg"}) {
    const std::string page =
        body(std::string("/api/v1/profile?format=") + name);
    for (const std::string& code :
         output_format(name).inline_code(WriteOptions()))
      EXPECT_TRUE(page.find("<style>" + code + "</style>") != page.npos ||
                  page.find("<script>" + code + "</script>") != page.npos ||
                  page.find("<script><![CDATA[" + code + "]]></script>") !=
                      page.npos)
          << name;
  }
}

TEST_F(Apis, HaveBinaryProfilesAsFiles) {
  EXPECT_THAT(get("/api/v1/profile?format=pprof").headers,
              Contains(Pair("Content-Disposition",
                            "attachment; filename=\"profile.pb.gz\"")));
}

TEST_F(Apis, SelectProcesses) {
  body("/api/v1/profile?format=folded&pid=7");
  EXPECT_THAT(error("/api/v1/profile?format=folded&pid=8", 404),
              HasSubstr("there are no samples (all hosts, pid 8"));
}

TEST_F(Apis, SelectTimes) {
  body("/api/v1/profile?from=1700000000&to=1700000001&format=folded");
  error("/api/v1/profile?from=1700000001&format=folded", 404);
}

TEST_F(Apis, NameWhatThreadsStandFor) {
  EXPECT_THAT(body("/api/v1/profile?format=folded&threads=process"),
              StartsWith("server;main"));
}

TEST_F(Apis, SayWhichFormatsThereAre) {
  EXPECT_THAT(error("/api/v1/profile?format=png", 400),
              HasSubstr("expected one of chrome-trace, d3"));
}

TEST_F(Apis, CompareWithTheTimeBefore) {
  store_->put(BatchBuilder(2)
                  .at(kTen + 10 * kSecond)
                  .thread(7, 8, "worker")
                  .sample(";main;compress", 90)
                  .sample(";main;read", 10)
                  .batch());
  const std::string report =
      body("/api/v1/diff?from=1700000010&to=1700000020&format=text");
  EXPECT_THAT(report, HasSubstr("compress"));
  EXPECT_THAT(report, HasSubstr("30.00"));
}

TEST_F(Apis, CompareInEachFormat) {
  store_->put(BatchBuilder(2).at(kTen + 10 * kSecond).sample("a;f", 1).batch());
  for (const OutputFormat* format : output_formats())
    EXPECT_FALSE(body("/api/v1/diff?from=1700000010&to=1700000020&format=" +
                      std::string(format->name))
                     .empty());
}

TEST_F(Apis, SayWhichSideOfADifferenceIsMissing) {
  EXPECT_THAT(error("/api/v1/diff?from=1700000000&to=1700000020", 404),
              HasSubstr("2023-11-14 22:13:00"));
}

TEST_F(Apis, HaveTheHeaviestFunctions) {
  EXPECT_EQ(body("/api/v1/top?n=1"),
            R"({"from":1700000000,"to":1700000060,"event":"cpu-clock",)"
            R"("unit":"samples","total":100,"rows_in_all":3,"rows":[)"
            R"({"name":"compress","self":60,"self_share":0.6,"total":60,)"
            R"("total_share":0.6}]})"
            "\n");
  EXPECT_THAT(
      body("/api/v1/top?n=1&sort=total"),
      HasSubstr(R"("name":"main","self":0,"self_share":0,"total":100)"));
}

TEST_F(Apis, HaveTheHeaviestProcessesAndThreads) {
  EXPECT_THAT(body("/api/v1/top?by=process"),
              HasSubstr(R"({"name":"server","pid":7,"tid":7,"self":100)"));
  EXPECT_THAT(body("/api/v1/top?by=thread"),
              HasSubstr(R"({"name":"worker","pid":7,"tid":8,"self":100)"));
}

TEST_F(Apis, HaveTheHeaviestModules) {
  EXPECT_THAT(body("/api/v1/top?by=module"), HasSubstr(R"("total_share":1)"));
}

TEST_F(Apis, HaveMetricsAsColumns) {
  EXPECT_EQ(
      body("/api/v1/metrics?name=load.*&from=-60s&step=30s"),
      R"({"from":1700000000,"to":1700000060,"step":30,"times":[1699999980],)"
      R"("series":[{"host":"box","name":"load.1","label":"","unit":"count",)"
      R"("per_second":false,"mean":[2],"max":[3]}]})"
      "\n");
}

TEST_F(Apis, SayWhatMetricsCount) {
  EXPECT_THAT(body("/api/v1/metrics?name=cpu.user&from=-60s"),
              HasSubstr(R"("unit":"nanoseconds","per_second":true)"));
}

TEST_F(Apis, MeasureNothingMoreOftenThanOnceASecond) {
  EXPECT_THAT(error("/api/v1/metrics?step=100ms", 400),
              HasSubstr("less than 1s"));
}

TEST_F(Apis, KnowWhatWasLost) {
  EXPECT_EQ(body("/api/v1/losses"),
            R"({"losses":[{"host":"box","reason":"no memory","count":4}]})"
            "\n");
}

TEST_F(Apis, HaveTheLastSecondForPrometheus) {
  const Batch batch = BatchBuilder(2)
                          .second(kTen + 50 * kSecond)
                          .metric("cpu.user", "0", 0.5, 0.5)
                          .batch();
  recent_.add(batch, encode(batch));
  const std::string text = body("/metrics");
  EXPECT_THAT(text, HasSubstr("# TYPE wick_cpu_user gauge\n"
                              "wick_cpu_user{host=\"box\",cpu=\"0\"} 0.5\n"));
  EXPECT_THAT(text, HasSubstr("wick_store_bytes 4096\n"));
  EXPECT_THAT(
      text, HasSubstr("wick_stored_until_seconds{host=\"box\"} 1700000010\n"));
}

TEST_F(Apis, EscapeWhatOthersNamed) {
  const Batch batch = BatchBuilder(2)
                          .host("a\"b\n")
                          .second(kTen + 50 * kSecond)
                          .metric("load.1", "", 1, 1)
                          .batch();
  recent_.add(batch, encode(batch));
  EXPECT_THAT(body("/metrics"), HasSubstr(R"(wick_load_1{host="a\"b\n"} 1)"));
}

TEST_F(Apis, SendEachSecondToWhoeverListens) {
  const HttpResponse response = get("/api/v1/live?name=load.*");
  ASSERT_TRUE(response.events);
  EXPECT_EQ(live_.watchers(), 1u);
  live_.publish(BatchBuilder(1)
                    .second(kTen)
                    .sample("a;f", 30)
                    .metric("load.1", "", 2, 3)
                    .metric("cpu.user", "0", 1, 1)
                    .batch());
  EXPECT_EQ(
      response.events->take(),
      "event: second\n"
      R"(data: {"host":"box","from":1700000000,"to":1700000001,"samples":)"
      R"([{"event":"cpu-clock","unit":"","weight":30,"samples":1}],)"
      R"("metrics":{"load.1":{"":2}},"losses":[]})"
      "\n\n");
}

TEST_F(Apis, SendNothingOfOtherHosts) {
  const HttpResponse response = get("/api/v1/live?host=other");
  live_.publish(BatchBuilder(1).second(kTen).batch());
  EXPECT_EQ(response.events->take(), "");
}

TEST_F(Apis, ForgetWhoHasGone) {
  HttpResponse response = get("/api/v1/live");
  response.events->disconnect();
  EXPECT_EQ(live_.watchers(), 0u);
}

TEST_F(Apis, HaveNoWatcherForTheHeadOfAStream) {
  EXPECT_FALSE(get("/api/v1/live", "HEAD").events);
  EXPECT_EQ(live_.watchers(), 0u);
}

TEST_F(Apis, AreHealthy) { EXPECT_EQ(body("/healthz"), "ok\n"); }

TEST_F(Apis, DescribeThemselves) {
  EXPECT_THAT(body("/docs/api.md"), StartsWith("# The API of wick serve"));
}

TEST_F(Apis, HaveAFirstPageThatNeedsNoPermission) {
  EXPECT_THAT(body("/"),
              AllOf(HasSubstr("/api/v1/profile"), Not(HasSubstr("<script")),
                    Not(HasSubstr("style="))));
}

TEST_F(Apis, SayWhereTheyAreDescribed) {
  EXPECT_THAT(error("/api/v2/profile", 404), HasSubstr("/docs/api.md"));
}

TEST_F(Apis, ChangeNothing) {
  const HttpResponse response = get("/api/v1/hosts", "POST");
  EXPECT_EQ(response.status, 405);
  EXPECT_THAT(response.headers, Contains(Key("Allow")));
}

TEST_F(Apis, RefuseWhatTheyDoNotKnow) {
  EXPECT_THAT(error("/api/v1/hosts?host=box", 400), HasSubstr("takes none"));
}

}  // namespace
}  // namespace wick
