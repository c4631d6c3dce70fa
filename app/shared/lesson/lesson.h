/// A lesson: text beside live views, goals that check themselves on the session's facts, hints, and
/// a solution that a check plays. A file that people write; no code.
///
///     tilewright lesson 1
///     title: Loops and locality
///     minutes: 10
///     kernel:
///       kernel matmul(A: f32[512, 512], B: f32[512, 512]) -> C
///         C[i in 512, j in 512] = sum[k in 512] A[i, k] * B[k, j]
///
///     # The order of the loops
///     Text with {kernel.speed}, a fact that is shown live, and [the roofline](view:roofline).
///     goal: Let the columns run innermost | loops.order = C.i, C.k, C.j
///     hint: Press R.
///     solution:
///       step reorder(C.i, C.k, C.j)
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/shared/journal/journal.h"
#include "engine/support/base/error.h"

namespace tw::lesson {

/// What is reached when a fact of the session is as expected; or a question, whose answer a fact
/// gives.
struct Goal {
  int line = 0;
  std::string text;
  bool asks = false;
  journal::Expect expect;            ///< of a question only the fact
  std::vector<std::string> choices;  ///< of a question in words; empty: a number is asked for
};

struct Hint {
  int line = 0;
  std::string text;
  int seconds = 90;  ///< without progress, until it is shown
};

/// A line of the solution. Without an action it is `answer`, which answers the next open question
/// with what the fact says.
struct Move {
  int line = 0;
  std::string text;
  std::optional<journal::Action> action;
  std::optional<journal::Expect> when;  ///< only where this holds: "when machine.vector_bytes < 64"
};

/// Of the text: what it names must exist.
struct Mention {
  enum class Kind : uint8_t { kView, kFact, kKernel, kLoop, kFile };
  Kind kind = Kind::kView;
  std::string name;
  int line = 0;
};

struct Step {
  int line = 0;
  std::string title;
  std::string text;  ///< Markdown; facts in braces, links to views, kernels and loops
  std::vector<Goal> goals;
  std::vector<Hint> hints;
  std::vector<Move> solution;
  std::vector<Mention> mentions;
};

struct Lesson {
  std::string file;   ///< as it was named
  std::string name;   ///< of the file, without its ending
  std::string title;  ///< "Loops and locality"
  std::string about;  ///< one sentence for a list
  int minutes = 10;
  std::vector<Move> start;  ///< what opens what the lesson is about
  std::vector<Step> steps;

  int goals() const;
};

constexpr char kHeader[] = "tilewright lesson 1";

/// Errors: not_a_lesson, unknown_version, bad_lesson, and those of journals' lines; with file, line
/// and a sentence. A fact or a view that does not exist is one, wherever it is named.
Result<Lesson> parse(std::string_view text, std::string const& file = "");
/// What parses to the same lesson.
std::string to_text(Lesson const& lesson);

/// The text of a step with its facts as they are now; an unknown one is "...".
std::string shown_text(Step const& step,
                       std::function<std::optional<session::FactValue>(std::string const&)> const&);

// ---- those of the program ------------------------------------------------------------------

struct Source {
  std::string file, text;
};
/// Written by CMake from the files in `resources/lessons/`.
std::vector<Source> builtin_sources();

/// For a list: the start page, a palette.
struct Card {
  std::string name, title, about;
  int minutes = 0;
  std::vector<std::string> goals;  ///< of all steps, as the lesson says them; no questions
  std::string kernel;              ///< the tensor expression that it is about; empty: a sample
};
/// In the order in which one learns.
std::vector<Card> cards();

/// One of the program's, by its name or its number in the list; or a file. Errors: unknown_lesson,
/// those of a file and of `parse`.
Result<Lesson> open(std::string const& name_or_file);

/// The names of views that a lesson may show: of the window's tabs, in small letters.
std::vector<std::string> const& view_names();

}  // namespace tw::lesson
