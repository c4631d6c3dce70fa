// SPDX-License-Identifier: GPL-3.0-or-later
/// The card of a refused step, where it covers neither the loops that it speaks of nor the views
/// that show where a repair leads.
#pragma once

#include "app/window/parts/pane_list.h"

class QKeyEvent;

namespace tw {

class Docks;
class RefusalCard;

class RefusalNotice : public QObject {
  Q_OBJECT
public:
  /// The card floats over `floor`: a splitter would make a pane of it.
  RefusalNotice(QWidget& floor, Workbench& bench, PaneList& panes, Docks& docks);
  void set_theme(Theme const& theme);
  /// What is new in the snapshot.
  void show_new();
  void place();
  /// The card covers the lower part: the loop that it speaks of moves above it.
  void show_loop();
  /// 1 to 3 take a repair, Esc closes the card. True: it was such a key.
  bool take_key(QKeyEvent const& event);
  RefusalCard& card() const { return *card_; }

private:
  QWidget& floor_;
  Workbench& bench_;
  PaneList& panes_;
  Docks& docks_;
  RefusalCard* card_;
};

}  // namespace tw
