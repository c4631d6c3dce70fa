#include "engine/session/refusal_words.h"

#include <fmt/format.h>

#include <algorithm>

namespace tw::session {

std::string consequence_of(RefusalView const& refusal) {
  if (!refusal.conflict) return {};
  std::string const& tensor = refusal.conflict->buffer;
  if (refusal.code == "reduction_carried")
    return fmt::format(
        "Iterations add into the same elements of {}. Run at once, two of them would read the same "
        "old sum, and one of the two additions would be lost.",
        tensor);
  if (refusal.code == "order_carried")
    return fmt::format(
        "Each iteration continues from what the previous one left in {}. Run at once, it would "
        "start from an older value.",
        tensor);
  if (refusal.code == "dependence_carried")
    return fmt::format(
        "One iteration needs what another one does to {}. Run at once, their order, and so the "
        "result, is undefined: a data race.",
        tensor);
  return {};
}

std::string dependence_of(RefusalView const& refusal) {
  if (!refusal.conflict) return {};
  ConflictView const& conflict = *refusal.conflict;
  auto value = [&](Iteration const& one) -> std::string {
    auto found =
        std::ranges::find(one.loops, conflict.differs, [](auto const& loop) { return loop.first; });
    return found == one.loops.end() ? "?" : std::to_string(found->second);
  };
  return fmt::format("written when {0} is {1}, {2} when {0} is {3}", conflict.differs,
                     value(conflict.first), conflict.second_writes ? "and again" : "read",
                     value(conflict.second));
}

}  // namespace tw::session
