/// The calls of a nest as the loops around it go on: made once, then moved.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "targets/vta/compiler/stages/nest.h"
#include "targets/vta/compiler/stages/stage.h"

namespace tw::vta {

/// A loop, or a bound value, that stands still around a statement.
struct Around {
  void const* node = nullptr;
  std::string const* name = nullptr;
  int64_t value = 0;
};
using Arounds = std::vector<Around>;  ///< outermost first

/// Where loops around stand, in two forms.
struct Position {
  Arounds const& around;
  Standing const& standing;
};

/// base + sum of factors * (value of what stands around), of an index or a condition.
class SteppedForm {
public:
  /// Nothing where a term is neither a value of `around` nor one of the loops in `running`.
  static std::optional<SteppedForm> create(arith::Linear const& linear, Arounds const& around,
                                           std::vector<std::string> const& running);
  std::optional<int64_t> at(Position const& position) const;
  std::vector<int64_t> const& running() const { return running_; }

private:
  int64_t constant_ = 0;
  std::vector<std::pair<size_t, int64_t>> around_;  ///< number of what stands around, factor
  std::vector<arith::Linear::Term> others_;         ///< say nothing of loops that run
  std::vector<int64_t> running_;                    ///< factors of loops that run
};

/// What one nest becomes. Calls are the same for two positions of the loops around, but for where
/// their elements begin, if its guards leave the same iterations of its loops, tensors lie where
/// they lay, and all elements of a tensor have moved alike, by whole elements.
class SteppedCalls {
public:
  SteppedCalls(Chain const& chain, Arounds const& around);

  /// False where the calls must be made.
  bool append(Position const& position, int64_t places, std::vector<StageCall>& calls);
  /// What was made right after `append` could not. `asked`: all elements that were looked at.
  /// `scalars`: of an element of each operand.
  void note(std::span<StageCall const> calls, std::vector<AskedElement> const& asked,
            std::array<int64_t, 3> const& scalars, Position const& position, int64_t places);

private:
  /// The iterations that a condition leaves of one loop.
  struct Condition {
    std::optional<SteppedForm> form;  ///< >= 0; else:
    ir::Expr value;                   ///< != 0
  };
  struct Element {
    SteppedForm form;
    int64_t scalars = 1;
    int64_t begin = 0;  ///< where `calls` reach it, in scalars
    size_t with = 0;    ///< first element of the same tensor: it must have moved alike
  };
  /// Calls with what they were made for.
  struct Made {
    std::vector<int64_t> iterations;  ///< of the loops, as conditions leave them
    int64_t places = 0;
    std::vector<Element> elements;
    std::vector<StageCall> calls;
    std::vector<std::array<int, 3>> reached;  ///< numbers of elements, per call and operand
  };

  void add_condition(ir::Expr const& condition, Arounds const& around);
  void add_difference(arith::Linear const& difference, Arounds const& around);
  bool iterations_at(Position const& position);
  bool append(Made const& made, Position const& position, std::vector<StageCall>& calls) const;
  bool stands_in(Arounds const& around) const;

  bool steps_ = true;  ///< else every position is asked for by itself
  std::vector<void const*> around_;
  std::vector<std::string> running_;
  std::vector<int64_t> extents_;  ///< of the nest's loops, the first of `running_`
  std::vector<Condition> conditions_;
  std::vector<int64_t> iterations_;  ///< at the position that was asked for last
  std::vector<Made> made_;
};

}  // namespace tw::vta
