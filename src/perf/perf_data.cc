// SPDX-License-Identifier: Apache-2.0
// perf.data as an input format: records, stacks and symbols.
#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/metrics.h"
#include "io/read_file.h"
#include "object/kept_names.h"
#include "object/symbolize.h"
#include "perf/file/data_file.h"
#include "perf/session/session.h"
#include "perf/session/wakers.h"
#include "profile/format.h"

namespace wick {
namespace {

Profile read(InputFile& input, const ReadOptions& options) {
  PerfData data(input);
  // One of the files of perf record --threads; the others are in the same
  // folder.
  const std::filesystem::path folder =
      std::filesystem::path(input.name()).parent_path();
  if (data.header().is_directory && PerfData::is_perf_directory(folder))
    data = PerfData::open_directory(folder);
  DebugFileOptions places = debug_file_options(options.symbols);
  places.os_release = data.header().os_release;
  places.recorded_until = modification_time(input.name());
  DebugFiles files(std::move(places));
  Images images(files);
  const std::string_view names = data.header().names;
  const std::optional<KeptNames> kept = KeptNames::decode(names);
  if (kept) images.use_kept(&*kept);
  SessionResult session = [&] {
    const Timer timer("records");
    return read_session(data, images, options);
  }();
  data.check_whole();
  if (!names.empty() && !kept)
    session.profile.diagnostics.note(Problem::kDamagedNames);
  return turn_wakers(symbolize(std::move(session.profile), session.code, images,
                               files, options));
}

}  // namespace

extern const InputFormat perf_data_input = {
    .name = "perf-data",
    .description = "perf.data of perf record, file or pipe",
    .sniff = PerfData::sniff,
    .read = read,
};

}  // namespace wick
