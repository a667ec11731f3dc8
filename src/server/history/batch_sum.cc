// SPDX-License-Identifier: Apache-2.0
#include "server/history/batch_sum.h"

#include <algorithm>
#include <string_view>

#include "server/history/profile_rows.h"
#include "server/store/steps.h"
#include "transform/merge.h"

namespace wick {
namespace {

// The mean over the time of two lists of processes, of one that is in both.
void average(ProcessMetrics& process, const ProcessMetrics& later) {
  ProcessMetrics mean = later;
  mean.seconds = process.seconds + later.seconds;
  const double share = mean.seconds > 0 ? later.seconds / mean.seconds : 1;
  const auto between = [&](double before, double after) {
    return before + (after - before) * share;
  };
  for (const auto rate :
       {&ProcessMetrics::cpu, &ProcessMetrics::system_cpu,
        &ProcessMetrics::minor_faults, &ProcessMetrics::major_faults})
    mean.*rate = between(process.*rate, later.*rate);
  for (const auto rate :
       {&ProcessMetrics::read_bytes, &ProcessMetrics::written_bytes,
        &ProcessMetrics::switches, &ProcessMetrics::forced_switches,
        &ProcessMetrics::wait}) {
    const auto before = process.*rate;
    if (before) mean.*rate = between(*before, (later.*rate).value_or(*before));
  }
  if (!mean.pss_bytes) mean.pss_bytes = process.pss_bytes;
  process = std::move(mean);
}

void add_busiest(Batch& sum, const Batch& batch) {
  for (const ProcessMetrics& process : batch.busiest) {
    const auto found =
        std::ranges::find_if(sum.busiest, [&](const ProcessMetrics& row) {
          return row.pid == process.pid &&
                 row.start_ticks == process.start_ticks;
        });
    if (found == sum.busiest.end())
      sum.busiest.push_back(process);
    else
      average(*found, process);
  }
}

void add_processes(Batch& sum, const Batch& batch) {
  std::map<std::int32_t, std::size_t> rows;
  for (std::size_t i = 0; i < sum.processes.size(); ++i)
    rows.emplace(sum.processes[i].pid, i);
  for (const BatchProcess& process : batch.processes)
    if (const auto found = rows.find(process.pid); found != rows.end())
      sum.processes[found->second] = process;
    else
      sum.processes.push_back(process);
}

void add_losses(Batch& sum, const Batch& batch) {
  for (const Loss& loss : batch.losses) {
    const auto found =
        std::ranges::find(sum.losses, loss.reason, &Loss::reason);
    if (found == sum.losses.end())
      sum.losses.push_back(loss);
    else
      found->count += loss.count;
  }
}

}  // namespace

void MetricSum::add(double mean, double max, double seconds) {
  max_ = seconds_ > 0 ? std::max(max_, max) : max;
  value_seconds_ += mean * seconds;
  seconds_ += seconds;
}

bool BatchSum::takes(const Batch& batch) const {
  return batch.agent == sum_->agent && batch.host == sum_->host &&
         batch.sequence > sum_->sequence && batch.from_ns >= sum_->from_ns &&
         step_begin(batch.from_ns, kSumNs) == step_begin(sum_->from_ns, kSumNs);
}

std::optional<Batch> BatchSum::add(Batch batch) {
  std::optional<Batch> before;
  if (sum_ && !takes(batch)) before = take();
  const double seconds = static_cast<double>(batch.to_ns - batch.from_ns) / 1e9;
  if (seconds > 0)
    for (const BatchMetric& metric : batch.metrics)
      metrics_[{metric.name, metric.label}].add(metric.mean, metric.max,
                                                seconds);
  if (!sum_) {
    sum_ = std::move(batch);
    return before;
  }
  merge(sum_->profile, batch.profile);
  sum_equal_rows(sum_->profile);
  add_busiest(*sum_, batch);
  add_processes(*sum_, batch);
  add_losses(*sum_, batch);
  sum_->numbers += batch.sequence - sum_->sequence;
  sum_->sequence = batch.sequence;
  sum_->to_ns = std::max(sum_->to_ns, batch.to_ns);
  return before;
}

std::optional<Batch> BatchSum::take_complete() {
  if (!sum_ || sum_->to_ns < step_begin(sum_->from_ns, kSumNs) + kSumNs)
    return std::nullopt;
  return take();
}

std::optional<Batch> BatchSum::take() {
  if (!sum_) return std::nullopt;
  sum_->metrics.clear();
  for (const auto& [key, sum] : metrics_)
    sum_->metrics.push_back({key.first, key.second, sum.mean(), sum.max()});
  metrics_.clear();
  return std::exchange(sum_, std::nullopt);
}

}  // namespace wick
