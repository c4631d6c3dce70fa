#include "engine/session/state/session_state.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

#include "engine/backend/backend.h"
#include "engine/ir/intrinsic.h"
#include "engine/ir/program.h"
#include "engine/ir/rewrite.h"
#include "engine/schedule/trace.h"
#include "engine/session/model/kernel_roofs.h"
#include "engine/session/model_roofline.h"
#include "engine/session/state/kind_schedules.h"
#include "engine/session/state/state_cut.h"
#include "engine/session/state/state_points.h"
#include "engine/session/state/work_mark.h"
#include "engine/session/views/roofline_views.h"
#include "engine/session/views/schedule_views.h"
#include "engine/support/base/quantities.h"

namespace tw::session {
namespace {

Verdict verdict_of(Trial const& trial, bool measuring) {
  if (trial.correctness == Correctness::kCorrect) return Verdict::kCorrect;
  if (trial.correctness == Correctness::kWrong) return Verdict::kWrong;
  return measuring ? Verdict::kChecking : Verdict::kUnknown;
}

std::string steps_text(HistoryNode const& node) {
  std::string text;
  for (std::string const& step : node.steps) text += (text.empty() ? "" : "\n") + step;
  return text;
}

std::vector<ElsewhereView> elsewhere(HistoryNode const& node, TriedOn const& here) {
  std::vector<ElsewhereView> list;
  for (auto const& [where, trial] : node.trials) {
    if (where == here || trial == Trial()) continue;
    ElsewhereView one{.device = name_of(where, here),
                      .machine = where.machine,
                      .verdict = verdict_of(trial, false),
                      .failure = trial.failure};
    if (trial.measured) {
      one.min_ms = trial.measured->min_ms;
      one.spread = trial.measured->spread;
      one.samples = trial.measured->samples;
      one.gflops = trial.measured->gflops;
    }
    list.push_back(std::move(one));
  }
  return list;
}

std::vector<int> path_to(History const& history, int id) {
  std::vector<int> path;
  for (; id >= 0; id = history.node(id).parent) path.push_back(id);
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace

std::string name_of(TriedOn const& where, TriedOn const& here) {
  bool other = where.device == here.device && where != here;
  return other ? fmt::format("{} ({})", where.device, where.machine) : where.device;
}

namespace {

std::optional<KernelRoofView> roof_of(State const& state, KernelWork const& work) {
  if (!state.machine) return std::nullopt;
  return roof_view(work.needs, *state.machine, state.machine->threads);
}

void take_roof(std::optional<KernelRoofView> const& roof, HistoryNodeView& node) {
  node.speed = node.gflops;
  if (!roof) return;
  node.speed = speed_of(*roof, *node.min_ms);
  node.fraction_of_roof = fraction_of(*roof, *node.min_ms);
}

}  // namespace

std::shared_ptr<HistoryView const> history_view(State const& state) {
  auto view = std::make_shared<HistoryView>();
  KernelWork const& work = state.kernels.at(state.kernel);
  History const& history = work.history;
  auto flops = double(state.model->kernel(state.kernel).flops);
  view->roof = roof_of(state, work);
  view->unit = view->roof ? view->roof->unit : arithmetic_unit_of(work.needs, state.machine.get());
  for (size_t i = 0; i < history.size(); ++i) {
    HistoryNode const& node = history.node(int(i));
    Trial const& trial = node.on(state.here);
    HistoryNodeView one;
    one.id = node.id;
    one.parent = node.parent;
    one.label = node.label;
    one.step = steps_text(node);
    one.measuring = state.measuring == node.id;
    if (trial.measured) {
      one.min_ms = trial.measured->min_ms;
      one.spread = trial.measured->spread;
      one.samples = trial.measured->samples;
      one.gflops = trial.measured->gflops;
      one.disturbed = trial.measured->disturbed;
      take_roof(view->roof, one);
    }
    if (auto model = work.models.find(node.id);
        model != work.models.end() && model->second->seconds > 0) {
      one.model_ms = model->second->seconds * 1e3;
      one.model_gflops = operations_of(*model->second, flops) / model->second->seconds * 1e-9;
      one.bound = model->second->bound;
    }
    one.verdict = verdict_of(trial, one.measuring);
    one.verdict_text = trial.correctness_text;
    one.failure = node.refusal.empty() ? trial.failure : node.refusal;
    one.note = node.note;
    one.elsewhere = elsewhere(node, state.here);
    view->nodes.push_back(std::move(one));
  }
  view->device = state.here.device;
  view->current = history.current();
  view->can_undo = history.can_undo();
  view->can_redo = history.can_redo();
  return view;
}

namespace {

/// A unit that computes by an instruction alone, whose name the roof has, is no roof of a kernel
/// that does not call it.
bool is_of_no_call(RoofView const& roof, Schedule const& schedule) {
  std::string instruction = roof.name.substr(0, roof.name.find(' '));
  if (!roof.compute || !schedule.target().intrinsic(instruction)) return false;
  bool called = false;
  ir::walk(schedule.program().body, [&](ir::Stmt const& s) {
    auto const* call = s.as<ir::IntrinsicCall>();
    called = called || (call && call->intrinsic->name == instruction);
    return !called;
  });
  return !called;
}

}  // namespace

std::shared_ptr<RooflineView const> roofline_view(State const& state) {
  auto view = std::make_shared<RooflineView>();
  if (state.machine) view->explanation = state.machine->no_roofs;
  if (!state.machine || !state.machine->rates) return view;
  view->roofs = state.machine->roofs;
  view->doubtful = state.machine->roofs_doubtful;
  KernelWork const& work = state.kernels.at(state.kernel);
  view->unit = arithmetic_unit_of(work.needs, state.machine.get());
  std::erase_if(view->roofs, [&](RoofView const& roof) {
    return roof.name.find("one core") != std::string::npos ||
           (roof.compute && unit_of(roof) != view->unit);
  });
  if (auto roof = roof_of(state, work); roof && roof->moves_data)
    view->explanation = explanation_of(*roof);
  History const& history = work.history;
  Schedule const& schedule = history.node(history.current()).schedule;
  std::erase_if(view->roofs, [&](RoofView const& roof) { return is_of_no_call(roof, schedule); });
  for (int id : path_to(history, history.current())) {
    auto point = point_of(state, state.kernel, id);
    if (!point) continue;
    if (point->current) view->explanation = explanation_of(*work.models.at(id));
    view->trail.push_back(std::move(*point));
  }
  if (has_computed_roofs(*state.machine))
    view->explanation += " The roofs follow from the machine's configuration.";
  return view;
}

std::map<int, std::string> shaped_scripts(State const& state) {
  std::map<int, std::string> scripts;
  for (auto const& [row, work] : state.kernels) {
    HistoryNode const& node = work.history.node(work.history.current());
    if (node.parent >= 0 && node.on(state.here).correctness == Correctness::kCorrect)
      scripts[row] = node.schedule.script();
  }
  return scripts;
}

Result<std::map<int, std::string>> scripts_to_export(State const& state, int kernel,
                                                     std::string const& kind) {
  std::map<int, std::string> scripts;
  std::set<int> known;  // by where they stand on that kind
  if (!kind.empty() && kind != state.kind)
    for (auto const& [row, script] : kept_rows(state, kind)) {
      known.insert(row);
      if (!script.empty() && (kernel < 0 || row == kernel)) scripts[row] = script;
    }
  for (auto const& [row, work] : state.kernels) {
    HistoryNode const& node = work.history.node(work.history.current());
    if (node.parent < 0 || (kernel >= 0 && row != kernel) || known.contains(row)) continue;
    Trial const& trial = node.on(state.here);
    if (trial.correctness == Correctness::kWrong)
      return refused("wrong_result",
                     fmt::format("the kernel {} computes a wrong result in its current state ({}); "
                                 "go to another step of its history",
                                 state.model->kernel(row).name, trial.correctness_text));
    scripts[row] = node.schedule.script();
  }
  return scripts;
}

namespace {

/// The time inside the network, if the kernel had this schedule then; else alone, on its own.
void take_time(State const& state, int row, KernelWork const& work, KernelRow& entry) {
  auto timed = state.timed_scripts.find(row);
  std::string then = timed == state.timed_scripts.end() ? "" : timed->second;
  HistoryNode const& node = work.history.node(work.history.current());
  bool by_rule = then.empty() && (node.parent < 0 || node.id == work.default_node);
  int runs = runs_at(work);
  bool known = runs >= 0 && work.history.node(runs).on(state.here).measured;
  bool better = known && state.timed_alone.contains(row);  // what the history says
  if (entry.time_ms && !better &&
      (by_rule || (runs >= 0 && then == work.history.node(runs).schedule.script())))
    return;
  entry.time_ms.reset();
  entry.device.clear();
  entry.fraction_of_roof.reset();
  entry.disturbed = false;
  if (runs < 0) return;
  auto const& measured = work.history.node(runs).on(state.here).measured;
  if (!measured) return;
  entry.time_ms = measured->min_ms;
  entry.disturbed = measured->disturbed;
}

}  // namespace

namespace {

/// On a device that runs nothing the model is all that there is.
void take_model(KernelRow& entry, double ms) {
  if (ms <= 0) return;
  entry.model_ms = ms;
  if (entry.roof && !entry.time_ms) entry.fraction_of_roof = fraction_of(*entry.roof, ms);
}

void take_row_models(State const& state, KernelTable& table) {
  RowModels const& known = state.row_models;
  if (state.attached || known.model != state.model || !state.machine ||
      known.rates != state.machine->rates)
    return;
  for (auto const& [row, one] : known.rows) {
    if (state.kernels.contains(row)) continue;
    table.rows[size_t(row)].roof = one.roof;
    take_model(table.rows[size_t(row)], one.ms);
  }
}

/// With the schedule that the model runs it with.
void take_own_model(State const& state, KernelWork const& work, KernelRow& entry) {
  auto known = work.models.find(std::max(runs_at(work), 0));
  if (!state.attached && known != work.models.end())
    take_model(entry, known->second->seconds * 1e3);
}

}  // namespace

std::shared_ptr<KernelTable const> table_with_states(State const& state) {
  auto table = std::make_shared<KernelTable>(*state.table);
  for (auto const& [row, work] : state.kernels) {
    HistoryNode const& node = work.history.node(work.history.current());
    KernelRow& entry = table->rows[size_t(row)];
    entry.state = node.parent < 0                ? KernelState::kPlain
                  : node.id == work.default_node ? KernelState::kDefault
                  : node.label == kTunedLabel    ? KernelState::kTuned
                                                 : KernelState::kHand;
    take_time(state, row, work, entry);
    entry.roof = roof_of(state, work);
    if (entry.time_ms && entry.roof && entry.device.empty())
      entry.fraction_of_roof = fraction_of(*entry.roof, *entry.time_ms);
    take_own_model(state, work, entry);
  }
  take_row_models(state, *table);
  return table;
}

namespace {

/// The schedule by this target's rule as a branch; where one is, and where redo leads, stays.
Result<KernelWork> with_default(KernelWork work, LoadedModel const& model, int row,
                                ir::Program const& plain, Backend const& backend) {
  work.needs = needs_of(model, row, plain);
  TRY_ASSIGN(Schedule by_rule, backend.default_schedule(plain));
  if (by_rule.trace().empty()) return work;
  int at = work.history.current();
  int forward = work.history.node(0).redo;
  if (forward >= 0 && !work.history.node(forward).refusal.empty()) forward = -1;
  TRY_ASSIGN(History branched, work.history.add(0, by_rule, "default"));
  work.default_node = branched.current();
  branched = branched.with_label(work.default_node, "default");
  TRY_ASSIGN(branched, branched.jumped(at == 0 && forward >= 0 ? forward : at));
  work.history = at == 0 && forward >= 0 ? branched.undone() : branched;
  return work;
}

}  // namespace

Result<KernelWork> begin_kernel(LoadedModel const& model, int kernel, Backend const& backend) {
  TRY_ASSIGN(ir::Program plain, plain_program(model, kernel));
  KernelWork work{History(Schedule(plain, backend.shared_target()))};
  TRY_ASSIGN(work, with_default(std::move(work), model, kernel, plain, backend));
  work.begun = work_mark(work.history);
  return work;
}

std::vector<std::string> own_kernels_of(State const& state) {
  std::vector<std::string> texts;
  if (state.model)
    for (auto const& [row, text] : state.model->own)
      if (!(state.model->is_expression && row == 0)) texts.push_back(text);
  return texts;
}

Project project_of(State const& state) {
  Project project;
  if (!state.model) return project;
  project.model = {state.source, state.shapes, "", state.sha256,
                   state.bytes,  state.files,  "", arrangement_of(*state.model)};
  project.model.accelerator = state.beside.device;
  if (state.kernel >= 0) project.kernel = state.model->kernel(state.kernel).name;
  for (auto const& [row, work] : state.kernels) {
    KernelTask const& task = state.model->kernel(row);
    project.kernels.push_back(
        {task.name, work.history.schedule().script(),
         std::make_shared<nlohmann::ordered_json const>(work.history.to_json()),
         computes_text(task)});
  }
  project.on_kinds = standings(state);
  for (CutPoint const& point : state.cut) project.cut.push_back({point.node, point.place});
  project.own_kernels = own_kernels_of(state);
  project.own_kernels.insert(project.own_kernels.end(), state.kept_own.begin(),
                             state.kept_own.end());
  project.kernels.insert(project.kernels.end(), state.kept.begin(), state.kept.end());
  if (state.machine) project.devices.push_back({state.machine->name, state.machine->target});
  return project;
}

namespace {

/// What a project is restored for.
struct Restoring {
  Backend const& backend;
  TriedOn untold;  ///< what times without a device were measured on
  RefusedEntries refused = RefusedEntries::kFail;
  std::string rule_before;  ///< the label of the last device's schedule by rule; may be empty
};

std::string label_on(std::string const& device) { return fmt::format("default ({})", device); }

/// Who stood at a schedule by rule, or at one that is refused now, stands at this target's by rule.
Result<KernelWork> standing_by_rule(KernelWork work, std::string const& rule_before) {
  int left = work.history.left();
  bool by_rule = work.history.node(left < 0 ? work.history.current() : left).label == rule_before;
  if (left < 0 && !by_rule) return work;
  if (work.default_node >= 0 || left >= 0) {
    TRY_ASSIGN(work.history, work.history.jumped(std::max(work.default_node, 0)));
  }
  if (!by_rule) work.history = work.history.with_left(left);
  return work;
}

/// Schedules by a rule of another day are called so.
Result<KernelWork> restore_kernel(LoadedModel const& model, int row, ProjectKernel const& saved,
                                  Restoring const& how) {
  TRY_ASSIGN(ir::Program plain, plain_program(model, row));
  TRY_ASSIGN(History history,
             History::from_json(*saved.history, Schedule(plain, how.backend.shared_target()),
                                how.untold, how.refused));
  int left = history.left();
  TRY_ASSIGN(KernelWork work,
             with_default(KernelWork{std::move(history)}, model, row, plain, how.backend));
  work.history = work.history.with_left(left);
  TRY_ASSIGN(work, standing_by_rule(std::move(work), how.rule_before));
  for (int id = 0; id < int(work.history.size()); ++id)
    if (id != work.default_node && work.history.node(id).label == "default")
      work.history = work.history.with_label(id, "earlier default");
  return work;
}

/// Empty: the kernel stands where it stood.
std::string left_behind(State const& state, std::string const& kernel, KernelWork const& work) {
  int left = work.history.left();
  if (left < 0) return "";
  return fmt::format("on {} the kernel {} has {}, since {} (its own script stays in the history)",
                     state.here.device, kernel,
                     work.default_node < 0 ? "no schedule" : "the default schedule",
                     work.history.node(left).refusal);
}

/// Earlier versions did not say where a time comes from: it was the project's own device.
Restoring restoring(Project const& project, TriedOn const& here, Backend const& backend,
                    TakenUp const& why) {
  Restoring how{.backend = backend, .untold = here};
  bool elsewhere = !project.devices.empty() && project.devices[0].target != backend.target().title;
  if (elsewhere) how.untold = {project.devices[0].name, project.devices[0].target};
  if (elsewhere || !why.device_before.empty()) how.refused = RefusedEntries::kStay;
  if (!why.device_before.empty()) how.rule_before = label_on(why.device_before);
  return how;
}

}  // namespace

Model with_own_kernels(Model model, Project const& project, std::vector<std::string>& kept,
                       std::vector<std::string>& lost) {
  for (std::string const& text : project.own_kernels) {
    auto next = with_own_kernel(model, text);
    if (next) {
      model = std::move(*next);
      continue;
    }
    kept.push_back(text);
    lost.push_back("one of your own kernels cannot be read: " + next.error().message);
  }
  return model;
}

namespace {

/// One that computes the same in the same layouts.
bool has_kernel(LoadedModel const& model, ProjectKernel const& saved) {
  return std::ranges::any_of(model.plan.kernels, [&](KernelTask const& task) {
    return task.name == saved.name && computes_text(task) == saved.computes;
  });
}

/// Of one name there may be histories of several layouts: those of the model's own come first.
std::vector<ProjectKernel const*> own_layouts_first(LoadedModel const& model,
                                                    std::vector<ProjectKernel> const& saved) {
  std::vector<ProjectKernel const*> order;
  for (ProjectKernel const& one : saved) order.push_back(&one);
  std::ranges::stable_partition(order, [&](auto* one) { return has_kernel(model, *one); });
  return order;
}

}  // namespace

Project for_other_device(Project project, std::string const& before) {
  for (ProjectKernel& kernel : project.kernels) {
    nlohmann::ordered_json history = *kernel.history;
    for (auto& node : history["nodes"])
      if (node["label"] == "default") node["label"] = label_on(before);
    kernel.history = std::make_shared<nlohmann::ordered_json const>(std::move(history));
  }
  return project;
}

std::vector<std::string> take_project(State& state, Project const& project, Backend const& backend,
                                      TakenUp const& taken) {
  std::vector<std::string> lost;
  Restoring how = restoring(project, state.here, backend, taken);
  std::set<std::string> taken_up;
  for (ProjectKernel const* one : own_layouts_first(*state.model, project.kernels)) {
    ProjectKernel const& saved = *one;
    bool of_others = taken.other_arrangement || !taken_up.insert(saved.name).second;
    if (of_others && !has_kernel(*state.model, saved)) {
      state.kept.push_back(saved);
      continue;
    }
    auto keep = [&](std::string const& why) {
      state.kept.push_back(saved);
      lost.push_back(fmt::format("the history of kernel {} cannot be used: {}", saved.name, why));
    };
    auto const& kernels = state.model->plan.kernels;
    auto found = std::find_if(kernels.begin(), kernels.end(),
                              [&](KernelTask const& task) { return task.name == saved.name; });
    int row = int(found - kernels.begin());
    if (found == kernels.end()) {
      keep("the model has no such kernel");
      continue;
    }
    auto work = restore_kernel(*state.model, row, saved, how);
    if (!work) {
      keep(work.error().message);
      continue;
    }
    std::string left = left_behind(state, saved.name, *work);
    if (!state.kernels.emplace(row, std::move(*work)).second)
      keep("there are two kernels of this name");
    else if (!left.empty())
      lost.push_back(std::move(left));
  }
  auto const& kernels = state.model->plan.kernels;
  for (size_t row = 0; row < kernels.size(); ++row)
    if (kernels[row].name == project.kernel) state.kernel = int(row);
  state.on_kinds = project.on_kinds;
  std::ranges::move(adopt_standings(state, backend), std::back_inserter(lost));
  std::ranges::move(take_project_cut(state, project), std::back_inserter(lost));
  return lost;
}

}  // namespace tw::session
