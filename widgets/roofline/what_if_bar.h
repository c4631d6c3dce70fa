// SPDX-License-Identifier: GPL-3.0-or-later
/// A field for each roof and cache of the machine: what if it were another one? Arrow keys and the
/// wheel double and halve.
#pragma once

#include <QDoubleSpinBox>
#include <QWidget>
#include <vector>

#include "engine/session/what_if.h"

class QComboBox;
class QLabel;
class QPushButton;

namespace tw {

/// A number above 0 that is doubled and halved.
class QuantityField : public QDoubleSpinBox {
public:
  explicit QuantityField(session::MachineQuantity const& is, QWidget* parent = nullptr);
  /// As it is set, or as it is.
  session::MachineQuantity quantity() const;
  session::MachineQuantity const& is() const { return is_; }
  void set(session::MachineQuantity const& to);
  void stepBy(int steps) override;
  QString textFromValue(double value) const override {
    return QString::number(value, 'g', value < 1e4 ? 4 : 10);
  }

private:
  session::MachineQuantity is_;
  double factor_ = 1;  ///< of what is shown: a cache stands in KB
};

class WhatIfBar : public QWidget {
  Q_OBJECT
public:
  explicit WhatIfBar(QWidget* parent = nullptr);
  /// Those of the machine, and what is otherwise now.
  void show_machine(std::vector<session::MachineQuantity> const& are, session::WhatIf const& what);
  QuantityField* field(session::QuantityKind kind, std::string const& name) const;

signals:
  /// As `session::parse_what_if` takes it; empty: the machine as it is.
  void asked(QString changes);

private:
  void make_fields(std::vector<session::MachineQuantity> const& are);
  void take_fields();
  void take_choice(int row);
  void show_choice();
  void show_fields();

  std::vector<session::MachineQuantity> are_;
  std::vector<QuantityField*> fields_;
  std::vector<QWidget*> labels_;  ///< with their fields
  bool own_ = false;              ///< own numbers were chosen
  QString shown_;                 ///< what is otherwise, as it was shown last
  QComboBox* choice_;
  QPushButton* reset_;
};

}  // namespace tw
