#include "engine/records/trial_store.h"

#include "engine/records/postgres/postgres_store.h"
#include "engine/records/sqlite/sqlite_store.h"

namespace tw::records {

bool is_server(std::string_view place) {
  return place.starts_with("postgresql://") || place.starts_with("postgres://");
}

Result<std::unique_ptr<TrialStore>> open_store(std::string const& place,
                                               StoreOptions const& options) {
  return is_server(place) ? open_postgres_store(place, options) : open_sqlite_store(place, options);
}

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
