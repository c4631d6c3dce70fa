// SPDX-License-Identifier: GPL-3.0-or-later
/// The dialogs that can be opened by name, and the one that is open. None blocks: a journal goes on
/// while one is there.
#pragma once

#include <QWidget>
#include <functional>
#include <map>
#include <string>

#include "app/window/pane.h"

namespace tw {

class Performer;

class Dialogs {
public:
  using Open = std::function<Status(QString const& argument)>;
  /// `given_up`: one was closed without doing anything.
  Dialogs(QWidget& window, Workbench& bench, Performer& performer, std::function<void()> given_up);
  /// Those of the table.
  void add_all();
  void add(std::string name, Open open) { dialogs_[std::move(name)] = std::move(open); }
  /// Sizes that it was given are in units of the text's scale; it has at most `room`.
  void open(QDialog* dialog, QSize room);
  /// The dialog that is open now; null: none.
  QDialog* current() const;

private:
  QWidget& window_;
  Workbench& bench_;
  Performer& performer_;
  std::function<void()> given_up_;
  std::map<std::string, Open> dialogs_;
};

}  // namespace tw
