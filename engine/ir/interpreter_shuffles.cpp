// Values that the threads of a warp hand each other without memory.
#include <fmt/format.h>

#include <map>
#include <optional>

#include "engine/ir/intrinsic.h"
#include "engine/ir/statement_interpreter.h"
#include "engine/ir/stmt.h"

namespace tw::ir {
namespace {

/// Where a thread is among those that it may shuffle with.
struct Place {
  std::vector<int64_t> apart = {};  // blocks, virtual threads
  int64_t number = 0, lanes = 0, step = 0;
};

/// In the order of the loops that count threads; nothing: how many there are is not constant.
std::optional<Place> place_of(Thread const& thread, Sharing const& sharing) {
  Place place;
  for (auto const& [loop, iteration] : thread.at) {
    if (sharing.axes.at(loop->bind) != Level::kThread || sharing.interleaved.contains(loop->bind)) {
      place.apart.push_back(iteration);
      continue;
    }
    std::optional<int64_t> extent = as_int(loop->extent);
    if (!extent) return std::nullopt;
    place.number = place.number * *extent + iteration;
  }
  return place;
}

}  // namespace

/// What all hand over is read before anybody gets something.
void run_shuffle(StatementInterpreter& machine, IntrinsicNode const& intrinsic, Code const& code,
                 std::vector<Thread*> const& threads) {
  std::vector<Passed> const& passed = code.callee->passed;
  std::vector<Place> places(threads.size());
  std::map<std::pair<std::vector<int64_t>, int64_t>, NDArray> handed;
  auto each = [&](auto const& f) {
    for (size_t i = 0; i < threads.size() && !machine.evaluator_.failed(); ++i)
      machine.as_one(*threads[i], [&] { f(*threads[i], places[i]); });
  };
  each([&](Thread const& thread, Place& place) {
    if (!machine.count_step()) return;
    if (machine.mask_) return machine.refuse_call(intrinsic, "its call is under a mask");
    auto at = place_of(thread, *machine.options_.sharing);
    if (!at) return machine.refuse_call(intrinsic, "the number of threads is not constant");
    place = std::move(*at);
    place.lanes = machine.evaluator_.integer(passed[2].exprs[0], 0);
    place.step = machine.evaluator_.integer(passed[3].exprs[0], 0);
    handed[{place.apart, place.number}] =
        machine.hand_over(intrinsic.params[1], passed[1], *code.callee->machine);
  });
  each([&](Thread const&, Place const& place) {
    auto const& [apart, number, lanes, step] = place;
    if (lanes < 1 || (lanes & (lanes - 1)) != 0 || step < 0 || step >= lanes)
      return machine.refuse_call(intrinsic, fmt::format("{} of {} lanes is no step", step, lanes));
    int64_t first = number / lanes * lanes;
    for (int64_t other = first; other < first + lanes; ++other)
      if (!handed.contains({apart, other}))
        return machine.fail(
            "divergent_shuffle",
            fmt::format("iteration {} shuffles as thread {} with threads {} to {}, of which {} is "
                        "not there",
                        machine.iteration_text(), number, first, first + lanes - 1, other));
    machine.take_back(passed[0], handed.at({apart, number ^ step}));
  });
}

}  // namespace tw::ir
