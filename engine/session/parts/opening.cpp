#include "engine/session/parts/opening.h"

#include <filesystem>

#include "engine/session/parts/parts.h"
#include "engine/session/state/device_in_use.h"
#include "engine/session/state/known_devices.h"
#include "engine/session/use_cases.h"
#include "engine/support/sha256.h"

namespace tw::session {

namespace {

/// Errors: those of the shapes.
Result<LoadOptions> options_of(Opened const& opened) {
  TRY_ASSIGN(auto fixes, parse_fixes(opened.shapes));
  LoadOptions options{fixes, {}};
  if (opened.project) options.arrangement = opened.project->model.arrangement;
  return options;
}

}  // namespace

Status Opening::open(std::string const& source, std::shared_ptr<Project const> project,
                     std::string const& shapes, TakenUp const& why) {
  TRY(parse_fixes(shapes));
  parts_.clear_error();
  parts_.ablating.stop();
  Opened opened{{}, source, shapes, std::move(project), why};
  TRY_ASSIGN(LoadOptions options, options_of(opened));
  auto work = [this, opened, options](StopToken stop, Progress const& progress) {
    run(opened, options, stop, progress);
  };
  parts_.queues.main.start_first("open", "opening " + source, work,
                                 {"roofs", "model", "measure", "check", "again", "background"});
  return {};
}

void Opening::run(Opened opened, LoadOptions options, StopToken stop, Progress const& progress) {
  auto model = load_beside(opened, std::move(options), stop, progress);
  if (!model) {
    if (!stop.stop_requested())
      parts_.set_error(model.error(), opened.why.offload_asked() ? "offload" : "open");
    return parts_.showing.publish();
  }
  opened.model = *model;
  if (Model taken = take(opened)) begin_work(taken, opened.source, stop);
}

void Opening::begin_work(Model const& model, std::string const& source, StopToken stop) {
  know(model, source, stop);
  parts_.measuring.start();
}

Model Opening::take(Opened opened) {
  State next = opened_state(*parts_.cell.read(), opened);
  Model model = next.model;
  bool still = bool(opened.why.still);
  if (!still) parts_.stop_tuning();  // of another model, or for another device
  bool taken = parts_.cell.commit([&](State& now) {
    if (still && !opened.why.still(now)) return false;
    // What another device took the place of meanwhile was read for the former one.
    if (!opened.device && now.backend != next.backend) return false;
    go_on_from(next, now, opened);
    now = std::move(next);
    return true;
  });
  if (!taken) return nullptr;
  parts_.showing.publish();
  parts_.modelling.start();
  return model;
}

/// Nobody waits for it.
void Opening::know(Model const& model, std::string const& source, StopToken stop) {
  ProjectModel known;
  known.source = source;
  if (!known.is_file()) return;
  auto hash = sha256_of_file(source, stop);
  auto files = files_of_model(source, stop);
  std::error_code unknown;
  auto bytes = std::filesystem::file_size(source, unknown);
  if (!hash || !files || unknown) return;
  parts_.cell.commit([&](State& now) {
    if (now.model != model) return false;
    now.files = *files;
    now.sha256 = *hash;
    now.bytes = int64_t(bytes);
    return true;
  });
}

DeviceInUse Opening::device_for(Opened const& opened) const {
  if (opened.device) return *opened.device;
  return *parts_.cell.read();
}

Result<Model> Opening::load_beside(Opened& opened, LoadOptions options, StopToken stop,
                                   Progress const& progress) {
  std::string name = opened.project ? opened.project->model.accelerator : std::string();
  auto alone = [&] {
    return load_arranged(opened.source, options, *device_for(opened).backend, opened.by_rule, stop,
                         progress);
  };
  if (name.empty()) return alone();
  auto found = load_with_helper(opened, options, stop, progress);
  if (found || opened.why.offload_asked() || stop.stop_requested()) return found;
  opened.by_rule = "nothing is offloaded: " + found.error().message;
  opened.why.beside.device = name;  // a board that is away today is the project's tomorrow
  return alone();
}

Result<Model> Opening::load_with_helper(Opened& opened, LoadOptions options, StopToken stop,
                                        Progress const& progress) {
  DeviceInUse device = device_for(opened);
  std::string const& name = opened.project->model.accelerator;
  TRY_ASSIGN(ChosenDevice helper, open_device(parts_.options, name, stop));
  options.helper = helper.backend.get();
  TRY_ASSIGN(Model model, load_arranged(opened.source, options, *device.backend, opened.by_rule,
                                        stop, progress));
  TRY_ASSIGN(Offload offload, offload_model(*model, *helper.backend, device.here.device, name));
  opened.why.beside = {name, std::move(offload.kernels), std::move(offload.cut.points)};
  return model;
}

namespace {

/// What goes on of the open model on another device.
std::shared_ptr<Project const> project_for(DeviceInUse const& device, State const& state) {
  auto kept = std::make_shared<Project>(for_other_device(project_of(state), state.here.device));
  std::string& accelerator = kept->model.accelerator;
  if (!accelerator.empty()) kept->cut.clear();                 // it is cut for the former one
  if (accelerator == device.here.device) accelerator.clear();  // it is no longer beside
  return kept;
}

}  // namespace

Status Opening::use(ChosenDevice chosen, StopToken stop, Progress const& progress) {
  StateCell::Pointer state = parts_.cell.read();
  DeviceInUse device = in_use(chosen.title, chosen.backend, parts_.options.threads);
  device.devices_asked = state->devices_asked;
  device.attached = chosen.attached;
  Opened opened{.model = {}, .source = state->source, .shapes = state->shapes, .device = device};
  opened.why.device_before = state->here.device;
  if (state->model) {
    opened.project = project_for(device, *state);
    opened.why.cut_by_rule = !opened.project->model.accelerator.empty();
    TRY_ASSIGN(LoadOptions options, options_of(opened));
    TRY_ASSIGN(opened.model, load_beside(opened, options, stop, progress));
  }
  state = parts_.cell.read();  // one edits meanwhile
  parts_.measuring.use(std::move(chosen));
  if (!opened.model || !state->model) {
    parts_.cell.commit([&](State& now) {
      now = without_model(now);
      static_cast<DeviceInUse&>(now) = device;
    });
    return {};
  }
  opened.project = project_for(device, *state);
  know(take(opened), opened.source, stop);
  return {};
}

}  // namespace tw::session
