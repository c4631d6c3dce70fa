/// A schedule under construction: steps that are legal are kept, others are left out, so that a
/// default is legal by construction. What may be chosen otherwise is asked of its decisions.
#pragma once

#include <string>
#include <vector>

#include "engine/ir/program.h"
#include "engine/ir/stmt.h"
#include "engine/schedule/decisions.h"
#include "engine/schedule/schedule.h"

namespace tw {

/// One loop of a stage's plain nest.
struct RuleAxis {
  std::string name;
  int64_t extent = 1;
};
/// `e` is the block's iterator over this axis and nothing else.
bool is_iterator(ir::Expr const& e, RuleAxis const& axis);

/// A block with its axes, as the plain program has them.
struct RuleStage {
  std::string block;
  /// As it was when it was looked at: it stays, whatever later steps make of the program.
  ir::Ref<ir::Block> node = {};
  std::vector<RuleAxis> spatial, reduce;
  bool streams = false;                ///< it reads packed weights, more than caches hold
  RuleStage const* padding = nullptr;  ///< makes a tensor with padding for this stage alone
  int64_t points() const;              ///< iterations of the nest
  int64_t terms() const;               ///< of each sum
};

class Building {
public:
  Building(ir::Program const& program, std::shared_ptr<Target const> target, int split_sums,
           bool brief, Decisions& decisions)
      : schedule_(program, std::move(target)),
        split_sums_(split_sums),
        brief_(brief),
        decisions_(decisions) {}

  /// A script has 25 lines: how many sums may take the ten of partial sums, and whether steps that
  /// bring little are left out.
  bool may_split_sums() { return split_sums_-- > 0; }
  bool is_brief() const { return brief_; }

  /// A choice for a stage, "conv2d.vectors": one of `values`; `preset` is the rule's.
  template <typename T>
  T choose(RuleStage const& stage, std::string const& what, std::vector<T> const& values,
           T const& preset) {
    return decisions_.choose(stage.block + "." + what, values, preset);
  }
  bool choose(RuleStage const& stage, std::string const& what, bool preset) {
    return decisions_.choose(stage.block + "." + what, preset);
  }
  void reject(std::string reason, std::string sentence) {
    decisions_.reject(std::move(reason), std::move(sentence));
  }

  /// Takes one script line; false when it is refused.
  bool step(std::string const& line);
  Schedule const& schedule() const { return schedule_; }
  bool has_block(std::string const& name) const;

  /// Splits an axis unless the factor is its whole extent; answers (outer or "", inner).
  std::pair<std::string, std::string> split(RuleStage const& stage, RuleAxis const& axis,
                                            int64_t factor);
  /// By rule the first loop with at least `tasks` iterations runs in parallel.
  void parallel(RuleStage const& stage, std::vector<std::pair<std::string, int64_t>> const& outer,
                int64_t tasks);
  /// Loops around a stage's block before the first one of its sums or lanes, outermost first.
  std::vector<std::string> loops_outside_sums(RuleStage const& stage) const;
  /// Names of the loops around a block below one loop, outermost first.
  std::vector<RuleAxis> loops_below(std::string const& block, std::string const& loop) const;

private:
  Schedule schedule_;
  int split_sums_;
  bool brief_;
  Decisions& decisions_;
};

std::string reference(RuleStage const& stage, std::string const& loop);
/// The largest divisor of `extent` up to `most`; 1 when the extent is prime.
int64_t divisor(int64_t extent, int64_t most);
/// 1 to 16, then 20, 24, 28, 32, 64, 128, ...: how many copies a tile may have along an axis.
std::vector<int64_t> counts_up_to(int64_t most);
/// Lanes for an axis: a divisor that fills at least half a vector, or a guarded vector where the
/// extent has none or is long.
int64_t lanes_for(int64_t extent, int64_t width);

}  // namespace tw
