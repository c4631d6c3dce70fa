// Runs kernels on another device.
#include "engine/session/commands/command_row.h"
#include "engine/session/state/known_devices.h"

namespace tw::session::command_use_device {

Status use(Parts& parts, std::string const& name, StopToken stop, Progress const& progress) {
  TRY_ASSIGN(ChosenDevice chosen, open_device(parts.options, name, stop));
  return parts.opening.use(std::move(chosen), stop, progress);
}

Status run(Parts& parts, UseDevice const& c) {
  if (!parts.options.open_device)
    return bad_input("no_devices", "only this machine is available as a device");
  for (char const* kind : {"measure", "check", "model", "roofs"}) parts.queues.main.cancel(kind);
  parts.ablating.stop();
  parts.queues.main.start("device", "querying " + c.name,
                          [&parts, name = c.name](StopToken stop, Progress const& progress) {
                            Status used = use(parts, name, stop, progress);
                            if (!used && !stop.stop_requested())
                              parts.set_error(used.error(), "device");
                            parts.showing.publish();
                            // Also when nothing changed: this stopped what was being measured.
                            parts.roofs.start(false);
                            parts.measuring.start();
                          });
  return {};
}

CommandRow const& row() {
  static CommandRow const row = command_row(run);
  return row;
}

}  // namespace tw::session::command_use_device
