/// The schedules by rule of sums that are no products and are not made by a block for each row: of
/// all elements, of columns, of few long rows.
#pragma once

#include <memory>
#include <optional>

#include "engine/schedule/decisions.h"
#include "engine/schedule/schedule.h"

namespace tw::gpu {

/// Of one sum of all elements of what the stages before it make element by element: blocks add a
/// part of it each, then threads add these parts, then one thread. What comes after it, of one
/// element, is left to that thread. Factors are asked of `decisions`. Nothing: it is no such
/// program, or too short for threads.
std::optional<Schedule> total_schedule(ir::Program const& program,
                                       std::shared_ptr<Target const> target, Decisions& decisions);

/// Of one sum over dimensions outside of the one whose elements lie side by side: threads along x
/// are columns, those along y share the terms of a column; of few and long ones several blocks make
/// parts. Nothing: it is none, or has so many columns that a thread for each is enough.
std::optional<Schedule> columns_schedule(ir::Program const& program,
                                         std::shared_ptr<Target const> target,
                                         Decisions& decisions);

/// Of one sum along the dimension whose elements lie side by side, of few rows that are so long
/// that a block for each would leave most of a GPU idle: several blocks make parts of a row, and
/// the threads of one block for each row add them. How many parts is asked of `decisions`. Nothing:
/// it is none.
std::optional<Schedule> long_rows_schedule(ir::Program const& program,
                                           std::shared_ptr<Target const> target,
                                           Decisions& decisions);

}  // namespace tw::gpu
