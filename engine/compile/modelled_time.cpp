#include "engine/compile/modelled_time.h"

#include "engine/compile/load_time.h"

namespace tw {

std::optional<analysis::TimeModel> modelled_time(ir::Program const& program, Backend const& backend,
                                                 Roofs const& roofs, analysis::LocalityMemo* memo) {
  ir::Program runs = split_load_time(program).at_run;
  analysis::Locality locality(runs, backend.target().hardware.line_bytes(), memo);
  return backend.model_time(runs, locality, roofs);
}

std::shared_ptr<analysis::LocalityMemo> known_nests(ir::Program const& program) {
  return std::make_shared<analysis::LocalityMemo>(split_load_time(program).at_run);
}

}  // namespace tw
