// SPDX-License-Identifier: Apache-2.0
#include "format/tables/xml.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

// The tokens of `xml` in short: "<a>", "</a>", "text".
std::string tokens(std::string_view xml) {
  XmlReader reader(xml);
  std::string out;
  using Token = XmlReader::Token;
  for (Token token; (token = reader.next()) != Token::kEnd;) {
    if (token == Token::kText) out += "[" + reader.text() + "]";
    if (token == Token::kOpen) out += "<" + std::string(reader.name()) + ">";
    if (token == Token::kClose) out += "</" + std::string(reader.name()) + ">";
  }
  if (reader.cut_off()) out += "…";
  return out;
}

TEST(Xml, GivesTagsAndTexts) {
  EXPECT_EQ(tokens("<a>x<b/>y</a>"), "<a>[x]<b></b>[y]</a>");
}

TEST(Xml, SkipsWhatIsNotContent) {
  EXPECT_EQ(tokens("<?xml version=\"1.0\"?><!DOCTYPE a><a><!-- <b> --></a>"),
            "<a></a>");
}

TEST(Xml, ResolvesEntities) {
  EXPECT_EQ(tokens("&lt;&amp;&gt;&quot;&apos;&#65;&#x2028;&no;&"),
            "[<&>\"'A\xe2\x80\xa8&no;&]");
}

TEST(Xml, LeavesCdataUnchanged) {
  EXPECT_EQ(tokens("<a><![CDATA[<b>&amp;]]></a>"), "<a>[<b>&amp;]</a>");
}

TEST(Xml, GivesAttributes) {
  XmlReader reader("<a x='1' y = \"&lt;>\" z=\"/\"/>");
  EXPECT_EQ(reader.next(), XmlReader::Token::kOpen);
  EXPECT_EQ(reader.attribute("x"), "1");
  EXPECT_EQ(reader.attribute("y"), "<>");
  EXPECT_EQ(reader.attribute("z"), "/");
  EXPECT_EQ(reader.attribute("w"), std::nullopt);
  EXPECT_EQ(reader.next(), XmlReader::Token::kClose);
  EXPECT_EQ(reader.next(), XmlReader::Token::kEnd);
}

TEST(Xml, ReportsThatItIsCutOff) {
  EXPECT_EQ(tokens("<a><b x=\"1"), "<a>…");
  EXPECT_EQ(tokens("<a><!-- x"), "<a>…");
  EXPECT_EQ(tokens("<a><![CDATA[x"), "<a>…");
}

}  // namespace
}  // namespace wick
