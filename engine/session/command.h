/// One of the session's commands, whichever it is.
#pragma once

#include <any>
#include <concepts>
#include <typeindex>
#include <utility>

namespace tw::session {

template <typename T>
concept OfSession = requires {
  requires T::kOfSession;
};

/// A value of any struct that is a command: what can be done is the table of `commands/`, and grows
/// by a file.
class Command {
public:
  template <OfSession T>
  Command(T what) : what_(std::move(what)) {}
  /// Null: it is another one.
  template <OfSession T>
  T const* as() const {
    return std::any_cast<T>(&what_);
  }
  std::type_index kind() const { return what_.type(); }

private:
  std::any what_;
};

}  // namespace tw::session
