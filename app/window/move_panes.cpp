// SPDX-License-Identifier: GPL-3.0-or-later
// Panes that stand elsewhere than their rows say: moved by hand, by a menu, by keys or a journal,
// and kept for the next start.
#include <QApplication>
#include <QMenu>
#include <QPointer>
#include <QSettings>
#include <QSplitter>
#include <QTabBar>
#include <QTabWidget>
#include <QTimer>
#include <algorithm>

#include "app/shared/journal/move.h"
#include "app/window/folding_panes.h"
#include "app/window/main_window.h"
#include "app/window/pane_window.h"
#include "app/window/tab_mover.h"
#include "widgets/focus/focus_ring.h"

namespace tw {
namespace {

constexpr char kWindow[] = "window", kHome[] = "home", kGroup[] = "places",
               kGeometry[] = "second window", kBack[] = "Move this view back to its place",
               kReset[] = "Reset the layout";

struct PlaceWord {
  char const* word;
  char const* title;  ///< of a menu's entry
  char const* command;
  char const* keys;
};
constexpr PlaceWord kPlaces[] = {
    {"left", "To the left", "Move this view to the left", "Ctrl+Alt+Left"},
    {"centre", "To the centre", "Move this view to the centre", "Ctrl+Alt+Up"},
    {"below", "Below", "Move this view below", "Ctrl+Alt+Down"},
    {"below-right", "Below, at the right", "Move this view below, at the right", "Ctrl+Alt+Right"},
    {kWindow, "To a window of its own", "Move this view to a window of its own", "Ctrl+Alt+W"}};

/// In the order of `kPlaces`.
constexpr PanePlace kTabs[] = {PanePlace::kLeft, PanePlace::kCentre, PanePlace::kBelow,
                               PanePlace::kBelowRight};

bool is_place(std::string const& word) {
  return std::ranges::any_of(kPlaces, [&](PlaceWord const& one) { return word == one.word; });
}

}  // namespace

QTabWidget* MainWindow::tabs_called(std::string const& place) const {
  for (size_t i = 0; i < std::size(kTabs); ++i)
    if (place == kPlaces[i].word) return tabs_.at(kTabs[i]);
  return &second_->tabs();
}

std::vector<QTabWidget*> MainWindow::all_tabs() const {
  std::vector<QTabWidget*> all;
  for (auto const& [place, tabs] : tabs_) all.push_back(tabs);
  if (second_) all.push_back(&second_->tabs());
  return all;
}

bool MainWindow::stands_beside(Placed const& placed) const {
  return placed.row->place == PanePlace::kBeside && !moved_.contains(placed.row->name);
}

/// Where one works, and what is a page of its own without a model, stays in its place.
bool MainWindow::can_move(Placed const& placed) {
  return !placed.row->is_home && !placed.row->stands_alone;
}

void MainWindow::build_moving() {
  second_ = new PaneWindow(this);
  watch_tabs(second_->tabs().tabBar());
  connect(second_, &PaneWindow::closed, this, [this] {
    for (Placed& placed : panes_)
      if (own_tabs(placed) == &second_->tabs())
        user_did(journal::MoveView{placed.row->name, kHome});
  });
  auto frame = [this](QPoint at) {
    QTabWidget* tabs = tabs_called(place_at(at));
    return tabs->isVisible() ? QRect(tabs->mapToGlobal(QPoint(0, 0)), tabs->size()) : QRect();
  };
  mover_ = new TabMover(frame, this);
  for (QTabWidget* tabs : all_tabs()) mover_->watch(tabs->tabBar());
  connect(mover_, &TabMover::menu_asked, this, [this](QTabBar* from, int tab, QPoint at) {
    if (Placed* placed = placed_at(from, tab)) show_move_menu(*placed, at);
  });
  connect(mover_, &TabMover::dropped, this, [this](QTabBar* from, int tab, QPoint at) {
    Placed* placed = placed_at(from, tab);
    std::string to = place_at(at);
    if (placed && tabs_called(to) != own_tabs(*placed))
      show_action(journal::MoveView{placed->row->name, to});
  });
  restore_places();
}

void MainWindow::build_move_actions() {
  auto add = [this](char const* command, char const* keys, std::string const& word) {
    add_command({.section = section_,
                 .name = command,
                 .keys = keys,
                 .run =
                     [this, word] {
                       show_action(journal::MoveView{placed_in_focus().row->name, word});
                     },
                 .possible = [this] { return snapshot_.model && can_move(placed_in_focus()); },
                 .also = "dock tab pane"});
  };
  for (PlaceWord const& one : kPlaces) add(one.command, one.keys, one.word);
  add(kBack, "Ctrl+Alt+Home", kHome);
  add_action(kReset, "", [this] { show_action(journal::ResetLayout{}); });
}

MainWindow::Placed* MainWindow::placed_at(QTabBar* bar, int tab) {
  for (QTabWidget* tabs : all_tabs())
    if (tabs->tabBar() == bar) return placed_around(tabs->widget(tab));
  return nullptr;
}

std::string MainWindow::place_at(QPoint global) const {
  for (PlaceWord const& one : kPlaces) {
    QTabWidget* tabs = tabs_called(one.word);
    if (tabs->isVisible() && tabs->rect().contains(tabs->mapFromGlobal(global))) return one.word;
  }
  return kWindow;
}

void MainWindow::show_move_menu(Placed& placed, QPoint at) {
  auto* menu = new QMenu(this);
  menu->setObjectName("moveMenu");
  menu->setAttribute(Qt::WA_DeleteOnClose);
  auto add = [&](QString const& title, std::string const& word, bool possible) {
    QAction* item = menu->addAction(title, [this, name = placed.row->name, word] {
      show_action(journal::MoveView{name, word});
    });
    item->setEnabled(possible);
  };
  for (PlaceWord const& one : kPlaces)
    add(one.title, one.word, can_move(placed) && own_tabs(placed) != tabs_called(one.word));
  add("Back to its place", kHome, moved_.contains(placed.row->name));
  menu->addSeparator();
  menu->addAction(kReset, [this] { show_action(journal::ResetLayout{}); });
  menu->popup(at);
}

Status MainWindow::run(journal::MoveView const& action) {
  Placed* placed = placed_as(action.view);
  if (!placed) return bad_input("unknown_view", "there is no view '" + action.view + "' to move");
  if (!can_move(*placed))
    return bad_input("fixed_view",
                     "the view " + action.view + " stays where it is: " +
                         (placed->row->is_home ? "it is the working view"
                                               : "it is the only view without a model"));
  move_pane(*placed, action.place);
  keep_places();
  return {};
}

/// It comes to the front there, unless its tab is there only when it is asked for, and was not.
void MainWindow::move_pane(Placed& placed, std::string const& to) {
  Quiet quiet(depth_);
  QPointer<QWidget> focused = QApplication::focusWidget();
  bool on_tab = focused && focused == own_tabs(placed)->tabBar() &&
                own_tabs(placed)->currentWidget() == placed.widget;
  bool within = focused && (placed.widget == focused || placed.widget->isAncestorOf(focused));
  bool ringed = focused && (ring_->around() == focused || second_->ring().around() == focused);
  bool was_beside = wide_ && stands_beside(placed);
  bool shown = was_beside || std::ranges::any_of(all_tabs(), [&](QTabWidget* tabs) {
                 return tabs->indexOf(placed.widget) >= 0;
               });
  hide_tab(*placed.pane);
  moved_.erase(placed.row->name);
  // Where it would be anyway it was not moved.
  if (to != kHome && (was_beside || own_tabs(placed) != tabs_called(to)))
    moved_[placed.row->name] = to;
  if (wide_ && stands_beside(placed)) {
    wide_ = false;  // it is placed anew, as when the window becomes wide
    arrange();
  } else if (shown) {
    offer_tab(*placed.pane);
    own_tabs(placed)->setCurrentWidget(placed.widget);
  }
  if (was_beside) share_upper();
  second_->settle();
  give_room();
  if (!focused || !(within || on_tab)) return;  // it goes along
  bool has_tab = own_tabs(placed)->indexOf(placed.widget) >= 0;
  QWidget* now = within ? focused.data() : placed.pane->focus_target();
  if (on_tab && has_tab) now = own_tabs(placed)->tabBar();
  if (!now) return;
  now->window()->activateWindow();
  now->setFocus(Qt::OtherFocusReason);
  if (!ringed) return;
  FocusRing* ring = now->window() == second_ ? &second_->ring() : ring_;
  QTimer::singleShot(0, now, [ring, now] { ring->show_around(now); });  // once it is laid out
}

/// What stood beside the centre left it its room.
void MainWindow::share_upper() {
  if (!wide_ || upper_->count() != 2) return;
  QList<int> panes = UpperPanes::by_rule(width(), theme_.scale);
  upper_->want({panes[0], panes[1] + panes[2]});
}

Status MainWindow::run(journal::ResetLayout const&) {
  Quiet quiet(depth_);
  for (Placed& placed : panes_)
    if (moved_.contains(placed.row->name)) move_pane(placed, kHome);
  keep_places();
  if (wide_) upper_->want(UpperPanes::by_rule(width(), theme_.scale));
  lower_->setSizes({lower_->width() / 2, lower_->width() / 2});
  whole_->arrange({whole_->height() * 5 / 8, whole_->height() * 3 / 8});
  note("The default layout is restored");
  return {};
}

void MainWindow::keep_places() const {
  QSettings settings(settings_file(), QSettings::IniFormat);
  settings.remove(kGroup);
  settings.beginGroup(kGroup);
  for (auto const& [name, place] : moved_)
    settings.setValue(QString::fromStdString(name), QString::fromStdString(place));
  settings.endGroup();
  if (second_->isVisible()) settings.setValue(kGeometry, second_->saveGeometry());
}

/// What another version of the program kept and this one does not know is left out.
void MainWindow::restore_places() {
  QSettings settings(settings_file(), QSettings::IniFormat);
  second_->restoreGeometry(settings.value(kGeometry).toByteArray());
  settings.beginGroup(kGroup);
  for (QString const& name : settings.childKeys()) {
    Placed* placed = placed_as(name.toStdString());
    std::string place = settings.value(name).toString().toStdString();
    if (placed && is_place(place) && can_move(*placed)) move_pane(*placed, place);
  }
}

}  // namespace tw
