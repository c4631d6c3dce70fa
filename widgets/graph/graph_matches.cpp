// SPDX-License-Identifier: GPL-3.0-or-later
// What is found in the graph: marked, stepped through, and all else dimmed where that is asked for.
#include <algorithm>

#include "widgets/graph/graph_pair.h"

namespace tw {

using graph::Findable;

void GraphView::show_tensors(std::shared_ptr<session::GraphTensors const> tensors) {
  if (tensors == named_) return;
  named_ = std::move(tensors);
  tensors_known_ = false;
  if (!wanted_.isEmpty()) search();
}

void GraphView::open_find() {
  if (!has_bar_) return;
  end_alike();
  bar_->show();
  bar_->raise();
  bar_->take_focus();
}

void GraphView::close_find() {
  bar_->hide();
  if (has_bar_) setFocus();
  find({});
}

void GraphView::find(QString const& text) {
  wanted_ = text;
  if (!text.isEmpty()) end_alike();
  if (!text.isEmpty() && has_bar_) bar_->show();
  bar_->show_text(text);
  search();
  bring_match_into_view();
  wants_match_ = !ready();
}

/// Not below the bar.
void GraphView::bring_match_into_view() {
  Findable const* found = found_now();
  if (!found) return;
  QRectF const& box = made_->cards[size_t(found->card)].box;
  QRectF shown(box.topLeft() * scale_ + origin_, box.size() * scale_);
  if (bar_->isVisible() && pixels(shown).intersects(bar_->geometry()))
    look_at(scale_, QPointF(unit_width(), unit_height()) / 2 - box.center() * scale_);
  else
    bring_into_view(box);
}

void GraphView::search() {
  if (ready() && !tensors_known_ && !wanted_.isEmpty()) {
    static std::vector<session::GraphTensor> const none;
    tensors_ = graph::tensor_places(*made_, !named_   ? none
                                            : before_ ? named_->before
                                                      : named_->after);
    tensors_known_ = true;
  }
  graph::Matches found;
  if (ready()) found = graph::find_in(*made_, tensors_, wanted_);
  matches_ = std::move(found.all);
  match_ = found.first;
  match_cards_.assign(card_count(), 0);
  for (graph::Match const& match : matches_)
    match_cards_[size_t(made_->findable[size_t(match.place)].card)] = 1;
  if (Findable const* now = found_now()) match_cards_[size_t(now->card)] = 2;
  show_matches();
}

void GraphView::show_matches() {
  bar_->show_matches(match_, match_count(), match_words());
  update();
}

/// One that is in a folded group is shown: the groups around it are opened.
void GraphView::step_match(int direction) {
  if (matches_.empty()) return;
  step_match_to((match_ + direction + match_count()) % match_count());
  Findable const& found = *found_now();
  wanted_node_ = found.node->id;
  open_to(found.inner);
  if (!busy()) bring_match_into_view();
}

void GraphView::step_match_to(int match) {
  match_cards_[size_t(found_now()->card)] = 1;
  match_ = match;
  match_cards_[size_t(found_now()->card)] = 2;
  show_matches();
}

Findable const* GraphView::found_now() const {
  return match_ < 0 ? nullptr : &made_->findable[size_t(matches_[size_t(match_)].place)];
}

QString GraphView::match_name() const {
  Findable const* found = found_now();
  return found ? QString::fromStdString(found->node->name) : QString();
}

int GraphView::match_node() const {
  Findable const* found = found_now();
  return found ? found->node->id : -1;
}

QString GraphView::match_words() const {
  return match_ < 0 ? QString() : graph::words_of(*made_, matches_[size_t(match_)]);
}

void GraphView::show_only_matches(bool only) {
  only_matches_ = only;
  bar_->show_only(only);
  update();
}

bool GraphView::is_dimmed(graph::Card const& card) const {
  return dims() && match_cards_[size_t(&card - made_->cards.data())] == 0;
}

int GraphView::dimmed_count() const {
  int dimmed = 0;
  if (ready())
    for (graph::Card const& card : made_->cards) dimmed += is_dimmed(card);
  return dimmed;
}

// ---- of two beside each other -----------------------------------------------------------------

void GraphPair::show_tensors(std::shared_ptr<session::GraphTensors const> const& tensors) {
  for (Half const& half : halves_) half.view->show_tensors(tensors);
}

void GraphPair::show_only_matches(bool only) {
  for (Half const& half : halves_) half.view->show_only_matches(only);
}

void GraphPair::find(QString const& text) {
  for (GraphView* view : shown()) view->find(text);
  if (!is_both() || text.isEmpty()) return;
  bool before = is_before(found_in());
  if (int node = view(before).match_node(); node >= 0) choose(before, {}, node);
}

/// From match to match after fusion, if there is one. Before it alone its card is marked; after it
/// alone what is marked is a kernel, which others choose.
void GraphPair::step_match(int direction) {
  if (!is_both()) {
    main().step_match(direction);
    if (int node = main().match_node(); node >= 0 && main().shows_before()) main().mark({node});
    return;
  }
  GraphView& one = found_in();
  bool before = is_before(one);
  one.step_match(direction);
  int node = one.match_node();
  for (int counterpart : counterparts(before, {node})) other(one).open_around(counterpart);
  if (before || !busy())
    choose(before, {}, node);
  else
    found_ = node;
}

}  // namespace tw
