// SPDX-License-Identifier: GPL-3.0-or-later
// The panes of the window: made from their rows, put in their places, brought to the front.
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <QTabWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "app/window/focus_keeper.h"
#include "app/window/folding_panes.h"
#include "app/window/main_window.h"
#include "app/window/pane_rail.h"
#include "app/window/pane_window.h"
#include "app/window/view_names.h"
#include "widgets/focus/focus_ring.h"
#include "widgets/model_bar/model_bar.h"
#include "widgets/start/start_page.h"

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

/// Tabs inside of tabs: those around come to the front, too.
void show_tabs_around(QWidget* widget) {
  for (; widget; widget = widget->parentWidget())
    for (QWidget* owner = widget->parentWidget(); owner; owner = owner->parentWidget())
      if (auto* tabs = qobject_cast<QTabWidget*>(owner); tabs && tabs->indexOf(widget) >= 0)
        tabs->setCurrentWidget(widget);
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

void MainWindow::make_panes() {
  std::vector<PaneRow const*> rows(pane_table().begin(), pane_table().end());
  std::ranges::sort(rows, {}, [](PaneRow const* row) { return std::pair(row->place, row->order); });
  for (PaneRow const* row : rows) {
    std::unique_ptr<Pane> pane = row->make(*this);
    QWidget* widget = pane->widget();
    // A pane without a menu of its own has what every pane has.
    if (widget->contextMenuPolicy() == Qt::DefaultContextMenu) add_menu(widget, {});
    widget->installEventFilter(this);  // one that waits is told when it is seen
    panes_.push_back({row, std::move(pane), widget});
  }
}

/// A tab for each pane of the place.
QTabWidget* MainWindow::tabs_of(PanePlace place) {
  auto* tabs = tabs_[place] = new QTabWidget;
  for (Placed const& placed : panes_)
    if (placed.row->place == place) tabs->addTab(placed.widget, placed.row->title);
  return tabs;
}

QWidget* MainWindow::build_workbench() {
  make_panes();
  tabs_of(PanePlace::kLeft)->setObjectName("left");
  centre_ = tabs_of(PanePlace::kCentre);
  centre_->setObjectName("centre");
  upper_ = new UpperPanes(Qt::Horizontal);
  upper_->addWidget(tabs_[PanePlace::kLeft]);
  upper_->addWidget(centre_);
  for (Placed const& placed : panes_)
    if (placed.row->place == PanePlace::kBeside) upper_->addWidget(placed.widget);
  have_width(upper_, "upper", {272, 640, 520});
  connect(centre_, &QTabWidget::currentChanged, this, [this] {
    all_asked_ = false;
    give_room();
  });
  lower_ = new QSplitter(Qt::Horizontal);
  lower_->addWidget(tabs_of(PanePlace::kBelow));
  lower_->addWidget(tabs_of(PanePlace::kBelowRight));
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
  // The card floats: a splitter would make a pane of it.
  auto* floor = new QWidget;
  auto* fill = new QVBoxLayout(floor);
  fill->setContentsMargins(0, 0, 0, 0);
  fill->setSpacing(0);
  model_bar_ = new ModelBar;
  fill->addWidget(model_bar_);
  fill->addWidget(whole_, 1);
  fill->addWidget(below_rail_ = make_rail(Qt::Horizontal, "belowRail"));
  connect(model_bar_, &ModelBar::shapes_chosen, this, &MainWindow::use_shapes);
  connect(model_bar_, &ModelBar::notes_asked, this, &MainWindow::show_notes);
  card_ = new RefusalCard(floor);
  connect(card_, &RefusalCard::repair_chosen, this,
          [this](QString const& line) { apply_line(line); });
  connect(card_, &RefusalCard::repair_pointed_at, this,
          [this](QString const& line) { selection_->point_at(line, card_); });
  connect(card_, &RefusalCard::dismissed, this, [this] { execute(session::DismissRefusal{}); });
  return floor;
}

PaneRail* MainWindow::make_rail(Qt::Orientation orientation, char const* name) {
  auto* rail = new PaneRail(orientation, name);
  connect(rail, &PaneRail::asked, this, [this](QString const& title) {
    show_action(journal::ShowView{view_name(title).toStdString()});
  });
  return rail;
}

MainWindow::Placed* MainWindow::placed_as(std::string const& name) {
  for (Placed& placed : panes_)
    if (placed.row->name == journal::view_called(name)) return &placed;
  return nullptr;
}

MainWindow::Placed const* MainWindow::home() const {
  for (Placed const& placed : panes_)
    if (placed.row->is_home) return &placed;
  return nullptr;
}

// ---- tabs ----------------------------------------------------------------------

/// What stands beside the centre is a tab of it in a narrow window.
QTabWidget* MainWindow::own_tabs(Placed const& placed) const {
  if (auto moved = moved_.find(placed.row->name); moved != moved_.end())
    return tabs_called(moved->second);
  auto found = tabs_.find(placed.row->place);
  return found == tabs_.end() ? centre_ : found->second;
}

int MainWindow::tab_of(Placed const& placed) const {
  QTabWidget* tabs = own_tabs(placed);
  return int(std::ranges::count_if(panes_, [&](Placed const& other) {
    return other.row->order < placed.row->order && tabs->indexOf(other.widget) >= 0;
  }));
}

void MainWindow::offer_tab(Pane& pane) {
  for (Placed const& placed : panes_) {
    QTabWidget* tabs = own_tabs(placed);
    if (placed.pane.get() == &pane && tabs->indexOf(placed.widget) < 0)
      tabs->insertTab(tab_of(placed), placed.widget, placed.row->title);
  }
  if (second_) give_room();  // of a group that was empty
}

void MainWindow::show_tab(Pane& pane) {
  offer_tab(pane);
  for (QTabWidget* tabs : all_tabs())
    if (tabs->indexOf(pane.widget()) >= 0) tabs->setCurrentWidget(pane.widget());
  take_room_back(pane.widget());
}

void MainWindow::hide_tab(Pane& pane) {
  for (QTabWidget* tabs : all_tabs())
    if (int at = tabs->indexOf(pane.widget()); at >= 0) tabs->removeTab(at);
  if (!second_) return;
  second_->settle();
  give_room();  // of a group that is empty now
}

/// Narrow windows have what stands beside the centre as a tab of it.
void MainWindow::arrange() {
  bool wide = width() >= theme_.px(1360);
  if (wide == wide_) return;
  wide_ = wide;
  Quiet quiet(depth_);
  if (!wide) upper_->fold(false);  // what stood there is a tab now
  for (Placed const& placed : panes_) {
    if (!stands_beside(placed)) continue;
    if (wide) {
      bool in_front = centre_->currentWidget() == placed.widget;
      upper_->addWidget(placed.widget);
      placed.widget->show();
      // Not what happens to be the tab beside it.
      if (in_front && home()) centre_->setCurrentWidget(home()->widget);
    } else {  // the tabs show it when it is chosen
      centre_->insertTab(tab_of(placed), placed.widget, placed.row->title);
    }
  }
  if (!wide) {
    QList<int> panes = UpperPanes::by_rule(width(), theme_.scale);
    upper_->want({panes[0], panes[1] + panes[2]});
  } else {
    upper_->want(UpperPanes::by_rule(width(), theme_.scale));
    share_upper();
  }
  give_room();
}

PaneNeeds MainWindow::needs_in_front() const {
  for (Placed const& placed : panes_)
    if (placed.widget == centre_->currentWidget()) return placed.row->needs;
  return PaneNeeds::kItsPlace;
}

/// What is in front may need the room of what stands around it, unless that was asked for.
void MainWindow::give_room() {
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
  stands(*tabs_.at(PanePlace::kLeft), upper_->first_folded());
  bool lower = stands(*tabs_.at(PanePlace::kBelow), false);
  lower = stands(*tabs_.at(PanePlace::kBelowRight), false) || lower;
  lower_->setVisible(lower && !whole_->last_folded());
  int rail = left_rail_->minimumWidth();
  int gone = upper_->first_folded() ? upper_->unfolded().first() + upper_->handleWidth() - rail : 0;
  keep_in_place(*centre_, gone, width() - rail);
}

void MainWindow::stand_rails() {
  auto titles_in = [this](PanePlace place) {
    QStringList titles;
    if (auto tabs = tabs_.find(place); tabs != tabs_.end())
      for (int i = 0; i < tabs->second->count(); ++i) titles << tabs->second->tabText(i);
    for (Placed const& placed : panes_)
      if (place == PanePlace::kBeside && stands_beside(placed)) titles << placed.row->title;
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

/// Something that had to give way was asked for: all of it comes back while this tab is in front.
void MainWindow::take_room_back(QWidget* within) {
  bool gone = (whole_->last_folded() && lower_->isAncestorOf(within)) ||
              (upper_->first_folded() && tabs_.at(PanePlace::kLeft)->isAncestorOf(within));
  for (Placed const& placed : panes_)
    gone = gone || (wide_ && stands_beside(placed) && placed.widget->isHidden() &&
                    (placed.widget == within || placed.widget->isAncestorOf(within)));
  if (!gone) return;
  all_asked_ = true;
  give_room();
}

// ---- to the front ----------------------------------------------------------------------------

/// A tab of the centre beside an open model; a page of its own while there is none.
Status MainWindow::bring_up(Placed& placed) {
  TRY(placed.pane->about_to_show());
  Quiet quiet(depth_);
  alone_ = snapshot_.model ? nullptr : &placed;
  place_alone();
  if (!alone_) {
    centre_->setCurrentWidget(placed.widget);
    if (std::exchange(all_asked_, false)) give_room();
  }
  if (QWidget* target = placed.pane->focus_target()) target->setFocus();
  return {};
}

void MainWindow::place_alone() {
  if (alone_ && !snapshot_.model) {
    if (pages_->indexOf(alone_->widget) < 0) pages_->addWidget(alone_->widget);
    pages_->setCurrentWidget(alone_->widget);
    alone_->widget->show();
    return;
  }
  Placed* was_alone = std::exchange(alone_, nullptr);
  for (Placed const& placed : panes_)
    if (placed.row->stands_alone && centre_->indexOf(placed.widget) < 0)
      centre_->insertTab(tab_of(placed), placed.widget, placed.row->title);
  if (was_alone) centre_->setCurrentWidget(was_alone->widget);
  pages_->setCurrentIndex(snapshot_.model ? 1 : 0);
}

void MainWindow::show_centre(int tab) {
  QString text = centre_->tabText(std::min(tab, centre_->count() - 1));
  show_action(journal::ShowView{view_name(text).toStdString()});
}

Status MainWindow::show_view(std::string const& name) { return run(journal::ShowView{name}); }

/// Where the focus was in what gave way, what came to the front has it.
void MainWindow::focus_what_is_shown() {
  QWidget* has = focusWidget();
  if (has && placed_around(has) && can_have_focus(has)) return;
  focus_->stay(centre_->currentWidget());
}

/// In the pane that has it, or that stands now where that one stood; else where one works.
FocusPlace MainWindow::place_for_focus(QWidget* had) {
  if (pages_->currentWidget() == start_) {
    QList<QWidget*> cards = tab_stops(start_);
    return {start_, cards.isEmpty() ? nullptr : cards.front()};
  }
  Placed const* placed = had ? placed_around(had) : nullptr;
  if (placed && !placed->widget->isVisible())
    placed = placed_around(own_tabs(*placed)->currentWidget());
  if (!placed || !placed->widget->isVisible()) placed = home();
  if (!placed->widget->isVisible()) placed = placed_around(centre_->currentWidget());
  if (!placed) return {centralWidget(), nullptr};
  return {placed->widget, placed->pane->focus_target()};
}

QList<QTabBar*> MainWindow::tab_bars() const {
  QList<QTabBar*> all = centralWidget()->findChildren<QTabBar*>();
  if (second_) all += second_->findChildren<QTabBar*>();
  return all;
}

/// By the words of any tab.
Status MainWindow::run(journal::ShowView const& action) {
  Placed* placed = placed_as(action.view);
  if (placed && placed->row->stands_alone) return bring_up(*placed);
  if (action.view == "start" && !snapshot_.model) {
    alone_ = nullptr;
    return place_alone(), Status();
  }
  QString wanted = QString::fromStdString(journal::view_called(action.view));
  QStringList known;
  for (QTabBar* tabs : tab_bars())
    for (int i = 0; i < tabs->count(); ++i) {
      QString const text = tabs->tabText(i);
      known << view_name(text);
      if (known.back() != wanted && text.toLower().replace(' ', '_') != wanted) continue;
      tabs->setCurrentIndex(i);
      if (tabs == centre_->tabBar() && std::exchange(all_asked_, false)) give_room();
      show_tabs_around(tabs);
      if (tabs->window() != this) tabs->window()->raise();
      take_room_back(tabs);
      shown_pane_ = tabs->parentWidget();
      if (auto* pages = qobject_cast<QTabWidget*>(shown_pane_)) shown_pane_ = pages->widget(i);
      focus_what_is_shown();
      return {};
    }
  if (placed) {  // all see what stands beside the tabs
    take_room_back(placed->widget);
    shown_pane_ = placed->widget;
    return {};
  }
  return bad_input("unknown_view", "there is no view '" + action.view + "'; the views are " +
                                       known.join(", ").toStdString());
}

void MainWindow::focus_home() {
  if (home()) home()->pane->focus_target()->setFocus(Qt::OtherFocusReason);
}

void MainWindow::offer_focus(QWidget* widget) {
  bool kept =
      std::ranges::any_of(panes_, [](Placed const& placed) { return placed.pane->keeps_focus(); });
  // A view that another one stands before would take it all the same, and keys with it.
  if (!kept && can_have_focus(widget)) widget->setFocus(Qt::OtherFocusReason);
}

void MainWindow::explain(QString const& words) {
  for (Placed const& placed : panes_) {
    if (!placed.pane->explain(words)) continue;
    // What is explained is looked at, not worked in.
    QWidget* shown = shown_pane_;
    depth_ == 0 ? show_action(journal::ShowView{placed.row->name})
                : void(show_view(placed.row->name));
    shown_pane_ = shown;
    return;
  }
}

/// After the layout has settled: what matters may have moved out of a pane.
void MainWindow::settle_panes() {
  for (Placed const& placed : panes_) placed.pane->settled();
}

void MainWindow::set_device_files(std::string devices_file, std::string cache_folder,
                                  std::shared_ptr<DeviceLogs> logs, std::string local_program) {
  DeviceFiles files{std::move(devices_file), std::move(cache_folder), std::move(logs),
                    std::move(local_program)};
  for (Placed const& placed : panes_) placed.pane->use_devices(files);
}

}  // namespace tw
