#include "engine/session/parts/modelling.h"

#include <chrono>

#include "engine/session/parts/parts.h"
#include "engine/session/state/state_costs.h"

namespace tw::session {

void Modelling::start() {
  bool begins = goes_on_.with([&](bool& goes_on) {
    if (goes_on || !next_to_model(*parts_.cell.read())) return false;
    return goes_on = true;
  });
  if (!begins) return;
  parts_.queues.model.start("model", "modelling",
                            [this](StopToken stop, Progress const&) { model_states(stop); });
}

void Modelling::model_states(StopToken stop) {
  constexpr auto kPatience = std::chrono::milliseconds(100);
  auto shown = std::chrono::steady_clock::now();
  while (true) {
    parts_.queues.model.wait_while_held(stop);
    StateCell::Pointer state;
    auto next = goes_on_.with([&](bool& goes_on) {
      state = parts_.cell.read();
      auto found = stop.stop_requested() ? std::nullopt : next_to_model(*state);
      goes_on = found.has_value();
      return found;
    });
    if (!next) break;
    auto model = modelled(next->schedule.program(), *state->backend, *next->rates);
    parts_.cell.commit([&](State& now) { keep_model(now, *next, std::move(model)); });
    // The state that one looks at is shown at once, the others some at a time.
    bool current = next->node == state->now().history.current();
    if (!current && std::chrono::steady_clock::now() - shown < kPatience) continue;
    parts_.showing.publish();
    shown = std::chrono::steady_clock::now();
  }
  parts_.showing.publish();
}

}  // namespace tw::session
