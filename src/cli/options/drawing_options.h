// SPDX-License-Identifier: Apache-2.0
// How a flame graph looks, named as in flamegraph.pl, inferno and
// flamegraph-rs.
#pragma once

#include "cli/options/option_set.h"
#include "profile/format.h"

namespace wick {

void add_drawing_options(OptionSet& app, DrawOptions& draw, FoldOptions& fold);

}  // namespace wick
