/// By which algorithms the convolutions of a graph run on a GPU.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>

#include "engine/graph/choices.h"
#include "engine/ir/program.h"
#include "engine/schedule/decisions.h"

namespace tw::gpu {

/// Seconds that programs should take with their schedules by rule, by a device's model. Answers are
/// remembered. May be asked from any thread.
class DefaultTimes {
public:
  using Model = std::function<std::optional<double>(ir::Program const&)>;

  /// Without a model it knows no answer.
  DefaultTimes() = default;
  explicit DefaultTimes(Model model) : model_(std::move(model)) {}

  std::optional<double> seconds(ir::Program const& program) const;

private:
  Model model_;
  mutable std::mutex mutex_;
  mutable std::map<uint64_t, std::optional<double>> known_;
};

/// Asks `decisions` for the algorithm of each kind of convolution that has several. By rule it is
/// the first, or transformed tiles (Winograd) where the sum of their launches should take clearly
/// less time.
GraphChoices choose_algorithms(Graph const& graph, Decisions& decisions, DefaultTimes const& times);

}  // namespace tw::gpu
