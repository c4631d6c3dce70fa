/// Words of a journal's line, as they are written and read.
#pragma once

#include <string>
#include <string_view>

#include "engine/support/base/error.h"

namespace tw::journal {

/// As it is, or in quotes where it would not be one word.
std::string word_text(std::string_view word);
/// As it is, or in quotes where the rest of a line would not give it back.
std::string rest_text(std::string_view rest);
/// The shortest digits that give the same number back.
std::string number_text(double number);

/// Reads one line from left to right.
class Reader {
public:
  Reader(std::string_view line, Place place) : line_(line), place_(std::move(place)) { skip(); }

  bool at_end() const { return at_ == line_.size(); }
  size_t position() const { return at_; }
  void go_to(size_t position) { at_ = position; }
  /// The next word, unquoted. Errors: unusable_argument.
  Result<std::string> word(std::string_view what);
  /// What is left, unquoted when it is one quoted word.
  Result<std::string> rest(std::string_view what);
  Result<double> number(std::string_view what);
  Result<int> integer(std::string_view what);
  /// The next word when it is written without quotes and is this one; else nothing happens.
  bool take(std::string_view word);
  Status end();
  std::unexpected<Error> wrong(std::string message) const { return wrong(std::move(message), at_); }
  std::unexpected<Error> wrong(std::string message, size_t at) const;

private:
  void skip();
  Result<std::string> quoted();

  std::string_view line_;
  Place place_;
  size_t at_ = 0;
};

}  // namespace tw::journal
