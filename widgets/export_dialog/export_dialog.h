// SPDX-License-Identifier: GPL-3.0-or-later
/// Exporting a model, or one of its kernels: what, for which processor, where to; then how far it
/// is, and what the exported folder's own test said.
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
  /// What can be exported: the model, and one kernel alone. The model's name may be empty (there is
  /// no graph), the kernel's too.
  struct Choice {
    QString model, kernel;
    bool kernel_first = false;  ///< the one that is chosen to begin with
  };
  /// `targets`: as the session names them; the first is this machine. `folder`: without the name of
  /// what is exported.
  ExportDialog(Choice choice, QStringList targets, QString folder, QWidget* parent = nullptr);

  /// Shows the export that runs, its result or what was wrong.
  void take(session::Snapshot const& snapshot);

signals:
  void wanted(QString target, QString folder);
  void kernel_wanted(QString kernel, QString target, QString folder);
  void stopped();

private:
  void begin();
  void choose_what();
  void choose_folder();
  void say(QString const& title, QString const& sentence);

  QString proposal() const;

  Choice choice_;
  QString parent_folder_, proposed_;
  QComboBox *what_, *target_;
  QLineEdit* folder_;
  QLabel* title_;
  QLabel* words_;
  QProgressBar* progress_;
  QPushButton *export_, *cancel_, *close_, *show_;
  bool running_ = false;  ///< an export was asked for and has not ended
  bool seen_ = false;     ///< its job was seen
  bool cancelled_ = false;
};

}  // namespace tw
