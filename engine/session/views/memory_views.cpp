#include "engine/session/views/memory_views.h"

#include <fmt/format.h>

#include "engine/compile/load_time.h"
#include "engine/schedule/legality/memory_use.h"
#include "engine/support/base/quantities.h"

namespace tw::session {
namespace {

/// "shared 36 of 48 KB", "shared 512 B of 48 KB"
std::string words_of(MemoryUse const& use) {
  std::string used = bytes_text(double(use.bytes)), whole = bytes_text(double(use.capacity));
  std::string unit = whole.substr(whole.rfind(' '));
  if (used.ends_with(unit)) used.resize(used.size() - unit.size());
  return fmt::format("{} {} of {}", use.memory, used, whole);
}

/// What is computed when a model is loaded takes nothing of them in a run.
std::vector<MemoryUse> use_of(ir::Program const& program, Target const& target) {
  return memory_use(split_load_time(program).at_run, target);
}

}  // namespace

std::vector<MemoryCard> memory_cards(ir::Program const& program, Target const& target) {
  std::vector<MemoryCard> cards;
  for (MemoryUse const& use : use_of(program, target)) {
    MemoryCard card{use.memory, target.scope(use.memory)->doc, use.capacity, use.bytes, {}};
    for (auto const* list : {&use.parts, &use.others})
      for (MemoryPart const& part : *list)
        card.tensors.push_back(fmt::format("{} {}", part.tensor, bytes_text(double(part.bytes))));
    cards.push_back(std::move(card));
  }
  return cards;
}

std::vector<MemoryForecast> memory_forecast(ir::Program const& program, Target const& target) {
  std::vector<MemoryForecast> memories;
  for (MemoryUse const& use : use_of(program, target))
    if (use.capacity > 0)
      memories.push_back(
          {use.memory, use.capacity, use.bytes, words_of(use), parts_text(use.parts)});
  return memories;
}

}  // namespace tw::session
