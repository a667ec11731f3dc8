// SPDX-License-Identifier: Apache-2.0
#include "itrace/labels_write.h"

#include <fmt/format.h>

#include <iterator>
#include <memory>
#include <vector>

#include "base/append.h"
#include "base/error.h"
#include "itrace/code/address_spaces.h"
#include "itrace/code/code_map.h"
#include "itrace/code/places.h"
#include "itrace/stacks/accounts.h"
#include "itrace/stacks/contexts.h"
#include "itrace/stacks/stack_tracker.h"

namespace wick {
namespace {

class LabelWriter {
 public:
  LabelWriter(TraceReader& reader, const ReadOptions& options,
              std::ostream& out)
      : reader_(reader),
        map_(options.trace, reader.info(), options.symbols),
        places_(map_, Places::Detail::kFunctions),
        attribution_(options.trace.attribution),
        out_(out) {
    map_.set_user_code(std::make_unique<AddressSpaces>(map_, reader.info(),
                                                       options.trace.sysroot));
  }

  void write() {
    if (attribution_ == Attribution::kFirePerf)
      fail_setting(Setting::kAttribution,
                   "FirePerf's rule has no stacks to write as labels");
    const std::string& clock = reader_.info().clock_domain;
    if (const std::size_t comma = clock.rfind(", "); comma != clock.npos)
      append(text_, "# Clock Domain: {}, Relative Frequency: {}\n",
             clock.substr(0, comma), clock.substr(comma + 2));
    TraceBlock block, next;
    bool any = reader_.next(block);
    if (!any) return;
    hart_ = block.hart;
    StackTracker tracker(map_, places_, accounts_, contexts_,
                         {.attribution = attribution_,
                          .hart = hart_,
                          .slice = [this](std::uint64_t, CallNodeId node,
                                          std::uint16_t, std::uint64_t weight) {
                            go_to(node);
                            time_ += weight;
                          }});
    time_ = start_of(block);
    while (any) {
      any = reader_.next(next);
      if (any && next.hart != hart_)
        fail(Setting::kHart,
             "the trace has several harts, and labels are of one");
      tracker.track(block, map_.learn(block));
      if (any && next.after_gap) {
        tracker.finish();
        go_to(CallNodeId::kRoot);
        time_ = start_of(next);
      }
      std::swap(block, next);
    }
    tracker.finish();
    go_to(CallNodeId::kRoot);
    out_ << text_;
  }

  const CodeMap& map() const { return map_; }

 private:
  // An instruction's time begins right after the previous one.
  static std::uint64_t start_of(const TraceBlock& block) {
    const std::uint64_t cycle =
        block.instructions.empty() ? 0 : block.instructions.front().cycle;
    return cycle == 0 ? 0 : cycle - 1;
  }

  std::string name(FunctionId id) const {
    return map_.shown_name(map_.function(id));
  }

  // Closes the functions that are not on the path to `node` and opens new ones.
  void go_to(CallNodeId node) {
    path_.clear();
    for (CallNodeId at = node; accounts_[at].depth > 0;
         at = accounts_[at].caller)
      path_.push_back(at);
    std::size_t same = 0;
    while (same < open_.size() && same < path_.size() &&
           open_[same] == path_[path_.size() - 1 - same])
      ++same;
    while (open_.size() > same) {
      append(text_, "Indent: {}, End label: {}, End cycle: {}\n", open_.size(),
             name(accounts_[open_.back()].function), time_);
      open_.pop_back();
    }
    while (open_.size() < path_.size()) {
      open_.push_back(path_[path_.size() - 1 - open_.size()]);
      append(text_, "Indent: {}, Start label: {}, At cycle: {}\n", open_.size(),
             name(accounts_[open_.back()].function), time_);
    }
    if (text_.size() > (1 << 16)) {
      out_ << text_;
      text_.clear();
    }
  }

  TraceReader& reader_;
  CodeMap map_;
  Places places_;
  Accounts accounts_;
  Contexts contexts_;
  Attribution attribution_;
  std::ostream& out_;
  std::string text_;
  std::uint32_t hart_ = 0;
  std::uint64_t time_ = 0;
  std::vector<CallNodeId> open_, path_;
};

}  // namespace

Diagnostics write_trace_labels(TraceReader& reader, const ReadOptions& options,
                               std::ostream& out) {
  LabelWriter writer(reader, options, out);
  writer.write();
  return writer.map().diagnostics();
}

}  // namespace wick
