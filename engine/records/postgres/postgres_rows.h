/// Trials as rows of a server's tables, and back.
#pragma once

#include <span>

#include "engine/records/postgres/connection.h"
#include "engine/records/trial_store.h"

namespace tw::records {

/// With ids from `first_id` on; each program's text is kept once for all.
Status insert(Connection& connection, int64_t first_id, std::span<Trial const> trials);

/// What `row_at` needs, in its order, of the tables of trials and of programs.
extern char const* const kServerColumns;

/// Errors: store_corrupt, where it is not as it was written.
Result<StoredTrial> row_at(Connection const& connection, Rows const& rows, int row);

}  // namespace tw::records
