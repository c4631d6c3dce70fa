// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/graph/graph_overlay.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "engine/session/kernel_rows.h"
#include "widgets/paint/paint.h"

namespace tw::graph {
namespace {

using session::KernelRow;
using session::KernelState;

/// What the kernels of a card come to.
struct Sums {
  int kernels = 0, timed = 0, scheduled = 0;
  bool modelled = false;  ///< some of the times
  double ms = 0, flops = 0, bytes = 0;
  bool integers = false;
  KernelState state = KernelState::kPlain;
};

Sums sums_of(Cards const& cards, session::KernelTable const& kernels,
             std::vector<int> const& members) {
  Sums sums;
  for (int member : members) {
    int kernel = cards.members[size_t(member)].kernel;
    if (kernel < 0 || size_t(kernel) >= kernels.rows.size()) continue;
    KernelRow const& row = kernels.rows[size_t(kernel)];
    ++sums.kernels;
    auto time = session::time_of(row);
    sums.timed += time.has_value();
    sums.ms += time.value_or(0);
    sums.modelled |= time && !row.time_ms;
    sums.flops += double(row.flops);
    sums.bytes += double(row.bytes);
    sums.integers |= row.integers;
    sums.state = row.state;
    sums.scheduled += row.state == KernelState::kHand || row.state == KernelState::kTuned;
  }
  return sums;
}

CardValue time_of(Sums const& sums) {
  if (sums.timed == 0) return {};
  QString words = (sums.modelled ? QStringLiteral("○ ") : QString()) + paint::time(sums.ms);
  return {true, sums.ms, 0, sums.timed < sums.kernels ? QStringLiteral("≥ ") + words : words};
}

CardValue intensity_of(Sums const& sums) {
  if (sums.bytes <= 0) return {};
  double value = sums.flops / sums.bytes;
  return {true, value, 0, paint::number(value) + (sums.integers ? " OP/B" : " FLOP/B")};
}

CardValue coverage_of(Sums const& sums, bool group) {
  if (sums.kernels == 0) return {};
  char const* const states[] = {"plain", "default", "by hand", "tuned"};
  QString words = group ? QStringLiteral("%1 of %2").arg(sums.scheduled).arg(sums.kernels)
                        : QString(states[size_t(sums.state)]);
  return {true, double(sums.scheduled) / sums.kernels, 0, words};
}

CardValue value_of(Sums const& sums, Overlay overlay, bool group) {
  switch (overlay) {
    case Overlay::kTime:
      return time_of(sums);
    case Overlay::kBytes:
      if (sums.kernels == 0) return {};
      return {true, sums.bytes, 0, paint::bytes(int64_t(sums.bytes))};
    case Overlay::kIntensity:
      return intensity_of(sums);
    case Overlay::kCoverage:
      return coverage_of(sums, group);
    case Overlay::kNone:
      break;
  }
  return {};
}

/// The bytes of the values that each operator writes, before fusion.
std::vector<CardValue> written(Cards const& cards) {
  std::unordered_map<int, double> bytes;
  std::set<std::pair<int, std::string>> seen;
  for (session::GraphEdgeView const& edge : cards.graph->edges_before)
    if (edge.bytes > 0 && seen.insert({edge.from, edge.value}).second)
      bytes[edge.from] += double(edge.bytes);
  std::vector<CardValue> values(cards.cards.size());
  for (size_t i = 0; i < values.size(); ++i) {
    for (int member : cards.cards[i].members) {
      auto found = bytes.find(cards.graph->nodes_before[size_t(member)].id);
      if (found == bytes.end()) continue;
      values[i].known = true;
      values[i].value += found->second;
    }
    if (values[i].known) values[i].words = paint::bytes(int64_t(values[i].value));
  }
  return values;
}

}  // namespace

std::vector<std::string> const& overlay_names() {
  static std::vector<std::string> const names{"none", "time", "bytes", "intensity", "coverage"};
  return names;
}

Overlay overlay_called(std::string const& name) {
  auto const& names = overlay_names();
  return Overlay(std::max<long>(0, std::ranges::find(names, name) - names.begin()) % 5);
}

std::vector<CardValue> overlay_values(Cards const& cards, session::KernelTable const* kernels,
                                      Overlay overlay) {
  std::vector<CardValue> values(cards.cards.size());
  if (overlay == Overlay::kNone) return values;
  if (cards.before && overlay == Overlay::kBytes) values = written(cards);
  for (size_t i = 0; i < values.size() && !cards.before && kernels; ++i) {
    Card const& card = cards.cards[i];
    values[i] = value_of(sums_of(cards, *kernels, card.members), overlay, card.fold >= 0);
  }
  double largest = overlay == Overlay::kCoverage ? 1 : 0;
  for (CardValue const& value : values) largest = std::max(largest, value.value);
  for (CardValue& value : values) value.share = largest > 0 ? value.value / largest : 0;
  return values;
}

std::vector<CardValue> group_values(Cards const& cards, session::KernelTable const* kernels,
                                    Overlay overlay) {
  std::vector<CardValue> values(cards.groups.size());
  if (cards.before || !kernels) return values;
  std::vector<std::vector<int>> members(cards.groups.size());
  for (size_t i = 0; i < cards.members.size(); ++i)
    for (int g = cards.members[i].inner; g >= 0; g = cards.groups[size_t(g)].parent)
      members[size_t(g)].push_back(int(i));
  for (size_t g = 0; g < values.size(); ++g)
    values[g] = value_of(sums_of(cards, *kernels, members[g]), overlay, true);
  return values;
}

void OverlayValues::compute(Cards const* cards, session::KernelTable const* kernels) {
  cards_.clear();
  groups_.clear();
  if (!cards) return;
  cards_ = overlay_values(*cards, kernels, overlay_);
  groups_ = group_values(*cards, kernels, overlay_);
}

CardValue const* OverlayValues::of_card(size_t card) const {
  return overlay_ == Overlay::kNone || card >= cards_.size() ? nullptr : &cards_[card];
}

CardValue const* OverlayValues::of_group(size_t group) const {
  return group < groups_.size() ? &groups_[group] : nullptr;
}

QString OverlayValues::words_of(Cards const* cards, QString const& title) const {
  for (size_t i = 0; cards && i < cards_.size(); ++i)
    if (cards->cards[i].title == title) return cards_[i].words;
  return {};
}

}  // namespace tw::graph
