// SPDX-License-Identifier: Apache-2.0
// The source of a profile's functions, for the viewer's page.
#pragma once

#include <string>
#include <vector>

#include "profile/diagnostics.h"
#include "profile/profile.h"
#include "render/page_samples.h"
#include "render/page_stacks.h"
#include "render/source_roots.h"

namespace wick {

struct SourceText {
  std::string path;  // as the profile has it
  std::string text;
};

// The files in which samples ended, heaviest first. Skips files that do not
// exist or are too large for source, and stops before the page gets large.
// Those outside of `roots` are noted.
std::vector<SourceText> source_texts(const Profile& profile,
                                     const PageStacks& stacks,
                                     const std::vector<PageSample>& samples,
                                     const SourceRoots& roots,
                                     Diagnostics& notes);

}  // namespace wick
