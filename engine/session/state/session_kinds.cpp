// On which devices a tuning searches: opened, sorted by their kinds, with the model as each kind
// plans it.
#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <iterator>
#include <sstream>

#include "engine/device/registry.h"
#include "engine/session/layers.h"
#include "engine/session/state/kind_schedules.h"
#include "engine/session/state/session_impl.h"
#include "engine/support/base/quantities.h"

namespace tw::session {
namespace {

Error cannot_take_part(std::string const& name, Error error) {
  error.message =
      fmt::format("{} cannot be used, and nothing was started: {}", name, error.message);
  return error;
}

}  // namespace

SessionImpl::ModelSource SessionImpl::model_source() const {
  return {state_.model, state_.kind, state_.source, state_.shapes, own_kernels_of(state_)};
}

Result<std::vector<std::string>> SessionImpl::devices_named(std::string const& names) const {
  std::istringstream words(names);
  std::vector<std::string> named;
  for (std::istream_iterator<std::string> word(words), end; word != end; ++word)
    if (std::ranges::find(named, *word) == named.end()) named.push_back(*word);
  if (named.empty()) {
    std::lock_guard lock(mutex_);
    return std::vector<std::string>{state_.here.device};
  }
  for (std::string const& name : named) TRY(check_device(options_, name));
  return named;
}

/// Asked at once: one that does not answer takes a while.
Result<std::vector<DeviceKind>> SessionImpl::open_kinds(std::vector<std::string> const& names,
                                                        StopToken stop) const {
  std::vector<std::future<Result<ChosenDevice>>> asked;
  for (std::string const& name : names)
    asked.push_back(std::async(std::launch::async,
                               [this, &name, stop] { return open_device(options_, name, stop); }));
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

Result<Model> SessionImpl::model_on(ModelSource const& from, DeviceKind const& kind,
                                    StopToken stop) {
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

TriedOn SessionImpl::tried_on(DeviceKind const& kind) const {
  Hardware const hardware = kind.backend().target().hardware;
  int threads = options_.threads > 0 ? options_.threads : hardware.unit().count;
  return {kind.label(), fmt::format("{}, {}", hardware.name, count_text(threads, "thread"))};
}

namespace {

/// Where nothing is measured, a trial says what a model would, and takes as long.
std::shared_ptr<Roofs const> rates_of(MachineView const& machine) {
  return has_computed_roofs(machine) ? nullptr : machine.rates;
}

}  // namespace

/// What the search's model of time needs; null: the roofs are not known. Those of the device in use
/// were measured when it was put in use.
std::shared_ptr<Roofs const> SessionImpl::roofs_of(DeviceKind const& kind, StopToken stop) const {
  {
    std::lock_guard lock(mutex_);
    if (state_.here.device == kind.label())
      return state_.machine ? rates_of(*state_.machine) : nullptr;
  }
  auto view = machine_view(kind.backend(), *kind.devices.front().device, options_.cache_folder,
                           options_.measure, false, stop, {}, kind.label());
  return view ? rates_of(*view) : nullptr;
}

/// What every search here has in common.
TuneRequest SessionImpl::tune_request(DeviceKind const& kind, std::string const& search, int seed,
                                      StopToken stop) const {
  TuneRequest request;
  request.roofs = roofs_of(kind, stop);
  request.build = options_.build;
  request.options.seed = uint64_t(seed);
  request.options.threads = options_.threads;
  request.options.search = search;
  request.options.stop = std::move(stop);
  return shared_by(kind, std::move(request));
}

}  // namespace tw::session
