/// Models are opened, again in another form, or for another device.
#pragma once

#include <memory>
#include <string>

#include "engine/session/state/opened_state.h"

namespace tw::session {

struct Parts;
struct LoadOptions;

class Opening {
public:
  explicit Opening(Parts& parts) : parts_(parts) {}

  /// Job. Errors: unusable shapes.
  Status open(std::string const& source, std::shared_ptr<Project const> project = {},
              std::string const& shapes = "", TakenUp const& why = {});
  /// The open model again, as the project says now. Errors: as above.
  Status reopen(State const& state, std::shared_ptr<Project const> project, TakenUp const& why) {
    return open(state.source, std::move(project), state.shapes, why);
  }

  /// Puts a model into the state, and shows it: as it is there, with the kernels of the project.
  /// Null: `why.still` answered no, or another device was put in use meanwhile.
  Model take(Opened opened);
  /// What follows once a model was taken: on the thread that took it.
  void begin_work(Model const& model, std::string const& source, StopToken stop);
  /// The same without measuring: the file's content, for projects, after the first picture.
  void know(Model const& model, std::string const& source, StopToken stop);

  /// On the main queue's thread. The model is planned again, with the schedules that were made by
  /// hand, for what the new device is; times belong to the device that they were measured on. All
  /// stays as it is until the model is there. Errors: those of opening it.
  Status use(ChosenDevice chosen, StopToken stop, Progress const& progress);

private:
  void run(Opened opened, LoadOptions options, StopToken stop, Progress const& progress);
  /// The model, in the layouts of the project's accelerator too: what that takes over is put into
  /// `opened.why`. Without the accelerator it is opened as well, unless it is just being asked for;
  /// why, is put into `opened.by_rule`. Errors: those of `load_arranged`; of an accelerator that is
  /// asked for, those of opening it, and nothing_to_offload.
  Result<Model> load_beside(Opened& opened, LoadOptions options, StopToken stop,
                            Progress const& progress);
  DeviceInUse device_for(Opened const& opened) const;
  Result<Model> load_with_helper(Opened& opened, LoadOptions options, StopToken stop,
                                 Progress const& progress);

  Parts& parts_;
};

}  // namespace tw::session
