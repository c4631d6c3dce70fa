// SPDX-License-Identifier: GPL-3.0-or-later
/// The row above the loop nest: a hint, a chip for each step on loops, and a menu of the others.
/// Where it is too narrow for all of them, the hint goes first, then chips from the right: the menu
/// has their steps.
#pragma once

#include <QWidget>
#include <functional>
#include <vector>

#include "engine/session/values.h"

class QAction;
class QLabel;
class QMenu;
class QPushButton;

namespace tw {

class StepChip;

class StepRow : public QWidget {
  Q_OBJECT
public:
  explicit StepRow(std::vector<session::PrimitiveView> const& primitives,
                   QWidget* parent = nullptr);
  std::vector<StepChip*> chips() const;
  QSize minimumSizeHint() const override;
  /// Shows what there is room for; also after the chips have another size.
  void fit();

signals:
  void step_asked(QString primitive);

protected:
  void resizeEvent(QResizeEvent*) override { fit(); }
  bool event(QEvent* event) override;

private:
  struct Place {
    StepChip* chip;
    QAction* instead;  ///< in the menu, while the chip is not there
  };
  int wide(int chips, bool hint) const;

  QLabel* hint_;
  QPushButton* more_;
  QMenu* menu_;
  std::vector<Place> places_;
};

}  // namespace tw
