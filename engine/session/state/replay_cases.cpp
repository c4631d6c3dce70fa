// Schedules taken over to other kernels.
#include <fmt/format.h>

#include "engine/schedule/trace.h"
#include "engine/session/model/loaded_model.h"
#include "engine/session/state/replay_views.h"

namespace tw::session {
namespace {

std::string summary_of(std::vector<ReplayedStep> const& steps) {
  int counts[3] = {0, 0, 0};
  for (ReplayedStep const& step : steps) ++counts[size_t(step.outcome)];
  std::string text = fmt::format("{} of {} steps applied as they are", counts[0], steps.size());
  if (counts[1] > 0) text += fmt::format(", {} changed", counts[1]);
  if (counts[2] > 0) text += fmt::format(", {} refused", counts[2]);
  return text;
}

}  // namespace

ReplayView replay_view(Transfer const& transfer, std::string const& from_kernel) {
  ReplayView view;
  view.from_kernel = from_kernel;
  view.to_kernel = transfer.schedule.origin().name;
  for (TransferredStep const& step : transfer.steps)
    view.steps.push_back({step.from, step.to, ReplayOutcome(int(step.outcome)), step.reason});
  view.matches = transfer.matches;
  view.summary = summary_of(view.steps);
  view.script = transfer.schedule.script();
  return view;
}

Result<History> with_branch(History history, Schedule const& leaf, std::string const& note) {
  Schedule schedule = history.node(0).schedule;
  int at = 0;
  for (TakenStep const& taken : leaf.trace()) {
    auto next = schedule.apply(taken.step);
    if (!next) return refused(next.error().code, next.error().message);
    schedule = std::move(*next);
    TRY_ASSIGN(history, history.add(at, schedule));
    at = history.current();
  }
  if (at > 0 && history.node(at).note.empty() && !note.empty())
    history = history.with_note(at, note);
  return history;
}

Result<ReplayInto> replay_into(LoadedModel const& model, Schedule const& from,
                               std::string const& from_name, int row, Backend const& backend) {
  TRY_ASSIGN(KernelWork fresh, begin_kernel(model, row, backend));
  Transfer done = transfer(from, fresh.history.node(0).schedule);
  ReplayView view = replay_view(done, from_name);
  view.to_kernel = model.kernel(row).name;
  std::string note = fmt::format("replayed from {}: {}", from_name, view.summary);
  return ReplayInto{std::move(fresh), done.schedule, std::move(view), std::move(note)};
}

Result<Rewritten> rewritten(LoadedModel const& model, int row, std::optional<KernelWork> const& old,
                            Backend const& backend) {
  TRY_ASSIGN(KernelWork work, begin_kernel(model, row, backend));
  Rewritten result{std::move(work), nullptr};
  if (!old) return result;
  Schedule plain = result.work.history.node(0).schedule;
  History history = result.work.history;
  auto bring = [&](int id) -> Result<ReplayView> {
    HistoryNode const& leaf = old->history.node(id);
    Transfer done = transfer(leaf.schedule, plain);
    ReplayView view = replay_view(done, leaf.schedule.origin().name);
    std::string note =
        leaf.note.empty() ? "before the expression was changed: " + view.summary : leaf.note;
    TRY_ASSIGN(history, with_branch(std::move(history), done.schedule, note));
    return view;
  };
  for (size_t id = 1; id < old->history.size(); ++id)
    if (old->history.children(int(id)).empty() && old->history.node(int(id)).label != "default")
      TRY(bring(int(id)));
  TRY_ASSIGN(history, history.jumped(0));
  int current = old->history.current();
  if (current > 0 && old->history.node(current).label != "default") {
    TRY_ASSIGN(ReplayView view, bring(current));
    result.view = std::make_shared<ReplayView const>(std::move(view));
  }
  result.work.history = std::move(history);
  return result;
}

void put_model(State& state, Model const& model) {
  KernelTable table = kernel_table(*model);
  for (size_t i = 0; i < table.rows.size() && i < state.table->rows.size(); ++i) {
    KernelRow const& known = state.table->rows[i];
    if (table.rows[i].own_text != known.own_text) continue;
    table.rows[i].time_ms = known.time_ms;
    table.rows[i].fraction_of_roof = known.fraction_of_roof;
    table.rows[i].roof = known.roof;
  }
  table.total_ms = state.table->total_ms;
  bool alone = model->is_expression && model->path.empty();
  if (alone) state.source = "te:" + model->own.at(0);
  state.model = model;
  state.table = std::make_shared<KernelTable const>(std::move(table));
  state.model_view = std::make_shared<ModelView const>(model_view(*model));
}

Result<ReplayView> replay_on(LoadedModel const& from, int from_kernel, NamedScript const& script,
                             LoadedModel const& to, int to_kernel, Backend const& backend) {
  TRY_ASSIGN(ir::Program plain, plain_program(from, from_kernel));
  TRY_ASSIGN(Script parsed, parse_script(script.text, script.name));
  auto schedule = replay(Schedule(plain, backend.shared_target()), parsed);
  if (!schedule)
    return std::unexpected(Error{"step_refused", schedule.error().message,
                                 Place{script.name, schedule.error().line, 0, {}},
                                 Fault::kRefused});
  TRY_ASSIGN(ir::Program target, plain_program(to, to_kernel));
  return replay_view(transfer(*schedule, Schedule(target, backend.shared_target())),
                     from.kernel(from_kernel).name);
}

}  // namespace tw::session
