/// Times of a model's kernels: measured, or modelled where nothing runs.
#pragma once

#include "engine/session/values.h"

namespace tw::session {

/// One run of a kernel, measured, or modelled on a device that runs nothing; empty: not known.
inline std::optional<double> time_of(KernelRow const& row) {
  return row.time_ms ? row.time_ms : row.model_ms;
}

/// All runs of a kernel in one run of the model; empty: not known.
inline std::optional<double> time_in_model(KernelRow const& row) {
  auto time = time_of(row);
  return time ? std::optional(*time * row.count) : std::nullopt;
}

/// A run of all kernels one after the other, modelled; empty: of some there is no model, or times
/// are measured. What the user wrote beside the model is no part of it.
inline std::optional<double> modelled_ms(KernelTable const& table) {
  double all = 0;
  for (KernelRow const& row : table.rows) {
    if (!row.own_text.empty()) continue;
    if (row.time_ms || !row.model_ms) return std::nullopt;
    all += *time_in_model(row);
  }
  return all > 0 ? std::optional(all) : std::nullopt;
}

}  // namespace tw::session
