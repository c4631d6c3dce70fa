// SPDX-License-Identifier: GPL-3.0-or-later
// The layout of a graph: begun, taken over, cancelled and begun again.
#include <algorithm>
#include <utility>

#include "widgets/graph/graph_view.h"
#include "widgets/graph/layout_notice.h"
#include "widgets/graph/layout_run.h"

namespace tw {

GraphView::~GraphView() = default;

void GraphView::make_layout() {
  layout_ = new LayoutRun(this);
  notice_ = new LayoutNotice(*layout_, this);
  connect(layout_, &LayoutRun::made, this, &GraphView::take_cards);
  connect(notice_, &LayoutNotice::cancel_asked, this, &GraphView::cancel_layout_typed);
  connect(notice_, &LayoutNotice::begin_asked, this, &GraphView::lay_out_typed);
  connect(notice_, &LayoutNotice::changed, this, &GraphView::place_notice);
}

bool GraphView::busy() const {
  return graph_ && !cancelled_ && (!ready() || made_->folds != folds());
}

std::vector<session::GraphNodeView> const& GraphView::nodes() const {
  return before_ ? graph_->nodes_before : graph_->nodes;
}

void GraphView::rebuild() {
  fitted_ = false;
  folds_[0].room = folds_[1].room = {};
  chosen_edge_ = -1;
  dragged_flag_ = drop_group_ = wanted_node_ = -1;
  group_.clear();
  anchor_.clear();
  matches_.clear();
  match_cards_.clear();
  alike_.clear();
  marked_.clear();
  hinted_.clear();
  mark_cards_.clear();
  match_ = hovered_ = -1;
  asked_ = {-1, -1};
  update();
  cancelled_.reset();
  if (graph_) return lay_out();
  layout_->stop();
  notice_->end();
  made_.reset();
}

void GraphView::lay_out_as_wanted() {
  bool wanted = graph_ && (!ready() || made_->folds != folds());
  if (wanted || layout_->runs()) lay_out();
}

void GraphView::lay_out() {
  cancelled_.reset();
  layout_->start({graph_, before_, folds()});
  notice_->wait_for(nodes().size());
}

void GraphView::take_cards(Made next) {
  notice_->end();
  bool same = made_ && made_->graph == next->graph && made_->before == next->before;
  QRectF stood;
  if (graph::Group const* group = same ? group_of(anchor_) : nullptr)
    stood = group->card >= 0 ? made_->cards[size_t(group->card)].box : group->frame;
  int match = match_;
  made_ = std::move(next);
  tensors_known_ = false;
  map_of_ = nullptr;
  hovered_ = -1;
  update_values();
  if (!fitted_) first_look();
  QRectF seen(to_scene({0, 0}), to_scene(QPointF(unit_width(), unit_height())));
  if (stood.intersects(seen))
    keep_in_place(stood);
  else if (!moved_)
    first_look();
  search();
  if (same && match >= 0 && match < match_count()) step_match_to(match);
  if (std::exchange(wants_match_, false)) bring_match_into_view();
  for (graph::Findable const& found : made_->findable)
    if (wanted_node_ >= 0 && found.node->id == wanted_node_) bring_into_view(found.card);
  wanted_node_ = -1;
  find_alike_again();
  update_marks();
  if (asked_to_see_)
    show_reason(asked_.first, asked_.second);  // its groups open, if they were not known before
  else
    settle_reason(false);
  update();
  emit laid_out_anew();
}

/// What is shown stays as it is, and so do its open groups.
void GraphView::cancel_layout() {
  if (!layout_->runs()) return;
  layout_->stop();
  cancelled_ = folds();
  if (ready()) folds_[before_ ? 1 : 0] = made_->folds;
  anchor_.clear();
  wanted_block_.clear();
  wanted_node_ = -1;
  wants_match_ = false;
  notice_->say_cancelled(ready() ? "Layout cancelled; the previous one is shown."
                                 : "The layout of the graph was cancelled.");
  update();
  emit layout_cancelled();
}

void GraphView::lay_out_after_all() {
  if (!cancelled_) return;
  folds_[before_ ? 1 : 0] = *cancelled_;
  lay_out();
}

QString GraphView::layout_words() const { return notice_->words(); }

/// Cancels what is said to take long; takes away what was said of one that was cancelled, where
/// there is something to be seen instead. False: nothing is said.
bool GraphView::end_layout_by_key() {
  if (notice_->isHidden() || (cancelled_ && !ready())) return false;
  if (!cancelled_) return emit cancel_layout_typed(), true;
  cancelled_.reset();
  notice_->end();
  return true;
}

void GraphView::set_patience(int ms) { notice_->set_patience(ms); }

/// In the middle where nothing else is, else below what is shown.
void GraphView::place_notice() {
  QPoint gap = pixels(QPointF(12, 12 + cut_words_height()));
  int left = (width() - notice_->width()) / 2;
  int top = ready() ? height() - notice_->height() - gap.y() : (height() - notice_->height()) / 2;
  notice_->move(std::max(left, 0), std::max(top, 0));
}

}  // namespace tw
