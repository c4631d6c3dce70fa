// SPDX-License-Identifier: GPL-3.0-or-later
/// The devices that a tuning may have, to be checked: each with its kind and whether it answers.
#pragma once

#include <QWidget>

#include "engine/session/tuning.h"
#include "engine/session/values.h"

class QLabel;
class QTableWidget;

namespace tw {

/// Its name, and its kind in words.
std::pair<QString, QString> device_in_use(session::Snapshot const& now);

class DeviceChecks : public QWidget {
  Q_OBJECT
public:
  /// `in_use` is checked; `machine`: its kind, in words.
  DeviceChecks(QString const& in_use, QString const& machine, QWidget* parent = nullptr);
  /// Once the others have been asked; null: they are being asked.
  void show_devices(std::vector<session::DeviceChoice> const* choices);
  bool knows_devices() const { return known_; }
  void check(std::string const& name, bool checked);
  /// In the order of the list.
  std::vector<std::string> checked() const;
  /// As a command names them; empty: the device in use alone.
  std::string words() const;
  /// Of those that are checked.
  int kinds() const;

signals:
  void changed();

private:
  QTableWidget* build_table();
  void add_row(session::DeviceChoice const& device, QString const& state);
  void fit_height();
  void show_sentence();

  bool known_ = false;
  std::vector<session::DeviceChoice> devices_;  ///< the one in use is the first
  QTableWidget* table_ = nullptr;
  QLabel* sentence_ = nullptr;
};

}  // namespace tw
