// SPDX-License-Identifier: Apache-2.0
// XML, one tag or text at a time. The reader keeps no state, so nesting costs
// nothing; whether tags match is up to the caller. Comments, processing
// instructions and declarations are skipped. Only the five entities of XML and
// numeric characters are known, so text cannot grow.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace wick {

class XmlReader {
 public:
  enum class Token { kOpen, kClose, kText, kEnd };

  // `text` must outlive the reader.
  explicit XmlReader(std::string_view text) : rest_(text) {}

  // The next token. An empty element, <a/>, is a kOpen and a kClose.
  Token next();

  // Of kOpen and kClose.
  std::string_view name() const { return name_; }
  // Of kOpen: the value with its entities resolved.
  std::optional<std::string> attribute(std::string_view name) const;
  // Of kText: entities resolved.
  std::string text() const;

  // The input ended inside a tag or a comment.
  bool cut_off() const { return cut_off_; }

 private:
  Token read_tag();
  bool skip_past(std::string_view end);

  std::string_view rest_;
  std::string_view name_, attributes_, text_;
  bool is_cdata_ = false;
  bool closes_ = false;  // the tag that was opened is empty
  bool cut_off_ = false;
};

// "a & b" for "a &amp; b". Unknown entities stay unchanged.
std::string xml_unescaped(std::string_view text);

}  // namespace wick
