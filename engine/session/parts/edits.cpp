#include "engine/session/parts/edits.h"

#include "engine/schedule/explain.h"
#include "engine/schedule/macros/expansion.h"
#include "engine/schedule/trace.h"
#include "engine/session/parts/parts.h"
#include "engine/session/state/known_devices.h"
#include "engine/session/state/replay_views.h"
#include "engine/session/state/state_cut.h"
#include "engine/session/use_cases.h"
#include "engine/session/views/schedule_views.h"
#include "engine/session/views/script_views.h"

namespace tw::session {

Status move_in_history(Parts& parts, std::function<Result<History>(History const&)> const& to) {
  TRY(parts.cell.commit([&](State& now) -> Status {
    if (!now.has_kernel()) return bad_input("no_kernel", "no kernel is selected");
    now.refusal = nullptr;
    TRY_ASSIGN(now.now().history, to(now.now().history));
    return {};
  }));
  parts.measuring.start();
  return {};
}

Status change_node(Parts& parts, int node, std::function<History(History const&)> const& to) {
  return parts.cell.commit([&](State& now) -> Status {
    if (!now.has_kernel() || !now.now().history.has(node))
      return bad_input("unknown_node", "there is no such step");
    now.now().history = to(now.now().history);
    return {};
  });
}

Status change_cut(Parts& parts,
                  std::function<Result<Cut>(LoadedModel const&, Cut const&)> const& change) {
  TRY(parts.cell.commit([&](State& now) -> Status {
    if (!now.model) return bad_input("no_model", "no model is open");
    if (now.model->is_expression)
      return bad_input("nothing_to_cut", "a tensor expression is one kernel: it cannot be cut");
    TRY_ASSIGN(Cut next, change(*now.model, cut_of(now)));
    return change_cut(now, std::move(next.points));
  }));
  parts.queues.main.cancel("model");
  return {};
}

namespace {

std::expected<void, Refusal> take(State& state, Step const& step, MacroSet const* macros) {
  History& history = state.now().history;
  auto next = taken(history.schedule(), step, macros);
  if (!next) return std::unexpected(with_repairs(history.schedule(), step, next.error()));
  bool macro = macros && macros->find(step.primitive);
  history = history.add(history.current(), *next, macro ? step.primitive : "").value();
  return {};
}

}  // namespace

Result<bool> take_steps(Parts& parts, std::vector<Step> const& steps, std::string const& line) {
  return parts.cell.commit([&](State& now) -> Result<bool> {
    if (!now.has_kernel()) return bad_input("no_kernel", "no kernel is selected");
    now.refusal = nullptr;
    for (Step const& step : steps) {
      auto done = take(now, step, parts.options.macros.get());
      if (done) continue;
      bool as_written = steps.size() == 1 && !line.empty();
      now.refusal = std::make_shared<RefusalView const>(
          refusal_view(now.now().history.schedule().program(), done.error(),
                       as_written ? line : tw::to_text(step)));
      return false;
    }
    return true;
  });
}

Status check_tuned(State const& state) {
  if (state.runs.empty() && !state.model_tuning)
    return bad_input("no_tuning", "nothing has been tuned yet");
  return {};
}

namespace {

/// The table with one kernel more or another one at a row; its histories go on.
Status write(Parts& parts, Model const& model, std::string const& text, int row) {
  StateCell::Pointer state = parts.cell.read();
  TRY_ASSIGN(Model next, with_own_kernel(model, text, row));
  std::optional<KernelWork> old;
  if (auto found = state->kernels.find(row); found != state->kernels.end()) old = found->second;
  int at = row < 0 ? int(next->plan.kernels.size()) - 1 : row;
  TRY_ASSIGN(Rewritten written, rewritten(*next, at, old, *state->backend));
  bool taken = parts.cell.commit([&](State& now) {
    if (now.model != model) return false;
    put_model(now, next);
    now.kernels.insert_or_assign(at, std::move(written.work));
    now.replay = written.view;
    now.kernel = at;
    now.refusal = nullptr;
    return true;
  });
  if (!taken) return {};
  parts.showing.publish();
  parts.modelling.start();
  parts.measuring.start();
  return {};
}

}  // namespace

void write_kernel(Parts& parts, std::string const& text, int row) {
  parts.clear_error();
  Jobs& jobs = parts.queues.main;
  jobs.cancel("measure");
  jobs.start("kernel", row < 0 ? "adding the kernel" : "rewriting the kernel",
             [&parts, model = parts.cell.read()->model, text, row](StopToken, Progress const&) {
               Status written = write(parts, model, text, row);
               if (written) return;
               parts.set_error(written.error(), "kernel");
               parts.showing.publish();
             });
}

namespace {

Result<ExportRequest> export_request(State const& state, Options const& options,
                                     std::string const& target, std::string const& folder,
                                     std::string const& kernel) {
  if (!state.model) return bad_input("no_model", "no model is open");
  ExportRequest request{.folder = folder,
                        .target = target,
                        .threads = threads_on(*options.backend, options.threads),
                        .scripts = {},
                        .cache_folder = options.cache_folder,
                        .kernel = -1,
                        .parameters = {}};
  if (!kernel.empty()) {
    TRY_ASSIGN(request.kernel, find_kernel(*state.model, kernel));
  }
  // The first target is this machine, whatever device is in use.
  std::vector<std::string> const& targets = options.exports.targets;
  bool is_here = target.empty() || (!targets.empty() && target == targets.front());
  std::string kind = is_here ? kind_text(options.backend->target().hardware) : "";
  TRY_ASSIGN(request.scripts, scripts_to_export(state, request.kernel, kind));
  request.is_cut = state.cut_shown != nullptr;
  return request;
}

/// What is made while exporting is made here, whatever device is in use.
void write_export(Parts& parts, Model const& model, ExportRequest const& request, StopToken stop,
                  Progress const& progress) {
  ChosenDevice here = this_machine(parts.options);
  auto view = export_to_folder(*model, request, parts.options.exports, *here.backend, *here.device,
                               stop, progress);
  if (!view && !stop.stop_requested()) parts.set_error(view.error(), "export");
  if (view) {
    auto exported = std::make_shared<ExportView const>(std::move(*view));
    parts.cell.commit([&](State& now) { now.exported = exported; });
  }
  parts.showing.publish();
}

}  // namespace

Status start_export(Parts& parts, std::string const& target, std::string const& folder,
                    std::string const& kernel) {
  if (!parts.options.exports.backend_for)
    return environment_failed("no_runtime", "this build of Tilewright cannot export models");
  Model model;
  TRY_ASSIGN(ExportRequest request, parts.cell.commit([&](State& now) -> Result<ExportRequest> {
    TRY_ASSIGN(auto wanted, export_request(now, parts.options, target, folder, kernel));
    model = now.model;
    now.exported = nullptr;
    now.error = nullptr;
    return wanted;
  }));
  parts.queues.errands.start("export",
                             kernel.empty() ? "exporting the model" : "exporting " + kernel,
                             [&parts, model, request](StopToken stop, Progress const& progress) {
                               write_export(parts, model, request, stop, progress);
                             });
  return {};
}

}  // namespace tw::session
