// SPDX-License-Identifier: GPL-3.0-or-later
// What is done with devices: looked at, added, removed, chosen.
#include <QStackedWidget>
#include <QTabWidget>

#include "app/window/device_board.h"
#include "app/window/main_window.h"
#include "widgets/devices/add_device_dialog.h"

namespace tw {

void MainWindow::set_device_files(std::string devices_file, std::string cache_folder,
                                  std::shared_ptr<DeviceLogs> logs, std::string local_program) {
  board_ =
      new DeviceBoard(*devices_, std::move(devices_file),
                      {std::move(cache_folder), std::move(local_program), std::move(logs)}, this);
  tell_devices();
}

void MainWindow::watch_devices() {
  connect(devices_, &DevicesView::selected_changed, this,
          [this](QString const& name) { user_did(journal::SelectDevice{name.toStdString()}); });
  connect(devices_, &DevicesView::use_asked, this,
          [this](QString const& name) { execute(session::UseDevice{name.toStdString()}); });
  connect(devices_, &DevicesView::remove_asked, this,
          [this](QString const& name) { show_action(journal::RemoveDevice{name.toStdString()}); });
  connect(devices_, &DevicesView::check_asked, this,
          [this] { show_action(journal::CheckDevices{}); });
  connect(devices_, &DevicesView::add_asked, this, [this] {
    show_action(journal::ShowDialog{"add-device", {}});
  });
}

/// Which device the session works with, and at what.
void MainWindow::tell_devices() {
  if (!board_) return;
  QString busy = snapshot_.job ? QString::fromStdString(snapshot_.job->what) : QString();
  QString name =
      snapshot_.machine ? QString::fromStdString(snapshot_.machine->device) : QString("local");
  board_->set_in_use(name, busy);
}

/// A tab of the middle beside an open model; a page of its own while there is none.
Status MainWindow::show_devices() {
  if (!board_) return bad_input("no_devices", "there is no list of devices");
  Quiet quiet(depth_);
  devices_alone_ = !snapshot_.model;
  place_devices();
  board_->ask_once();
  board_->show();
  if (!devices_alone_) centre_->setCurrentWidget(devices_);
  devices_->setFocus();
  return {};
}

void MainWindow::place_devices() {
  bool in_tabs = centre_->indexOf(devices_) >= 0;
  if (devices_alone_ && !snapshot_.model) {
    if (pages_->indexOf(devices_) < 0) pages_->addWidget(devices_);
    pages_->setCurrentWidget(devices_);
    devices_->show();
    return;
  }
  bool was_alone = std::exchange(devices_alone_, false);
  if (!in_tabs) {
    centre_->insertTab(std::min(2, centre_->count()), devices_, "Devices");
    if (was_alone) centre_->setCurrentWidget(devices_);
  }
  pages_->setCurrentIndex(snapshot_.model ? 1 : 0);
}

Status MainWindow::run(journal::SelectDevice const& action) {
  if (!board_) return bad_input("no_devices", "there is no list of devices");
  if (devices_->select(QString::fromStdString(action.device))) return {};
  return bad_input("unknown_device", "there is no device '" + action.device + "'");
}

Status MainWindow::run(journal::AddDevice const& action) {
  if (!board_) return bad_input("no_devices", "there is no list of devices");
  return board_->add({QString::fromStdString(action.device), QString::fromStdString(action.address),
                      QString::fromStdString(action.certificate),
                      QString::fromStdString(action.token_file), action.timeout_seconds});
}

Status MainWindow::run(journal::RemoveDevice const& action) {
  if (!board_) return bad_input("no_devices", "there is no list of devices");
  return board_->remove(QString::fromStdString(action.device));
}

Status MainWindow::run(journal::CheckDevices const&) {
  if (!board_) return bad_input("no_devices", "there is no list of devices");
  board_->ask();
  return {};
}

Status MainWindow::show_add_device_dialog() {
  if (!board_) return bad_input("no_devices", "there is no list of devices");
  auto* dialog = new AddDeviceDialog(this);
  connect(dialog, &AddDeviceDialog::add_asked, this, [this, dialog](NewDevice const& device) {
    Status added = perform(journal::AddDevice{
        device.name.toStdString(), device.address.toStdString(), device.timeout_seconds,
        device.certificate.toStdString(), device.token_file.toStdString()});
    if (added) return dialog->accept();
    dialog->say(QString::fromStdString(to_sentence(added.error())));
  });
  open(dialog);
  return {};
}

std::optional<std::variant<double, std::string>> MainWindow::fact_of_devices(
    std::string const& name) const {
  if (name == "device") return snapshot_.machine ? snapshot_.machine->device : std::string("none");
  if (!name.starts_with("device")) return {};
  if (name == "devices") return double(devices_->devices().size());
  DeviceRow const* row = devices_->selected();
  if (name == "device.selected") return row ? row->name.toStdString() : std::string("none");
  if (name == "device.state") return row ? word_of(row->word).toStdString() : std::string("none");
  if (name == "device.trouble")
    return row && !row->trouble.isEmpty() ? row->trouble.toStdString() : std::string("none");
  if (name == "device.log") return devices_->log_text().toStdString();
  return {};
}

}  // namespace tw
