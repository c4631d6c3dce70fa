// SPDX-License-Identifier: GPL-3.0-or-later
/// A dialog for any primitive, made from what it declares.
#pragma once

#include <QDialog>
#include <functional>
#include <memory>

#include "engine/session/preview.h"
#include "engine/session/values.h"
#include "widgets/step_dialog/step_names.h"
#include "widgets/theme/theme.h"

class QComboBox;
class QLabel;
class QPushButton;
class QVBoxLayout;

namespace tw {

class LayoutPicture;
class StepTargets;

class StepDialog : public QDialog {
  Q_OBJECT
public:
  using Preview = std::function<session::StepPreview(std::string const&)>;
  /// `names` are those that the step may have; the first field starts with `selected`.
  StepDialog(session::PrimitiveView primitive, StepNames names, QString selected, Preview preview,
             Theme const& theme, QWidget* parent = nullptr);
  /// The script line as the fields say now.
  QString line() const;
  /// The same; empty while it is refused.
  QString legal_line() const;
  /// As tall as its words are in that width: Qt's own guess is for narrower ones.
  QSize sizeHint() const override;

signals:
  void pointed(QString legal_line);

private:
  void check();
  void show_memories(std::vector<session::MemoryForecast> const& memories);
  void add_words(QVBoxLayout* column);
  void add_fields(QVBoxLayout* column);
  void add_verdict(QVBoxLayout* column, bool many);
  void add_buttons(QVBoxLayout* column);
  QWidget* field_of(session::ParameterView const& parameter);
  QWidget* number_field(session::ParameterView const& parameter);
  QWidget* choice_field(session::ParameterView const& parameter);
  QWidget* list_field(session::ParameterView const& parameter, QStringList const& choices);
  QString value_of(size_t index) const;
  QString value_of(char const* name) const;
  session::TensorCard const* named_tensor() const;
  void fill_layouts();
  void begin_with_what_is_legal();
  int64_t likely_number(qsizetype target) const;
  void fill_numbers();
  bool try_targets(QStringList const& candidates);
  bool try_layouts();

  session::PrimitiveView primitive_;
  Preview preview_;
  Theme theme_;
  StepNames names_;
  StepTargets* targets_ = nullptr;
  QComboBox* layouts_ = nullptr;      // of a step that asks for a layout
  LayoutPicture* picture_ = nullptr;  // of that
  QString layouts_of_;                // the tensor whose layouts are listed
  std::vector<QWidget*> values_;
  QLabel* verdict_ = nullptr;
  QLabel* memories_ = nullptr;  // what they would hold; away where nothing is to be said
  QPushButton* apply_ = nullptr;
  bool touched_ = false;  // by who looks at it: before that, nothing is wrong yet
};

}  // namespace tw
