// SPDX-License-Identifier: Apache-2.0
// The options that a command declares. CLI11 parses them; only option_set.cc
// includes it, since its header takes several seconds to compile.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class Option;
}

namespace wick {

struct OptionInfo {
  std::vector<std::string> names;  // "-o", "--output"
  std::string value;               // placeholder: "FILE"; "" for a flag
  std::string description, default_value, group;
  bool optional_value = false;
  bool hidden = false;
};

// One option of an OptionSet, which owns it.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option* group(const std::string& name);  // "" hides it
  Option* type_name(const std::string& name);
  Option* default_str(const std::string& text);
  Option* take_last();  // if given several times, the last one counts
  Option* one_value_each();
  Option* optional_value();
  Option* excludes(Option* other);
  Option* needs(Option* other);

  std::size_t count() const;  // how often it was given
  std::string name() const;
  std::string group_name() const;

 private:
  friend class OptionSet;
  CLI::Option* option_;
};

class OptionSet {
 public:
  OptionSet();
  ~OptionSet();
  OptionSet(const OptionSet&) = delete;
  OptionSet& operator=(const OptionSet&) = delete;

  using Text = std::function<void(const std::string&)>;
  using Texts = std::function<void(const std::vector<std::string>&)>;

  // `names` are separated by commas: "-o,--output".
  Option* add_option(const std::string& names, std::string& out,
                     const std::string& description);
  Option* add_option(const std::string& names, std::vector<std::string>& out,
                     const std::string& description);
  Option* add_callback(const std::string& names, const Text& on_value,
                       const std::string& description);
  Option* add_list_callback(const std::string& names, const Texts& on_values,
                            const std::string& description);
  Option* add_flag(const std::string& names, bool& out,
                   const std::string& description);
  Option* add_flag_callback(const std::string& names,
                            std::function<void()> on_flag,
                            const std::string& description);

  std::vector<Option*> options() const;
  Option* get_option(const std::string& name) const;
  void remove_option(Option* option);

  // In the order of declaration.
  std::vector<OptionInfo> table() const;

  struct Parsed {
    std::vector<std::string> rest;  // words that are not options
    bool wants_help = false;
    std::string error;  // "" if there is none
  };
  // Exceptions of callbacks pass through.
  Parsed parse(std::vector<std::string> words);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace wick
