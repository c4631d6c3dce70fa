// SPDX-License-Identifier: GPL-3.0-or-later
/// A dialog for any primitive, made from what it declares.
#pragma once

#include <QDialog>
#include <functional>
#include <memory>

#include "engine/session/preview.h"
#include "engine/session/values.h"
#include "widgets/theme/theme.h"

class QLabel;
class QLineEdit;
class QPushButton;

namespace tw {

class StepDialog : public QDialog {
  Q_OBJECT
public:
  using Preview = std::function<session::StepPreview(std::string const&)>;
  /// `loops` are the references that the step may name; the first field starts with `selected`.
  StepDialog(session::PrimitiveView primitive, QStringList loops, QString selected, Preview preview,
             Theme const& theme, QWidget* parent = nullptr);
  /// The script line as the fields say now.
  QString line() const;

private:
  void check();
  void show_memories(std::vector<session::MemoryForecast> const& memories);
  QString first_targets(QStringList const& loops, QString const& selected) const;
  QWidget* number_field(session::ParameterView const& parameter);
  QWidget* choice_field(session::ParameterView const& parameter);
  QString value_of(size_t index) const;

  session::PrimitiveView primitive_;
  Preview preview_;
  Theme theme_;
  QLineEdit* targets_ = nullptr;
  std::vector<QWidget*> values_;
  QLabel* verdict_ = nullptr;
  QLabel* memories_ = nullptr;  // what they would hold; away where nothing is to be said
  QPushButton* apply_ = nullptr;
};

}  // namespace tw
