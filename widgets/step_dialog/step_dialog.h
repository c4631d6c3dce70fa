// SPDX-License-Identifier: GPL-3.0-or-later
/// A dialog for any primitive, made from what it declares.
#pragma once

#include <QDialog>
#include <functional>
#include <memory>

#include "engine/session/values.h"
#include "widgets/theme/theme.h"

class QLabel;
class QLineEdit;
class QPushButton;

namespace tw {

class StepDialog : public QDialog {
  Q_OBJECT
public:
  using WhyNot = std::function<std::shared_ptr<session::RefusalView const>(std::string const&)>;
  /// `loops` are the references that the step may name; the first field starts with `selected`.
  StepDialog(session::PrimitiveView primitive, QStringList loops, QString selected, WhyNot why_not,
             Theme const& theme, QWidget* parent = nullptr);
  /// The script line as the fields say now.
  QString line() const;

private:
  void check();
  QString first_targets(QStringList const& loops, QString const& selected) const;
  QWidget* number_field(session::ParameterView const& parameter);
  QWidget* choice_field(session::ParameterView const& parameter);
  QString value_of(size_t index) const;

  session::PrimitiveView primitive_;
  WhyNot why_not_;
  Theme theme_;
  QLineEdit* targets_ = nullptr;
  std::vector<QWidget*> values_;
  QLabel* verdict_ = nullptr;
  QPushButton* apply_ = nullptr;
};

}  // namespace tw
