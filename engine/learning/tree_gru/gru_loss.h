/// What is made smallest, with its slope.
#pragma once

#include <span>
#include <vector>

#include "engine/learning/objective.h"

namespace tw::gru {

/// The mean loss of rows, and how it changes with each prediction: half the squared error, or
/// log(1 + exp(worse - better)) of all pairs of a group whose targets differ (equation 2). Empty
/// groups: all one.
double loss_of(Objective objective, std::span<double const> predicted,
               std::span<double const> targets, std::span<int const> groups,
               std::vector<double>& slopes);

}  // namespace tw::gru
