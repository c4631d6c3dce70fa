// SPDX-License-Identifier: GPL-3.0-or-later
/// Pictures of the views: saved, copied, in the window's theme or in another one.
#pragma once

#include "app/window/parts/pane_list.h"

namespace tw {

class Docks;
class Look;
class Performer;

class PictureSaving {
public:
  /// `settle`: lets the window work until all is drawn.
  PictureSaving(QWidget& window, Workbench& bench, Performer& performer, PaneList& panes,
                Docks& docks, Look& look, std::function<void()> settle);
  /// `section`: of the key sheet.
  void add_commands(QString const& section);
  /// For a text processor as lines, for everything else as pixels.
  void copy(std::string const& view);

private:
  Result<PlacedPane*> bring_into_sight(std::string const& view);
  Status save(std::string const& view, std::string const& file, std::string const& theme);
  Status show_dialog(QString const& view);

  QWidget& window_;
  Workbench& bench_;
  Performer& performer_;
  PaneList& panes_;
  Docks& docks_;
  Look& look_;
  std::function<void()> settle_;
};

}  // namespace tw
