/// A program and the steps that made it. Immutable: applying a step gives a new schedule that
/// shares what did not change.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <vector>

#include "engine/schedule/primitive.h"

namespace tw {

struct SizedProgram;  // open_sizes.h

struct TakenStep {
  Step step;          ///< with `gives` filled in
  std::string proof;  ///< why it was legal
};

class Schedule {
public:
  explicit Schedule(ir::Program program, std::shared_ptr<Target const> target = any_target());
  /// Of a program that has sizes from the start.
  explicit Schedule(SizedProgram const& program,
                    std::shared_ptr<Target const> target = any_target());

  /// What it is for: its memories, axes and limits decide what is legal.
  Target const& target() const { return *target_; }
  ir::Program const& program() const { return state_->program; }
  /// The same with its sizes open; null where it has none. `program` is it with the values that are
  /// shown.
  SizedProgram const* sized() const { return state_->sized.get(); }
  /// The program before any step.
  ir::Program const& origin() const { return *origin_; }
  std::vector<TakenStep> const& trace() const { return state_->trace; }

  /// The step taken, or why not. Errors in the step itself (unknown primitive, loop or argument)
  /// are refusals with the codes of `validate`.
  std::expected<Schedule, Refusal> apply(Step const& step,
                                         ProofBudget budget = ProofBudget::kWork) const&;
  /// The same; when the step is taken its own trace is moved on and not copied, so that a script
  /// takes time in proportion to its length.
  std::expected<Schedule, Refusal> apply(Step const& step,
                                         ProofBudget budget = ProofBudget::kWork) &&;
  /// Legal or why not, without rewriting.
  std::expected<Proof, Refusal> check(Step const& step,
                                      ProofBudget budget = ProofBudget::kWork) const;
  /// Where loops of the schedule before the last step are now.
  CursorMap const& last_cursors() const { return state_->cursors; }

  std::string script() const;  ///< of the whole trace

private:
  struct State {
    ir::Program program;
    std::shared_ptr<SizedProgram const> sized;
    std::vector<TakenStep> trace;
    CursorMap cursors;
  };
  std::expected<Schedule, Refusal> take(Step const& step, ProofBudget budget, State* own) const;

  std::shared_ptr<ir::Program const> origin_;
  std::shared_ptr<Target const> target_;
  std::shared_ptr<State> state_;  ///< changes only where nobody else holds it
};

}  // namespace tw
