/// Whether a block that is put elsewhere still runs its instances: all of them, no others, and
/// those that go on with a sum once.
#pragma once

#include <string>

#include "engine/ir/program.h"
#include "engine/schedule/legality/integer_sets.h"

namespace tw {

struct InstanceAnswer {
  std::string code;     ///< of the fault; empty: none was found
  std::string message;  ///< names an instance, or the iterations that repeat one
  std::string unknown;  ///< why there is no answer; empty: there is one
};

/// One block before a step and after it.
InstanceAnswer ask_instances(ir::BlockSite const& was, ir::BlockSite const& is, IntegerSets& sets);

}  // namespace tw
