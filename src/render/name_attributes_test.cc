// SPDX-License-Identifier: Apache-2.0
#include "render/name_attributes.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace wick {
namespace {

NameAttributes of_f(const std::string& fields) {
  return parse_name_attributes("f\t" + fields + "\n").at("f");
}

TEST(NameAttributes, AreTakenFromFieldsBetweenTabs) {
  const auto f =
      of_f("title=a b\thref=https://example.org/?x=1\tclass=\"hot\"");
  EXPECT_EQ(f.title, "a b");
  EXPECT_EQ(f.href, "https://example.org/?x=1");
  EXPECT_EQ(f.frame_tag, " class=\"hot\"");
  EXPECT_EQ(f.link_tag, " target=\"_top\"");
}

TEST(NameAttributes, CannotLeaveTheirTag) {
  EXPECT_EQ(of_f("id=a\"><script>").frame_tag,
            " id=\"a&quot;&gt;&lt;script&gt;\"");
  EXPECT_EQ(of_f("g_extra=data-x=\"1\" data-y='<\"'").frame_tag,
            " data-x=\"1\" data-y=\"&lt;&quot;\"");
}

TEST(NameAttributes, HaveNoScript) {
  for (const char* fields :
       {"href=javascript:alert(1)", "href= java\x01script:alert(1)",
        "href=JAVASCRIPT:alert(1)", "href=data:text/html,x",
        "g_extra=onclick=\"x()\"", "a_extra=ONLOAD='x()'",
        "a_extra=href=\"javascript:x\"", "g_extra=style=\"x\"",
        "g_extra=><script>"})
    EXPECT_THROW(of_f(fields), UsageError) << fields;
}

TEST(NameAttributes, MayLinkToRelativeAddresses) {
  EXPECT_EQ(of_f("href=other.svg#x:y").href, "other.svg#x:y");
  EXPECT_EQ(of_f("href=/a:b").href, "/a:b");
}

TEST(NameAttributes, OfOneNameOnSeveralLinesAddUp) {
  const auto map = parse_name_attributes("f\ttitle=t\n\nf\thref=x\r\ng\n");
  EXPECT_EQ(map.at("f").title, "t");
  EXPECT_EQ(map.at("f").href, "x");
  EXPECT_EQ(map.at("g").href, "");
}

}  // namespace
}  // namespace wick
