#include "engine/session/state/session_impl.h"

#include "engine/schedule/explain.h"
#include "engine/schedule/macros/expansion.h"
#include "engine/session/state/replay_views.h"
#include "engine/session/views/script_views.h"

namespace tw::session {

/// With the mutex held: the step becomes a node of the history, a macro with all of its steps one.
std::expected<void, Refusal> SessionImpl::take(Step const& step) {
  History& history = state_.now().history;
  auto next = taken(history.schedule(), step, options_.macros.get());
  if (!next) return std::unexpected(with_repairs(history.schedule(), step, next.error()));
  bool macro = options_.macros && options_.macros->find(step.primitive);
  history = history.add(history.current(), *next, macro ? step.primitive : "").value();
  return {};
}

Status SessionImpl::run(ApplyStep const& c) {
  TRY_ASSIGN(std::vector<Step> steps, parse_steps(c.line, options_.macros.get()));
  {
    std::lock_guard lock(mutex_);
    if (!state_.has_kernel()) return bad_input("no_kernel", "no kernel is selected");
    state_.refusal = nullptr;
    state_.error = nullptr;
    for (Step const& step : steps)
      if (auto taken = take(step); !taken) {
        std::string text = steps.size() == 1 ? c.line : tw::to_text(step);
        state_.refusal = std::make_shared<RefusalView const>(
            refusal_view(state_.now().history.schedule().program(), taken.error(), text));
        return {};
      }
  }
  start_measuring();
  return {};
}

Status SessionImpl::run(ApplyScript const& c) {
  bool bare = c.text.find("tilewright") == std::string::npos;
  TRY_ASSIGN(Script script, parse_script(c.text, "script", bare, options_.macros.get()));
  {
    std::lock_guard lock(mutex_);
    if (!state_.has_kernel()) return bad_input("no_kernel", "no kernel is selected");
    state_.refusal = nullptr;
    for (auto const& [line, step] : script.steps)
      if (auto taken = take(step); !taken) {
        state_.refusal = std::make_shared<RefusalView const>(refusal_view(
            state_.now().history.schedule().program(), taken.error(), tw::to_text(step)));
        break;
      }
  }
  start_measuring();
  return {};
}

Status SessionImpl::move(std::function<Result<History>(History const&)> const& to) {
  {
    std::lock_guard lock(mutex_);
    if (!state_.has_kernel()) return bad_input("no_kernel", "no kernel is selected");
    state_.refusal = nullptr;
    TRY_ASSIGN(state_.now().history, to(state_.now().history));
  }
  start_measuring();
  return {};
}

Status SessionImpl::run(SetNote const& c) {
  std::lock_guard lock(mutex_);
  if (!state_.has_kernel() || !state_.now().history.has(c.history_node))
    return bad_input("unknown_node", "there is no such step");
  state_.now().history = state_.now().history.with_note(c.history_node, c.note);
  return {};
}

Status SessionImpl::run(DismissRefusal const&) {
  std::lock_guard lock(mutex_);
  state_.refusal = nullptr;
  state_.error = nullptr;
  return {};
}

Status SessionImpl::run(ReplayOn const& c) {
  std::lock_guard lock(mutex_);
  if (!state_.has_kernel()) return bad_input("no_kernel", "no kernel is selected");
  TRY_ASSIGN(int row, find_kernel(*state_.model, c.kernel));
  if (row == state_.kernel)
    return bad_input("same_kernel",
                     "this schedule already belongs to this kernel; choose another kernel");
  Schedule from = state_.now().history.schedule();
  if (from.trace().empty())
    return bad_input("nothing_to_replay", "the unscheduled loop nest has no steps to replay");
  state_.refusal = nullptr;
  state_.error = nullptr;
  model_jobs_.start(
      "replay", "replaying the schedule",
      [this, model = state_.model, from, row, name = state_.model->kernel(state_.kernel).name](
          StopToken, Progress const&) { replay_job(model, from, name, row); });
  return {};
}

void SessionImpl::replay_job(Model const& model, Schedule const& from, std::string const& name,
                             int row) {
  auto work = replay_into(*model, from, name, row, *backend());
  if (!work) return set_error(work.error(), "replay"), publish();
  {
    std::lock_guard lock(mutex_);
    if (state_.model != model) return;
    auto [place, fresh] = state_.kernels.try_emplace(row, work->fresh);
    if (auto branched = with_branch(place->second.history, work->leaf, work->note); branched)
      place->second.history = *branched;
    state_.replay = std::make_shared<ReplayView const>(work->view);
    state_.kernel = row;
  }
  publish();
  start_modelling();
  start_measuring();
}

Status SessionImpl::run(AddKernel const& c) {
  std::unique_lock lock(mutex_);
  Model model = state_.model;
  lock.unlock();
  TRY(te::parse_kernel(c.text));
  if (!model) return open("te:" + c.text, {});
  clear_error();
  jobs_.cancel("measure");
  jobs_.start("kernel", "adding the kernel",
              [this, model, c](StopToken, Progress const&) { write_kernel(model, c.text, -1); });
  return {};
}

Status SessionImpl::run(RewriteKernel const& c) {
  std::unique_lock lock(mutex_);
  Model model = state_.model;
  lock.unlock();
  if (!model) return bad_input("no_model", "no model is open");
  TRY_ASSIGN(int row, find_kernel(*model, c.kernel));
  if (!model->own.contains(row))
    return bad_input("not_your_kernel", "only kernels that you wrote can be edited");
  TRY(te::parse_kernel(c.text));
  if (model->own.at(row) == c.text) return {};
  clear_error();
  jobs_.cancel("measure");
  jobs_.start("kernel", "rewriting the kernel",
              [this, model, row, text = c.text](StopToken, Progress const&) {
                write_kernel(model, text, row);
              });
  return {};
}

/// The table with one kernel more (`row` = -1) or another one at a row; its histories go on.
void SessionImpl::write_kernel(Model const& model, std::string const& text, int row) {
  auto fail = [this](Error const& error) { set_error(error, "kernel"), publish(); };
  auto next = with_own_kernel(model, text, row);
  if (!next) return fail(next.error());
  std::optional<KernelWork> old;
  {
    std::lock_guard lock(mutex_);
    if (auto found = state_.kernels.find(row); found != state_.kernels.end()) old = found->second;
  }
  int at = row < 0 ? int((*next)->plan.kernels.size()) - 1 : row;
  auto written = rewritten(**next, at, old, *backend());
  if (!written) return fail(written.error());
  {
    std::lock_guard lock(mutex_);
    if (state_.model != model) return;
    put_model(state_, *next);
    state_.kernels.insert_or_assign(at, std::move(written->work));
    state_.replay = written->view;
    state_.kernel = at;
    state_.refusal = nullptr;
  }
  publish();
  start_modelling();
  start_measuring();
}

}  // namespace tw::session
