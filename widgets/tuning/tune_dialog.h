// SPDX-License-Identifier: GPL-3.0-or-later
/// A search for a faster schedule, before it begins: what it may choose, what stays, its budget,
/// its devices.
#pragma once

#include <QDialog>

#include "engine/session/tuning.h"

class QComboBox;
class QLabel;
class QPushButton;
class QSpinBox;
class QTableWidget;

namespace tw {

class DeviceChecks;

class TuneDialog : public QDialog {
  Q_OBJECT
public:
  /// `from`: the step whose numbers are searched; 0: the target's template. `device`: the one in
  /// use, `machine`: its kind.
  TuneDialog(int from, std::vector<std::string> const& searches, QString const& device,
             QString const& machine, QWidget* parent = nullptr);
  int from() const { return from_; }
  /// Once it is known.
  void show_space(session::TuningSpace const& space);
  bool knows_space() const { return known_; }
  DeviceChecks& devices() { return *devices_; }
  void set_budget(QString const& search, int trials);
  /// The knobs that stay as they are.
  std::vector<std::string> kept() const;
  int knobs() const { return int(space_.knobs.size()); }
  double points() const { return known_ ? space_.size(kept()) : 0; }

signals:
  void start_asked(session::Tune const& wanted);

private:
  QWidget* build_table();
  QWidget* build_budget(std::vector<std::string> const& searches);
  void fill(session::TuningSpace const& space);
  void keep_all(bool kept);
  void show_size();
  void start();

  int from_ = 0;
  bool known_ = false;
  session::TuningSpace space_;
  QLabel *title_ = nullptr, *words_ = nullptr, *size_ = nullptr;
  QTableWidget* table_ = nullptr;
  DeviceChecks* devices_ = nullptr;
  QPushButton *all_ = nullptr, *none_ = nullptr, *start_ = nullptr;
  QComboBox* search_ = nullptr;
  QSpinBox* trials_ = nullptr;
};

/// "3,456 points", "1.2e9 points", "1 point".
QString points_words(double points);

}  // namespace tw
