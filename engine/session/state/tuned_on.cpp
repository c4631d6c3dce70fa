#include "engine/session/state/tuned_on.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <iterator>
#include <sstream>

#include "engine/session/model_roofline.h"
#include "engine/session/state/known_devices.h"

namespace tw::session {
namespace {

Error cannot_take_part(std::string const& name, Error error) {
  error.message =
      fmt::format("{} cannot be used, and nothing was started: {}", name, error.message);
  return error;
}

/// Where nothing is measured, a trial says what a model would, and takes as long.
std::shared_ptr<Roofs const> rates_of(MachineView const& machine) {
  return has_computed_roofs(machine) ? nullptr : machine.rates;
}

/// What the search's model of time needs; null: the roofs are not known.
std::shared_ptr<Roofs const> roofs_of(DeviceKind const& kind, State const& state,
                                      Options const& options, StopToken stop) {
  if (state.here.device == kind.label()) return state.machine ? rates_of(*state.machine) : nullptr;
  auto view = machine_view(kind.backend(), *kind.devices.front().device, options.cache_folder,
                           options.measure, false, stop, {}, kind.label());
  return view ? rates_of(*view) : nullptr;
}

}  // namespace

ModelSource model_source(State const& state) {
  return {state.model, state.kind, state.source, state.shapes, own_kernels_of(state)};
}

Result<std::vector<std::string>> devices_named(std::string const& names, State const& state,
                                               Options const& options) {
  std::istringstream words(names);
  std::vector<std::string> named;
  for (std::istream_iterator<std::string> word(words), end; word != end; ++word)
    if (std::ranges::find(named, *word) == named.end()) named.push_back(*word);
  if (named.empty()) named.push_back(state.here.device);
  for (std::string const& name : named) {
    if (name != state.here.device) TRY(check_device(options, name));
    TRY(check_attached(name));
  }
  return named;
}

/// Asked at once: one that does not answer takes a while.
Result<std::vector<DeviceKind>> open_kinds(std::vector<std::string> const& names,
                                           Options const& options, StopToken stop) {
  std::vector<std::future<Result<ChosenDevice>>> asked;
  for (std::string const& name : names)
    asked.push_back(std::async(
        std::launch::async, [&options, &name, stop] { return open_device(options, name, stop); }));
  std::vector<NamedDevice> opened;
  std::optional<Error> failure;
  for (size_t i = 0; i < names.size(); ++i) {
    Result<ChosenDevice> device = asked[i].get();
    if (device)
      opened.push_back({names[i], device->backend, device->device});
    else if (!failure)
      failure = cannot_take_part(names[i], device.error());
  }
  if (failure) return std::unexpected(std::move(*failure));
  return kinds_of(std::move(opened));
}

Result<Model> model_on(ModelSource const& from, DeviceKind const& kind, StopToken stop) {
  if (kind_text(kind.backend().target().hardware) == from.kind) return from.model;
  TRY_ASSIGN(auto fixes, parse_fixes(from.shapes));
  std::string by_rule;  // the same is said when such a device is put in use
  TRY_ASSIGN(Model model, load_arranged(from.source, {fixes, {}, arrangement_of(*from.model)},
                                        kind.backend(), by_rule, stop));
  for (std::string const& text : from.own) {
    TRY_ASSIGN(model, with_own_kernel(model, text));
  }
  return model;
}

TuneRequest tune_request(DeviceKind const& kind, std::string const& search, int seed,
                         State const& state, Options const& options, StopToken stop) {
  TuneRequest request;
  request.roofs = roofs_of(kind, state, options, stop);
  request.build = options.build;
  request.options.seed = uint64_t(seed);
  request.options.threads = options.threads;
  request.options.search = search;
  request.options.stop = std::move(stop);
  return shared_by(kind, std::move(request));
}

Result<std::unique_ptr<records::TrialStore>> opened_trial_store(std::filesystem::path const& file) {
  if (file.empty()) return nullptr;
  return records::open_store(file, {.durability = Durability::kFast});
}

Result<SearchRow> search_called(std::string const& name) {
  if (name.empty()) return tw::searches().front();
  return find_search(name);
}

void offer_least(State const& state, TuningRun& run) {
  auto work = state.kernels.find(run.row);
  if (work == state.kernels.end() || run.least_ms() <= 0) return;
  if (int rule = work->second.default_node; rule >= 0 && !run.elsewhere)
    if (auto const& known = work->second.history.node(rule).on(state.here).measured)
      run.default_ms = known->min_ms;
  for (auto const& trial : run.trials)
    if (run.from == 0 && trial->knobs.empty() && trial->ms > 0) run.default_ms = trial->ms;
  auto to_beat = run.from_ms() > 0 ? std::optional(run.from_ms()) : run.default_ms;
  for (auto const& trial : run.trials)
    if (trial->ms == run.least_ms() && (!to_beat || trial->ms < *to_beat)) run.best = trial->number;
}

}  // namespace tw::session
