/// On which devices a tuning searches: opened, sorted by their kinds, with the model as each kind
/// plans it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/records/trial_store.h"
#include "engine/session/kinds.h"
#include "engine/session/state/session_state.h"

namespace tw::session {

/// A model as it was opened: once more for another kind.
struct ModelSource {
  Model model = {};  ///< for the device in use
  std::string kind = {}, source = {}, shapes = {};
  std::vector<std::string> own = {};  ///< kernels of the user's own
};
ModelSource model_source(State const& state);

/// By name, with spaces between them; none: the one in use. Errors: those of `check_device`.
Result<std::vector<std::string>> devices_named(std::string const& names, State const& state,
                                               Options const& options);
/// Errors: no_answer (one of them), those of opening.
Result<std::vector<DeviceKind>> open_kinds(std::vector<std::string> const& names,
                                           Options const& options, StopToken stop);
/// Errors: those of reading it.
Result<Model> model_on(ModelSource const& from, DeviceKind const& kind, StopToken stop);
/// What every search has in common. The roofs of the device in use were measured when it was put in
/// use, those of others are now.
TuneRequest tune_request(DeviceKind const& kind, std::string const& search, int seed,
                         State const& state, Options const& options, StopToken stop);

/// Null where nothing is to be kept.
Result<std::unique_ptr<records::TrialStore>> opened_trial_store(std::filesystem::path const& file);

/// Of the search of this name, or of the first that there is. Errors: unknown_search.
Result<SearchRow> search_called(std::string const& name);

/// The shortest of a search that was stopped, if that is shorter than the schedule by rule: as a
/// trial, else as it was measured in the history.
void offer_least(State const& state, TuningRun& run);

}  // namespace tw::session
