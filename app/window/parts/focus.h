// SPDX-License-Identifier: GPL-3.0-or-later
/// Who has the keys: the pane that one works in, whatever comes, goes or is hidden.
#pragma once

#include "app/window/focus_keeper.h"

class QMainWindow;
class QStackedWidget;

namespace tw {

class Docks;
class FocusRing;
class PaneList;

class Focus {
public:
  /// `pages`: the start page comes first.
  Focus(QMainWindow& window, PaneList& panes, Docks& docks, QStackedWidget& pages);
  ~Focus();
  Focus(Focus const&) = delete;
  Focus& operator=(Focus const&) = delete;
  FocusRing& ring() const { return *ring_; }
  FocusKeeper& keeper() const { return *keeper_; }

  /// To the pane that one works in.
  void home();
  /// Gives the focus, unless a pane has it that keeps it.
  void offer(QWidget* widget);
  /// To what came to the front, where the focus was in what gave way.
  void show_what_is_shown();
  /// A view that is asked for by its key gets the keys, whatever had them; a command that puts them
  /// into a part of the view, as a field to search in, is left alone.
  void after_command();
  /// From pane to pane, as one reads the window.
  bool step(bool next);

private:
  FocusPlace place_for(QWidget* had);

  QMainWindow& window_;
  PaneList& panes_;
  Docks& docks_;
  QStackedWidget& pages_;
  FocusRing* ring_;
  FocusKeeper* keeper_;
};

}  // namespace tw
