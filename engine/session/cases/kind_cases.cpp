#include "engine/session/kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "engine/device/registry.h"

namespace tw::session {
namespace {

template <typename Value>
void keep(Result<Value> result, std::optional<Value>& place, std::optional<Error>& failure) {
  if (result)
    place = std::move(*result);
  else
    failure = result.error();
}

FoundOnKind search_on(SearchOnKind const& wanted) {
  NamedDevice const& first = wanted.kind.devices.front();
  FoundOnKind found;
  if (wanted.kernel >= 0)
    keep(tune_kernel(*wanted.model, wanted.kernel, wanted.request.kernels, first.backend,
                     *first.device, wanted.progress),
         found.kernel, found.failure);
  else
    keep(tune_model(*wanted.model, wanted.request, first.backend, *first.device, wanted.progress),
         found.model, found.failure);
  return found;
}

}  // namespace

std::string DeviceKind::label() const {
  std::string const& name = devices.front().name;
  return name.empty() ? kLocalDeviceName : name;
}

std::string machine_words(Backend const& backend) {
  return backend.target().hardware.name + ", " + backend.target().title;
}

std::string kind_text(Hardware const& hardware) {
  std::string text = hardware.target + "; " + hardware.name;
  for (auto const& [word, value] : hardware.code) text += fmt::format("; {}={}", word, value);
  return text;
}

std::vector<DeviceKind> kinds_of(std::vector<NamedDevice> devices) {
  std::vector<DeviceKind> kinds;
  auto text_of = [](Backend const& backend) { return kind_text(backend.target().hardware); };
  for (NamedDevice& device : devices) {
    auto same = std::ranges::find_if(kinds, [&](DeviceKind const& kind) {
      return text_of(kind.backend()) == text_of(*device.backend);
    });
    if (same == kinds.end())
      kinds.push_back({{std::move(device)}});
    else
      same->devices.push_back(std::move(device));
  }
  return kinds;
}

TuneRequest shared_by(DeviceKind const& kind, TuneRequest request) {
  request.device = kind.devices.front().name;
  for (size_t i = 0; i < kind.devices.size(); ++i) {
    NamedDevice const& one = kind.devices[i];
    if (i > 0) request.others.push_back({one.name, one.device.get()});
    if (is_this_machine(one.name)) request.options.here.insert(i);
  }
  request.options.lost_seconds = kLostSeconds;
  request.options.speeds = std::make_shared<std::map<size_t, DeviceSpeed>>();
  return request;
}

std::vector<FoundOnKind> search_on_kinds(
    std::vector<SearchOnKind> searches,
    std::function<void(size_t search, FoundOnKind const&)> const& on_end) {
  std::vector<FoundOnKind> found(searches.size());
  auto turns = searches.size() > 1 ? std::make_shared<MachineTurns>() : nullptr;
  auto search = [&](size_t which) {
    found[which] = search_on(searches[which]);
    if (on_end) on_end(which, found[which]);
  };
  for (SearchOnKind& one : searches) one.request.kernels.options.turns = turns;
  std::vector<std::jthread> others;
  for (size_t i = 1; i < searches.size(); ++i) others.emplace_back([&search, i] { search(i); });
  if (!searches.empty()) search(0);
  others.clear();  // joins
  return found;
}

}  // namespace tw::session
