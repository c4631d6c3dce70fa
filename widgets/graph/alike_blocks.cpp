// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/graph/alike_blocks.h"

#include <algorithm>
#include <utility>

#include "engine/support/base/quantities.h"
#include "widgets/graph/block_bar.h"
#include "widgets/graph/graph_camera.h"
#include "widgets/graph/graph_contents.h"
#include "widgets/graph/graph_layout.h"
#include "widgets/graph/graph_lookup.h"
#include "widgets/graph/graph_marks.h"

namespace tw {

using graph::Group;

namespace {

/// No more are named; the others are counted.
constexpr qsizetype kMostBlocks = 6;

std::vector<int> alike(graph::Cards const& cards, Group const& group) {
  return graph::built_alike(cards, int(&group - cards.groups.data()));
}

}  // namespace

AlikeBlocks::AlikeBlocks(BlockBar& bar, GraphLayout& layout, GraphCamera& camera, GraphMarks& marks)
    : bar_(bar), layout_(layout), camera_(camera), marks_(marks) {
  bar_.hide();
  connect(&bar_, &BlockBar::step_asked, this, &AlikeBlocks::step_typed);
  connect(&bar_, &BlockBar::closed, this, &AlikeBlocks::end_typed);
}

void AlikeBlocks::have_bar(bool has) {
  has_bar_ = has;
  show_bar();
}

void AlikeBlocks::hide_bar(bool hidden) {
  hidden_ = hidden;
  show_bar();
}

bool AlikeBlocks::show(std::string const& key) {
  Group const* group = group_of(layout_.cards(), key);
  if (!group) return false;
  std::vector<int> groups = alike(*layout_.cards(), *group);
  if (groups.size() < 2) return false;
  emit began();
  key_ = key;
  groups_ = std::move(groups);
  stand_at(key);
  if (has_bar_) emit focus_wanted();
  return true;
}

void AlikeBlocks::end() {
  if (key_.empty()) return;
  bool had_focus = bar_.isAncestorOf(bar_.parentWidget()->focusWidget());
  key_.clear();
  wanted_.clear();
  find_again();
  if (had_focus) emit focus_wanted();
}

/// Those of another graph may be none of these.
void AlikeBlocks::settle() {
  find_again();
  Group const* wanted = group_of(layout_.cards(), wanted_);
  if (!wanted || !wanted->seen()) return;
  bring_into_view(*wanted);
  wanted_.clear();
}

void AlikeBlocks::find_again() {
  Group const* group = group_of(layout_.cards(), key_);
  groups_ = group ? alike(*layout_.cards(), *group) : std::vector<int>();
  if (groups_.size() < 2) groups_.clear();
  if (groups_.empty() && layout_.cards()) key_.clear();
  show_bar();
  emit changed();
}

int AlikeBlocks::current() const {
  auto here = std::ranges::find_if(
      groups_, [&](int g) { return layout_.cards()->groups[size_t(g)].key == key_; });
  return here == groups_.end() ? -1 : int(here - groups_.begin());
}

void AlikeBlocks::step(int direction) {
  if (groups_.empty()) return;
  int next = (current() + direction + count()) % count();
  stand_at(std::string(layout_.cards()->groups[size_t(groups_[size_t(next)])].key));
}

/// One that is in a folded group is shown: the groups around it are opened.
void AlikeBlocks::stand_at(std::string const& key) {
  Group const* group = group_of(layout_.cards(), key);
  if (!group) return;
  key_ = key;
  marks_.choose_group(key);
  show_bar();
  if (group->seen()) {
    bring_into_view(*group);
  } else {
    wanted_ = key;
    layout_.open_to(group->parent);
  }
  emit changed();
}

bool AlikeBlocks::press(QKeyEvent const& event) {
  if (groups_.empty()) return false;
  bool enter = event.key() == Qt::Key_Return || event.key() == Qt::Key_Enter;
  if (enter) emit step_typed(event.modifiers() & Qt::ShiftModifier ? -1 : 1);
  if (event.key() == Qt::Key_Escape) emit end_typed();
  return enter || event.key() == Qt::Key_Escape;
}

/// Of one that is larger than the view, its beginning; not below the bar.
void AlikeBlocks::bring_into_view(Group const& group) {
  QRectF box = box_of(*layout_.cards(), group);
  QSizeF most = camera_.seen().size() - QSizeF(40, 40) / camera_.scale();
  box.setSize(box.size().boundedTo(most));
  camera_.bring_into_view(box, bar_);
}

void AlikeBlocks::show_bar() {
  bar_.setVisible(has_bar_ && !hidden_ && !groups_.empty());
  if (groups_.empty()) return;
  bar_.show_blocks(words(), current(), count());
  emit bar_changed();
  bar_.raise();
}

QString AlikeBlocks::words() const {
  if (groups_.empty()) return {};
  QStringList names;
  for (int g : groups_) names << QString::fromStdString(layout_.cards()->groups[size_t(g)].key);
  QString listed = names.mid(0, kMostBlocks).join(", ");
  if (names.size() > kMostBlocks) listed += QString(" and %1 more").arg(names.size() - kMostBlocks);
  return QString("%1 of %2: %3")
      .arg(QString::fromStdString(count_text(count(), "block")),
           graph::operator_words(*layout_.cards(), groups_.front()), listed);
}

QString AlikeBlocks::place_words(Group const& group) const {
  auto found = std::ranges::find(groups_, int(&group - layout_.cards()->groups.data()));
  if (found == groups_.end()) return {};
  return QString(", %1 of %2 of the same structure").arg(found - groups_.begin() + 1).arg(count());
}

}  // namespace tw
