/// The forms of a journal's lines: a row for each kind of action.
#pragma once

#include <functional>
#include <optional>

#include "app/shared/journal/journal.h"
#include "app/shared/journal/words.h"

namespace tw::journal {

struct Form {
  FormInfo info;
  /// The whole line; nothing when the action is of another kind, or of another form of its kind.
  std::function<std::optional<std::string>(Action const&)> print;
  std::function<Result<Action>(Reader&)> parse;
};
std::vector<Form> const& forms();

}  // namespace tw::journal
