#include "engine/session/parts/modelling.h"

#include <chrono>
#include <variant>

#include "engine/session/parts/parts.h"
#include "engine/session/state/state_costs.h"

namespace tw::session {
namespace {

/// What has no model yet: of what is looked at first.
std::optional<std::variant<ToModel, RowToModel>> next_of(State const& state) {
  if (auto found = next_to_model(state)) return *std::move(found);
  if (auto found = next_row_to_model(state)) return *std::move(found);
  return std::nullopt;
}

void model_it(ToModel const& what, Backend const& backend, StateCell& cell) {
  auto model = modelled(what.schedule.program(), backend, *what.rates);
  cell.commit([&](State& now) { keep_model(now, what, std::move(model)); });
}

void model_it(RowToModel const& what, Backend const&, StateCell& cell) {
  RowModels::One one = modelled(what);
  cell.commit([&](State& now) { keep_row_model(now, what, std::move(one)); });
}

/// What somebody looks at.
bool is_current(std::variant<ToModel, RowToModel> const& what, State const& state) {
  auto const* node = std::get_if<ToModel>(&what);
  return node && node->kernel == state.kernel && node->node == state.now().history.current();
}

}  // namespace

void Modelling::start() {
  bool begins = goes_on_.with([&](bool& goes_on) {
    if (goes_on || !next_of(*parts_.cell.read())) return false;
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
      auto found = stop.stop_requested() ? std::nullopt : next_of(*state);
      goes_on = found.has_value();
      return found;
    });
    if (!next) break;
    std::visit([&](auto const& what) { model_it(what, *state->backend, parts_.cell); }, *next);
    // The state that one looks at is shown at once, the others some at a time.
    if (!is_current(*next, *state) && std::chrono::steady_clock::now() - shown < kPatience)
      continue;
    parts_.showing.publish();
    shown = std::chrono::steady_clock::now();
  }
  parts_.showing.publish();
}

}  // namespace tw::session
