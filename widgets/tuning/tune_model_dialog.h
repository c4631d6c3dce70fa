// SPDX-License-Identifier: GPL-3.0-or-later
/// The tuning of a whole model, before it begins: its budget, and the devices that share it.
#pragma once

#include <QDialog>

#include "engine/session/tuning.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QSpinBox;
class QVBoxLayout;

namespace tw {

class TuneModelDialog : public QDialog {
  Q_OBJECT
public:
  TuneModelDialog(QString const& model, int kernels, QString const& device,
                  std::vector<std::string> const& searches, QWidget* parent = nullptr);
  /// Once they have been asked; null: they are being asked.
  void show_devices(std::vector<session::DeviceChoice> const* choices);
  bool knows_devices() const { return known_; }

signals:
  void start_asked(session::TuneModel const& wanted);

private:
  QWidget* build_budget(std::vector<std::string> const& searches);
  void add_device(session::DeviceChoice const& choice);
  void start();

  bool known_ = false;
  QLabel* asking_ = nullptr;
  QVBoxLayout* devices_ = nullptr;
  std::vector<std::pair<std::string, QCheckBox*>> boxes_;
  QSpinBox* amount_ = nullptr;
  QComboBox *unit_ = nullptr, *search_ = nullptr;
};

}  // namespace tw
