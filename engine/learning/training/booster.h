/// XGBoost's library as values and errors: the only file that knows its interface is booster.cpp.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/learning/features.h"

namespace tw {

/// Rows in XGBoost's memory and the trees that grow on them. Stays where it is made.
class Booster {
public:
  using Parameters = std::vector<std::pair<std::string, std::string>>;

  /// `rows` are checked and stand by groups; `group_sizes` is empty for an objective that has none,
  /// `weights` is then one per row, else one per group. Trees begin at the rows' prediction so far.
  /// Errors, of all functions: training_failed.
  static Result<Booster> create(TrainingRows const& rows, std::span<uint32_t const> group_sizes,
                                std::span<float const> weights, Parameters const& parameters);

  Status add_tree(int round);
  /// Of the rows, the prediction so far included. Holds until the next call.
  Result<std::span<float const>> predictions();
  Result<std::string> model_json();

private:
  struct Handles;
  struct Free {
    void operator()(Handles* handles) const;
  };
  explicit Booster(std::unique_ptr<Handles, Free> handles) : handles_(std::move(handles)) {}
  std::unique_ptr<Handles, Free> handles_;
};

}  // namespace tw
