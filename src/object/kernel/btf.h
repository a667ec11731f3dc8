// SPDX-License-Identifier: Apache-2.0
// BTF: the types of a kernel, embedded in it (section .BTF,
// /sys/kernel/btf/vmlinux). Only the offsets of structure members and the ids
// of functions are read.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace wick {

class Btf {
 public:
  // Nothing if it is not BTF or is damaged. `bytes` may continue after it and
  // must outlive the result.
  static std::optional<Btf> parse(std::string_view bytes);
  // The first BTF in `bytes`, a kernel image for example, that has a struct of
  // this name.
  static std::optional<Btf> find(std::string_view bytes,
                                 std::string_view with_struct);

  // The byte offset of a member, such as "f_path.dentry", also in an unnamed
  // union. Nothing if there is none or it is a bit field.
  std::optional<std::uint64_t> offset(std::string_view struct_name,
                                      std::string_view member) const;
  bool has_struct(std::string_view name) const;
  // The id of a function's type.
  std::optional<std::uint32_t> function(std::string_view name) const;

 private:
  struct Type {
    std::uint32_t name = 0, info = 0, size_or_type = 0;
    std::uint32_t members = 0;  // where they are in types_bytes_
  };
  struct Place {
    std::uint64_t bits = 0;
    std::uint32_t type = 0;
  };

  // Whether the string there is `text`, without searching for its end.
  bool has_text(std::uint32_t at, std::string_view text) const;
  std::uint32_t find_struct(std::string_view name) const;
  std::uint32_t without_modifiers(std::uint32_t type) const;
  // `left`: members that may still be examined.
  std::optional<Place> find_member(std::uint32_t type, std::string_view name,
                                   int depth, std::uint32_t& left) const;

  std::string_view type_bytes_, strings_;
  std::vector<Type> types_;  // by id; 0 is void
};

}  // namespace wick
