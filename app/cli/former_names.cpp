#include "app/cli/former_names.h"

#include <fmt/format.h>

#include <span>

namespace tw::cli {
namespace {

struct Former {
  std::string name, now;
};

std::span<Former const> former_commands() {
  static Former const table[] = {{"legal", "suggest"}, {"history", "records"}};
  return table;
}

std::span<Former const> former_options() {
  static Former const table[] = {{"--fix", "--shape"},
                                 {"--arrange", "--graph-option"},
                                 {"--cut", "--partition"},
                                 {"--open", "--symbolic"}};
  return table;
}

std::string replaced(std::string& word, Former const& one) {
  word.replace(0, one.name.size(), one.now);
  return fmt::format("'{}' is now '{}'", one.name, one.now);
}

/// The first word that is neither an option nor the value of one: only one option has a value
/// there.
size_t place_of_command(std::vector<std::string> const& words) {
  size_t at = 0;
  while (at < words.size() && words[at].starts_with("-")) at += words[at] == "--macros" ? 2 : 1;
  return at;
}

}  // namespace

std::vector<std::string> replace_former_names(std::vector<std::string>& words) {
  std::vector<std::string> said;
  size_t command = place_of_command(words);
  for (Former const& one : former_commands())
    if (command < words.size() && words[command] == one.name)
      said.push_back(replaced(words[command], one));
  for (Former const& one : former_options()) {
    bool is_said = false;
    for (std::string& word : words) {
      if (word == "--") break;
      if (word != one.name && !word.starts_with(one.name + "=")) continue;
      std::string sentence = replaced(word, one);
      if (!is_said) said.push_back(std::move(sentence));
      is_said = true;
    }
  }
  return said;
}

}  // namespace tw::cli
