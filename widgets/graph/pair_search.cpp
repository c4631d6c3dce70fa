// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/graph/pair_search.h"

#include <utility>

#include "widgets/graph/graph_pair.h"

namespace tw {

void PairSearch::show_tensors(std::shared_ptr<session::GraphTensors const> const& tensors) {
  for (bool before : {false, true}) pair_.view(before).search().show_tensors(tensors);
}

void PairSearch::show_only_matches(bool only) {
  for (bool before : {false, true}) pair_.view(before).search().show_only_matches(only);
}

GraphView& PairSearch::found_in() const {
  bool only_before = pair_.is_both() && pair_.view(false).search().count() == 0;
  return only_before ? pair_.view(true) : pair_.main();
}

void PairSearch::find(QString const& text) {
  for (GraphView* view : pair_.shown()) view->search().find(text);
  if (!pair_.is_both() || text.isEmpty()) return;
  GraphView& one = found_in();
  if (int node = one.search().node(); node >= 0) pair_.choose(one.layout().before(), {}, node);
}

/// Before fusion alone the card is marked; after it alone what is marked is a kernel, which others
/// choose.
void PairSearch::step(int direction) {
  GraphView& one = pair_.is_both() ? found_in() : pair_.main();
  bool before = one.layout().before();
  one.search().step(direction);
  int node = one.search().node();
  if (!pair_.is_both()) {
    if (node >= 0 && before) one.marks().mark({node});
    return;
  }
  for (int counterpart : pair_.pairing().counterparts(before, {node}))
    pair_.view(!before).layout().open_around(counterpart);
  if (before || !pair_.busy())
    pair_.choose(before, {}, node);
  else
    waiting_ = node;
}

void PairSearch::settle() {
  if (waiting_ >= 0 && !pair_.busy()) pair_.choose(false, {}, std::exchange(waiting_, -1));
}

// ---- blocks that are alike -----------------------------------------------------------------

/// The one that is asked leads; the other stands at the same group where it has it.
bool PairSearch::show_alike(std::string const& key) {
  GraphView& one = pair_.main();
  if (!one.alike().show(key)) return false;
  if (!pair_.is_both()) return true;
  bool before = one.layout().before();
  pair_.view(!before).alike().show(key);
  pair_.choose(before, key, -1);
  return true;
}

void PairSearch::step_alike(int direction) {
  GraphView& one = pair_.main();
  one.alike().step(direction);
  if (!pair_.is_both()) return;
  std::string key = one.alike().stood_at();
  bool before = one.layout().before();
  pair_.view(!before).alike().stand_at(key);
  pair_.choose(before, key, -1);
}

void PairSearch::end_alike() {
  for (bool before : {false, true}) pair_.view(before).alike().end();
}

}  // namespace tw
