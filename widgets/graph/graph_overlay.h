// SPDX-License-Identifier: GPL-3.0-or-later
/// What is laid over a graph's cards: a quantity of each, and its share of the largest.
#pragma once

#include <QString>
#include <string>
#include <vector>

#include "widgets/graph/graph_cards.h"

namespace tw::graph {

enum class Overlay : uint8_t { kNone, kTime, kBytes, kIntensity, kCoverage };
/// In their order: "none", "time", "bytes", "intensity", "coverage".
std::vector<std::string> const& overlay_names();
Overlay overlay_called(std::string const& name);

struct CardValue {
  bool known = false;
  double value = 0;
  double share = 0;  ///< 0..1 of the largest
  QString words;     ///< "2.13 ms"; of a group of which not all is known: "≥ 2.13 ms"
};
/// One for each card. A group has the sum of what is in it, of intensity the quotient of the sums,
/// of coverage the part of its kernels that have a schedule by hand or a tuned one. Before fusion
/// only the bytes that an operator writes are known.
std::vector<CardValue> overlay_values(Cards const& cards, session::KernelTable const* kernels,
                                      Overlay overlay);
/// The same sums for each group, open or folded; shares are not told.
std::vector<CardValue> group_values(Cards const& cards, session::KernelTable const* kernels,
                                    Overlay overlay);

/// Of the cards that a view shows.
class OverlayValues {
public:
  void choose(std::string const& name) { overlay_ = overlay_called(name); }
  std::string const& name() const { return overlay_names()[size_t(overlay_)]; }
  /// `cards`, `kernels`: null: there are none.
  void compute(Cards const* cards, session::KernelTable const* kernels);
  /// By their indices; null: nothing is laid over them.
  CardValue const* of_card(size_t card) const;
  CardValue const* of_group(size_t group) const;
  /// Of the first card with this title; empty: not known, or there is none.
  QString words_of(Cards const* cards, QString const& title) const;

private:
  Overlay overlay_ = Overlay::kTime;
  std::vector<CardValue> cards_, groups_;
};

}  // namespace tw::graph
