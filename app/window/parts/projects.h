// SPDX-License-Identifier: GPL-3.0-or-later
/// Projects in the window: opened, saved, recovered, and how the window looked with them.
#pragma once

#include <QMainWindow>

#include "app/window/parts/pane_list.h"
#include "app/window/project_store.h"

namespace tw {

class Docks;
class Look;
class Performer;
class StartController;

class Projects : public QObject {
  Q_OBJECT
public:
  Projects(QMainWindow& window, Workbench& bench, Performer& performer, PaneList& panes,
           Docks& docks, Look& look, StartController& desk, QString const& state_folder);
  ProjectStore& keeper() { return keeper_; }
  /// The size that was asked for: that of a session or project does not take its place.
  void keep_size() { size_is_wished_ = true; }
  /// A model, a tensor expression or a project, by its ending.
  void open_path(QString const& path);
  /// Offers the work of a window that ended without closing, if there is some.
  void offer_recovery();
  /// The window closes.
  void close();

private:
  void add_handlers();
  void add_dialogs();
  Status save(std::string const& file, bool with_model);
  /// Work of a window that ended without closing. Errors: nothing_to_recover.
  Result<ProjectStore::LeftBehind> left_behind();
  Status show_open_dialog(QString const& folder);
  Status show_save_dialog(bool with_model);
  Status show_recovery_dialog();
  void show_missing_model(QString const& project, QString const& sentence);
  void locate_model(QString const& project);
  void show_title();
  ProjectStore::Layout layout() const;
  void apply_layout(ProjectStore::Layout const& layout, bool all);

  QMainWindow& window_;
  Workbench& bench_;
  Performer& performer_;
  PaneList& panes_;
  Docks& docks_;
  Look& look_;
  StartController& desk_;
  ProjectStore keeper_;
  bool size_is_wished_ = false;
};

}  // namespace tw
