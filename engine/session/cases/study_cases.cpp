#include "engine/session/cases/study_cases.h"

#include <algorithm>

#include "engine/ir/text.h"
#include "engine/session/model/loaded_model.h"

namespace tw::session {

Result<StudyTable> measure_table(LoadedModel const& model, int kernel, TuneRequest const& request,
                                 size_t most, std::shared_ptr<Backend const> backend,
                                 Device& device, Progress const& progress) {
  TRY_ASSIGN(ir::Program program, plain_program(model, kernel));
  StudyTable table{.kernel = model.kernel(kernel).name,
                   .program = ir::to_text(program),
                   .hardware = backend->target().hardware,
                   .roofs = request.roofs ? *request.roofs : Roofs(),
                   .pinned = request.pinned,
                   .threads = request.options.threads > 0
                                  ? request.options.threads
                                  : backend->target().hardware.unit().count};
  Space space(std::move(program), backend, request.pinned, request.roofs, table.threads);
  TRY(space.by_rule());
  TRY_ASSIGN(SpacePoints points, points_of(space, most, request.options.seed));
  TuneRequest each = request;
  each.store = nullptr;  // what is known would come first
  each.options.search = "descent";
  each.options.first = points.points;
  each.options.trials = int(points.points.size());
  each.options.on_attempt = [&](Attempt const& attempt) {
    TableRow row{attempt.point, std::nullopt};
    if (attempt.outcome == records::Outcome::kOk) row.seconds = std::ranges::min(attempt.seconds);
    table.rows.push_back(std::move(row));
    if (progress) progress({"points", attempt.number, each.options.trials});
  };
  TRY_ASSIGN(Tuned tuned, tune_kernel(model, kernel, each, backend, device, progress));
  // Points of too much code are no trials: the search that follows them knows no other ones.
  TuneEnd end = tuned.result.end;
  table.whole = points.whole && (end == TuneEnd::kTrials || end == TuneEnd::kConverged);
  return table;
}

}  // namespace tw::session
