/// What a template of schedules leaves open. A template is a function that asks for each choice as
/// it comes to it; what it would choose by itself is the preset, so that a template without answers
/// is a rule, and every other answer is another point of its space. Which choices there are may
/// depend on the ones before.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/arith/proof_budget.h"

namespace tw {

/// One choice.
struct Knob {
  std::string name;                 ///< "conv2d.vectors"
  std::vector<std::string> values;  ///< each once
  int preset = 0;                   ///< what the rule takes
  int taken = 0;
  std::string const& value() const { return values[size_t(taken)]; }
};

/// Values by the names of their knobs: a place in a space. Knobs that are not named are as the rule
/// has them.
using Point = std::map<std::string, std::string>;

/// "conv2d.copies.y=7 conv2d.vectors=2"; "by rule" for none.
std::string point_text(Point const& point);

/// The answers of one run of a template, and what it asked.
class Decisions {
public:
  /// Answers with an index into the values of a knob that `given` does not name.
  using Otherwise = std::function<int(Knob const&)>;

  Decisions() = default;
  /// `threads`: that the kernel is tried with; 0: not known.
  /// `budget`: of the steps that the template takes.
  explicit Decisions(Point given, Otherwise otherwise = {}, int threads = 0,
                     ProofBudget budget = ProofBudget::kWork)
      : given_(std::move(given)),
        otherwise_(std::move(otherwise)),
        threads_(threads),
        budget_(budget) {}

  ProofBudget budget() const { return budget_; }

  /// The preset is added where it is not among the values. A given value that is none of them is
  /// as if none were given: the choice is another one than it was made for.
  std::string choose(std::string const& name, std::vector<std::string> values,
                     std::string const& preset);
  int64_t choose(std::string const& name, std::vector<int64_t> const& values, int64_t preset);
  bool choose(std::string const& name, bool preset);
  /// How work is shared among threads: a trial on one thread says nothing about it, so that there
  /// only the preset can be chosen.
  std::string choose_sharing(std::string const& name, std::vector<std::string> values,
                             std::string const& preset);

  /// The point is not worth compiling: only the other choices are asked for from here on, and what
  /// the template returns is no schedule of this point. `reason` is a word to count by:
  /// "registers".
  void reject(std::string reason, std::string sentence);
  struct Rejection {
    std::string reason, sentence;
  };
  std::optional<Rejection> const& rejection() const { return rejection_; }

  /// In the order in which they were asked, each once.
  std::vector<Knob> const& knobs() const { return knobs_; }
  /// Every knob that is not as the rule has it.
  Point point() const;

  /// For another run of the template with the same answers.
  void forget_asked();

private:
  Point given_;
  Otherwise otherwise_;
  int threads_ = 0;
  ProofBudget budget_ = ProofBudget::kWork;
  std::vector<Knob> knobs_;
  std::optional<Rejection> rejection_;
};

}  // namespace tw
