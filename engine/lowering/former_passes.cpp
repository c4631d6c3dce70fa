// Names that passes had: command lines, journals and the environment may still say them.
#include <array>

#include "engine/lowering/pipeline.h"

namespace tw {
namespace {

struct FormerPass {
  std::string_view before, now;
};
constexpr std::array kFormer = {
    FormerPass{"branch_on_sizes", "unswitch_symbolic"},
    FormerPass{"cut_open_loops", "peel_symbolic_tails"},
    FormerPass{"guard_updates", "predicate_updates"},
    FormerPass{"launch_threads", "unify_thread_bindings"},
    FormerPass{"lower_calls", "lower_intrinsics"},
    FormerPass{"open_sizes", "bound_symbolic_loops"},
    FormerPass{"place_barriers", "insert_barriers"},
    FormerPass{"place_tensors", "sink_allocations"},
    FormerPass{"place_waits", "insert_async_waits"},
    FormerPass{"set_registers", "insert_mode_switches"},
};

}  // namespace

std::string pass_called(std::string const& key) {
  size_t dot = std::min(key.find('.'), key.size());
  for (FormerPass const& one : kFormer)
    if (one.before == std::string_view(key).substr(0, dot))
      return std::string(one.now) + key.substr(dot);
  return key;
}

}  // namespace tw
