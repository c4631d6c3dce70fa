/// What a store of trials teaches of a kernel that is not in it: those of its kind, on the same
/// machine, the nearest shapes first.
#pragma once

#include "engine/records/trial_store.h"
#include "engine/tuner/model/transfer_history.h"
#include "engine/tuner/space.h"

namespace tw {

struct PastTrialsOptions {
  size_t most_tasks = 3;     ///< that are learned from; each gives its best point, too
  int64_t most_trials = 16;  ///< of each: a template is run for every one, before the first trial
  size_t least_trials = 32;  ///< of all: fewer say less than a target's own model; points stay
};

/// `like` says which machine, device and target, and which task is to be tuned itself; `space` is
/// that task's. Null: nothing of its kind was tuned there. Errors: those of the store and of
/// training.
Result<std::shared_ptr<TransferHistory const>> experience_from(
    records::TrialStore& store, records::Trial const& like, Space const& space,
    PastTrialsOptions const& options = {});

}  // namespace tw
