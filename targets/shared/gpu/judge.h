/// Which of several schedules a device's model of time takes for the fastest.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "engine/schedule/schedule.h"

namespace tw::gpu {

/// Answers are remembered by rule and program: a tuner asks the rules of one program thousands of
/// times. May be asked from any thread.
class Judge {
public:
  /// Seconds that a scheduled program should take; nothing: it cannot be told.
  using Model = std::function<std::optional<double>(ir::Program const&)>;
  using Candidate = std::function<std::optional<Schedule>(size_t)>;

  /// Without a model it knows no answer.
  Judge() = default;
  explicit Judge(Model model) : model_(std::move(model)) {}

  /// The index of the fastest of `count` schedules of `program` by one rule; `candidate` makes one,
  /// or nothing where its steps are refused, and is asked from several threads at once. Nothing:
  /// there is no model, or it has no answer for any of them.
  std::optional<size_t> fastest(std::string_view rule, ir::Program const& program, size_t count,
                                Candidate const& candidate) const;

private:
  Model model_;
  mutable std::mutex mutex_;
  mutable std::map<std::pair<std::string, uint64_t>, std::optional<size_t>> known_;
};

}  // namespace tw::gpu
