#include "app/shared/journal/forms.h"

namespace tw::journal {
namespace {

/// Of the window as a whole, and of a replay.
FactInfo const kWindowFacts[] = {
    {"status", "words", "the line at the bottom"},
    {"view", "words", "the tab that is shown in the middle"},
    {"theme", "words", "dark, light or high-contrast"},
    {"text.scale", "", "of text and everything around it, in percent"},
    {"window.width", "", "in logical pixels"},
    {"window.height", "", "in logical pixels"},
    {"dialog", "words", "name of the dialog that is open, or none"},
    {"project", "words", "name of the project's file, or none"},
    {"project.changed", "words", "yes when there is something that its file does not have"},
    {"project.embeds", "words", "yes when the project has a copy of its model"},
    {"elapsed", "ms", "from the last action until everything was still"},
};

}  // namespace

std::vector<FactInfo> const& facts() {
  static std::vector<FactInfo> const all = [] {
    std::vector<FactInfo> list;
    for (session::Fact const& fact : session::facts()) list.push_back(fact.info);
    list.insert(list.end(), std::begin(kWindowFacts), std::end(kWindowFacts));
    for (Vocabulary const* words : vocabulary_table())
      list.insert(list.end(), words->facts.begin(), words->facts.end());
    return list;
  }();
  return all;
}

bool is_of_session(std::string const& fact) {
  for (session::Fact const& known : session::facts())
    if (known.info.name == fact) return true;
  return false;
}

}  // namespace tw::journal
