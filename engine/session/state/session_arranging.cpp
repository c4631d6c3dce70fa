// Layouts and algorithms of the open model: by a person's choice, or tried on a device before its
// kernels are tuned.
#include <fmt/format.h>

#include <algorithm>

#include "engine/session/model/fusion_knobs.h"
#include "engine/session/model/graph_options.h"
#include "engine/session/state/model_tuning_job.h"
#include "engine/session/state/session_impl.h"

namespace tw::session {
namespace {

constexpr int kTakeTries = 20;  // while somebody edits faster than a model is taken up

TriedChoice choice_of(TriedArrangement const& tried) {
  return {.choice = tried.knob + "=" + tried.value,
          .speedup = tried.ratio > 0 ? 1 / tried.ratio : 0,
          .kept = tried.kept,
          .sentence = tried.why};
}

}  // namespace

/// What the kernels that stay the same were shaped to goes on; the others' histories come back with
/// their arrangement.
Status SessionImpl::run(Arrange const& c) {
  size_t equals = c.choice.rfind('=');
  if (equals == std::string::npos || equals == 0)
    return bad_input(
        "bad_arrangement",
        fmt::format("a choice is KNOB=VALUE, as in channel_block=8, not '{}'", c.choice));
  std::unique_lock lock(mutex_);
  if (!state_.model) return bad_input("no_model", "no model is open");
  Point point = arrangement_of(*state_.model);
  auto [knob, value] = graph_option_called(c.choice.substr(0, equals), c.choice.substr(equals + 1));
  point[knob] = value;
  if (is_fusion_knob(knob)) {
    TRY(check_fusion(state_.model->after, knob, value));
  } else {
    TRY(check_arrangement(point, state_.model->knobs));
  }
  auto project = std::make_shared<Project>(project_of(state_));
  project->model.arrangement = point;
  std::string source = state_.source, shapes = state_.shapes;
  lock.unlock();
  return open(source, project, shapes, {.device_before = {}, .other_arrangement = true});
}

/// Only where one of the devices is of the kind in use: its model is the one that is open.
Status SessionImpl::arrange_first(ModelTuningJob& job, std::vector<DeviceKind> const& kinds) {
  if (job.wanted.arranges == 0) return {};
  auto here = std::ranges::find_if(kinds, [&](DeviceKind const& kind) {
    return kind_text(kind.backend().target().hardware) == job.from.kind;
  });
  if (here == kinds.end()) {
    show_arranging(job, [](ModelTuningView& view) {
      view.choices = {{.choice = "",
                       .sentence = "none of the devices is of the type in use, for which layouts "
                                   "and algorithms are chosen"}};
    });
    return {};
  }
  TRY_ASSIGN(Arranged arranged, arranged_on(job, *here));
  if (arranged.model != job.from.model) TRY(take_arranged(job, arranged.model));
  if (job.wanted.seconds > 0) {
    job.wanted.seconds = std::max(0.01, job.wanted.seconds - arranged.seconds);
    job.begun.seconds = job.wanted.seconds;
  }
  return {};
}

Result<Arranged> SessionImpl::arranged_on(ModelTuningJob& job, DeviceKind const& kind) {
  ArrangeRequest request;
  request.threads = options_.threads;
  request.seconds = job.wanted.seconds * kArrangingShare;
  request.cache_folder = options_.cache_folder;
  request.standing = job.standing;
  request.stop = job.stop;
  request.enough = job.enough;
  request.on_tried = [&](TriedArrangement const& tried) {
    show_arranging(job, [&](ModelTuningView& view) { view.choices.push_back(choice_of(tried)); });
    wait_for_others(job.stop);
  };
  show_arranging(job, [](ModelTuningView& view) { view.state = ModelTuningState::kArranging; });
  Result<Arranged> arranged =
      arrange_model(job.from.model, request, kind.backend(), *kind.devices.front().device);
  show_arranging(job, [](ModelTuningView& view) { view.state = ModelTuningState::kTiming; });
  return arranged;
}

void SessionImpl::show_arranging(ModelTuningJob& job,
                                 std::function<void(ModelTuningView&)> const& change) {
  {
    std::lock_guard lock(mutex_);
    change(job.begun);
    job.begun.stopping = job.enough.stop_requested();
    if (state_.model != job.from.model) return;
    state_.model_tuning = std::make_shared<ModelTuningView const>(job.begun);
  }
  publish_tuning();
}

/// Whatever a person did while it was taken up is not lost: then it is taken up again.
Status SessionImpl::take_arranged(ModelTuningJob& job, Model const& model) {
  for (int tries = 0; tries < kTakeTries && !job.stop.stop_requested(); ++tries) {
    std::string source, shapes, text;
    Project project;
    {
      std::lock_guard lock(mutex_);
      if (state_.model != job.from.model) break;
      project = project_of(state_);
      text = to_text(project);
      source = state_.source;
      shapes = state_.shapes;
    }
    project.model.arrangement = arrangement_of(*model);
    auto still = [&](State const& now) {
      return now.model == job.from.model && to_text(project_of(now)) == text;
    };
    TakenUp why{.device_before = {}, .other_arrangement = true, .still = still};
    if (!take_model(model, source, shapes, &project, why, "")) continue;
    Model taken;
    {
      std::lock_guard lock(mutex_);
      job.from = model_source();
      job.standing = shaped_scripts(state_);
      job.rearranged = true;
      taken = state_.model;
    }
    publish();
    start_modelling();
    know_model(taken, source, job.stop);
    return {};
  }
  return refused("model_changed",
                 "the model or the device was changed meanwhile: nothing was applied");
}

}  // namespace tw::session
