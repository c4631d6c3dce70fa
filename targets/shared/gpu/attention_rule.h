/// The schedule by rule of attention whose scores are many: tiles of rows.
#pragma once

#include <memory>
#include <optional>

#include "engine/schedule/decisions.h"
#include "engine/schedule/schedule.h"
#include "targets/shared/gpu/judge.h"

namespace tw::gpu {

/// Of P = Q K', its greatest of each row, powers of e, their sums, and their product with V: a
/// block has several rows, whose scores stay in shared memory, a thread some rows of a column in
/// registers, so that K and V are read once for all rows of a thread. Or, of any number of keys and
/// with a mask behind P, it runs over them in one pass (see online_attention.h). Tiles are asked of
/// `decisions`. Nothing: it is another program, or `judge` takes a row for each block (see
/// rows_rule.h) for faster, or knows no answer.
std::optional<Schedule> attention_schedule(ir::Program const& program,
                                           std::shared_ptr<Target const> target,
                                           Decisions& decisions, Judge const& judge);

}  // namespace tw::gpu
