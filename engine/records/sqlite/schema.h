/// The tables of a store's file, and how those of an older version become the newest ones.
#pragma once

#include <span>

#include "engine/records/sqlite/database.h"

namespace tw::records {

/// From version N to N + 1, where N is its place in the list; the first makes the tables.
struct Migration {
  char const* what;        ///< for the error's sentence
  char const* statements;  ///< never changed once a version with it was out
};

std::span<Migration const> migrations();

/// The file's version, 0 of an empty one; writes nothing. Errors: store_newer, store_corrupt
/// (damaged, or another program's).
Result<int64_t> require_ours(Database& database, std::span<Migration const> list);

/// Takes the file to the end of the list in one transaction: a failure leaves it as it was. Writes
/// nothing to one that is there. Errors: those of `require_ours`.
Status migrate(Database& database, std::span<Migration const> list);

}  // namespace tw::records
