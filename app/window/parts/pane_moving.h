// SPDX-License-Identifier: GPL-3.0-or-later
/// Panes are moved by hand, by a menu, by keys or a journal, and stand where they were at the next
/// start.
#pragma once

#include <QObject>
#include <QPoint>

#include "app/window/parts/pane_list.h"

class QMainWindow;
class QTabBar;

namespace tw {

class Docks;

class PaneMoving : public QObject {
  Q_OBJECT
public:
  PaneMoving(QMainWindow& window, Workbench& bench, PaneList& panes, Docks& docks);
  /// Commands of the palette. `section`: of the key sheet.
  void add_commands(QString const& section);
  /// Once the docks have their second window: tabs can be dragged, and what was moved before is.
  void begin();

private:
  Status move(std::string const& view, std::string const& place);
  Status reset();
  PlacedPane* placed_at(QTabBar* bar, int tab);
  std::string place_at(QPoint global) const;
  void show_menu(PlacedPane& placed, QPoint at);
  void keep_places() const;
  void restore_places();

  QMainWindow& window_;
  Workbench& bench_;
  PaneList& panes_;
  Docks& docks_;
};

}  // namespace tw
