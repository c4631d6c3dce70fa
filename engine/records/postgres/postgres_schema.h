/// The tables of a store on a server, and how those of an older version become the newest ones.
#pragma once

#include <span>

#include "engine/records/postgres/connection.h"

namespace tw::records {

/// From version N to N + 1, where N is its place in the list; the first makes the tables.
struct ServerMigration {
  char const* what;        ///< for the error's sentence
  char const* statements;  ///< never changed once a version with it was out
};

std::span<ServerMigration const> server_migrations();

/// Takes the database to the end of the list in one transaction, one process at a time: a failure
/// leaves it as it was. Errors: store_newer, store_corrupt (another program's tables).
Status migrate(Connection& connection, std::span<ServerMigration const> list);

}  // namespace tw::records
