#include "engine/tuner/knobs_by_rule.h"

namespace tw {

Result<std::vector<Knob>> knobs_by_rule(ir::Program const& program, Backend const& backend,
                                        OpenScript const* script, int threads) {
  Decisions decisions({}, {}, threads);
  if (script) {
    (void)script->run(program, backend.shared_target(), decisions);
    if (decisions.rejection()) return bad_input("not_legal", decisions.rejection()->sentence);
  } else {
    TRY(backend.templated(program, decisions));
  }
  return decisions.knobs();
}

}  // namespace tw
