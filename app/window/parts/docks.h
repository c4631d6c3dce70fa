// SPDX-License-Identifier: GPL-3.0-or-later
/// Where panes stand: tabs, a second window, a page of their own; and which of them is in front.
#pragma once

#include <QList>
#include <QObject>
#include <map>
#include <vector>

#include "app/window/parts/pane_list.h"

class QMainWindow;
class QStackedWidget;
class QTabBar;
class QTabWidget;
class QVBoxLayout;

namespace tw {

class Focus;
class PaneWindow;
class Room;

class Docks : public QObject {
  Q_OBJECT
public:
  /// `pages`: the start page, then what `build` fills.
  Docks(QMainWindow& window, Workbench& bench, Performer& performer, PaneList& panes,
        QStackedWidget& pages);
  ~Docks() override;
  void use(Focus& focus) { focus_ = &focus; }
  /// Tabs for all panes, below each other in the column.
  void build(QVBoxLayout& column);
  /// The second window, once the first one has all its tabs; what is done with tabs is recorded
  /// from then on.
  void build_second();

  Room& room() { return *room_; }
  PaneWindow* second() const { return second_; }
  QTabWidget& centre() const { return *centre_; }
  QTabWidget* tabs_at(PanePlace place) const { return tabs_.at(place); }
  std::vector<QTabWidget*> all_tabs() const;
  /// Of the window and of the second one.
  QList<QTabBar*> tab_bars() const;
  /// The second window's tabs where the word is none of a place: "window".
  QTabWidget* tabs_called(std::string const& place) const;
  /// Where its tab stands, or would.
  QTabWidget* own_tabs(PlacedPane const& placed) const;
  /// Where its tab stands among those that are there.
  int tab_of(PlacedPane const& placed) const;
  /// Beside the centre, as its row says and nobody moved it.
  bool stands_beside(PlacedPane const& placed) const;

  /// Of panes that a user moved: where to, by their names.
  std::map<std::string, std::string> const& moved() const { return moved_; }
  /// To a place, or "home". It comes to the front there, unless its tab is there only when it is
  /// asked for, and was not.
  void move(PlacedPane& placed, std::string const& to);

  void offer_tab(Pane& pane);
  void show_tab(Pane& pane);
  void hide_tab(Pane& pane);
  /// Brings a view to the front, by the words of any tab. Errors: unknown_view.
  Status show(std::string const& view);
  /// What is in front, as journals call it.
  std::string in_front() const;
  /// The page of its own that one shows, as no model is open; null: none does.
  PlacedPane* alone() const { return alone_; }
  void leave_alone() { alone_ = nullptr; }
  void place_alone();
  /// The pane that has the focus or whose tab has it, else what stands in the centre.
  PlacedPane& in_focus();
  void explain(QString const& words);
  /// What was brought to the front since this was asked last.
  QWidget* take_shown() { return std::exchange(shown_pane_, nullptr); }

private:
  QTabWidget* make_tabs(PanePlace place);
  void watch(QTabBar* tabs);
  Status bring_up(PlacedPane& placed);
  void bring_to_front(QTabBar* tabs, int tab);
  void place(PlacedPane& placed, std::string const& to);
  struct Held;
  Held held_in(PlacedPane const& placed) const;
  void give_back(Held const& held, PlacedPane& placed);

  QMainWindow& window_;
  Workbench& bench_;
  Performer& performer_;
  PaneList& panes_;
  QStackedWidget& pages_;
  Focus* focus_ = nullptr;
  std::unique_ptr<Room> room_;
  std::map<PanePlace, QTabWidget*> tabs_;
  std::map<std::string, std::string> moved_;
  QTabWidget* centre_ = nullptr;
  PaneWindow* second_ = nullptr;
  PlacedPane* alone_ = nullptr;
  QWidget* shown_pane_ = nullptr;
};

/// Words of the places that a pane can be moved to.
inline constexpr char kInWindow[] = "window", kHome[] = "home";

}  // namespace tw
