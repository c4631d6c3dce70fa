/// Schedules taken over to other kernels, as values and as branches of a history.
#pragma once

#include "engine/history/history.h"
#include "engine/schedule/transfer.h"
#include "engine/session/state/session_state.h"

namespace tw::session {

ReplayView replay_view(Transfer const& transfer, std::string const& from_kernel);

/// Every step of `leaf` as a node below the plain program, the last one current and with the note
/// where it has none. Errors: a step is refused on this history's kernel.
Result<History> with_branch(History history, Schedule const& leaf, std::string const& note);

/// A schedule on its way to another kernel of the model.
struct ReplayInto {
  KernelWork fresh;  ///< of the other kernel, where it has not been looked at yet
  Schedule leaf;
  ReplayView view;
  std::string note;
};
Result<ReplayInto> replay_into(LoadedModel const& model, Schedule const& from,
                               std::string const& from_name, int row, Backend const& backend);

/// The history of a kernel whose text is new: every leaf of the old history, replayed.
struct Rewritten {
  KernelWork work;
  std::shared_ptr<ReplayView const> view;  ///< of the branch that was current; null: it was plain
};
Result<Rewritten> rewritten(LoadedModel const& model, int row, std::optional<KernelWork> const& old,
                            Backend const& backend);

/// Another model in place of the open one whose kernels are the same but for some of the user's
/// own; measured times stay.
void put_model(State& state, Model const& model);

}  // namespace tw::session
