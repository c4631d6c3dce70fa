/// An edge of the graph that fusion judged: why its ends are one kernel or two, and what the other
/// way would cost.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/session/model/model.h"
#include "engine/session/values.h"
#include "engine/support/base/error.h"
#include "engine/support/base/job.h"

namespace tw::session {

class Session;

/// Kernels on one side of the comparison.
struct FusionSide {
  std::vector<std::string> kernels;  ///< "conv2d_64x56x56_3x3", "2 x relu_64x56x56"
  int runs = 0;                      ///< of kernels, in one run of the model
  double operations = 0;             ///< in one run of the model
  bool integers = true;              ///< they are of integers alone
  double bytes = 0;                  ///< that they read and write, each tensor once
  std::optional<double> ms;          ///< modelled, by rule; empty: not known
};
/// Of the kernels that are not the same both ways.
struct FusionCosts {
  FusionSide now, then;
  std::string failure;  ///< a sentence: why it could not be computed
};
/// "Work" | "236 MFLOP" | "531 MFLOP".
struct FusionRow {
  std::string what, now, then;
  int change = 0;  ///< -1: less with the other way, 1: more
};
std::vector<FusionRow> rows_of(FusionCosts const& costs);

struct FusionEnd {
  std::string name;   ///< in the model
  std::string title;  ///< "conv2d 3x3 /2"
  PatternClass pattern = PatternClass::kInjective;
};
/// "relu joins conv2d", 17 times in the model.
struct FusionPair {
  std::string words;
  int times = 0;
};
struct FusionEdge {
  FusionEnd from, to;
  std::string value;  ///< tensor between them
  std::string shape;
  double bytes = 0;
  bool fused = false;
  bool chosen = false;             ///< by a person, against the rule
  bool fixed = false;              ///< it cannot be the other way
  std::string rule, reason;        ///< as of `EdgeDecision`
  int alike = 0;                   ///< other edges of the model that the same rule decided
  std::vector<FusionPair> joined;  ///< what was fused in the model, the most frequent first
  std::string edge;                ///< as of `EdgeDecision`: "conv1>relu1"
  /// The choice that makes it the other way, as `Arrange` takes it: "conv1>relu1.fusion=separate".
  std::string other_way;
  std::shared_ptr<FusionCosts const> costs;  ///< null: not there yet, or it is fixed
};

/// By ids of the graph after fusion; null: no model, or fusion did not judge such an edge. Costs
/// come later: the listener is called when they are there.
std::shared_ptr<FusionEdge const> fusion_edge(Session& session, int from, int to);

/// The same edge where the model was planned anew, by what choices call it: {-1, -1}: it is gone.
std::pair<int, int> find_fusion_edge(Session& session, FusionEdge const& edge);

/// The same, without costs.
std::shared_ptr<FusionEdge> fusion_edge_of(LoadedModel const& model, int from, int to);
/// What `choice` would change in the model; times are modelled where there are roofs. `failure`
/// says why there is nothing.
FusionCosts fusion_costs(LoadedModel const& model, std::string const& choice,
                         Backend const& backend, Roofs const* roofs, StopToken stop = {});

}  // namespace tw::session
