/// The forms of a journal's lines: a row for each kind of action.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "app/shared/journal/journal.h"
#include "app/shared/journal/words.h"

namespace tw::journal {

/// The next action takes the place of the one before, of the same kind.
using Replaces = bool (*)(Action const& next, Action const& before);

struct Form {
  FormInfo info;
  /// The whole line; nothing when the action is of another kind, or of another form of its kind.
  std::function<std::optional<std::string>(Action const&)> print;
  std::function<Status(Reader&, Action& into)> parse;
  Action example = {};          ///< with default fields
  Replaces replaces = nullptr;  ///< null: every one is kept

  Form of(Who who) && { return info.who = who, std::move(*this); }
  /// Journals that were written before begin the line with these words.
  Form formerly(std::string words) && { return info.former = std::move(words), std::move(*this); }
  /// Only the last of several in a row is kept, as of a pointer that moves; `when` both are like
  /// this.
  Form replacing(Replaces when = [](Action const&, Action const&) { return true; }) && {
    return replaces = when, std::move(*this);
  }
};
std::vector<Form> const& forms();
/// Null: it has none.
Form const* form_of(Action const& action);

/// What one pane of the window adds to journals. The table is made of the folders
/// app/window/panes/NAME that have a journal.cpp: `journal::Vocabulary const& vocabulary_NAME()`.
struct Vocabulary {
  std::vector<Form> forms;
  std::vector<FactInfo> facts;
  std::vector<std::string> views = {};  ///< names of the views inside of it, besides its own
  /// What older journals, lessons and projects call a view, and its name now.
  std::vector<std::pair<std::string, std::string>> former_views = {};
};

}  // namespace tw::journal

namespace tw {
std::span<journal::Vocabulary const* const> vocabulary_table();
/// The names of the window's panes.
std::span<std::string const> pane_names();
}  // namespace tw
