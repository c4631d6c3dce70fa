/// Searches on several devices. Those of one kind, for which the same code is made, share one;
/// those of other kinds are searched for beside it, since what is fast on one kind says nothing of
/// another.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/session/use_cases.h"

namespace tw::session {

/// A device that was opened, and the backend for what it says it is.
struct NamedDevice {
  std::string name;  ///< as a person gave it; empty: this machine
  std::shared_ptr<Backend const> backend;
  std::shared_ptr<Device> device;
};
struct DeviceKind {
  std::vector<NamedDevice> devices;  ///< never empty, in the order in which they were named
  Backend const& backend() const { return *devices.front().backend; }
  std::string label() const;  ///< the first's name
};
/// A kind of devices in words for people: "EPYC 9354, x86-64 with AVX-512".
std::string machine_words(Backend const& backend);
/// Equal where the same code is made; only to be compared.
std::string kind_text(Hardware const& hardware);
/// In the order of their first devices.
std::vector<DeviceKind> kinds_of(std::vector<NamedDevice> devices);

/// What is searched for on one kind.
struct SearchOnKind {
  DeviceKind kind;
  Model model;               ///< as it is planned for the kind
  int kernel = -1;           ///< its row; -1: all kernels of the model
  ModelTuneRequest request;  ///< of a kernel only `request.kernels`
  Progress progress = {};
};
/// Either what was found, or why there is nothing.
struct FoundOnKind {
  std::optional<Error> failure;
  std::optional<Tuned> kernel;
  std::optional<TunedModel> model;
};

/// Where none of a kind's devices has answered for so long, its search ends: a program is started
/// again in less.
inline constexpr double kLostSeconds = 10;
/// The request with the kind's devices, which share it and wait for each other.
TuneRequest shared_by(DeviceKind const& kind, TuneRequest request);

/// All at once, each on a thread of its own; what one kind cannot do ends its own search alone.
/// `on_end` is told of each as soon as it is over, on that search's thread. The answers are in the
/// order of the searches.
std::vector<FoundOnKind> search_on_kinds(
    std::vector<SearchOnKind> searches,
    std::function<void(size_t search, FoundOnKind const&)> const& on_end = {});

}  // namespace tw::session
