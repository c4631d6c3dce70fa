#include "engine/session/cases/offload_cases.h"

#include "engine/session/model/loaded_model.h"

namespace tw::session {

Result<Offload> offload_rest_of(LoadedModel const& model, Backend const& able,
                                std::string const& home, std::string const& there) {
  LoadedModel const& whole = model.base ? *model.base : model;
  return offload_rest(whole.after, whole.plan, able, home, there);
}

Result<CutCopies> copies_of(LoadedModel const& model, Cut const& cut) {
  LoadedModel const& whole = model.base ? *model.base : model;
  TRY_ASSIGN(Plan plan, cut_plan(whole.after, whole.plan, cut));
  CutCopies copies;
  for (PlanStep const& step : plan.steps) {
    if (step.kind != StepKind::kCopy) continue;
    ++copies.values;
    copies.bytes += planned_bytes(whole.after.value(step.outputs[0])).value_or(0);
  }
  return copies;
}

}  // namespace tw::session
