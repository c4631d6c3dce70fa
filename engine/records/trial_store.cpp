#include "engine/records/trial_store.h"

namespace tw::records {

Status each_trial(TrialStore& store, Query query,
                  std::function<Status(StoredTrial const&)> const& visit) {
  query.order = Order::kOldest;
  query.offset = 0;
  query.limit = 1000;
  while (true) {
    TRY_ASSIGN(std::vector<StoredTrial> page, store.find(query));
    if (page.empty()) return {};
    for (StoredTrial const& stored : page) TRY(visit(stored));
    query.after_id = page.back().id;
  }
}

}  // namespace tw::records
