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
    if (paired_ != graph_) pair_anew();
    std::vector<int> others = counterparts(is_before(one), nodes);
    for (int node : others) other(one).open_around(node);
    group_.clear();
    one.mark(std::move(nodes));
    other(one).mark(std::move(others));
    leader_ = &one;
  }
  one.show_reason(from, to);
  follow();
}

/// Where one was before there was another graph, too.
void GraphPair::begin_at_asked() {
  Asked asked = *asked_;
  GraphView& one = view(asked.before);
  if (is_both() || &main() == &one) return show_reason(one, asked.from, asked.to);
  pair_anew();
  std::vector<int> nodes = counterparts(asked.before, {asked.from});
  for (int node : counterparts(asked.before, {asked.to})) nodes.push_back(node);
  if (nodes.empty()) return choose_kernel();
  main().mark(nodes);
  main().bring_into_view(main().box_of(nodes));
}

/// A graph that gets less room, as beside another one, still shows it.
void GraphPair::bring_asked_back() {
  if (!is_both() || !asked_ || !stays_at_asked_ || fitting_ != Fitting::kNo) return;
  GraphView& one = view(asked_->before);
  QRectF box = one.box_of(one.marked());
  if (&one == leader_ && one.laid_out() && !box.isEmpty() && !one.shows(box))
    one.bring_into_view(box);
}

}  // namespace tw
