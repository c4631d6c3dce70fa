#pragma once

#include <cstdint>
#include <string_view>

#include "engine/support/base/error.h"

namespace tw {

/// What learns, as `--model` names it.
enum class ModelKind : uint8_t {
  kTrees,    ///< boosted trees over a row of numbers
  kTreeGru,  ///< a recursive network over the program's loops
};
std::string_view name_of(ModelKind kind);
/// Errors: unknown_model_kind, with those there are.
Result<ModelKind> find_model_kind(std::string_view name);

}  // namespace tw
