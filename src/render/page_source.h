// SPDX-License-Identifier: Apache-2.0
// The source of the functions that a profile is about, for the viewer's page.
#pragma once

#include <string>
#include <vector>

#include "profile/profile.h"
#include "render/page_samples.h"
#include "render/page_stacks.h"

namespace wick {

struct SourceText {
  std::string path;  // as the profile has it
  std::string text;
};

// The files in which samples ended, those with the most weight first, as long
// as they are there, are not larger than source files are, and do not make the
// page large together.
std::vector<SourceText> source_texts(const Profile& profile,
                                     const PageStacks& stacks,
                                     const std::vector<PageSample>& samples);

}  // namespace wick
