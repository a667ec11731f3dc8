// SPDX-License-Identifier: Apache-2.0
#include "perf/events/event_spec.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "builders/fake_system.h"
#include "perf/events/event_open.h"
#include "perf/events/event_suggestions.h"
#include "perf/events/named_events.h"
#include "perf/events/tracefs.h"

namespace wick {
namespace {

using namespace attr_flag;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A machine with counters, a frequency counter and some tracepoints.
class EventSpecs : public testing::Test {
 protected:
  EventSpecs() {
    const std::string devices = "/sys/bus/event_source/devices/";
    system_.file(devices + "cpu/type", "4\n")
        .file(devices + "cpu/format/event", "config:0-7\n")
        .file(devices + "cpu/format/umask", "config:8-15\n")
        .file(devices + "cpu/format/any", "config:21\n")
        .file(devices + "cpu/format/split", "config1:0-3,8-11\n")
        .file(devices + "cpu/events/mem-loads", "event=0xcd,umask=0x1\n")
        .file(devices + "cpu/events/needs", "event=0x1,umask=?\n")
        .file(devices + "power/type", "9\n")
        .file(devices + "power/cpumask", "0,8\n")
        .file(devices + "power/format/event", "config:0-7\n")
        .file(devices + "power/events/energy-pkg", "event=0x02\n")
        .file(devices + "power/events/energy-pkg.unit", "Joules\n")
        .file(devices + "power/events/energy-pkg.scale", "2.5e-10\n")
        .file(devices + "software/type", "1\n");
    tracepoint("sched", "sched_switch", 316);
    tracepoint("sched", "sched_wakeup", 318);
    tracepoint("irq", "irq_handler_entry", 150);
    system_.file("/sys/kernel/tracing/available_events",
                 "sched:sched_switch\nsched:sched_wakeup\n"
                 "irq:irq_handler_entry\n");
    // Not an event: a switch of the whole system.
    system_.file("/sys/kernel/tracing/events/sched/enable", "0\n");
  }

  void tracepoint(const std::string& system, const std::string& name, int id) {
    system_.file(
        fmt::format("/sys/kernel/tracing/events/{}/{}/id", system, name),
        fmt::format("{}\n", id));
  }

  std::vector<EventSpec> parse(std::string_view list) {
    return parse_events(list, system_.paths);
  }
  EventSpec one(std::string_view text) {
    std::vector<EventSpec> events = parse(text);
    EXPECT_EQ(events.size(), 1u) << text;
    return events.at(0);
  }
  std::vector<std::string> names(std::string_view list) {
    std::vector<std::string> out;
    for (const EventSpec& event : parse(list)) out.push_back(event.name);
    return out;
  }
  std::string error(std::string_view list) {
    try {
      parse(list);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "none";
  }

  FakeSystem system_;
};

EventCode code(const EventSpec& spec) { return {spec.type, spec.config}; }

TEST_F(EventSpecs, NamesOfThePerfTool) {
  EXPECT_EQ(code(one("cycles")), (EventCode{0, 0}));
  EXPECT_EQ(code(one("cpu-cycles")), (EventCode{0, 0}));
  EXPECT_EQ(code(one("instructions")), (EventCode{0, 1}));
  EXPECT_EQ(code(one("branch-misses")), (EventCode{0, 5}));
  EXPECT_EQ(code(one("cpu-clock")), (EventCode{1, 0}));
  EXPECT_EQ(code(one("faults")), (EventCode{1, 2}));
  EXPECT_EQ(code(one("cs")), (EventCode{1, 3}));
  EXPECT_EQ(code(one("bpf-output")), (EventCode{1, 10}));
  EXPECT_EQ(code(one("L1-dcache-load-misses")), (EventCode{3, 0x1'00'00}));
  EXPECT_EQ(code(one("LLC-loads")), (EventCode{3, 0x0'00'02}));
  EXPECT_EQ(code(one("dTLB-store-misses")), (EventCode{3, 0x1'01'03}));
  EXPECT_EQ(code(one("l1d-read-miss")), (EventCode{3, 0x1'00'00}));
  EXPECT_EQ(code(one("node-prefetches")), (EventCode{3, 0x0'02'06}));
  EXPECT_EQ(code(one("iTLB-misses")), (EventCode{3, 0x1'00'04}));
}

TEST(NamedEvents, AreFoundByTheirOwnNames) {
  for (const std::uint32_t type :
       {event_type::kHardware, event_type::kSoftware, event_type::kHwCache}) {
    EXPECT_FALSE(named_events(type).empty());
    for (const std::string& name : named_events(type)) {
      const auto found = find_named_event(name);
      ASSERT_TRUE(found) << name;
      EXPECT_EQ(found->type, type) << name;
    }
  }
  EXPECT_FALSE(find_named_event(""));
  EXPECT_FALSE(find_named_event("LLC"));
  EXPECT_FALSE(find_named_event("LLC-"));
  EXPECT_FALSE(find_named_event("LLC-loads-x"));
}

TEST_F(EventSpecs, RawCodes) {
  EXPECT_EQ(code(one("r1a8")), (EventCode{4, 0x1a8}));
  EXPECT_EQ(code(one("r1a8:u")), (EventCode{4, 0x1a8}));
  EXPECT_EQ(one("r1a8:u").name, "r1a8:u");
}

TEST_F(EventSpecs, ModifiersExcludeWhatTheyDoNotName) {
  EXPECT_EQ(one("cycles").flags, 0u);
  EXPECT_EQ(one("cycles:u").flags, kExcludeKernel | kExcludeHypervisor);
  EXPECT_EQ(one("cycles:k").flags, kExcludeUser | kExcludeHypervisor);
  EXPECT_EQ(one("cycles:uk").flags, kExcludeHypervisor);
  EXPECT_EQ(one("cycles:h").flags, kExcludeUser | kExcludeKernel);
  EXPECT_EQ(one("cycles:G").flags, kExcludeHost);
  EXPECT_EQ(one("cycles:GH").flags, 0u);
  EXPECT_EQ(one("cycles:u").name, "cycles:u");
}

TEST_F(EventSpecs, PrecisionIsCounted) {
  EXPECT_EQ(one("cycles:pp").precise, 2);
  EXPECT_EQ(one("cycles:pp").flags, kExcludeGuest);
  EXPECT_TRUE(one("cycles:P").precise_max);
  EXPECT_THAT(error("cycles:pppp"), HasSubstr("'ppp' is the maximum"));
}

TEST_F(EventSpecs, TermsOfAPmuSetTheBitsOfItsFormat) {
  EXPECT_EQ(code(one("cpu/event=0x3c,umask=1/")), (EventCode{4, 0x13c}));
  EXPECT_EQ(code(one("cpu/event=0x3c,any/")), (EventCode{4, 0x20003c}));
  EXPECT_EQ(one("cpu/split=0xab/").config1, 0xa0bu);
  EXPECT_EQ(one("cpu/config=5,config2=6/").config2, 6u);
  EXPECT_EQ(one("cpu/event=1/").name, "cpu/event=1/");
  EXPECT_EQ(one("cpu/event=1/u").flags, kExcludeKernel | kExcludeHypervisor);
  EXPECT_EQ(one("cpu/event=1,name=mine/").name, "mine");
  EXPECT_EQ(one("cpu/event=1,period=1000/").period, 1000u);
  EXPECT_EQ(one("cpu/event=1,freq=99/").frequency, 99u);
  EXPECT_EQ(code(one("cpu//")), (EventCode{4, 0}));
}

TEST_F(EventSpecs, EventsOfAPmuAreInItsFolder) {
  EXPECT_EQ(code(one("cpu/mem-loads/")), (EventCode{4, 0x1cd}));
  EXPECT_EQ(code(one("cpu/mem-loads,umask=2/")), (EventCode{4, 0x2cd}));
  EXPECT_EQ(code(one("mem-loads:P")), (EventCode{4, 0x1cd}));
  EXPECT_EQ(code(one("cpu/cycles/")), (EventCode{0, 0}));
  const EventSpec energy = one("power/energy-pkg/");
  EXPECT_EQ(code(energy), (EventCode{9, 2}));
  EXPECT_EQ(energy.unit, "Joules");
  EXPECT_DOUBLE_EQ(energy.scale, 2.5e-10);
  EXPECT_THAT(energy.cpus, ElementsAre(0, 8));
}

TEST_F(EventSpecs, ANameCanHaveItsOwnPeriodOrRate) {
  EXPECT_EQ(code(one("cpu-clock/period=1000/")), code(one("cpu-clock")));
  EXPECT_EQ(one("cpu-clock/period=1000/").period, 1000u);
  EXPECT_EQ(one("cpu-clock/freq=99/u").frequency, 99u);
  EXPECT_EQ(one("cpu-clock/freq=99/u").flags,
            kExcludeKernel | kExcludeHypervisor);
  EXPECT_EQ(one("cpu-clock/freq=99,name=mine/").name, "mine");
}

TEST_F(EventSpecs, MistakesInTermsAreExplained) {
  EXPECT_EQ(error("cpu/evnt=1/"),
            "cpu has no 'evnt': its events are mem-loads, needs; its terms are "
            "any, event, split, umask");
  EXPECT_EQ(error("cpu/event=0x100/"),
            "'event=0x100' does not fit: event has the bits config:0-7");
  EXPECT_EQ(error("cpu/event=x/"), "'x' is not a number in 'cpu/event=x/'");
  EXPECT_THAT(error("cpu/needs/"), HasSubstr("needs a value for 'umask'"));
  EXPECT_EQ(error("cpu/event=1"), "'cpu/event=1' has no second '/'");
  EXPECT_EQ(
      error("pwer/energy-pkg/"),
      "there is no PMU 'pwer' (did you mean power?); this machine has cpu, "
      "power, software");
  EXPECT_THAT(error("../x/"), HasSubstr("there is no PMU '..'"));
}

TEST_F(EventSpecs, TracepointsHaveTheirIdFromTracefs) {
  const EventSpec event = one("sched:sched_switch");
  EXPECT_EQ(code(event), (EventCode{2, 316}));
  EXPECT_TRUE(event.is_tracepoint);
  EXPECT_EQ(event.name, "sched:sched_switch");
  EXPECT_EQ(one("sched:sched_switch:u").flags,
            kExcludeKernel | kExcludeHypervisor);
}

TEST_F(EventSpecs, AGlobIsAllTracepointsThatMatch) {
  EXPECT_THAT(names("sched:*"),
              ElementsAre("sched:sched_switch", "sched:sched_wakeup"));
  EXPECT_THAT(names("*:*_switch"), ElementsAre("sched:sched_switch"));
  const std::vector<EventSpec> events = parse("sched:*,cycles");
  EXPECT_EQ(events[0].group, 0u);
  EXPECT_EQ(events[1].group, 1u);
  EXPECT_EQ(events[2].group, 2u);
}

TEST_F(EventSpecs, WithoutTracefsTheCommandThatMountsItIsNamed) {
  system_.paths.tracefs = "/";
  EXPECT_EQ(error("sched:sched_switch"),
            fmt::format(
                "the tracepoint 'sched:sched_switch' cannot be looked up, "
                "because / is not mounted; 'sudo mount -t tracefs -o {} "
                "tracefs /' mounts it, and 'docker run -v /:/ …' shows it in a "
                "container",
                tracefs_options()));
}

TEST_F(EventSpecs, AKernelWithoutTracefsHasNothingToMount) {
  system_.paths.tracefs = "/nowhere/tracing";
  EXPECT_EQ(error("sched:sched_switch"),
            "the tracepoint 'sched:sched_switch' cannot be looked up, because "
            "there is no /nowhere/tracing: the kernel has no tracepoints, or "
            "/sys is not mounted");
}

TEST_F(EventSpecs, ListsAndGroups) {
  const std::vector<EventSpec> events =
      parse("cycles, {instructions,cpu/event=1,umask=2/:u}:k,cs");
  ASSERT_EQ(events.size(), 4u);
  EXPECT_EQ(events[0].group, 0u);
  EXPECT_EQ(events[1].group, 1u);
  EXPECT_EQ(events[2].group, 1u);
  EXPECT_EQ(events[3].group, 2u);
  EXPECT_EQ(events[1].name, "instructions:k");
  EXPECT_EQ(events[1].flags, kExcludeUser | kExcludeHypervisor);
  EXPECT_EQ(events[2].flags, kExcludeHypervisor);
}

TEST_F(EventSpecs, WatchPoints) {
  const EventSpec event = one("mem:0x1000/8:rw:u");
  EXPECT_EQ(event.type, event_type::kBreakpoint);
  EXPECT_EQ(event.config1, 0x1000u);
  EXPECT_EQ(event.config2, 8u);
  EXPECT_EQ(event.bp_type, 3u);
  EXPECT_EQ(event.flags, kExcludeKernel | kExcludeHypervisor);
  EXPECT_EQ(one("mem:0x1000:x").bp_type, 4u);
  EXPECT_EQ(one("mem:0x1000:x").config2, sizeof(long));
  EXPECT_THAT(error("mem:here"), HasSubstr("mem:ADDRESS[/LENGTH][:rwx]"));
}

TEST_F(EventSpecs, AnUnknownNameBringsTheNearest) {
  EXPECT_EQ(error("cpuclock"),
            "there is no event 'cpuclock' (did you mean cpu-clock?)");
  EXPECT_THAT(error("cpuclock:u"), HasSubstr("did you mean cpu-clock?"));
  EXPECT_THAT(error("cycels"), HasSubstr("did you mean cycles?"));
  EXPECT_THAT(error("sched:sched_swich"),
              HasSubstr("did you mean sched:sched_switch?"));
  EXPECT_THAT(error("irq_handler"),
              HasSubstr("did you mean irq:irq_handler_entry?"));
  EXPECT_EQ(error("qqqqqqqq"), "there is no event 'qqqqqqqq'");
}

TEST_F(EventSpecs, SyntaxErrorsAreReported) {
  EXPECT_THAT(error(""), HasSubstr("the name of an event is missing"));
  EXPECT_THAT(error("cycles,"), HasSubstr("is missing"));
  EXPECT_THAT(error(",cycles"), HasSubstr("is missing before ',cycles'"));
  EXPECT_THAT(error("{cycles"), HasSubstr("has no '}'"));
  EXPECT_THAT(error("{cycles,{cs}}"), HasSubstr("cannot contain another"));
  EXPECT_THAT(error("cycles}"), HasSubstr("unexpected '}'"));
  EXPECT_THAT(error("cycles:x"), HasSubstr("':x' is not understood"));
  EXPECT_THAT(error("{cycles}:x"), HasSubstr("':x' is not understood"));
  EXPECT_THAT(error("sched:.."), HasSubstr("there is no"));
  EXPECT_THAT(error(std::string(100'000, 'x')), HasSubstr("there is no event"));
  EXPECT_THAT(error(std::string("cpu\0/x/", 7)), HasSubstr("there is no PMU"));
}

TEST_F(EventSpecs, CyclesIsOneEventForEachKindOfCore) {
  const std::string devices = "/sys/bus/event_source/devices/";
  system_.file(devices + "cpu_core/type", "4\n")
      .file(devices + "cpu_core/cpus", "0-3\n")
      .file(devices + "cpu_atom/type", "10\n")
      .file(devices + "cpu_atom/cpus", "4-5\n");
  const std::vector<EventSpec> events = parse("cycles:u");
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].name, "cpu_core/cycles/u");
  EXPECT_EQ(events[0].config, 4ull << 32);
  EXPECT_EQ(events[1].name, "cpu_atom/cycles/u");
  EXPECT_EQ(events[1].config, 10ull << 32);
  EXPECT_THAT(events[1].cpus, ElementsAre(4, 5));
  EXPECT_EQ(code(one("cpu_atom/instructions/")),
            (EventCode{0, 10ull << 32 | 1}));
  EXPECT_EQ(parse("cpu-clock").size(), 1u);
}

TEST_F(EventSpecs, AreListedByKind) {
  std::vector<std::string> names;
  for (const EventName& event : list_events(system_.paths))
    names.push_back(event.name);
  EXPECT_EQ(names[0], "branch-misses");
  EXPECT_THAT(names,
              testing::IsSupersetOf({"cycles", "cpu-clock", "L1-dcache-loads",
                                     "cpu/mem-loads/", "power/energy-pkg/",
                                     "sched:sched_switch"}));
  EXPECT_EQ(names.back(), "sched:sched_wakeup");
  const FakeSystem empty;
  for (const EventName& event : list_events(empty.paths))
    EXPECT_EQ(event.kind, EventName::Kind::kSoftware);
}

TEST_F(EventSpecs, SetTheirPartOfAnAttr) {
  EventAttr attr;
  attr.flags = kFreq | kInherit;
  attr.sample_period = 997;
  attr.sample_type = 7;
  one("cpu/event=0x3c,split=1,period=5/ppu").apply_to(attr);
  EXPECT_EQ(attr.type, 4u);
  EXPECT_EQ(attr.config, 0x3cu);
  EXPECT_EQ(attr.config1, 1u);
  EXPECT_EQ(attr.precise_ip(), 2u);
  EXPECT_EQ(attr.sample_period, 5u);
  EXPECT_EQ(attr.sample_type, 7u);
  EXPECT_EQ(attr.flags & ~kPrecise,
            kInherit | kExcludeKernel | kExcludeHypervisor | kExcludeGuest);
}

TEST(NearestNames, PrefersFewChanges) {
  const std::vector<std::string> names = {"faults", "minor-faults", "cs",
                                          "page-faults"};
  EXPECT_THAT(nearest_names("pagefault", names), ElementsAre("page-faults"));
  EXPECT_THAT(nearest_names("fault", names), ElementsAre("faults"));
  EXPECT_THAT(nearest_names("", names), IsEmpty());
  EXPECT_THAT(nearest_names("---", names), IsEmpty());
}

// --- This machine
// -------------------------------------------------------------

TEST(RealEvents, SoftwareEventsOfTheListCanBeOpened) {
  const KernelLimits limits = read_kernel_limits();
  for (const EventSpec& spec :
       parse_events("cpu-clock,task-clock,page-faults,cs,dummy")) {
    EventAttr attr;
    attr.sample_period = 1000;
    attr.flags = kDisabled;
    spec.apply_to(attr);
    std::uint32_t lost = 0;
    const OpenResult result = try_open_event(attr, {.pid = 0}, limits, lost);
    if (!result.fd && result.failure == OpenFailure::kNotAllowed)
      GTEST_SKIP() << "the kernel does not allow perf events here";
    EXPECT_TRUE(result.fd) << spec.name;
  }
}

TEST(RealEvents, TracepointsOfTheListCanBeOpened) {
  const KernelLimits limits = read_kernel_limits();
  if (!limits.may_use_tracepoints()) GTEST_SKIP() << "no right to tracepoints";
  for (const EventSpec& spec :
       parse_events("sched:sched_sw*,sched:sched_waking")) {
    EventAttr attr;
    attr.sample_period = 1;
    attr.sample_type = sample_type::kRaw;
    attr.flags = kDisabled;
    spec.apply_to(attr);
    std::uint32_t lost = 0;
    const UniqueFd fd = open_event(spec.name, attr, {.cpu = 0}, limits, lost);
    EXPECT_TRUE(fd);
    if (spec.name == "sched:sched_switch") {
      set_event_filter(fd.get(), "prev_pid == 3");
      EXPECT_THROW(set_event_filter(fd.get(), "no_such == 3"), Error);
    }
  }
}

}  // namespace
}  // namespace wick
