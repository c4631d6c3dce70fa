/// The macros that there are: those of the program and a user's own.
#pragma once

#include <filesystem>
#include <span>

#include "engine/schedule/macros/macro.h"

namespace tw {

struct MacroSource {
  std::string file;
  std::string text;
};

/// Written by CMake from the files in `resources/macros/`.
std::vector<MacroSource> builtin_macros();
/// Every `.twm` file of a folder, by name; a folder that is not there has none. One that cannot be
/// read is among `errors`.
std::vector<MacroSource> macros_in(std::filesystem::path const& folder, std::vector<Error>& errors);

/// Its macros can be expanded: their steps are written as primitives and other macros ask for, and
/// none uses itself.
class MacroSet {
public:
  MacroSet() = default;
  /// A source that is no macro, or uses what is none, is left out; `errors` says why, with its
  /// place, after those of before. Of two with one name the first stays.
  explicit MacroSet(std::vector<MacroSource> const& sources, std::vector<Error> errors = {});

  std::span<Macro const> all() const { return macros_; }  ///< by name
  std::vector<Error> const& errors() const { return errors_; }
  Macro const* find(std::string_view name) const;

private:
  void leave_out_unusable();

  std::vector<Macro> macros_;
  std::vector<Error> errors_;
};

/// Those of the program alone. Every schedule knows them: a step that is one of them is one step of
/// its trace, and one line of its script.
MacroSet const& program_macros();

/// Those of the program and those of the folders. Of what cannot be read `errors` of the set tells,
/// too.
MacroSet load_macros(std::span<std::filesystem::path const> folders);

}  // namespace tw
