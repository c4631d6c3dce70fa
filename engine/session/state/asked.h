/// What a session was asked for last, and of what: it answers at once while nothing has changed.
#pragma once

#include <memory>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/session/code_report.h"
#include "engine/session/model/model.h"
#include "engine/session/values.h"

namespace tw::session {

struct AskedPasses {
  uint64_t program_hash = 0;
  std::shared_ptr<Backend const> backend;
  std::shared_ptr<std::vector<PassChange> const> changes;  ///< null: not there yet
};

/// Two texts, and what they are beside each other.
struct AskedPair {
  std::shared_ptr<CodeText const> first, second;
  std::shared_ptr<CodePair const> both;
};

}  // namespace tw::session
