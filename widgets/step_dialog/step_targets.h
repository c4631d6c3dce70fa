// SPDX-License-Identifier: GPL-3.0-or-later
/// What a step is applied to: as a line of the script has it, with lists to choose from beside it.
#pragma once

#include <QWidget>

#include "widgets/step_dialog/step_names.h"

class QComboBox;
class QLineEdit;

namespace tw {

class LoopOrder;

class StepTargets : public QWidget {
  Q_OBJECT
public:
  StepTargets(session::PrimitiveView const& primitive, StepNames const& names,
              QString const& selected, QWidget* parent = nullptr);
  QString text() const;
  void set_text(QString const& text);
  /// The block that is named, or that a named loop is of.
  QString block() const;
  /// What the lists offer together, likely ones first: as `text` has them. Of a block and a loop.
  QStringList candidates() const;

signals:
  void changed();

private:
  QString first_text(session::PrimitiveView const& primitive) const;
  void add_lists(session::PrimitiveView const& primitive);
  void take_lists();
  void show_in_lists();

  StepNames names_;
  QString selected_;
  std::vector<std::string> kinds_;
  QLineEdit* line_;
  LoopOrder* order_ = nullptr;          ///< of what takes any number of loops
  std::vector<QComboBox*> lists_ = {};  ///< one for each kind of target
};

}  // namespace tw
