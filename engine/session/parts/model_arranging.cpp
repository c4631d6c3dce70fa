// Layouts and algorithms of the open model, tried on a device before its kernels are tuned.
#include <algorithm>

#include "engine/session/model/fusion_knobs.h"
#include "engine/session/parts/model_tuning_job.h"
#include "engine/session/parts/parts.h"

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

/// Only where one of the devices is of the kind in use: its model is the one that is open.
Status ModelTuning::arrange_first(Job& job, std::vector<DeviceKind> const& kinds) {
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

Result<Arranged> ModelTuning::arranged_on(Job& job, DeviceKind const& kind) {
  ArrangeRequest request;
  request.threads = parts_.options.threads;
  request.seconds = job.wanted.seconds * kArrangingShare;
  request.cache_folder = parts_.options.cache_folder;
  request.standing = job.standing;
  request.stop = job.stop;
  request.enough = job.enough;
  request.on_tried = [&](TriedArrangement const& tried) {
    show_arranging(job, [&](ModelTuningView& view) { view.choices.push_back(choice_of(tried)); });
    parts_.queues.wait_until_rest(job.stop);
  };
  show_arranging(job, [](ModelTuningView& view) { view.state = ModelTuningState::kArranging; });
  Result<Arranged> arranged =
      arrange_model(job.from.model, request, kind.backend(), *kind.devices.front().device);
  show_arranging(job, [](ModelTuningView& view) { view.state = ModelTuningState::kTiming; });
  return arranged;
}

void ModelTuning::show_arranging(Job& job, Change const& change) {
  change(job.begun);
  job.begun.stopping = job.enough.stop_requested();
  bool shown = parts_.cell.commit([&](State& now) {
    if (now.model != job.from.model) return false;
    now.model_tuning = std::make_shared<ModelTuningView const>(job.begun);
    return true;
  });
  if (shown) parts_.showing.publish_tuning();
}

/// Whatever a person did while it was taken up is not lost: then it is taken up again.
Status ModelTuning::take_arranged(Job& job, Model const& model) {
  for (int tries = 0; tries < kTakeTries && !job.stop.stop_requested(); ++tries) {
    StateCell::Pointer state = parts_.cell.read();
    if (state->model != job.from.model) break;
    auto project = std::make_shared<Project>(project_of(*state));
    std::string text = to_text(*project);
    project->model.arrangement = arrangement_of(*model);
    auto still = [&](State const& now) {
      return now.model == job.from.model && to_text(project_of(now)) == text;
    };
    Model taken = parts_.opening.take({model,
                                       state->source,
                                       state->shapes,
                                       project,
                                       {.other_arrangement = true, .still = still}});
    if (!taken) continue;
    state = parts_.cell.read();
    job.from = model_source(*state);
    job.standing = shaped_scripts(*state);
    job.rearranged = true;
    parts_.opening.know(taken, state->source, job.stop);
    return {};
  }
  return refused("model_changed",
                 "the model or the device was changed meanwhile: nothing was applied");
}

}  // namespace tw::session
