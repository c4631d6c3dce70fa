/// What could be done next with a kernel, as values.
#pragma once

#include <string>
#include <vector>

namespace tw::session {

struct MoveView {
  std::string line;    ///< as `ApplyStep` takes it: steps with ";" between them
  std::string idea;    ///< "register_tile"
  std::string about;   ///< a block or a tensor
  std::string tensor;  ///< that is made, held or stored in another way; empty: none
  std::string effect;  ///< "8 elements of C.j at a time"
  double ms = 0;       ///< modelled
  double gain = 1;     ///< how many times as fast as now, as modelled
  std::string bound;   ///< what would take longest then: "arithmetic", "L2"
  double bytes = 0;    ///< to and from main memory then, modelled
  int loop = -1;       ///< the first that its steps name, as the nest is now; -1: they name none
};

struct MovesView {
  double ms = 0;  ///< of the kernel as it is, modelled
  std::string bound;
  std::string sentence;         ///< what binds it, and what would lift that
  std::vector<MoveView> moves;  ///< best first; all proved to be legal
  int tried = 0;                ///< of which these are the best
  std::vector<std::string>
      refused;  ///< "2 reduction_carried": what looked better, and is not legal
};

}  // namespace tw::session
