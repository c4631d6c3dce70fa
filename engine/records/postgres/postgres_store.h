/// The store that a team shares on a PostgreSQL server.
#pragma once

#include "engine/records/trial_store.h"

namespace tw::records {

Result<std::unique_ptr<TrialStore>> open_postgres_store(std::string const& url,
                                                        StoreOptions const& options);

}  // namespace tw::records
