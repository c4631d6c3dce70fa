#include "targets/shared/gpu/rules.h"

#include <functional>

#include "targets/shared/gpu/attention_rule.h"
#include "targets/shared/gpu/conv_rule.h"
#include "targets/shared/gpu/element_rule.h"
#include "targets/shared/gpu/plain_rule.h"
#include "targets/shared/gpu/product_rule.h"
#include "targets/shared/gpu/reduction_rule.h"
#include "targets/shared/gpu/rows_rule.h"
#include "targets/shared/gpu/tiles_rule.h"
#include "targets/shared/gpu/transpose_rule.h"
#include "targets/shared/gpu/window_rule.h"

namespace tw::gpu {
namespace {

using Rule = std::function<std::optional<Schedule>(ir::Program const&,
                                                   std::shared_ptr<Target const>, Decisions&)>;

}  // namespace

Schedule schedule_by_rule(ir::Program const& program, std::shared_ptr<Target const> const& target,
                          int64_t threads, Decisions& decisions, Judge const& judge) {
  auto judged = [&](auto* rule) -> Rule {
    return [&, rule](ir::Program const& of, std::shared_ptr<Target const> on, Decisions& asked) {
      return rule(of, std::move(on), asked, judge);
    };
  };
  // A rule that gives up takes its questions back: they are not those of the schedule.
  for (Rule const& rule :
       {judged(product_schedule), judged(conv_schedule), Rule(total_schedule),
        Rule(columns_schedule), Rule(long_rows_schedule), judged(attention_schedule),
        judged(rows_schedule), judged(tiles_schedule), Rule(transpose_schedule),
        Rule(element_schedule), Rule(window_schedule)}) {
    Decisions asked = decisions;
    if (auto made = rule(program, target, asked)) {
      decisions = std::move(asked);
      return *made;
    }
  }
  return plain_schedule(program, target, threads);
}

}  // namespace tw::gpu
