// SPDX-License-Identifier: GPL-3.0-or-later
/// Asks for a machine that runs `tw device serve`.
#pragma once

#include <QDialog>

#include "widgets/devices/device_row.h"

class QSpinBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace tw {

class AddDeviceDialog : public QDialog {
  Q_OBJECT
public:
  explicit AddDeviceDialog(QWidget* parent);
  /// What was wrong with what was given; the words stay.
  void say(QString const& sentence);

signals:
  void add_asked(NewDevice const& device);

private:
  NewDevice device() const;

  QLineEdit *name_ = nullptr, *address_ = nullptr, *certificate_ = nullptr, *token_ = nullptr;
  QSpinBox* timeout_ = nullptr;
  QLabel* sentence_ = nullptr;
  QPushButton* add_ = nullptr;
};

}  // namespace tw
