/// Makes the rows of forms: the words that begin a line, what it does, and how each member of the
/// action is written.
#pragma once

#include <fmt/format.h>

#include <algorithm>

#include "app/shared/journal/forms.h"

namespace tw::journal {

// ---- fields: how one member of an action is written ----------------------------------------

template <typename T>
struct Word {
  std::string T::*member;
  std::string name;
  std::vector<std::string> choices = {};  ///< empty: any word
  std::string text(T const& a) const { return " " + word_text(a.*member); }
  Status parse(T& a, Reader& reader) const {
    size_t begin = reader.position();
    TRY_ASSIGN(a.*member, reader.word(name));
    if (choices.empty() || std::find(choices.begin(), choices.end(), a.*member) != choices.end())
      return {};
    return reader.wrong(
        fmt::format("{} is {}, not '{}'", name, fmt::join(choices, " or "), a.*member), begin);
  }
};
template <typename T>
struct Optional {  ///< a word that may be missing at the end
  std::string T::*member;
  std::string name;
  std::string text(T const& a) const {
    return (a.*member).empty() ? "" : " " + word_text(a.*member);
  }
  Status parse(T& a, Reader& reader) const {
    if (reader.at_end()) return {};
    TRY_ASSIGN(a.*member, reader.word(name));
    return {};
  }
};
template <typename T>
struct Rest {
  std::string T::*member;
  std::string name;
  std::string text(T const& a) const { return " " + rest_text(a.*member); }
  Status parse(T& a, Reader& reader) const {
    TRY_ASSIGN(a.*member, reader.rest(name));
    return {};
  }
};
template <typename T>
struct OptionalRest {
  std::string T::*member;
  std::string name;
  std::string text(T const& a) const {
    return (a.*member).empty() ? "" : " " + rest_text(a.*member);
  }
  Status parse(T& a, Reader& reader) const {
    if (reader.at_end()) return {};
    TRY_ASSIGN(a.*member, reader.rest(name));
    return {};
  }
};
template <typename T, typename N>
struct Number {
  N T::*member;
  std::string name;
  std::string text(T const& a) const { return fmt::format(" {}", a.*member); }
  Status parse(T& a, Reader& reader) const {
    if constexpr (std::is_same_v<N, int>) {
      TRY_ASSIGN(a.*member, reader.integer(name));
    } else {
      TRY_ASSIGN(a.*member, reader.number(name));
    }
    return {};
  }
};
template <typename T>
struct Flag {
  bool T::*member;
  std::string name;
  std::string text(T const& a) const { return a.*member ? " " + name : ""; }
  Status parse(T& a, Reader& reader) const {
    a.*member = reader.take(name);
    return {};
  }
};
/// A value behind its name; not written where it is empty or 0.
template <typename T, typename V>
struct Named {
  V T::*member;
  std::string name;
  std::string text(T const& a) const {
    if (a.*member == V()) return "";
    if constexpr (std::is_same_v<V, double>)
      return " " + name + " " + number_text(a.*member);
    else if constexpr (std::is_same_v<V, int>)
      return fmt::format(" {} {}", name, a.*member);
    else
      return " " + name + " " + word_text(a.*member);
  }
  Status parse(T& a, Reader& reader) const {
    if (!reader.take(name)) return {};
    if constexpr (std::is_same_v<V, double>) {
      TRY_ASSIGN(a.*member, reader.number("what follows " + name));
    } else if constexpr (std::is_same_v<V, int>) {
      TRY_ASSIGN(a.*member, reader.integer("what follows " + name));
    } else {
      TRY_ASSIGN(a.*member, reader.word("what follows " + name));
    }
    return {};
  }
};
template <typename T>
Word(std::string T::*, char const*) -> Word<T>;
template <typename T, typename N>
Number(N T::*, char const*) -> Number<T, N>;

/// One row: the words that begin the line, what it does, and the members that follow.
template <typename T, typename... Fields>
Form row(std::string words, std::string doc, Fields... fields) {
  Form form;
  std::string names;
  ((names += (names.empty() ? "" : " ") + fields.name), ...);
  form.info = {words, names, std::move(doc)};
  form.print = [words, fields...](Action const& action) -> std::optional<std::string> {
    T const* known = action.as<T>();
    if (!known) return {};
    std::string line = words;
    ((line += fields.text(*known)), ...);
    return line;
  };
  form.parse = [fields...](Reader& reader, Action& into) -> Status {
    [[maybe_unused]] T action;
    Status status;
    ((status = status ? fields.parse(action, reader) : status), ...);
    TRY(status);
    TRY(reader.end());
    into = action;
    return {};
  };
  form.example = T();
  return form;
}

template <typename T, typename V>
V const& value_at(Action const& action, V T::*member) {
  return action.as<T>()->*member;
}
/// For `Form::replacing`: both have the same value there.
template <auto member>
bool same(Action const& next, Action const& before) {
  return value_at(next, member) == value_at(before, member);
}

}  // namespace tw::journal
