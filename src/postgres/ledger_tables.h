// The tables of a ledger in PostgreSQL (docs/reference/ledger.md), and how those of an older
// version become those of this. Blocks, as connections do.
#pragma once

#include "postgres/connection.h"

namespace windlass::postgres {

// Goes up with every change of the tables; newer ones are refused.
constexpr int64_t kTablesVersion = 1;

// Makes the tables, or brings them up to date, in one transaction. Several processes may do so at
// the same time.
Result<void> prepare_tables(Connection& connection);

// That they are there, and of this version.
Result<void> check_tables(Connection& connection);

}  // namespace windlass::postgres
