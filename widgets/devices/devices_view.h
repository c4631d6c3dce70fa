// SPDX-License-Identifier: GPL-3.0-or-later
/// The machines that kernels can run on: what each is, whether it answers, what it can do.
#pragma once

#include <QWidget>
#include <vector>

class QLabel;
class QLineEdit;
class QPushButton;
class QTableWidget;

namespace tw {

struct DeviceRow {
  QString name, address;
  QString state;    ///< "answers in 0.3 ms", or a sentence about what is wrong
  QString machine;  ///< "AMD EPYC, 2 cores, 23.5 GB"
  QString roofs;    ///< "234 GFLOP/s, 18 GB/s"
  bool answers = false;
  bool in_use = false;
  bool fixed = false;  ///< this machine: cannot be removed
};

/// What a person gives for a new device; files may be empty.
struct NewDevice {
  QString name, address, certificate, token_file;
};

class DevicesView : public QWidget {
  Q_OBJECT
public:
  explicit DevicesView(QWidget* parent = nullptr);
  /// The selection stays on the device of the same name.
  void show_devices(std::vector<DeviceRow> rows);
  /// While devices are asked: what they said before stays, and is marked as old.
  void show_asking();
  /// A sentence below the table; empty: none.
  void say(QString const& sentence);
  /// After a device was added.
  void clear_form();

signals:
  void use_asked(QString const& name);
  void remove_asked(QString const& name);
  void check_asked();
  void add_asked(NewDevice const& device);

private:
  QWidget* build_form();
  QWidget* build_buttons();
  DeviceRow const* selected() const;
  void show_what_is_possible();

  std::vector<DeviceRow> rows_;
  QTableWidget* table_ = nullptr;
  QLabel* sentence_ = nullptr;
  QPushButton *use_ = nullptr, *check_ = nullptr, *remove_ = nullptr, *add_ = nullptr;
  QLineEdit *name_ = nullptr, *address_ = nullptr, *certificate_ = nullptr, *token_ = nullptr;
};

}  // namespace tw
