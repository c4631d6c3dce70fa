// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/graph/graph_layout.h"

#include <utility>

#include "widgets/graph/graph_lookup.h"

namespace tw {

using graph::Group;

namespace {

QRectF box_itself(graph::Cards const& cards, Group const& group) {
  return group.card >= 0 ? cards.cards[size_t(group.card)].box : group.frame;
}

}  // namespace

GraphLayout::GraphLayout() { connect(&run_, &LayoutRun::made, this, &GraphLayout::take); }

void GraphLayout::show(std::shared_ptr<session::GraphView const> graph) {
  if (graph == graph_) return;
  graph_ = std::move(graph);
  begin_anew();
}

void GraphLayout::show_before(bool before) {
  if (before == before_) return;
  before_ = before;
  begin_anew();
}

graph::Cards const* GraphLayout::cards() const {
  bool ready = made_ && made_->graph == graph_ && made_->before == before_;
  return ready ? made_.get() : nullptr;
}

bool GraphLayout::busy() const {
  return graph_ && !cancelled_ && (!cards() || made_->folds != folds());
}

std::vector<session::GraphNodeView> const& GraphLayout::nodes() const {
  return before_ ? graph_->nodes_before : graph_->nodes;
}

// ---- layouts -------------------------------------------------------------------------------

void GraphLayout::begin_anew() {
  folds_[0].room = folds_[1].room = {};
  anchor_.clear();
  emit replaced();
  cancelled_.reset();
  if (graph_) return lay_out();
  run_.stop();
  emit ended();
  made_.reset();
}

void GraphLayout::lay_out_as_wanted() {
  bool wanted = graph_ && (!cards() || made_->folds != folds());
  if (wanted || run_.runs()) lay_out();
}

void GraphLayout::lay_out() {
  cancelled_.reset();
  run_.start({graph_, before_, folds()});
  emit begun(qsizetype(nodes().size()));
}

void GraphLayout::take(std::shared_ptr<graph::Cards const> next) {
  bool same = made_ && made_->graph == next->graph && made_->before == next->before;
  QRectF stood;
  if (Group const* group = same ? group_of(made_.get(), anchor_) : nullptr)
    stood = box_itself(*made_, *group);
  made_ = std::move(next);
  emit made(same, stood);
}

QRectF GraphLayout::take_anchor() {
  Group const* group = group_of(made_.get(), std::exchange(anchor_, {}));
  return group && group->seen() ? box_itself(*made_, *group) : QRectF();
}

/// What is shown stays as it is, and so do its open groups.
void GraphLayout::cancel() {
  if (!run_.runs()) return;
  run_.stop();
  cancelled_ = folds();
  if (cards()) folds() = made_->folds;
  anchor_.clear();
  emit cancelled();
}

void GraphLayout::resume() {
  if (!cancelled_) return;
  folds() = *cancelled_;
  lay_out();
}

// ---- groups --------------------------------------------------------------------------------

bool GraphLayout::fold(std::string const& key, bool open) {
  if (!group_of(made_.get(), key)) return false;
  anchor_ = key;
  folds().own[key] = open;
  lay_out_as_wanted();
  emit folded(key, open);
  return true;
}

void GraphLayout::fold_all(bool open) {
  folds() = {open, {}, folds().room};
  anchor_.clear();
  emit all_folded();
  lay_out_as_wanted();
}

void GraphLayout::fold_as(std::map<std::string, bool> const& states) {
  for (auto const& [key, open] : states) folds().own[key] = open;
  lay_out_as_wanted();
}

void GraphLayout::open_to(int inner) {
  for (int g = inner; g >= 0; g = made_->groups[size_t(g)].parent)
    if (Group const& group = made_->groups[size_t(g)]; !group.open) {
      folds().own[group.key] = true;
      anchor_ = group.key;
    }
  lay_out_as_wanted();
}

void GraphLayout::open_around(int node) {
  if (graph::Findable const* found = findable_of(cards(), node)) open_to(found->inner);
}

bool GraphLayout::is_open(std::string const& key) const {
  Group const* group = group_of(cards(), key);
  return group && group->open;
}

void GraphLayout::flow(QSizeF room) {
  folds().room = room;
  anchor_.clear();
  lay_out_as_wanted();
}

}  // namespace tw
