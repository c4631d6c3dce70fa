// SPDX-License-Identifier: GPL-3.0-or-later
/// How much room each group of panes has: what is in front may need that of its neighbours, whose
/// names stand on rails meanwhile; a narrow window has what stands beside the centre as a tab.
#pragma once

#include "app/window/parts/pane_list.h"

class QSplitter;
class QTabWidget;
class QVBoxLayout;

namespace tw {

class Docks;
class FoldingPanes;
class PaneRail;
class UpperPanes;

class Room {
public:
  Room(QWidget& window, Workbench& bench, Performer& performer, PaneList& panes, Docks& docks);
  /// The groups of tabs of the docks, with borders between them.
  void build(QVBoxLayout& column);
  void set_theme(Theme const& theme);

  /// After the window became wider or narrower, or text larger.
  void arrange();
  /// What stands beside the centre is placed anew, as when the window becomes wide.
  void arrange_anew();
  bool wide() const { return wide_; }
  /// What is in front may need the room of what stands around it, unless that was asked for.
  void give();
  /// Something that had to give way was asked for: all of it comes back while this tab is in front.
  void take_back(QWidget* within);
  /// Another tab of the centre came to the front.
  void another_in_front();
  /// The same, where room was taken back before.
  void give_what_was_asked_back();
  /// What stood beside the centre left it its room.
  void share_upper();
  /// All borders as they are at first.
  void reset();
  PaneNeeds needs_in_front() const;
  QSplitter& lower() { return *lower_; }

private:
  PaneRail* make_rail(Qt::Orientation orientation, char const* name);
  void stand_rails();
  void put_beside(PlacedPane const& placed);

  QWidget& window_;
  Workbench& bench_;
  Performer& performer_;
  PaneList& panes_;
  Docks& docks_;
  UpperPanes* upper_ = nullptr;
  QSplitter* lower_ = nullptr;
  FoldingPanes* whole_ = nullptr;  ///< both, one above the other
  /// In the place of what gave its room to what is in front.
  PaneRail *left_rail_ = nullptr, *right_rail_ = nullptr, *below_rail_ = nullptr;
  bool wide_ = true;
  bool all_asked_ = false;  ///< what gave way was asked for, while this tab is in front
};

}  // namespace tw
