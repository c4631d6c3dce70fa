#include "targets/vta/compiler/rules/rules.h"

namespace tw::vta {

Result<Schedule> vta_schedule(ir::Program const& program,
                              std::shared_ptr<Target const> const& target,
                              Configuration const& configuration, Decisions& decisions) {
  Schedule plain(program, target);
  if (auto made = product_schedule(plain, configuration, decisions)) return std::move(*made);
  if (auto made = pool_schedule(plain, configuration, decisions)) return std::move(*made);
  if (auto made = element_schedule(plain, configuration, decisions)) return std::move(*made);
  return plain;
}

}  // namespace tw::vta
