/// A journal: what was done in a window, a line for each action, and what was expected to be seen.
/// It is written while somebody works, read by people, and replayed as a test.
///
///     tilewright journal 1
///     # A comment is a line of its own.
///     sample resnet18
///     kernel conv2d_64x56x56_3x3
///     step o.0, o.1 = split(conv2d.o, factor=8)
///     expect state correct
///     expect kernel.time < 200 ms
///
/// Everything that is printed parses back to the same values.
#pragma once

#include <any>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeindex>
#include <utility>
#include <variant>
#include <vector>

#include "app/shared/journal/actions.h"
#include "engine/session/facts/facts.h"
#include "engine/session/session.h"
#include "engine/support/base/error.h"

namespace tw::journal {

// ---- actions -------------------------------------------------------------------------------

/// A command of the session, something that the window does (actions.h), or something that one of
/// its panes does: any value that has a form.
class Action {
public:
  Action() = default;  ///< nothing
  template <typename T>
  requires(!std::is_same_v<T, Action>) Action(T what) {
    if constexpr (session::OfSession<T>)
      what_ = session::Command(std::move(what));
    else
      what_ = std::move(what);
  }
  /// Null: it is something else. A command of the session is found by itself, too.
  template <typename T>
  T const* as() const {
    if constexpr (session::OfSession<T>) {
      auto const* command = std::any_cast<session::Command>(&what_);
      return command ? command->as<T>() : nullptr;
    } else {
      return std::any_cast<T>(&what_);
    }
  }
  template <typename T>
  T* as() {
    return const_cast<T*>(std::as_const(*this).as<T>());
  }
  /// Of all commands of the session it is the same.
  std::type_index kind() const { return what_.type(); }

private:
  std::any what_;
};

// ---- what a journal expects ----------------------------------------------------------------

enum class Compare : uint8_t { kIs, kIsNot, kLess, kAtMost, kMore, kAtLeast, kContains };

/// A fact of the window has a value: `expect kernel.time < 5 ms`, `expect refusal none`.
struct Expect {
  std::string fact;
  Compare compare = Compare::kIs;
  double number = 0;  ///< of a fact that is one, in the fact's unit
  std::string text;   ///< of a fact in words
  bool operator==(Expect const&) const = default;
};

/// What can be expected; lines may say us, ms or s of a time.
using FactInfo = session::FactInfo;
std::vector<FactInfo> const& facts();
/// Whether the session knows it, so that no window is needed.
bool is_of_session(std::string const& fact);

// ---- text ----------------------------------------------------------------------------------

struct Line {
  int number = 0;  ///< 1-based, in its file
  std::variant<Action, Expect> what;
};
struct Journal {
  std::string file;
  std::vector<Line> lines;
};

constexpr char kHeader[] = "tilewright journal 1";

/// Errors: not_a_journal, unknown_version, unknown_action, unusable_argument, unknown_fact; with
/// file, line and column.
Result<Journal> parse(std::string_view text, std::string const& file = "");
/// One line without its end. An action that has no form yet is a comment that says so.
std::string to_text(Action const& action);
std::string to_text(Expect const& expect);
std::string to_text(Journal const& journal);
bool has_form(Action const& action);

/// Who carries out an action.
enum class Who : uint8_t {
  kSession,
  kWindow,  ///< a window; the session is afterwards what it was
  kBoth,    ///< a window, and the session is another one afterwards
};

/// The words of a form, its fields, and what it does: for a help page.
struct FormInfo {
  std::string words, fields, doc;
  Who who = Who::kWindow;
  std::string former = {};  ///< the words that older journals have for it
};
std::vector<FormInfo> form_list();
/// One action of every kind that exists, with default fields: a test goes through them.
std::vector<Action> one_of_each();

/// What a view is called now that had this name, or the name itself: older journals, lessons and
/// projects have others.
std::string view_called(std::string const& name);

/// The action replaces the one before it when that is of the same kind: a pointer that moves, a
/// window that grows.
bool replaces(Action const& next, Action const& before);

}  // namespace tw::journal
