// SPDX-License-Identifier: GPL-3.0-or-later
/// The panes of the window, made of their rows: told what is new, and asked by all who know none of
/// them by name.
#pragma once

#include <QObject>
#include <list>
#include <optional>
#include <utility>

#include "app/window/pane.h"

namespace tw {

class Performer;

/// A pane, and what the window must know to place it.
struct PlacedPane {
  PaneRow const* row;
  std::unique_ptr<Pane> pane;
  QWidget* widget;
  bool waits = false;  ///< to be told what is new when it is seen
  int told = 0;
};

class PaneList : public QObject {
  Q_OBJECT
public:
  PaneList(Workbench& bench, Performer& performer) : bench_(bench), performer_(performer) {}
  /// By their places, and there by their order.
  void make();
  /// Their threads look at the session and at devices: before these end.
  void clear() { panes_.clear(); }
  std::list<PlacedPane>& all() { return panes_; }
  std::list<PlacedPane> const& all() const { return panes_; }

  /// By its name, or a former one; null: there is none.
  PlacedPane* called(std::string const& name);
  /// The one that one works in.
  PlacedPane* home();
  PlacedPane* around(QWidget* widget);

  /// Those that are seen, or hear when they are not; the others wait until they are seen.
  void show_new();
  void tell_those_that_wait();
  /// What nobody sees is waited for by nobody.
  bool busy() const;
  std::optional<session::FactValue> fact(std::string const& name);
  /// How often a pane was told what is new, and has asked the session.
  std::pair<int, int> work_of(std::string const& name) const;

protected:
  bool eventFilter(QObject* object, QEvent* event) override;

private:
  void tell(PlacedPane& placed);

  Workbench& bench_;
  Performer& performer_;
  std::list<PlacedPane> panes_;
};

}  // namespace tw
