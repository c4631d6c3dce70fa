/// Whether two threads of a block meet in an element that one of them writes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/arith/integer_sets.h"
#include "engine/ir/rewrite.h"
#include "engine/target/target.h"

namespace tw {

/// The loops of a launch's threads: their variables, and how many iterations they have.
using Threads = std::vector<std::pair<std::string, int64_t>>;

/// What stands around a statement inside of the threads.
struct AccessPlace {
  std::vector<ir::For const*> loops;  ///< outermost first
  std::vector<ir::Expr> conditions;
};

/// An access to a tensor that threads share.
struct ThreadAccess {
  std::string tensor;
  std::vector<ir::Expr> indices;
  bool writes = false;
  AccessPlace place;
  std::vector<ir::OperandAxis> axes = {};  ///< of a call's operand
  bool by_data = false;  ///< data tell, too, whether it happens: that is in no condition
};

/// How iterations of two accesses come: in the same one of the loop around both, or the second in
/// the next one, or in any later one.
enum class Order : uint8_t { kSameIteration, kNextIteration, kLaterIteration };

class ThreadRaces {
  struct Question;

public:
  ThreadRaces(Target const& target, Threads threads);

  /// Of everything in a statement that threads share.
  std::vector<ThreadAccess> accesses(ir::Stmt const& s, AccessPlace const& around) const;

  /// Of what a copy that a queue has started touches, where it is waited for: at the place
  /// `around`, in whatever iteration of the loops inside of the threads it was started.
  std::vector<ThreadAccess> landing(ir::Stmt const& launch, std::string const& queue,
                                    AccessPlace const& around) const;

  /// Whether two different threads touch one element, by accesses whose first `common` loops are
  /// the same and in the same iteration; but for kSameIteration the loop after those is the same,
  /// too, and the second access's iteration of it comes after the first one's. Exact where indices
  /// and conditions are linear but for //, %, min and max, or where there are few points, which are
  /// compared then; else, and where an index reads a tensor, no element is ruled out.
  bool meet(ThreadAccess const& first, ThreadAccess const& second, size_t common, Order order) {
    return surely_meet(first, second, common, order).value_or(true);
  }
  /// The same; nothing: that cannot be told.
  std::optional<bool> surely_meet(ThreadAccess const& first, ThreadAccess const& second,
                                  size_t common, Order order);

private:
  /// Answers with every point. Nothing: there are too many, or some cannot be told.
  std::optional<bool> meet_at_points(ThreadAccess const& first, ThreadAccess const& second,
                                     Question const& question, int64_t most) const;
  /// Answers with systems of linear conditions. Nothing: not all that stands there is linear, and
  /// what is leaves elements that both may touch.
  std::optional<bool> meet_by_rows(ThreadAccess const& first, ThreadAccess const& second,
                                   Question const& question) const;
  /// Who touches an element: the thread's number, and the iteration of the loop that carries.
  struct Toucher {
    int64_t thread = 0, iteration = 0;
    auto operator<=>(Toucher const&) const = default;
  };
  static bool comes(Toucher const& first, Toucher const& second, Order order) {
    return order == Order::kNextIteration ? first.iteration + 1 == second.iteration
                                          : first.iteration < second.iteration;
  }
  using Touchers = std::map<std::vector<int64_t>, std::vector<Toucher>>;
  /// What runs, with its extents, and how many points that makes.
  struct Points {
    Threads running;
    int64_t count = 0;
  };
  Points points_of(ThreadAccess const& access, Question const& question, int64_t most) const;
  /// False where that cannot be told.
  bool collect(ThreadAccess const& access, Question const& question, int64_t most,
               Touchers& into) const;
  struct Side;
  Side side_of(ThreadAccess const& access, Question const& question,
               std::map<std::string, int>& equal, IntegerSystem& system) const;

  Target const& target_;
  Threads threads_;
};

}  // namespace tw
