#include "app/cli/suggestion.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "app/cli/command_tree.h"

namespace tw::cli {
namespace {

/// Letters to change, to leave out, to put in, or neighbours to swap.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> rows(a.size() + 1, std::vector<size_t>(b.size() + 1));
  std::iota(rows[0].begin(), rows[0].end(), size_t(0));
  for (size_t i = 1; i <= a.size(); ++i) {
    rows[i][0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      rows[i][j] = std::min(
          {rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) rows[i][j] = std::min(rows[i][j], rows[i - 2][j - 2] + 1);
    }
  }
  return rows[a.size()][b.size()];
}

std::string meant(std::string const& near, std::string const& otherwise) {
  return near.empty() ? otherwise : fmt::format("did you mean {}?", near);
}

}  // namespace

std::string nearest(std::string const& word, std::vector<std::string> const& known) {
  constexpr size_t kMostNamed = 3;
  size_t most = std::max<size_t>(1, word.size() / 3), best = most;
  for (std::string const& one : known) best = std::min(best, distance(word, one));
  std::vector<std::string> near;
  for (std::string const& one : known) {
    bool begins = word.size() >= 3 && one.starts_with(word);
    if ((begins || distance(word, one) <= best) && near.size() < kMostNamed) near.push_back(one);
  }
  return fmt::format("{}", fmt::join(near, " or "));
}

std::optional<std::string> unknown_word(CLI::App const& app,
                                        std::vector<std::string> const& words) {
  CLI::App const* at = &app;
  std::string path = app.get_name();
  for (size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    std::string word = words[i].substr(0, words[i].find('='));
    if (word.starts_with("--")) {
      CLI::Option const* option = find_option(*at, word);
      if (option == nullptr)
        return fmt::format("{} has no option {}; {}", path, word,
                           meant(nearest(word, option_names(*at)),
                                 fmt::format("'{} --help' lists its options", path)));
      bool takes_next = option->get_items_expected_min() > 0 && word.size() == words[i].size();
      i += takes_next;
      continue;
    }
    if (word.starts_with("-")) continue;
    std::vector<CLI::App const*> commands = commands_of(*at);
    if (commands.empty()) continue;  // a file, a name
    auto found = std::ranges::find(commands, word, &CLI::App::get_name);
    if (found == commands.end()) {
      std::vector<std::string> names;
      for (CLI::App const* command : commands) names.push_back(command->get_name());
      return fmt::format(
          "{} has no command '{}'; {}", path, word,
          meant(nearest(word, names), fmt::format("the commands are {}", fmt::join(names, ", "))));
    }
    at = *found;
    path += " " + word;
  }
  return {};
}

}  // namespace tw::cli
