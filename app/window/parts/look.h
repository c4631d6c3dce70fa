// SPDX-License-Identifier: GPL-3.0-or-later
/// How the window looks: its theme and the size of its text, chosen or for as long as one presents.
#pragma once

#include <QMainWindow>
#include <functional>
#include <map>
#include <string>

#include "app/window/pane.h"

namespace tw {

class Performer;

class Look {
public:
  static constexpr int kLeastScale = 80, kMostScale = 200;  ///< of text, in percent

  /// What a new theme or size of text changes.
  struct Changes {
    std::function<void(Theme const&)> theme;
    std::function<void()> scale;
  };
  Look(QMainWindow& window, Workbench& bench, Performer& performer, Theme& theme);
  void use(Changes changes) { changes_ = std::move(changes); }
  /// What was chosen before; says so where there is no such theme any more.
  void restore();
  /// `section`: of the key sheet.
  void add_commands(QString const& section);

  QString const& theme_name() const { return name_; }
  int scale() const { return scale_; }
  void set_theme(QString const& name);
  /// At once; not remembered.
  void set_scale(int percent);
  /// The largest size that a window can have on its screen.
  QSize room() const;
  /// Borders between panes, by their names.
  std::map<std::string, std::string> pane_sizes() const;

private:
  Status choose_theme(std::string const& theme);
  Status choose_scale(int percent);
  Status present(bool on);
  /// 1: larger, -1: smaller, 0: as it was.
  void step_scale(int direction);

  QMainWindow& window_;
  Workbench& bench_;
  Performer& performer_;
  Theme& theme_;
  Changes changes_;
  QString name_;
  int scale_ = 100;
  int scale_before_ = 0;                              ///< a presenter's; 0: nobody presents
  std::pair<QSize, QSize> grown_;                     ///< the window before that, and with it
  std::map<std::string, std::string> looked_before_;  ///< borders between panes before that
};

}  // namespace tw
