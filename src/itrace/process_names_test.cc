// SPDX-License-Identifier: Apache-2.0
#include "itrace/process_names.h"

#include <elf.h>
#include <gmock/gmock.h>

#include <string>
#include <string_view>
#include <vector>

#include "builders/elf_builder.h"
#include "builders/tracked_stacks.h"

namespace wick {
namespace {

using ::testing::ElementsAre;

// Threads that ran some functions, without a trace.
class Processes : public testing::Test {
 protected:
  // A file whose only function has the file's name. Position-independent files
  // without a loader are libraries.
  void add_file(const std::string& path, std::uint16_t type) {
    ElfBuilder elf({.machine = EM_RISCV, .type = type});
    elf.add_section({.name = ".text",
                     .flags = SHF_ALLOC | SHF_EXECINSTR,
                     .address = 0x10000,
                     .content = std::string(16, '\x01')});
    elf.add_symbol({.name = path, .value = 0x10000, .size = 16});
    map_.add_elf(elf.file(), "build/" + path);
  }
  // A thread that executed so many instructions of these functions, each of
  // which called the next.
  struct Ran {
    std::string_view function;
    std::uint64_t instructions = 1;
  };
  ThreadFacts& add_thread(std::vector<Ran> functions,
                          SpaceId space = SpaceId{1}) {
    const std::uint32_t thread = contexts_.make(0).thread;
    CallNodeId node = accounts_.root(thread);
    for (const auto& [name, instructions] : functions) {
      node = accounts_.child(node, 0, function(name), 1);
      accounts_.row(node)->instructions += instructions;
    }
    ThreadFacts& facts = contexts_.threads()[thread];
    facts.space = space;
    return facts;
  }
  ThreadFacts& begin_process(std::string_view function,
                             SpaceId space = SpaceId{1}) {
    ThreadFacts& facts = add_thread({{function}}, space);
    facts.begins_process = true;
    return facts;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& process :
         name_processes(contexts_, accounts_, map_).of_thread)
      out.push_back(process.name);
    return out;
  }

  CodeMap map_{{}, {}};
  Accounts accounts_;
  Contexts contexts_;

 private:
  FunctionId function(std::string_view name) const {
    for (std::uint32_t i = 0; i < map_.function_count(); ++i)
      if (map_.function(FunctionId{i}).name == name) return FunctionId{i};
    return FunctionId::kNone;
  }
};

TEST_F(Processes, AreNamedAfterTheirPrograms) {
  add_file("hard", ET_EXEC);
  add_file("easy", ET_EXEC);
  begin_process("hard");
  begin_process("easy");
  begin_process("hard");
  EXPECT_THAT(names(), ElementsAre("hard", "easy", "hard #2"));
}

TEST_F(Processes, AreNamedAfterWhatTheyRanMost) {
  add_file("shell", ET_EXEC);
  add_file("hard", ET_EXEC);
  // The beginning of another program was not seen.
  add_thread({{"shell", 5}, {"hard", 9}});
  add_thread({{"shell", 5}, {"?", 5}, {"hard", 9}, {"?", 0}}, SpaceId{2});
  EXPECT_THAT(names(), ElementsAre("hard", "shell"));
}

TEST_F(Processes, AreNotNamedAfterLibraries) {
  add_file("hard", ET_EXEC);
  add_file("libc.so.6", ET_DYN);
  add_thread({{"hard", 0}, {"libc.so.6", 100}});
  EXPECT_THAT(names(), ElementsAre("hard"));
}

TEST_F(Processes, KeepTheNamesThatTheyHadWhenTheyEnded) {
  add_file("hard", ET_EXEC);
  begin_process("hard");
  begin_process("hard").process = {
      .name = "hard", .program = CodeImageId{1}, .number = 1};
  EXPECT_THAT(names(), ElementsAre("hard #2", "hard"));
}

TEST_F(Processes, OfWhichThereAreHundredsShareAName) {
  add_file("hard", ET_EXEC);
  for (int i = 0; i < 200; ++i) begin_process("hard");
  EXPECT_EQ(names()[98], "hard #99");
  EXPECT_EQ(names()[99], "hard #100+");
  EXPECT_EQ(names()[199], "hard #100+");
}

TEST_F(Processes, WithoutTheirFilesAreNumbered) {
  add_file("libc.so.6", ET_DYN);
  begin_process("libc.so.6");
  begin_process("?");
  EXPECT_THAT(names(), ElementsAre("process 1", "process 2"));
}

TEST_F(Processes, HaveOneNameForAllTheirThreads) {
  add_file("hard", ET_EXEC);
  begin_process("hard");
  begin_process("hard");
  add_thread({{"?"}}).creator = 0;
  add_thread({{"?"}}).creator = 1;
  add_thread({{"?"}}).creator = 2;
  EXPECT_THAT(names(),
              ElementsAre("hard", "hard #2", "hard", "hard #2", "hard"));
}

// As after a gap, or if the tracker lost it.
TEST_F(Processes, ThatAThreadBelongsToIsTheLastOneInItsAddressSpace) {
  add_file("hard", ET_EXEC);
  begin_process("hard", SpaceId{1});
  begin_process("hard", SpaceId{1});
  begin_process("hard", SpaceId{2});
  add_thread({{"hard"}}, SpaceId{1});
  EXPECT_THAT(names(), ElementsAre("hard", "hard #2", "hard #3", "hard #2"));
}

TEST_F(Processes, ThatWereThereBeforeAreToldApartByTheirAddressSpaces) {
  add_file("hard", ET_EXEC);
  add_thread({{"hard"}}, SpaceId{1});
  add_thread({{"hard"}}, SpaceId{2});
  add_thread({{"hard"}}, SpaceId{1});
  EXPECT_THAT(names(), ElementsAre("hard", "hard #2", "hard"));
}

// Its process begins after a thread of the kernel was mistaken for it.
TEST_F(Processes, InASpaceOfTheirOwnHaveAllThreadsOfThatSpace) {
  ElfBuilder elf({.machine = EM_RISCV, .type = ET_DYN});
  elf.add_section({.name = ".text",
                   .flags = SHF_ALLOC | SHF_EXECINSTR,
                   .address = 0x10000,
                   .content = "\x01\x01"});
  elf.add_section({.name = ".interp",
                   .flags = SHF_ALLOC,
                   .address = 0x20000,
                   .content = "/lib/ld.so"});
  elf.add_symbol({.name = "pie", .value = 0x10000, .size = 2});
  map_.add_elf(elf.file(), "pie");
  add_file("static", ET_EXEC);
  add_thread({{"pie"}}, SpaceId{1});
  add_thread({{"static"}}, SpaceId{2});
  begin_process("pie", SpaceId{1});
  begin_process("static", SpaceId{2});
  EXPECT_THAT(names(), ElementsAre("pie", "static", "pie", "static #2"));
}

// A thread may have been taken for a new one for a while, and its row be used
// again.
TEST_F(Processes, AreInTheOrderInWhichTheyAppeared) {
  add_file("hard", ET_EXEC);
  const Context mistaken = contexts_.make(0);
  begin_process("hard");
  begin_process("hard");
  contexts_.release(mistaken.thread);
  add_thread({{"?"}}).creator = 1;
  EXPECT_THAT(names(), ElementsAre("hard", "hard", "hard #2"));
  contexts_.threads()[mistaken.thread].creator.reset();
  contexts_.threads()[mistaken.thread].begins_process = true;
  EXPECT_THAT(names(), ElementsAre("process 1", "hard", "hard #2"));
}

TEST_F(Processes, KeepTheNamesThatTheTraceHas) {
  add_file("hard", ET_EXEC);
  add_thread({{"hard"}}).name = "worker";
  add_thread({{"?"}}, SpaceId::kNone).name = "kworker/0:1";
  add_thread({{"?"}}, SpaceId::kNone);
  begin_process("hard");
  EXPECT_THAT(names(), ElementsAre("worker", "kworker/0:1", "", "hard"));
}

// Threads and programs that begin while they are traced.
class Begun : public TrackedStacks {
 protected:
  Begun() {
    code_.function("main", "call ecall nop");
    code_.function("fork", "ecall nop ret");
    code_.function("clone", "ecall jalr");
    code_.function("handle_exception", "nop call sret");
    code_.function("wake_up_new_task", "call ret");
    code_.function("k_schedule", "nop call nop ret");
    code_.function("__switch_to", "nop ret");
    code_.function("ret_from_fork", "nop jalr nop sret");
    code_.function("_start", "nop nop");
  }
  // The system call of `function` makes a thread, which continues there.
  static std::string makes_thread(const std::string& function) {
    return "main:0 " + function +
           ":0 handle_exception:0-1 wake_up_new_task:0 k_schedule:0-1 "
           "__switch_to:0-1 ret_from_fork:0 ret_from_fork:3 " +
           function + ":1 ";
  }
  std::vector<std::string> names() {
    for (ThreadFacts& facts : contexts_.threads()) facts.space = SpaceId{1};
    std::vector<std::string> out;
    for (const auto& process :
         name_processes(contexts_, accounts_, *map_).of_thread)
      out.push_back(process.name);
    return out;
  }
};

TEST_F(Begun, AChildThatReturnsFromWhereItBeganIsAProcess) {
  track(makes_thread("fork") + "fork:2 main:1");
  EXPECT_THAT(names(), ElementsAre("program", "program #2"));
}

TEST_F(Begun, AChildThatDoesNotReturnIsAThread) {
  track(makes_thread("fork") + "fork:2");
  EXPECT_THAT(names(), ElementsAre("program", "program"));
}

TEST_F(Begun, AChildThatBecomesAProgramWasAProcessBefore) {
  track(makes_thread("fork") +
        "handle_exception:0 handle_exception:2 _start:0");
  EXPECT_THAT(names(), ElementsAre("program", "program #2", "program #3"));
}

TEST_F(Begun, AThreadOfCloneIsNone) {
  track(makes_thread("clone"));
  EXPECT_THAT(names(), ElementsAre("program", "program"));
}

TEST_F(Begun, AProgramStartedByExecIsAProcess) {
  track("main:0-1 handle_exception:0 handle_exception:2 _start:0-1");
  EXPECT_THAT(names(), ElementsAre("program", "program #2"));
}

}  // namespace
}  // namespace wick
