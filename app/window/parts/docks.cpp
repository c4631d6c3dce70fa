// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/parts/docks.h"

#include <QApplication>
#include <QMainWindow>
#include <QPointer>
#include <QStackedWidget>
#include <QTabBar>
#include <QTabWidget>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>

#include "app/window/pane_window.h"
#include "app/window/parts/focus.h"
#include "app/window/parts/performer.h"
#include "app/window/parts/room.h"
#include "app/window/view_names.h"
#include "widgets/focus/focus_ring.h"

namespace tw {
namespace {

/// Tabs inside of tabs: those around come to the front, too.
void show_tabs_around(QWidget* widget) {
  for (; widget; widget = widget->parentWidget())
    for (QWidget* owner = widget->parentWidget(); owner; owner = owner->parentWidget())
      if (auto* tabs = qobject_cast<QTabWidget*>(owner); tabs && tabs->indexOf(widget) >= 0)
        tabs->setCurrentWidget(widget);
}

constexpr std::pair<char const*, PanePlace> kPlaces[] = {{"left", PanePlace::kLeft},
                                                         {"centre", PanePlace::kCentre},
                                                         {"below", PanePlace::kBelow},
                                                         {"below-right", PanePlace::kBelowRight}};

}  // namespace

Docks::Docks(QMainWindow& window, Workbench& bench, Performer& performer, PaneList& panes,
             QStackedWidget& pages)
    : window_(window),
      bench_(bench),
      performer_(performer),
      panes_(panes),
      pages_(pages),
      room_(std::make_unique<Room>(window, bench, performer, panes, *this)) {}

Docks::~Docks() = default;

/// A tab for each pane of the place.
QTabWidget* Docks::make_tabs(PanePlace place) {
  auto* tabs = tabs_[place] = new QTabWidget;
  for (PlacedPane const& placed : panes_.all())
    if (placed.row->place == place) tabs->addTab(placed.widget, placed.row->title);
  return tabs;
}

void Docks::build(QVBoxLayout& column) {
  make_tabs(PanePlace::kLeft)->setObjectName("left");
  centre_ = make_tabs(PanePlace::kCentre);
  centre_->setObjectName("centre");
  make_tabs(PanePlace::kBelow);
  make_tabs(PanePlace::kBelowRight);
  room_->build(column);
  connect(centre_, &QTabWidget::currentChanged, this, [this] { room_->another_in_front(); });
}

void Docks::build_second() {
  for (QTabBar* tabs : window_.centralWidget()->findChildren<QTabBar*>()) watch(tabs);
  second_ = new PaneWindow(&window_);
  watch(second_->tabs().tabBar());
}

void Docks::watch(QTabBar* tabs) {
  connect(tabs, &QTabBar::currentChanged, this, [this, tabs](int index) {
    if (index >= 0)
      performer_.user_did(journal::ShowView{view_name(tabs->tabText(index)).toStdString()});
  });
}

// ---- tabs ----------------------------------------------------------------------

QTabWidget* Docks::tabs_called(std::string const& place) const {
  for (auto const& [word, one] : kPlaces)
    if (place == word) return tabs_.at(one);
  return &second_->tabs();
}

std::vector<QTabWidget*> Docks::all_tabs() const {
  std::vector<QTabWidget*> all;
  for (auto const& [place, tabs] : tabs_) all.push_back(tabs);
  if (second_) all.push_back(&second_->tabs());
  return all;
}

QList<QTabBar*> Docks::tab_bars() const {
  QList<QTabBar*> all = window_.centralWidget()->findChildren<QTabBar*>();
  if (second_) all += second_->findChildren<QTabBar*>();
  return all;
}

bool Docks::stands_beside(PlacedPane const& placed) const {
  return placed.row->place == PanePlace::kBeside && !moved_.contains(placed.row->name);
}

/// What stands beside the centre is a tab of it in a narrow window.
QTabWidget* Docks::own_tabs(PlacedPane const& placed) const {
  if (auto moved = moved_.find(placed.row->name); moved != moved_.end())
    return tabs_called(moved->second);
  auto found = tabs_.find(placed.row->place);
  return found == tabs_.end() ? centre_ : found->second;
}

int Docks::tab_of(PlacedPane const& placed) const {
  QTabWidget* tabs = own_tabs(placed);
  return int(std::ranges::count_if(panes_.all(), [&](PlacedPane const& other) {
    return other.row->order < placed.row->order && tabs->indexOf(other.widget) >= 0;
  }));
}

void Docks::offer_tab(Pane& pane) {
  for (PlacedPane const& placed : panes_.all()) {
    QTabWidget* tabs = own_tabs(placed);
    if (placed.pane.get() == &pane && tabs->indexOf(placed.widget) < 0)
      tabs->insertTab(tab_of(placed), placed.widget, placed.row->title);
  }
  if (second_) room_->give();  // of a group that was empty
}

void Docks::show_tab(Pane& pane) {
  offer_tab(pane);
  for (QTabWidget* tabs : all_tabs())
    if (tabs->indexOf(pane.widget()) >= 0) tabs->setCurrentWidget(pane.widget());
  room_->take_back(pane.widget());
}

void Docks::hide_tab(Pane& pane) {
  for (QTabWidget* tabs : all_tabs())
    if (int at = tabs->indexOf(pane.widget()); at >= 0) tabs->removeTab(at);
  if (!second_) return;
  second_->settle();
  room_->give();  // of a group that is empty now
}

// ---- moved panes -----------------------------------------------------------------------------

/// What of a pane has the focus before it is moved.
struct Docks::Held {
  QPointer<QWidget> focused;
  bool on_tab = false, within = false, ringed = false;
};

Docks::Held Docks::held_in(PlacedPane const& placed) const {
  Held held{QApplication::focusWidget()};
  QWidget* focused = held.focused;
  if (!focused) return held;
  held.on_tab =
      focused == own_tabs(placed)->tabBar() && own_tabs(placed)->currentWidget() == placed.widget;
  held.within = placed.widget == focused || placed.widget->isAncestorOf(focused);
  held.ringed = focus_->ring().around() == focused || second_->ring().around() == focused;
  return held;
}

void Docks::move(PlacedPane& placed, std::string const& to) {
  Performer::Quiet quiet(performer_);
  Held held = held_in(placed);
  place(placed, to);
  second_->settle();
  room_->give();
  if (held.focused && (held.within || held.on_tab)) give_back(held, placed);  // it goes along
}

void Docks::place(PlacedPane& placed, std::string const& to) {
  bool was_beside = room_->wide() && stands_beside(placed);
  bool shown = was_beside || std::ranges::any_of(all_tabs(), [&](QTabWidget* tabs) {
                 return tabs->indexOf(placed.widget) >= 0;
               });
  hide_tab(*placed.pane);
  moved_.erase(placed.row->name);
  // Where it would be anyway it was not moved.
  if (to != kHome && (was_beside || own_tabs(placed) != tabs_called(to)))
    moved_[placed.row->name] = to;
  if (room_->wide() && stands_beside(placed)) {
    room_->arrange_anew();
  } else if (shown) {
    offer_tab(*placed.pane);
    own_tabs(placed)->setCurrentWidget(placed.widget);
  }
  if (was_beside) room_->share_upper();
}

void Docks::give_back(Held const& held, PlacedPane& placed) {
  bool has_tab = own_tabs(placed)->indexOf(placed.widget) >= 0;
  QWidget* now = held.within ? held.focused.data() : placed.pane->focus_target();
  if (held.on_tab && has_tab) now = own_tabs(placed)->tabBar();
  if (!now) return;
  now->window()->activateWindow();
  now->setFocus(Qt::OtherFocusReason);
  if (!held.ringed) return;
  FocusRing* ring = now->window() == second_ ? &second_->ring() : &focus_->ring();
  QTimer::singleShot(0, now, [ring, now] { ring->show_around(now); });  // once it is laid out
}

// ---- to the front ----------------------------------------------------------------------------

/// A tab of the centre beside an open model; a page of its own while there is none.
Status Docks::bring_up(PlacedPane& placed) {
  TRY(placed.pane->about_to_show());
  Performer::Quiet quiet(performer_);
  alone_ = bench_.snapshot().model ? nullptr : &placed;
  place_alone();
  if (!alone_) {
    centre_->setCurrentWidget(placed.widget);
    room_->give_what_was_asked_back();
  }
  if (QWidget* target = placed.pane->focus_target()) target->setFocus();
  return {};
}

void Docks::place_alone() {
  bool open = bench_.snapshot().model != nullptr;
  if (alone_ && !open) {
    if (pages_.indexOf(alone_->widget) < 0) pages_.addWidget(alone_->widget);
    pages_.setCurrentWidget(alone_->widget);
    alone_->widget->show();
    return;
  }
  PlacedPane* was_alone = std::exchange(alone_, nullptr);
  for (PlacedPane const& placed : panes_.all())
    if (placed.row->stands_alone && centre_->indexOf(placed.widget) < 0)
      centre_->insertTab(tab_of(placed), placed.widget, placed.row->title);
  if (was_alone) centre_->setCurrentWidget(was_alone->widget);
  pages_.setCurrentIndex(open ? 1 : 0);
}

std::string Docks::in_front() const {
  if (alone_) return alone_->row->name;
  return view_name(centre_->tabText(centre_->currentIndex())).toStdString();
}

Status Docks::show(std::string const& view) {
  PlacedPane* placed = panes_.called(view);
  if (placed && placed->row->stands_alone) return bring_up(*placed);
  if (view == "start" && !bench_.snapshot().model) {
    alone_ = nullptr;
    return place_alone(), Status();
  }
  QString wanted = QString::fromStdString(journal::view_called(view));
  QStringList known;
  for (QTabBar* tabs : tab_bars())
    for (int i = 0; i < tabs->count(); ++i) {
      QString const text = tabs->tabText(i);
      known << view_name(text);
      if (known.back() == wanted || text.toLower().replace(' ', '_') == wanted)
        return bring_to_front(tabs, i), Status();
    }
  if (placed) {  // all see what stands beside the tabs
    room_->take_back(placed->widget);
    shown_pane_ = placed->widget;
    return {};
  }
  return bad_input("unknown_view", "there is no view '" + view + "'; the views are " +
                                       known.join(", ").toStdString());
}

void Docks::bring_to_front(QTabBar* tabs, int tab) {
  tabs->setCurrentIndex(tab);
  if (tabs == centre_->tabBar()) room_->give_what_was_asked_back();
  show_tabs_around(tabs);
  if (tabs->window() != &window_) tabs->window()->raise();
  room_->take_back(tabs);
  shown_pane_ = tabs->parentWidget();
  if (auto* pages = qobject_cast<QTabWidget*>(shown_pane_)) shown_pane_ = pages->widget(tab);
  focus_->show_what_is_shown();
}

PlacedPane& Docks::in_focus() {
  // It may be in the second window.
  for (QWidget* has : {QApplication::focusWidget(), window_.focusWidget()}) {
    if (PlacedPane* placed = panes_.around(has)) return *placed;
    for (QTabWidget* tabs : all_tabs())
      if (PlacedPane* placed =
              has == tabs->tabBar() ? panes_.around(tabs->currentWidget()) : nullptr)
        return *placed;
  }
  if (alone_) return *alone_;
  if (PlacedPane* placed = panes_.around(centre_->currentWidget())) return *placed;
  return panes_.all().front();
}

void Docks::explain(QString const& words) {
  for (PlacedPane const& placed : panes_.all()) {
    if (!placed.pane->explain(words)) continue;
    // What is explained is looked at, not worked in.
    QWidget* shown = shown_pane_;
    performer_.rests() ? (void)performer_.perform(journal::ShowView{placed.row->name})
                       : (void)show(placed.row->name);
    shown_pane_ = shown;
    return;
  }
}

}  // namespace tw
