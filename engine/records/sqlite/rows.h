/// A trial as a row of the table, and back.
#pragma once

#include "engine/records/sqlite/database.h"
#include "engine/records/trial_store.h"

namespace tw::records {

/// With the id that it is to have; its program's text is kept once for all.
Status insert(Database& database, int64_t id, Trial const& trial);

/// What `row` needs, in its order, of the tables `trials` and `programs`.
extern char const* const kRowColumns;

/// The row that the statement stands on. Errors: store_corrupt, where it is not as it was written.
Result<StoredTrial> row(Database const& database, Statement const& statement);

}  // namespace tw::records
