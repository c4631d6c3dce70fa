#include "app/shared/journal/forms.h"
#include "engine/session/facts/code_facts.h"
#include "engine/session/facts/launch_facts.h"

namespace tw::journal {
namespace {

/// Of the window as a whole, and of a replay.
FactInfo const kWindowFacts[] = {
    {"status", "words", "the message at the bottom of the window"},
    {"view", "words", "the tab shown in the centre"},
    {"theme", "words", "dark, light or high-contrast"},
    {"text.scale", "", "the scale of text and everything else, in percent"},
    {"window.width", "", "in logical pixels"},
    {"window.height", "", "in logical pixels"},
    {"dialog", "words", "name of the open dialog, or none"},
    {"project", "words", "name of the project's file, or none"},
    {"project.changed", "words", "yes if there are changes that are not saved in its file"},
    {"project.embeds", "words", "yes if the project contains a copy of its model"},
    {"elapsed", "ms", "time from the last action until the window settled"},
};

}  // namespace

std::vector<FactInfo> const& facts() {
  static std::vector<FactInfo> const all = [] {
    std::vector<FactInfo> list;
    for (session::Fact const& fact : session::facts()) list.push_back(fact.info);
    for (FactInfo const& fact : session::code_facts()) list.push_back(fact);
    for (FactInfo const& fact : session::launch_facts()) list.push_back(fact);
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
  return session::is_code_fact(fact);
}

}  // namespace tw::journal
