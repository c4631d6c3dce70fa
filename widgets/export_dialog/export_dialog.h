// SPDX-License-Identifier: GPL-3.0-or-later
/// Exporting a model: what, for which processor, where to; then how far it is, and what the
/// exported folder's own test said.
#pragma once

#include <QDialog>

#include "engine/session/values.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;

namespace tw {

class ExportDialog : public QDialog {
  Q_OBJECT
public:
  /// `targets`: as the session names them; the first is this machine.
  ExportDialog(QString model, QStringList targets, QString folder, QWidget* parent = nullptr);

  /// Shows the export that runs, its result or what was wrong.
  void take(session::Snapshot const& snapshot);

signals:
  void wanted(QString target, QString folder);
  void stopped();

private:
  void begin();
  void choose_folder();
  void say(QString const& title, QString const& sentence);

  QComboBox* target_;
  QLineEdit* folder_;
  QLabel* title_;
  QLabel* words_;
  QProgressBar* progress_;
  QPushButton *export_, *cancel_, *close_;
  bool running_ = false;  ///< an export was asked for and has not ended
  bool seen_ = false;     ///< its job was seen
  bool cancelled_ = false;
};

}  // namespace tw
