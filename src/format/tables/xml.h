// SPDX-License-Identifier: Apache-2.0
// XML, one tag or text at a time. Nothing is kept of what came before, so the
// nesting of the input costs nothing; whether tags match is the caller's
// business. Comments, processing instructions and declarations are passed over,
// and no entity but the five of XML and characters by number is known, so
// nothing can grow.
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

// "a &amp; b" as "a & b". What is no entity stays as it is.
std::string xml_unescaped(std::string_view text);

}  // namespace wick
