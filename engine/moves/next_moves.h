/// What a person may do next: legal moves with arguments that make sense, the one that is modelled
/// to bring most first.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/analysis/time_model.h"
#include "engine/hardware/hardware.h"
#include "engine/schedule/schedule.h"
#include "engine/support/base/job.h"

namespace tw::moves {

/// Says what a program takes; of no time where nothing is known. Asked by several threads at once.
using Model = std::function<analysis::TimeModel(ir::Program const& program)>;

struct NextMove {
  std::string idea;         ///< "register_tile"
  std::string about;        ///< a block or a tensor
  std::string tensor;       ///< that is made, held or stored in another way; empty: none
  std::string effect;       ///< in a few words
  std::vector<Step> steps;  ///< each legal behind the one before, and proved
  analysis::TimeModel model;
  double gain = 1;  ///< how many times as fast as now, as modelled
};

/// Seconds that rank what is as fast: the modelled time, which is that of what takes longest, and a
/// part of what should be hidden behind it, as hiding is never perfect. Of two moves that the model
/// calls as fast the one is better that moves less.
double cost_of(analysis::TimeModel const& model);

/// What moves are asked for: all of a program, or those that name a loop, a block or a tensor.
struct MovesWanted {
  std::string of;  ///< a reference as scripts write it; empty: all
  size_t most = 12;
  /// Of one idea for one block or tensor. 0: two, or six of what is asked for by name.
  size_t variants = 0;
  ProofBudget budget = ProofBudget::kWork;  ///< of the proofs
  StopToken stop = {};
  /// Moves as they are proved, best first, from the thread that asks.
  std::function<void(NextMove const&)> on_move = {};
};

struct NextMoves {
  std::string of;  ///< as asked for
  analysis::TimeModel now;
  std::vector<NextMove> moves;  ///< best first; of those that bring the same the shorter one first
  int tried = 0;                ///< drafts that could be carried out, and were modelled
  std::map<std::string, int> refused;  ///< of those looked at for the list, by the refusal's code
};

/// Errors: no_time_model.
Result<NextMoves> next_moves(Schedule const& schedule, Hardware const& hardware, Model const& model,
                             MovesWanted const& wanted = {});

/// The bottleneck now, and what would lift it: "Bottleneck: arithmetic (175 ms modelled); 8
/// elements of C.j at a time would make it 21.9 ms (8 times as fast)".
std::string binding_sentence(NextMoves const& moves);

}  // namespace tw::moves
