// SPDX-License-Identifier: GPL-3.0-or-later
/// The tuning of a whole model, before it begins: its budget, and the devices that share it.
#pragma once

#include <QDialog>

#include "engine/session/tuning.h"

class QCheckBox;
class QComboBox;
class QSpinBox;

namespace tw {

class DeviceChecks;

class TuneModelDialog : public QDialog {
  Q_OBJECT
public:
  /// `device`: the one in use, `machine`: its kind.
  TuneModelDialog(QString const& model, int kernels, QString const& device, QString const& machine,
                  std::vector<std::string> const& searches, QWidget* parent = nullptr);
  DeviceChecks& devices() { return *devices_; }

signals:
  void start_asked(session::TuneModel const& wanted);

private:
  static QCheckBox* build_arranges();
  QWidget* build_budget(std::vector<std::string> const& searches);
  void start();

  DeviceChecks* devices_ = nullptr;
  QSpinBox* amount_ = nullptr;
  QComboBox *unit_ = nullptr, *search_ = nullptr;
  QCheckBox* arranges_ = nullptr;
};

}  // namespace tw
