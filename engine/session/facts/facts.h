/// What can be said of a session in single values: "kernel.time", "loop.mark". Journals expect
/// them, in the window and without one.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "engine/session/values.h"

namespace tw::session {

using FactValue = std::variant<double, std::string>;

/// Milliseconds are a fact's unit of time.
struct FactInfo {
  std::string name;
  std::string unit;  ///< "words", "ms", "GFLOP/s", or empty: a number
  std::string doc;
  std::string former = {};  ///< the name that older journals have for it
  bool in_words() const { return unit == "words"; }
};

/// The loops that a person has chosen, by their ids; -1: none.
struct ChosenLoops {
  int selected = -1;
  int hovered = -1;
};

struct Fact {
  FactInfo info;
  /// Nothing: it is not known now.
  std::optional<FactValue> (*value)(Snapshot const&, ChosenLoops const&);
};
std::span<Fact const> facts();

/// Nothing: there is no such fact, or it is not known now.
std::optional<FactValue> fact(std::string_view name, Snapshot const& snapshot,
                              ChosenLoops const& chosen);

/// The loop of the current nest by what scripts call it; -1: there is none.
int loop_called(Snapshot const& snapshot, std::string_view reference);
/// "conv2d.o.0", or "none".
std::string reference_of(Snapshot const& snapshot, int loop);
/// The row of a kernel by its name, or by its number as text; -1: there is none.
int row_called(Snapshot const& snapshot, std::string_view kernel);
bool has_step(Snapshot const& snapshot, int step);

}  // namespace tw::session
