// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/parts/room.h"

#include <QSplitter>
#include <QTabBar>
#include <QTabWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "app/window/folding_panes.h"
#include "app/window/pane_rail.h"
#include "app/window/parts/docks.h"
#include "app/window/parts/performer.h"
#include "app/window/view_names.h"

namespace tw {
namespace {

void have_width(QSplitter* splitter, char const* name, QList<int> const& sizes) {
  splitter->setObjectName(name);
  splitter->setHandleWidth(1);
  if (auto* folding = dynamic_cast<FoldingPanes*>(splitter))
    folding->arrange(sizes);
  else
    splitter->setSizes(sizes);
}

/// A group without a tab leaves its room to its neighbours until one comes; true: it is there.
bool stands(QTabWidget& group, bool folded) {
  bool there = group.count() > 0 && !folded;
  group.setVisible(there);
  return there;
}

/// Room at the left of tabs.
class TabSpace : public QWidget {
public:
  QSize sizeHint() const override { return minimumSize(); }
};

/// `gone` pixels at the left gave way: the tabs stay where they are as far as there is room, so
/// that the next click meets the one it is meant for.
void keep_in_place(QTabWidget& tabs, int gone, int room) {
  QWidget* space = tabs.cornerWidget(Qt::TopLeftCorner);
  if (!space) space = new TabSpace;
  int wide = std::clamp(gone, 0, std::max(0, room - tabs.tabBar()->sizeHint().width()));
  if (wide == space->minimumWidth() && space->parentWidget()) return;
  space->setFixedSize(wide, 1);
  tabs.setCornerWidget(space, Qt::TopLeftCorner);  // which lays the tabs out anew
  space->setVisible(wide > 0);
}

}  // namespace

Room::Room(QWidget& window, Workbench& bench, Performer& performer, PaneList& panes, Docks& docks)
    : window_(window), bench_(bench), performer_(performer), panes_(panes), docks_(docks) {}

void Room::build(QVBoxLayout& column) {
  upper_ = new UpperPanes(Qt::Horizontal);
  upper_->addWidget(docks_.tabs_at(PanePlace::kLeft));
  upper_->addWidget(&docks_.centre());
  for (PlacedPane const& placed : panes_.all())
    if (placed.row->place == PanePlace::kBeside) upper_->addWidget(placed.widget);
  have_width(upper_, "upper", {272, 640, 520});
  lower_ = new QSplitter(Qt::Horizontal);
  lower_->addWidget(docks_.tabs_at(PanePlace::kBelow));
  lower_->addWidget(docks_.tabs_at(PanePlace::kBelowRight));
  have_width(lower_, "lower", {560, 560});
  whole_ = new FoldingPanes(Qt::Vertical);
  auto* above = new QWidget;
  auto* row = new QHBoxLayout(above);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(0);
  row->addWidget(left_rail_ = make_rail(Qt::Vertical, "leftRail"));
  row->addWidget(upper_, 1);
  row->addWidget(right_rail_ = make_rail(Qt::Vertical, "rightRail"));
  whole_->addWidget(above);
  whole_->addWidget(lower_);
  // Two tracks of a history fit, in a small window too; of a larger one loops get three quarters.
  whole_->setStretchFactor(0, 3);
  whole_->setStretchFactor(1, 1);
  have_width(whole_, "whole", {500, 300});
  column.addWidget(whole_, 1);
  column.addWidget(below_rail_ = make_rail(Qt::Horizontal, "belowRail"));
}

PaneRail* Room::make_rail(Qt::Orientation orientation, char const* name) {
  auto* rail = new PaneRail(orientation, name);
  QObject::connect(rail, &PaneRail::asked, &window_, [this](QString const& title) {
    bench_.ask(journal::ShowView{view_name(title).toStdString()});
  });
  return rail;
}

void Room::set_theme(Theme const& theme) {
  for (PaneRail* rail : {left_rail_, right_rail_, below_rail_}) rail->set_theme(theme);
  docks_.tabs_at(PanePlace::kLeft)->setMinimumWidth(theme.px(276));
}

void Room::arrange() {
  bool wide = window_.width() >= bench_.theme().px(1360);
  if (wide == wide_) return;
  wide_ = wide;
  Performer::Quiet quiet(performer_);
  if (!wide) upper_->fold(false);  // what stood there is a tab now
  for (PlacedPane const& placed : panes_.all())
    if (docks_.stands_beside(placed)) put_beside(placed);
  QList<int> panes = UpperPanes::by_rule(window_.width(), bench_.theme().scale);
  if (!wide) {
    upper_->want({panes[0], panes[1] + panes[2]});
  } else {
    upper_->want(panes);
    share_upper();
  }
  give();
}

void Room::put_beside(PlacedPane const& placed) {
  QTabWidget& centre = docks_.centre();
  if (!wide_) {  // the tabs show it when it is chosen
    centre.insertTab(docks_.tab_of(placed), placed.widget, placed.row->title);
    return;
  }
  bool in_front = centre.currentWidget() == placed.widget;
  upper_->addWidget(placed.widget);
  placed.widget->show();
  // Not what happens to be the tab beside it.
  if (PlacedPane* home = panes_.home(); in_front && home) centre.setCurrentWidget(home->widget);
}

void Room::arrange_anew() {
  wide_ = false;
  arrange();
}

PaneNeeds Room::needs_in_front() const {
  for (PlacedPane const& placed : panes_.all())
    if (placed.widget == docks_.centre().currentWidget()) return placed.row->needs;
  return PaneNeeds::kItsPlace;
}

void Room::give() {
  using enum PaneNeeds;
  PaneNeeds needs = all_asked_ ? kItsPlace : needs_in_front();
  bool left = needs == kWidth || needs == kAll;
  bool beside = needs != kItsPlace && wide_ && upper_->count() > 2;  // not while it is only coming
  bool below = needs == kWidthAndHeight || needs == kAll;
  // Rails go before panes come, and come when they are gone: sizes are those without them.
  if (!left) left_rail_->hide();
  if (!beside) right_rail_->hide();
  if (!below) below_rail_->hide();
  for (QWidget* around : {whole_->parentWidget(), upper_->parentWidget()})
    if (around && around->layout() && around->isVisible()) around->layout()->activate();
  upper_->fold(beside, left);
  whole_->fold(below);
  stand_rails();
  stands(*docks_.tabs_at(PanePlace::kLeft), upper_->first_folded());
  bool lower = stands(*docks_.tabs_at(PanePlace::kBelow), false);
  lower = stands(*docks_.tabs_at(PanePlace::kBelowRight), false) || lower;
  lower_->setVisible(lower && !whole_->last_folded());
  int rail = left_rail_->minimumWidth();
  int gone = upper_->first_folded() ? upper_->unfolded().first() + upper_->handleWidth() - rail : 0;
  keep_in_place(docks_.centre(), gone, window_.width() - rail);
}

void Room::stand_rails() {
  auto titles_in = [this](PanePlace place) {
    QStringList titles;
    if (place != PanePlace::kBeside)
      for (int i = 0; i < docks_.tabs_at(place)->count(); ++i)
        titles << docks_.tabs_at(place)->tabText(i);
    for (PlacedPane const& placed : panes_.all())
      if (place == PanePlace::kBeside && docks_.stands_beside(placed)) titles << placed.row->title;
    return titles;
  };
  auto stand = [](PaneRail* rail, bool folded, QStringList const& names) {
    rail->show_names(folded ? names : QStringList());
    rail->setVisible(folded);
  };
  stand(left_rail_, upper_->first_folded(), titles_in(PanePlace::kLeft));
  stand(right_rail_, upper_->last_folded(), titles_in(PanePlace::kBeside));
  stand(below_rail_, whole_->last_folded(),
        titles_in(PanePlace::kBelow) + titles_in(PanePlace::kBelowRight));
}

void Room::take_back(QWidget* within) {
  bool gone = (whole_->last_folded() && lower_->isAncestorOf(within)) ||
              (upper_->first_folded() && docks_.tabs_at(PanePlace::kLeft)->isAncestorOf(within));
  for (PlacedPane const& placed : panes_.all())
    gone = gone || (wide_ && docks_.stands_beside(placed) && placed.widget->isHidden() &&
                    (placed.widget == within || placed.widget->isAncestorOf(within)));
  if (!gone) return;
  all_asked_ = true;
  give();
}

void Room::another_in_front() {
  all_asked_ = false;
  give();
}

void Room::give_what_was_asked_back() {
  if (std::exchange(all_asked_, false)) give();
}

void Room::share_upper() {
  if (!wide_ || upper_->count() != 2) return;
  QList<int> panes = UpperPanes::by_rule(window_.width(), bench_.theme().scale);
  upper_->want({panes[0], panes[1] + panes[2]});
}

void Room::reset() {
  if (wide_) upper_->want(UpperPanes::by_rule(window_.width(), bench_.theme().scale));
  lower_->setSizes({lower_->width() / 2, lower_->width() / 2});
  whole_->arrange({whole_->height() * 5 / 8, whole_->height() * 3 / 8});
}

}  // namespace tw
