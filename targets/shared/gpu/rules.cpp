#include "targets/shared/gpu/rules.h"

#include "targets/shared/gpu/conv_rule.h"
#include "targets/shared/gpu/element_rule.h"
#include "targets/shared/gpu/plain_rule.h"
#include "targets/shared/gpu/product_rule.h"
#include "targets/shared/gpu/reduction_rule.h"
#include "targets/shared/gpu/rows_rule.h"
#include "targets/shared/gpu/window_rule.h"

namespace tw::gpu {

Schedule schedule_by_rule(ir::Program const& program, std::shared_ptr<Target const> const& target,
                          int64_t threads, Decisions& decisions) {
  // A rule that gives up takes its questions back: they are not those of the schedule.
  for (auto* rule : {product_schedule, conv_schedule, total_schedule, columns_schedule,
                     rows_schedule, element_schedule, window_schedule}) {
    Decisions asked = decisions;
    if (auto made = rule(program, target, asked)) {
      decisions = std::move(asked);
      return *made;
    }
  }
  return plain_schedule(program, target, threads);
}

}  // namespace tw::gpu
