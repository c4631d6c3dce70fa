/// What a session was asked for last, and of what: it answers at once while nothing has changed.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/session/code_report.h"
#include "engine/session/fusion.h"
#include "engine/session/graph_difference.h"
#include "engine/session/graph_tensors.h"
#include "engine/session/inspector.h"
#include "engine/session/layers.h"
#include "engine/session/line_effects.h"
#include "engine/session/memory.h"
#include "engine/session/model/model.h"
#include "engine/session/moves.h"
#include "engine/session/outlook.h"
#include "engine/session/script.h"
#include "engine/session/time_shares.h"
#include "engine/session/timeline.h"
#include "engine/session/values.h"
#include "engine/session/what_if.h"

namespace tw::session {

/// Of programs on targets, the last ones: one may hold a million spans.
struct Simulated {
  uint64_t program_hash = 0;
  std::shared_ptr<Backend const> backend;
  std::shared_ptr<SimulatedState const> state;
};

/// The kernels below the roofs, of the last model and machine that they were asked of.
struct AskedLayers {
  Model model;
  std::shared_ptr<Roofs const> rates;
  std::shared_ptr<LayersView const> view;  ///< null: not there yet
};

/// The machine that is not there, and what was asked of it last.
struct AskedWhatIf {
  Model model;
  std::shared_ptr<MachineView const> machine;
  std::shared_ptr<Backend const> backend;
  WhatIf what;
  bool layers = false;
  int kernel = -1;
  uint64_t steps = 0;                            ///< a hash of all programs on the way
  std::shared_ptr<HypotheticalView const> view;  ///< null: not there yet
  bool is_of(AskedWhatIf const& other) const {
    return model == other.model && machine == other.machine && backend == other.backend &&
           what == other.what && layers == other.layers && kernel == other.kernel &&
           steps == other.steps;
  }
};

/// The edge of the graph that was asked about last.
struct AskedFusion {
  Model model;
  int from = -1, to = -1;
  std::shared_ptr<Roofs const> rates;
  std::shared_ptr<FusionEdge const> view;  ///< null: fusion did not judge it
  bool is_of(AskedFusion const& other) const {
    return model == other.model && from == other.from && to == other.to && rates == other.rates;
  }
};

/// The last ones that were asked for, and of what.
struct AskedMoves {
  uint64_t program_hash = 0;
  std::string of;
  std::shared_ptr<Backend const> backend;
  std::shared_ptr<Roofs const> rates;
  std::shared_ptr<MovesView const> view;  ///< null: not there yet
  bool are_of(AskedMoves const& other) const {
    return program_hash == other.program_hash && of == other.of && backend == other.backend &&
           rates == other.rates;
  }
};

struct AskedOutlook {
  uint64_t program_hash = 0;
  std::string line;
  std::shared_ptr<Backend const> backend;
  std::shared_ptr<MachineView const> machine;
  std::shared_ptr<Outlook const> view;  ///< null: not there yet
  bool is_of(AskedOutlook const& other) const {
    return program_hash == other.program_hash && line == other.line && backend == other.backend &&
           machine == other.machine;
  }
};

struct AskedPasses {
  uint64_t program_hash = 0;
  std::shared_ptr<Backend const> backend;
  std::shared_ptr<std::vector<PassChange> const> changes;  ///< null: not there yet
};

/// Two texts, and what they are beside each other.
struct AskedPair {
  std::shared_ptr<CodeText const> first, second;
  std::shared_ptr<CodePair const> both;
};

/// Something that is made of the current program: the last ones that were asked for.
template <typename View, typename Of>
struct MadeOf {
  uint64_t program_hash = 0;
  std::shared_ptr<Backend const> backend;
  Of of = {};
  std::shared_ptr<View const> view = {};  ///< null: not there yet
  bool is_of(MadeOf const& other) const {
    return program_hash == other.program_hash && backend == other.backend && of == other.of;
  }
};
template <typename View, typename Of>
using Made = std::vector<MadeOf<View, Of>>;
/// What was asked before, made or still being made. Null: it is noted now, and the caller begins
/// it. The last `kept` that were made stay; what was not made yet is forgotten.
template <typename View, typename Of>
MadeOf<View, Of> const* known_or_noted(Made<View, Of>& made, MadeOf<View, Of> const& asked,
                                       size_t kept) {
  auto known = std::ranges::find_if(made, [&](auto const& one) { return one.is_of(asked); });
  if (known != made.end()) return &*known;
  std::erase_if(made, [](auto const& one) { return !one.view; });
  if (made.size() >= kept) made.erase(made.begin());
  made.push_back(asked);
  return nullptr;
}
template <typename View, typename Of>
void keep(Made<View, Of>& made, MadeOf<View, Of> const& asked, std::shared_ptr<View const> view) {
  for (MadeOf<View, Of>& one : made)
    if (one.is_of(asked)) one.view = view;
}

/// Something that is made of a model: the last ones that were asked for of the same one.
template <typename View, typename Of>
struct AskedOfModel {
  struct One {
    Of of = {};
    std::shared_ptr<View const> view = {};  ///< null: not there yet
  };
  Model model;
  std::vector<One> all;
};

/// Made because somebody looks, of the current program or of the open model.
struct LookedAt {
  AskedFusion fusion;
  Made<LanesView, int> lanes;
  Made<PlaneView, PlaneAsked> planes;
  Made<AccessFilm, double> films;
  Made<ScriptReview, std::string> scripts;
  Made<LineEffect, std::string> effects;
  Made<TimeShares, std::shared_ptr<Roofs const>> shares;
  AskedOfModel<InspectorView, Inspected> inspected;
  AskedOfModel<ValueStatistics, std::string> statistics;
  AskedOfModel<GraphDifference, std::string> differences;
  struct {
    Model model = {};
    std::shared_ptr<GraphTensors const> view = {};
  } tensors;
};

}  // namespace tw::session
