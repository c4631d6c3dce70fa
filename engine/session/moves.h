/// What could be done next with a kernel, as values.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/session/use_cases.h"

namespace tw::session {

struct MoveView {
  std::string line;    ///< as `ApplyStep` takes it: steps with ";" between them
  std::string idea;    ///< "register_tile"
  std::string about;   ///< a block
  std::string effect;  ///< "8 elements of C.j at a time"
  double ms = 0;       ///< modelled
  double gain = 1;     ///< how many times as fast as now, as modelled
  std::string bound;   ///< what would take longest then: "arithmetic", "L2"
};

struct MovesView {
  double ms = 0;  ///< of the kernel as it is, modelled
  std::string bound;
  std::string sentence;         ///< what binds it, and what would lift that
  std::vector<MoveView> moves;  ///< best first; all proved to be legal
  int tried = 0;                ///< of which these are the best
  std::vector<std::string> refused;  ///< "2 reduction_carried": what looked better, and is not legal
};

struct MovesAsked {
  std::string of;  ///< a loop, a block or a tensor as scripts name it; empty: all
  size_t most = 12;
  size_t variants = 2;  ///< of one kind of move for one block
  StopToken stop = {};
};

/// Errors: unknown_roofs, no_time_model, unknown_name (nothing is called `of`), those of scripts.
Result<MovesView> legal_moves(LoadedModel const& model, int kernel, NamedScript const& script,
                              MachineView const& machine, Backend const& backend,
                              MovesAsked const& asked);

/// The first move that is offered, again and again while it is modelled to bring something.
struct FollowedMoves {
  std::string script;
  std::vector<MoveView> taken;
  double before_ms = 0, after_ms = 0;  ///< modelled
};
Result<FollowedMoves> follow_moves(LoadedModel const& model, int kernel, NamedScript const& script,
                                   MachineView const& machine, Backend const& backend,
                                   int most_moves, StopToken stop = {});

}  // namespace tw::session
