// SPDX-License-Identifier: GPL-3.0-or-later
// The edge whose reason is asked for, in both graphs: another form begins at it.
#include <algorithm>

#include "widgets/graph/graph_pair.h"

namespace tw {

void GraphPair::show_reason(GraphView& one, int from, int to) {
  asked_ = {is_before(one), from, to};
  stays_at_asked_ = true;
  if (is_both()) {
    std::vector<int> nodes{from};
    if (to >= 0) nodes.push_back(to);
    std::vector<int> others = pairing_.counterparts(is_before(one), nodes);
    for (int node : others) other(one).layout().open_around(node);
    group_.clear();
    one.marks().mark(std::move(nodes));
    other(one).marks().mark(std::move(others));
    leader_ = &one;
  }
  one.reason().show(from, to);
  follow();
}

/// Where one was before there was another graph, too.
void GraphPair::begin_at_asked() {
  Asked asked = *asked_;
  GraphView& one = view(asked.before);
  if (is_both() || &main() == &one) return show_reason(one, asked.from, asked.to);
  pair_places();
  std::vector<int> nodes = pairing_.counterparts(asked.before, {asked.from});
  for (int node : pairing_.counterparts(asked.before, {asked.to})) nodes.push_back(node);
  if (nodes.empty()) return choose_kernel();
  main().marks().mark(nodes);
  main().camera().bring_into_view(box_of(main().cards(), nodes));
}

/// A graph that gets less room, as beside another one, still shows it.
void GraphPair::bring_asked_back() {
  if (!is_both() || !asked_ || !stays_at_asked_ || fit_.runs()) return;
  GraphView& one = view(asked_->before);
  QRectF box = box_of(one.cards(), one.marks().marked());
  if (&one == leader_ && one.layout().is_laid_out() && !box.isEmpty() && !one.camera().shows(box))
    one.camera().bring_into_view(box);
}

}  // namespace tw
