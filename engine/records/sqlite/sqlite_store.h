/// The store in one file.
#pragma once

#include "engine/records/trial_store.h"

namespace tw::records {

Result<std::unique_ptr<TrialStore>> open_sqlite_store(std::filesystem::path const& path,
                                                      StoreOptions const& options);

}  // namespace tw::records
