#include "engine/session/parts/parts.h"

#include "engine/session/state/device_in_use.h"
#include "engine/session/state/known_devices.h"

namespace tw::session {
namespace {

State first_state(Options const& options) {
  State state;
  static_cast<DeviceInUse&>(state) = in_use("", options.backend, options.threads);
  return state;
}

}  // namespace

Parts::Parts(Options given)
    : options(std::move(given)),
      cell(first_state(options)),
      queues(news),
      showing(cell, queues, news),
      modelling(*this),
      roofs(*this),
      measuring(*this),
      quiet(*this),
      background(*this),
      opening(*this),
      ablating(*this),
      kernel_tuning(*this),
      model_tuning(*this) {
  roofs.start(false);
}

/// Jobs are over before anything that they look at is gone.
Parts::~Parts() { queues.end(); }

void Parts::set_error(Error const& error, std::string job) {
  cell.commit([&](State& now) { now.error = error_view(error, std::move(job)); });
}

void Parts::clear_error() {
  cell.commit([](State& now) { now.error = nullptr; });
}

void Parts::stop_tuning() {
  gate.resume();
  queues.tune.cancel_all();
}

}  // namespace tw::session
