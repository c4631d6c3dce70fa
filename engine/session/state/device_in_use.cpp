#include "engine/session/state/device_in_use.h"

#include "engine/backend/backend.h"
#include "engine/session/kinds.h"
#include "engine/session/state/known_devices.h"
#include "engine/session/views/schedule_views.h"

namespace tw::session {

DeviceInUse in_use(std::string const& title, std::shared_ptr<Backend const> backend, int threads) {
  DeviceInUse device;
  device.stages = std::make_shared<std::vector<CodeStage> const>(code_stages(*backend));
  device.here = tried_on(title, *backend, threads);
  device.kind = kind_text(backend->target().hardware);
  device.kind_words = machine_words(*backend);
  device.backend = std::move(backend);
  return device;
}

State without_model(State const& state) {
  State next;
  static_cast<DeviceInUse&>(next) = state;
  return next;
}

}  // namespace tw::session
