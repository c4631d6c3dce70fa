// SPDX-License-Identifier: GPL-3.0-or-later
/// Making a model of bytes of the one of floats that is open: what of it, calibrated on which data,
/// into which file.
#pragma once

#include <QDialog>

#include "engine/session/session.h"

class QCheckBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace tw {

class QuantizeDialog : public QDialog {
  Q_OBJECT
public:
  /// `file`: the ONNX file that is proposed. `dense`: dense layers are chosen to begin with.
  QuantizeDialog(QString const& model, QString const& file, bool dense, QWidget* parent = nullptr);

signals:
  void wanted(tw::session::Quantize how);

private:
  QCheckBox* add_choice(bool session::Quantize::*member, QString const& name, QString const& why);
  QLayout* place(QLineEdit* line, void (QuantizeDialog::*choose)());
  void choose_data();
  void choose_file();
  void look_at_file();
  QString file() const;
  void begin();

  std::vector<std::pair<bool session::Quantize::*, QCheckBox*>> choices_;
  QLineEdit *data_, *file_;
  QLabel* replaces_;
  QPushButton* quantize_;
};

}  // namespace tw
