/// A macro: a script with parameters, that a script uses like a primitive. `.twm` files hold one
/// each.
///     tilewright macro 1
///     macro vectorize_inner(loop i) -> i.0, i.1
///     title "Vectorize the inner part of a loop"
///     number lanes from 2 to 64 = 8 "iterations that become lanes"
///     steps
///     i.0, i.1 = split(i, factor=lanes)
///     vectorize(i.1)
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/schedule/primitive.h"
#include "engine/support/base/error.h"

namespace tw {

struct MacroLine {
  int number = 0;    ///< of the file
  std::string text;  ///< as it stands there: places of errors are found in it
  Step step;
};

struct Macro {
  /// Name, title, doc, targets and parameters, from which a dialog, a help page and the checks of a
  /// step are made as from a primitive's. It has no check and no rewriting of its own.
  Primitive head;
  std::vector<std::string> targets;            ///< what the body calls them
  std::vector<std::string> gives;              ///< names of the body, in the order of `Step::gives`
  std::map<std::string, std::string> presets;  ///< of parameters that are words
  std::vector<MacroLine> body;
  std::string file;
  int line = 0;  ///< of the file: where its name stands
};

/// Errors: not_a_macro, unknown_version, bad_token and those of what a line should be, each with
/// line and column; name_taken. Whether its steps can be is what `MacroSet` says.
Result<Macro> parse_macro(std::string_view text, std::string const& file);
std::string to_text(Macro const& macro);

/// Place of a word in a line of the body.
Place place_of(Macro const& macro, MacroLine const& line, std::string_view word);

}  // namespace tw
