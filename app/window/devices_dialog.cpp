// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/devices_dialog.h"

#include <QVBoxLayout>
#include <QtConcurrent>

namespace tw {
namespace {

DeviceRow row_of(DeviceState const& state, QString const& in_use) {
  DeviceRow row;
  row.name = QString::fromStdString(state.entry.name);
  row.fixed = state.entry.name == kLocalDeviceName;
  row.address = row.fixed ? "this machine" : QString::fromStdString(state.entry.address);
  row.in_use = row.name == in_use;
  row.answers = state.hardware.has_value();
  if (state.failure) row.state = QString::fromStdString(to_sentence(*state.failure));
  if (!state.hardware) return row;
  row.state = QString("answers in %1 ms").arg(state.answer_ms, 0, 'f', 2);
  row.machine = QString::fromStdString(machine_text(*state.hardware));
  row.roofs = state.roofs ? QString::fromStdString(roofs_text(*state.roofs)) : "not measured yet";
  return row;
}

}  // namespace

DevicesDialog::DevicesDialog(std::filesystem::path devices_file, std::filesystem::path cache_folder,
                             QString in_use, QWidget* parent)
    : QDialog(parent),
      devices_file_(std::move(devices_file)),
      cache_folder_(std::move(cache_folder)),
      in_use_(std::move(in_use)) {
  setObjectName("devicesDialog");
  setWindowTitle("Devices");
  resize(900, 480);
  view_ = new DevicesView;
  auto* column = new QVBoxLayout(this);
  column->addWidget(view_);
  connect(view_, &DevicesView::check_asked, this, &DevicesDialog::ask);
  connect(view_, &DevicesView::add_asked, this, &DevicesDialog::add);
  connect(view_, &DevicesView::remove_asked, this, &DevicesDialog::remove);
  connect(view_, &DevicesView::use_asked, this, &DevicesDialog::use_asked);
  connect(&asked_, &QFutureWatcher<std::vector<DeviceState>>::finished, this, [this] {
    states_ = asked_.result();
    show_states();
    if (std::exchange(again_, false)) ask();
  });
  ask();
}

DevicesDialog::~DevicesDialog() { asked_.waitForFinished(); }

void DevicesDialog::set_in_use(QString const& name) {
  if (name == in_use_) return;
  in_use_ = name;
  if (!asked_.isRunning()) show_states();
}

void DevicesDialog::ask() {
  again_ = asked_.isRunning();  // the list may have changed since
  if (again_) return;
  auto entries = read_devices(devices_file_);
  if (!entries) view_->say(QString::fromStdString(to_sentence(entries.error())));
  view_->show_asking();
  asked_.setFuture(
      QtConcurrent::run([list = entries.value_or(std::vector<DeviceEntry>()),
                         folder = cache_folder_] { return ask_devices(list, folder); }));
}

void DevicesDialog::show_states() {
  std::vector<DeviceRow> rows;
  for (DeviceState const& state : states_) rows.push_back(row_of(state, in_use_));
  view_->show_devices(std::move(rows));
}

void DevicesDialog::add(NewDevice const& device) {
  DeviceEntry entry{device.name.toStdString(), device.address.toStdString(),
                    device.certificate.toStdString(), device.token_file.toStdString()};
  Status added = add_checked_device(devices_file_, entry);
  view_->say(added ? "" : QString::fromStdString(to_sentence(added.error())));
  if (!added) return;
  view_->clear_form();
  ask();
}

void DevicesDialog::remove(QString const& name) {
  Status removed = remove_device(devices_file_, name.toStdString());
  view_->say(removed ? "" : QString::fromStdString(to_sentence(removed.error())));
  ask();
}

}  // namespace tw
