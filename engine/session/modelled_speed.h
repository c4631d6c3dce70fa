/// How fast a state of a kernel is by the model, in the unit that its history says speeds in.
#pragma once

#include "engine/session/values.h"

namespace tw::session {

/// Nothing: the model says nothing of it.
inline std::optional<double> modelled_speed(HistoryView const& history,
                                            HistoryNodeView const& node) {
  if (!node.model_ms || *node.model_ms <= 0) return std::nullopt;
  if (history.roof && history.roof->moves_data)
    return double(history.roof->bytes) / *node.model_ms * 1e-6;
  return node.model_gflops;
}

}  // namespace tw::session
