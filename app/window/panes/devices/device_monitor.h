// SPDX-License-Identifier: GPL-3.0-or-later
/// Behind the view of devices: asks them in the background, keeps since when they do not answer,
/// and shows what happens on them.
#pragma once

#include <QDateTime>
#include <QFutureWatcher>
#include <QObject>
#include <QTimer>
#include <filesystem>
#include <map>

#include "app/shared/devices.h"
#include "widgets/devices/devices_view.h"

namespace tw {

class DeviceMonitor : public QObject {
  Q_OBJECT
public:
  struct Options {
    std::filesystem::path cache_folder;   ///< where measured roofs are kept
    std::filesystem::path local_program;  ///< that runs kernels here; empty: beside this program
    std::shared_ptr<DeviceLogs> logs;     ///< what happens on the devices; may be null
  };
  DeviceMonitor(DevicesView& view, std::filesystem::path devices_file, Options options,
                QObject* parent);
  /// Waits for an answer that is on its way: some seconds at most.
  ~DeviceMonitor() override;

  /// Asks every device; once more at the end when it is asked meanwhile.
  void ask();
  /// The same when nobody was asked yet.
  void ask_once();
  bool busy() const { return asked_.isRunning(); }
  /// What the session works with.
  struct Use {
    QString device;
    QStringList of_a_part;  ///< devices that run a part of the model, that one aside
    QString busy_with;      ///< empty: nothing
    bool operator==(Use const&) const = default;
  };
  void set_use(Use const& use);
  /// Errors: those of add_checked_device.
  Status add(NewDevice const& device);
  /// Errors: device_in_use, those of remove_device.
  Status remove(QString const& name);
  void show();

private:
  /// What is known of one device from the last times that it was asked.
  struct Known {
    QDateTime unreachable_since, asked;
  };
  struct Loss {
    QDateTime at;
    QString text;
  };
  void take_answers();
  void follow_log(std::string const& device);
  Loss lost_since_asked(DeviceState const& state) const;
  std::vector<DeviceEntry> entries() const;
  DeviceState const* state_of(DeviceEntry const& entry);
  DeviceRow row_of(DeviceState const& state) const;
  DeviceRow row_not_asked(DeviceEntry const& entry) const;
  void set_word(DeviceState const& state, DeviceRow& row) const;
  void show_log();

  DevicesView& view_;
  std::filesystem::path devices_file_;
  Options options_;
  Use use_;
  std::map<std::string, DeviceState> targets_;  ///< that this machine was, besides itself
  std::vector<DeviceState> states_;
  std::map<std::string, Known> known_;
  std::map<std::string, std::weak_ptr<DeviceLog>> followed_;
  bool again_ = false;  ///< something changed while they are asked
  QTimer soon_;
  QFutureWatcher<std::vector<DeviceState>> asked_;
};

}  // namespace tw
