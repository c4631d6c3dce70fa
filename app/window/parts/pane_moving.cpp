// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/parts/pane_moving.h"

#include <QMainWindow>
#include <QMenu>
#include <QSettings>
#include <QTabBar>
#include <QTabWidget>
#include <algorithm>

#include "app/shared/journal/move.h"
#include "app/window/pane_window.h"
#include "app/window/parts/docks.h"
#include "app/window/parts/room.h"
#include "app/window/tab_mover.h"

namespace tw {
namespace {

constexpr char kGroup[] = "places", kGeometry[] = "second window",
               kBack[] = "Move this view back to its place", kReset[] = "Reset the layout";

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
    {kInWindow, "To a window of its own", "Move this view to a window of its own", "Ctrl+Alt+W"}};

bool is_place(std::string const& word) {
  return std::ranges::any_of(kPlaces, [&](PlaceWord const& one) { return word == one.word; });
}

/// Where one works, and what is a page of its own without a model, stays in its place.
bool can_move(PlacedPane const& placed) {
  return !placed.row->is_home && !placed.row->stands_alone;
}

}  // namespace

PaneMoving::PaneMoving(QMainWindow& window, Workbench& bench, PaneList& panes, Docks& docks)
    : window_(window), bench_(bench), panes_(panes), docks_(docks) {
  bench_.on<journal::MoveView>(
      [this](journal::MoveView const& action) { return move(action.view, action.place); });
  bench_.on<journal::ResetLayout>([this](journal::ResetLayout const&) { return reset(); });
}

void PaneMoving::add_commands(QString const& section) {
  auto add = [this, &section](char const* command, char const* keys, std::string const& word) {
    bench_.add_command(
        {.section = section,
         .name = command,
         .keys = keys,
         .run =
             [this, word] {
               bench_.ask(journal::MoveView{docks_.in_focus().row->name, word});
             },
         .possible = [this] { return bench_.snapshot().model && can_move(docks_.in_focus()); },
         .also = "dock tab pane"});
  };
  for (PlaceWord const& one : kPlaces) add(one.command, one.keys, one.word);
  add(kBack, "Ctrl+Alt+Home", kHome);
  bench_.add_command({section, kReset, "", [this] { bench_.ask(journal::ResetLayout{}); }});
}

void PaneMoving::begin() {
  PaneWindow* second = docks_.second();
  connect(second, &PaneWindow::closed, this, [this, second] {
    for (PlacedPane& placed : panes_.all())
      if (docks_.own_tabs(placed) == &second->tabs())
        bench_.user_did(journal::MoveView{placed.row->name, kHome});
  });
  auto frame = [this](QPoint at) {
    QTabWidget* tabs = docks_.tabs_called(place_at(at));
    return tabs->isVisible() ? QRect(tabs->mapToGlobal(QPoint(0, 0)), tabs->size()) : QRect();
  };
  auto* mover = new TabMover(frame, &window_);
  for (QTabWidget* tabs : docks_.all_tabs()) mover->watch(tabs->tabBar());
  connect(mover, &TabMover::menu_asked, this, [this](QTabBar* from, int tab, QPoint at) {
    if (PlacedPane* placed = placed_at(from, tab)) show_menu(*placed, at);
  });
  connect(mover, &TabMover::dropped, this, [this](QTabBar* from, int tab, QPoint at) {
    PlacedPane* placed = placed_at(from, tab);
    std::string to = place_at(at);
    if (placed && docks_.tabs_called(to) != docks_.own_tabs(*placed))
      bench_.ask(journal::MoveView{placed->row->name, to});
  });
  restore_places();
}

PlacedPane* PaneMoving::placed_at(QTabBar* bar, int tab) {
  for (QTabWidget* tabs : docks_.all_tabs())
    if (tabs->tabBar() == bar) return panes_.around(tabs->widget(tab));
  return nullptr;
}

std::string PaneMoving::place_at(QPoint global) const {
  for (PlaceWord const& one : kPlaces) {
    QTabWidget* tabs = docks_.tabs_called(one.word);
    if (tabs->isVisible() && tabs->rect().contains(tabs->mapFromGlobal(global))) return one.word;
  }
  return kInWindow;
}

void PaneMoving::show_menu(PlacedPane& placed, QPoint at) {
  auto* menu = new QMenu(&window_);
  menu->setObjectName("moveMenu");
  menu->setAttribute(Qt::WA_DeleteOnClose);
  auto add = [&](QString const& title, std::string const& word, bool possible) {
    QAction* item = menu->addAction(title, [this, name = placed.row->name, word] {
      bench_.ask(journal::MoveView{name, word});
    });
    item->setEnabled(possible);
  };
  for (PlaceWord const& one : kPlaces)
    add(one.title, one.word,
        can_move(placed) && docks_.own_tabs(placed) != docks_.tabs_called(one.word));
  add("Back to its place", kHome, docks_.moved().contains(placed.row->name));
  menu->addSeparator();
  menu->addAction(kReset, [this] { bench_.ask(journal::ResetLayout{}); });
  menu->popup(at);
}

Status PaneMoving::move(std::string const& view, std::string const& place) {
  PlacedPane* placed = panes_.called(view);
  if (!placed) return bad_input("unknown_view", "there is no view '" + view + "' to move");
  if (!can_move(*placed))
    return bad_input("fixed_view",
                     "the view " + view + " stays where it is: " +
                         (placed->row->is_home ? "it is the working view"
                                               : "it is the only view without a model"));
  docks_.move(*placed, place);
  keep_places();
  return {};
}

Status PaneMoving::reset() {
  for (PlacedPane& placed : panes_.all())
    if (docks_.moved().contains(placed.row->name)) docks_.move(placed, kHome);
  keep_places();
  docks_.room().reset();
  bench_.note("The default layout is restored");
  return {};
}

void PaneMoving::keep_places() const {
  QSettings settings(bench_.settings_file(), QSettings::IniFormat);
  settings.remove(kGroup);
  settings.beginGroup(kGroup);
  for (auto const& [name, place] : docks_.moved())
    settings.setValue(QString::fromStdString(name), QString::fromStdString(place));
  settings.endGroup();
  if (docks_.second()->isVisible()) settings.setValue(kGeometry, docks_.second()->saveGeometry());
}

/// What another version of the program kept and this one does not know is left out.
void PaneMoving::restore_places() {
  QSettings settings(bench_.settings_file(), QSettings::IniFormat);
  docks_.second()->restoreGeometry(settings.value(kGeometry).toByteArray());
  settings.beginGroup(kGroup);
  for (QString const& name : settings.childKeys()) {
    PlacedPane* placed = panes_.called(name.toStdString());
    std::string place = settings.value(name).toString().toStdString();
    if (placed && is_place(place) && can_move(*placed)) docks_.move(*placed, place);
  }
}

}  // namespace tw
