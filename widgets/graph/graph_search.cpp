// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/graph/graph_search.h"

#include <algorithm>
#include <utility>

#include "widgets/graph/find_bar.h"
#include "widgets/graph/graph_camera.h"
#include "widgets/graph/graph_layout.h"
#include "widgets/graph/graph_lookup.h"

namespace tw {

using graph::Findable;

GraphSearch::GraphSearch(FindBar& bar, GraphLayout& layout, GraphCamera& camera)
    : bar_(bar), layout_(layout), camera_(camera) {
  bar_.hide();
  connect(&bar_, &FindBar::text_typed, this, &GraphSearch::text_typed);
  connect(&bar_, &FindBar::step_asked, this, &GraphSearch::step_typed);
  connect(&bar_, &FindBar::only_asked, this, &GraphSearch::only_typed);
  connect(&bar_, &FindBar::closed, this, &GraphSearch::close_typed);
}

void GraphSearch::have_bar(bool has) {
  has_bar_ = has;
  if (!has) bar_.hide();
}

bool GraphSearch::is_open() const { return bar_.isVisible(); }

void GraphSearch::open_bar() {
  if (!has_bar_) return;
  emit began();
  bar_.show();
  bar_.raise();
  bar_.take_focus();
}

void GraphSearch::close() {
  bar_.hide();
  if (has_bar_) emit focus_wanted();
  find({});
}

void GraphSearch::show_tensors(std::shared_ptr<session::GraphTensors const> tensors) {
  if (tensors == named_) return;
  named_ = std::move(tensors);
  tensors_known_ = false;
  if (!text_.isEmpty()) search();
}

void GraphSearch::find(QString const& text) {
  text_ = text;
  if (!text.isEmpty()) emit began();
  if (!text.isEmpty() && has_bar_) bar_.show();
  bar_.show_text(text);
  search();
  bring_into_view();
  wants_match_ = !layout_.cards();
}

void GraphSearch::search() {
  graph::Cards const* cards = layout_.cards();
  if (cards && !tensors_known_ && !text_.isEmpty()) {
    static std::vector<session::GraphTensor> const none;
    tensors_ = graph::tensor_places(*cards, !named_            ? none
                                            : layout_.before() ? named_->before
                                                               : named_->after);
    tensors_known_ = true;
  }
  graph::Matches all;
  if (cards) all = graph::find_in(*cards, tensors_, text_);
  matches_ = std::move(all.all);
  match_ = all.first;
  levels_.assign(cards ? cards->cards.size() : 0, Level::kNone);
  for (graph::Match const& match : matches_)
    levels_[size_t(cards->findable[size_t(match.place)].card)] = Level::kFound;
  if (Findable const* now = found()) levels_[size_t(now->card)] = Level::kCurrent;
  show_matches();
}

void GraphSearch::show_matches() {
  bar_.show_matches(match_, count(), words());
  emit changed();
}

// ---- from match to match -------------------------------------------------------------------

Findable const* GraphSearch::found() const {
  return match_ < 0 ? nullptr : &layout_.cards()->findable[size_t(matches_[size_t(match_)].place)];
}

/// One that is in a folded group is shown: the groups around it are opened.
void GraphSearch::step(int direction) {
  if (matches_.empty()) return;
  step_to((match_ + direction + count()) % count());
  Findable const& now = *found();
  wanted_node_ = now.node->id;
  layout_.open_to(now.inner);
  if (!layout_.busy()) bring_into_view();
}

void GraphSearch::step_to(int match) {
  levels_[size_t(found()->card)] = Level::kFound;
  match_ = match;
  levels_[size_t(found()->card)] = Level::kCurrent;
  show_matches();
}

void GraphSearch::bring_into_view() {
  if (Findable const* now = found())
    camera_.bring_into_view(layout_.cards()->cards[size_t(now->card)].box, bar_);
}

void GraphSearch::open_match_in(std::string const& group) {
  Findable const* now = found();
  if (!now) return;
  auto const& groups = layout_.cards()->groups;
  for (int g = now->inner; g >= 0; g = groups[size_t(g)].parent) {
    if (groups[size_t(g)].key != group) continue;
    wanted_node_ = now->node->id;
    return layout_.open_to(now->inner);
  }
}

void GraphSearch::settle(bool same) {
  int match = match_;
  tensors_known_ = false;
  search();
  if (same && match >= 0 && match < count()) step_to(match);
  if (std::exchange(wants_match_, false)) bring_into_view();
  if (Findable const* wanted = findable_of(layout_.cards(), std::exchange(wanted_node_, -1)))
    camera_.bring_into_view(layout_.cards()->cards[size_t(wanted->card)].box);
}

void GraphSearch::reset() {
  matches_.clear();
  levels_.clear();
  match_ = wanted_node_ = -1;
}

void GraphSearch::forget_wishes() {
  wanted_node_ = -1;
  wants_match_ = false;
}

// ---- what is found -------------------------------------------------------------------------

QString GraphSearch::name() const {
  Findable const* now = found();
  return now ? QString::fromStdString(now->node->name) : QString();
}

int GraphSearch::node() const {
  Findable const* now = found();
  return now ? now->node->id : -1;
}

QString GraphSearch::words() const {
  return match_ < 0 ? QString() : graph::words_of(*layout_.cards(), matches_[size_t(match_)]);
}

void GraphSearch::show_only_matches(bool only) {
  only_ = only;
  bar_.show_only(only);
  emit changed();
}

GraphSearch::Level GraphSearch::level_of(graph::Card const& card) const {
  size_t index = index_of(*layout_.cards(), card);
  return index < levels_.size() ? levels_[index] : Level::kNone;
}

bool GraphSearch::is_dimmed(graph::Card const& card) const {
  return dims() && level_of(card) == Level::kNone;
}

int GraphSearch::dimmed_count() const {
  int dimmed = 0;
  if (layout_.cards())
    for (graph::Card const& card : layout_.cards()->cards) dimmed += is_dimmed(card);
  return dimmed;
}

}  // namespace tw
