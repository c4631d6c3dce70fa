#include "engine/session/session_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/backend/backend.h"
#include "engine/ir/program.h"
#include "engine/schedule/trace.h"
#include "engine/session/schedule_views.h"

namespace tw::session {
namespace {

Verdict verdict_of(HistoryNode const& node, bool measuring) {
  if (node.correctness == Correctness::kCorrect) return Verdict::kCorrect;
  if (node.correctness == Correctness::kWrong) return Verdict::kWrong;
  return measuring ? Verdict::kChecking : Verdict::kUnknown;
}

std::string steps_text(HistoryNode const& node) {
  std::string text;
  for (std::string const& step : node.steps) text += (text.empty() ? "" : "\n") + step;
  return text;
}

std::vector<int> path_to(History const& history, int id) {
  std::vector<int> path;
  for (; id >= 0; id = history.node(id).parent) path.push_back(id);
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace

std::shared_ptr<HistoryView const> history_view(State const& state) {
  auto view = std::make_shared<HistoryView>();
  KernelWork const& work = state.kernels.at(state.kernel);
  History const& history = work.history;
  auto flops = double(state.model->kernel(state.kernel).flops);
  for (size_t i = 0; i < history.size(); ++i) {
    HistoryNode const& node = history.node(int(i));
    HistoryNodeView one;
    one.id = node.id;
    one.parent = node.parent;
    one.label = node.label;
    one.step = steps_text(node);
    one.measuring = state.measuring == node.id;
    if (node.measured) {
      one.min_ms = node.measured->min_ms;
      one.spread = node.measured->spread;
      one.gflops = node.measured->gflops;
    }
    if (auto model = work.models.find(node.id);
        model != work.models.end() && model->second->seconds > 0) {
      one.model_ms = model->second->seconds * 1e3;
      one.model_gflops = flops / model->second->seconds * 1e-9;
      one.bound = model->second->bound;
    }
    one.verdict = verdict_of(node, one.measuring);
    one.verdict_text = node.correctness_text;
    one.failure = node.failure;
    one.note = node.note;
    view->nodes.push_back(std::move(one));
  }
  view->current = history.current();
  view->can_undo = history.can_undo();
  view->can_redo = history.can_redo();
  return view;
}

std::shared_ptr<RooflineView const> roofline_view(State const& state) {
  auto view = std::make_shared<RooflineView>();
  if (!state.machine || !state.machine->rates) return view;
  view->roofs = state.machine->roofs;
  std::erase_if(view->roofs, [](RoofView const& roof) {
    return roof.name.find("one core") != std::string::npos;
  });
  auto flops = double(state.model->kernel(state.kernel).flops);
  KernelWork const& work = state.kernels.at(state.kernel);
  History const& history = work.history;
  for (int id : path_to(history, history.current())) {
    HistoryNode const& node = history.node(id);
    auto known = work.models.find(id);
    bool current = id == history.current();
    if (flops <= 0 || known == work.models.end() || known->second->seconds <= 0) continue;
    analysis::TimeModel const& model = *known->second;
    RooflinePoint point = roofline_point(model, flops);
    point.history_node = id;
    point.measured = node.measured.has_value();
    if (node.measured) point.gflops = node.measured->gflops;
    point.label = fmt::format("{} {:.1f}", node.label, point.gflops);
    point.current = current;
    if (current) {
      double peak = 0, bandwidth = 0;
      for (RoofView const& roof : view->roofs)
        (roof.compute ? peak : bandwidth) = roof.compute ? std::max(peak, roof.value) : roof.value;
      view->attainable = std::min(peak, point.intensity * bandwidth);
      view->explanation = explanation_of(model);
    }
    view->trail.push_back(std::move(point));
  }
  return view;
}

std::map<int, std::string> shaped_scripts(State const& state) {
  std::map<int, std::string> scripts;
  for (auto const& [row, work] : state.kernels) {
    HistoryNode const& node = work.history.node(work.history.current());
    if (node.parent >= 0 && node.correctness == Correctness::kCorrect)
      scripts[row] = node.schedule.script();
  }
  return scripts;
}

Result<std::map<int, std::string>> scripts_to_export(State const& state, int kernel) {
  std::map<int, std::string> scripts;
  for (auto const& [row, work] : state.kernels) {
    HistoryNode const& node = work.history.node(work.history.current());
    if (node.parent < 0 || (kernel >= 0 && row != kernel)) continue;
    if (node.correctness == Correctness::kWrong)
      return refused("wrong_result",
                     fmt::format("the kernel {} computes something else as it stands ({}); go to "
                                 "another step of its history",
                                 state.model->kernel(row).name, node.correctness_text));
    scripts[row] = node.schedule.script();
  }
  return scripts;
}

std::shared_ptr<KernelTable const> table_with_states(State const& state) {
  auto table = std::make_shared<KernelTable>(*state.table);
  for (auto const& [row, work] : state.kernels) {
    History const& history = work.history;
    HistoryNode const& node = history.node(history.current());
    KernelRow& entry = table->rows[size_t(row)];
    entry.state = node.parent < 0                ? KernelState::kPlain
                  : node.id == work.default_node ? KernelState::kDefault
                                                 : KernelState::kHand;
    if (!node.measured) continue;
    entry.time_ms = node.measured->min_ms;
    entry.fraction_of_roof.reset();
    double peak = 0, bandwidth = 0;
    for (RoofView const& roof : state.machine ? state.machine->roofs : std::vector<RoofView>())
      (roof.compute ? peak : bandwidth) = roof.compute ? std::max(peak, roof.value) : roof.value;
    if (peak > 0 && bandwidth > 0)
      entry.fraction_of_roof =
          std::max(double(entry.flops) / peak, double(entry.bytes) / bandwidth) / 1e6 /
          node.measured->min_ms;
  }
  return table;
}

Result<KernelWork> begin_kernel(LoadedModel const& model, int kernel, Backend const& backend) {
  TRY_ASSIGN(ir::Program plain, plain_program(model, kernel));
  TRY_ASSIGN(std::string text, backend.default_script(plain));
  KernelWork work{History(Schedule(plain))};
  TRY_ASSIGN(Script script, parse_script(text, "default schedule"));
  auto scheduled = replay(Schedule(plain), script);
  if (!scheduled || script.steps.empty()) return work;
  TRY_ASSIGN(History branched, work.history.add(0, *scheduled, "default"));
  work.default_node = branched.current();
  TRY_ASSIGN(work.history, branched.jumped(0));
  return work;
}

Project project_of(State const& state) {
  Project project;
  if (!state.model) return project;
  project.model = {state.source, "", state.sha256, state.bytes};
  if (state.kernel >= 0) project.kernel = state.model->kernel(state.kernel).name;
  for (auto const& [row, work] : state.kernels)
    project.kernels.push_back(
        {state.model->kernel(row).name, work.history.schedule().script(), work.history.to_json()});
  for (auto const& [row, text] : state.model->own)
    if (!(state.model->is_expression && row == 0)) project.own_kernels.push_back(text);
  project.own_kernels.insert(project.own_kernels.end(), state.kept_own.begin(),
                             state.kept_own.end());
  project.kernels.insert(project.kernels.end(), state.kept.begin(), state.kept.end());
  if (state.machine) project.devices.push_back({state.machine->name, state.machine->target});
  return project;
}

namespace {

Result<KernelWork> restore_kernel(LoadedModel const& model, int row, ProjectKernel const& saved,
                                  Backend const& backend) {
  TRY_ASSIGN(KernelWork work, begin_kernel(model, row, backend));
  TRY_ASSIGN(ir::Program plain, plain_program(model, row));
  TRY_ASSIGN(work.history, History::from_json(saved.history, Schedule(plain)));
  work.default_node = -1;
  for (size_t i = 0; i < work.history.size(); ++i)
    if (work.history.node(int(i)).label == "default") work.default_node = int(i);
  return work;
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
    lost.push_back("a kernel of your own is kept but cannot be read: " + next.error().message);
  }
  return model;
}

Project without_times(Project project) {
  std::erase_if(project.kernels, [](ProjectKernel& kernel) {
    bool by_hand = false;
    for (auto& node : kernel.history["nodes"]) {
      for (char const* fact : {"measured", "verdict", "verdict_text", "failure"}) node.erase(fact);
      by_hand |= node["parent"] >= 0 && node["label"] != "default";
      // Another device has rules of its own.
      if (node["label"] == "default") node["label"] = "earlier default";
    }
    return !by_hand;
  });
  return project;
}

std::vector<std::string> take_project(State& state, Project const& project,
                                      Backend const& backend) {
  std::vector<std::string> lost;
  for (ProjectKernel const& saved : project.kernels) {
    auto keep = [&](std::string const& why) {
      state.kept.push_back(saved);
      lost.push_back(
          fmt::format("the history of kernel {} is kept but fits nothing: {}", saved.name, why));
    };
    auto const& kernels = state.model->plan.kernels;
    auto found = std::find_if(kernels.begin(), kernels.end(),
                              [&](KernelTask const& task) { return task.name == saved.name; });
    int row = int(found - kernels.begin());
    if (found == kernels.end()) {
      keep("the model has no such kernel");
      continue;
    }
    auto work = restore_kernel(*state.model, row, saved, backend);
    if (!work)
      keep(work.error().message);
    else if (!state.kernels.emplace(row, std::move(*work)).second)
      keep("there are two of this name");
  }
  auto const& kernels = state.model->plan.kernels;
  for (size_t row = 0; row < kernels.size(); ++row)
    if (kernels[row].name == project.kernel) state.kernel = int(row);
  return lost;
}

}  // namespace tw::session
