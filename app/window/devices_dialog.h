// SPDX-License-Identifier: GPL-3.0-or-later
/// The dialog of devices: asks them in the background, adds and removes them.
#pragma once

#include <QDialog>
#include <QFutureWatcher>
#include <filesystem>

#include "app/shared/devices.h"
#include "widgets/devices/devices_view.h"

namespace tw {

class DevicesDialog : public QDialog {
  Q_OBJECT
public:
  /// `in_use`: the name of the device that the session works with.
  DevicesDialog(std::filesystem::path devices_file, std::filesystem::path cache_folder,
                QString in_use, QWidget* parent);
  /// Waits for an answer that is on its way: some seconds at most.
  ~DevicesDialog() override;
  void set_in_use(QString const& name);

signals:
  void use_asked(QString const& name);

private:
  void ask();
  void show_states();
  void add(NewDevice const& device);
  void remove(QString const& name);

  std::filesystem::path devices_file_, cache_folder_;
  QString in_use_;
  std::vector<DeviceState> states_;
  bool again_ = false;  ///< something changed while they are asked
  DevicesView* view_ = nullptr;
  QFutureWatcher<std::vector<DeviceState>> asked_;
};

}  // namespace tw
