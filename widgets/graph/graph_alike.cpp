// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks of a graph that are built like one of them: marked, named, gone through.
#include <QKeyEvent>
#include <QPainter>
#include <algorithm>

#include "engine/session/views/graph_frames.h"
#include "engine/support/base/quantities.h"
#include "widgets/graph/block_bar.h"
#include "widgets/graph/graph_contents.h"
#include "widgets/graph/graph_pair.h"

namespace tw {

using graph::Group;

namespace {

/// No more are named; the others are counted.
constexpr size_t kMostBlocks = 6;

}  // namespace

void GraphView::make_block_bar() {
  blocks_ = new BlockBar(this);
  blocks_->hide();
  connect(blocks_, &BlockBar::step_asked, this, &GraphView::alike_step_typed);
  connect(blocks_, &BlockBar::closed, this, &GraphView::alike_ended);
}

bool GraphView::show_alike(std::string const& key) {
  Group const* group = ready() ? group_of(key) : nullptr;
  if (!group) return false;
  std::vector<int> alike = graph::built_alike(*made_, int(group - made_->groups.data()));
  if (alike.size() < 2) return false;
  if (!wanted_.isEmpty() || bar_->isVisible()) close_find();
  like_ = key;
  alike_ = std::move(alike);
  stand_at_block(key);
  if (has_bar_) setFocus();
  return true;
}

void GraphView::end_alike() {
  if (like_.empty()) return;
  bool had_focus = blocks_->isAncestorOf(focusWidget());
  like_.clear();
  wanted_block_.clear();
  find_alike_again();
  if (had_focus) setFocus();
}

/// The groups are others after each layout; those of another graph may be none of these.
void GraphView::find_alike_again() {
  Group const* group = ready() ? group_of(like_) : nullptr;
  alike_ =
      group ? graph::built_alike(*made_, int(group - made_->groups.data())) : std::vector<int>();
  if (alike_.size() < 2) alike_.clear();
  if (alike_.empty() && ready()) like_.clear();
  show_block_bar();
  if (Group const* wanted = ready() ? group_of(wanted_block_) : nullptr; wanted && wanted->seen()) {
    bring_block_into_view(*wanted);
    wanted_block_.clear();
  }
  update();
}

int GraphView::current_alike() const {
  auto here =
      std::ranges::find_if(alike_, [&](int g) { return made_->groups[size_t(g)].key == like_; });
  return here == alike_.end() ? -1 : int(here - alike_.begin());
}

void GraphView::step_alike(int direction) {
  if (alike_.empty()) return;
  int count = alike_count();
  int next = (current_alike() + direction + count) % count;
  stand_at_block(made_->groups[size_t(alike_[size_t(next)])].key);
}

/// One that is in a folded group is shown: the groups around it are opened.
void GraphView::stand_at_block(std::string const& key) {
  Group const* group = ready() ? group_of(key) : nullptr;
  if (!group) return;
  like_ = group_ = key;
  show_block_bar();
  if (group->seen()) {
    bring_block_into_view(*group);
  } else {
    wanted_block_ = key;
    open_to(group->parent);
  }
  update();
}

QRectF GraphView::place_of(Group const& group) const {
  for (Group const* one = &group;; one = &made_->groups[size_t(one->parent)]) {
    if (one->card >= 0) return made_->cards[size_t(one->card)].box;
    if (!one->frame.isEmpty()) return one->frame;
    if (one->parent < 0) return {};
  }
}

/// Of one that is larger than the view, its beginning; not below the bar.
void GraphView::bring_block_into_view(Group const& group) {
  QRectF box = place_of(group);
  box.setHeight(std::min(box.height(), (unit_height() - 40) / scale_));
  box.setWidth(std::min(box.width(), (unit_width() - 40) / scale_));
  QRectF shown(box.topLeft() * scale_ + origin_, box.size() * scale_);
  bool covered = blocks_->isVisible() && pixels(shown).intersects(blocks_->geometry());
  if (covered)
    look_at(scale_, QPointF(unit_width(), unit_height()) / 2 - box.center() * scale_);
  else
    bring_into_view(box);
}

QString GraphView::alike_words() const {
  if (alike_.empty()) return {};
  QStringList names;
  for (int g : alike_) names << QString::fromStdString(made_->groups[size_t(g)].key);
  QString listed = names.mid(0, kMostBlocks).join(", ");
  if (names.size() > qsizetype(kMostBlocks))
    listed += QString(" and %1 more").arg(names.size() - qsizetype(kMostBlocks));
  return QString("%1 of %2: %3")
      .arg(QString::fromStdString(count_text(alike_count(), "block")),
           graph::operator_words(*made_, alike_.front()), listed);
}

QString GraphView::operators_of(std::string const& key) const {
  Group const* group = ready() ? group_of(key) : nullptr;
  return group ? graph::operator_words(*made_, int(group - made_->groups.data())) : QString();
}

std::string GraphView::block_at(QPointF at) const {
  if (!ready()) return {};
  QPointF scene = to_scene(at);
  int inner = -1;
  if (graph::Card const* card = card_at(scene))
    inner = card->fold >= 0 ? card->fold : made_->members[size_t(card->members.front())].inner;
  // Outer frames come before those in them.
  for (size_t g = 0; inner < 0 && g < made_->groups.size(); ++g)
    if (size_t last = made_->groups.size() - 1 - g; made_->groups[last].frame.contains(scene))
      inner = int(last);
  return inner < 0 ? std::string() : made_->groups[size_t(inner)].key;
}

/// Enter and Shift+Enter go through them, Esc ends it.
bool GraphView::alike_key(QKeyEvent const& event) {
  if (alike_.empty()) return false;
  bool enter = event.key() == Qt::Key_Return || event.key() == Qt::Key_Enter;
  if (enter) emit alike_step_typed(event.modifiers() & Qt::ShiftModifier ? -1 : 1);
  if (event.key() == Qt::Key_Escape) emit alike_ended();
  return enter || event.key() == Qt::Key_Escape;
}

void GraphView::show_block_bar() {
  blocks_->setVisible(has_bar_ && !whole_ && !alike_.empty());
  if (alike_.empty()) return;
  blocks_->show_blocks(alike_words(), current_alike(), alike_count());
  place_block_bar();
  blocks_->raise();
}

void GraphView::place_block_bar() {
  if (alike_.empty()) return;
  QPoint gap = pixels(QPointF(12, 12));
  blocks_->set_theme(theme_);
  blocks_->fit(width() - 2 * gap.x());
  blocks_->move(width() - blocks_->width() - gap.x(), gap.y());
}

/// As what is found is marked; one that cannot be seen by the group that holds it.
void GraphView::draw_alike(QPainter& painter, QRectF const& seen) const {
  double thin = 1 / std::min(scale_, 1.0);
  int current = current_alike();
  for (size_t i = 0; i < alike_.size(); ++i) {
    QRectF place = place_of(made_->groups[size_t(alike_[i])]);
    if (place.isEmpty() || !place.intersects(seen)) continue;
    bool here = int(i) == current;
    double out = (here ? 5 : 4) * thin;
    painter.setPen(QPen(theme_.warn, (here ? 5 : 2) * thin));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(place.adjusted(-out, -out, out, out), 12, 12);
  }
}

/// ", 2 of 4 that are built alike"; empty: it is none of them.
QString GraphView::alike_part_words(Group const& group) const {
  auto found = std::ranges::find(alike_, int(&group - made_->groups.data()));
  if (found == alike_.end()) return {};
  return QString(", %1 of %2 of the same structure")
      .arg(found - alike_.begin() + 1)
      .arg(alike_count());
}

// ---- in both of two ------------------------------------------------------------------------

/// The one that is asked leads; the other stands at the same group where it has it.
bool GraphPair::show_alike(std::string const& key) {
  if (!main().show_alike(key)) return false;
  if (!is_both()) return true;
  other(main()).show_alike(key);
  choose(is_before(main()), key, -1);
  return true;
}

void GraphPair::step_alike(int direction) {
  main().step_alike(direction);
  if (!is_both()) return;
  std::string key = main().block_stood_at();
  other(main()).stand_at_block(key);
  choose(is_before(main()), key, -1);
}

void GraphPair::end_alike() {
  for (Half const& half : halves_) half.view->end_alike();
}

}  // namespace tw
