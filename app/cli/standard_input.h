/// "-" where a command reads a file: what is piped into it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/support/base/error.h"

namespace tw::cli {

/// Standard input as a file of its own for as long as this lives: the readers of models take files.
class StandardInput {
public:
  StandardInput() = default;
  ~StandardInput();
  StandardInput(StandardInput const&) = delete;
  StandardInput& operator=(StandardInput const&) = delete;

  /// Reads it, if one of the words is "-" and not what --out takes, and puts the file in its place.
  /// The file's name ends as its content wants. Errors: bad_standard_input, where two words ask for
  /// it; those of writing.
  Status replace(std::vector<std::string>& words);
  /// Empty: it was not asked for.
  std::string file() const { return file_.string(); }

private:
  std::filesystem::path folder_, file_;
};

}  // namespace tw::cli
