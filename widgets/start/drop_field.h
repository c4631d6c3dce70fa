// SPDX-License-Identifier: GPL-3.0-or-later
/// Where a model is dropped, with the button that asks for one.
#pragma once

#include <QWidget>

#include "widgets/theme/theme.h"

class QBoxLayout;
class QLabel;
class QPushButton;

namespace tw {

class DropField : public QWidget {
  Q_OBJECT
public:
  DropField();
  void set_theme(Theme const& theme);
  /// Whether there is room for the button beside the words, and what it has of height, in units.
  void fit(bool narrow, double height);

signals:
  void open_asked();

protected:
  void paintEvent(QPaintEvent*) override;

private:
  void place();

  Theme theme_;
  bool narrow_ = false;
  double height_ = 96;
  QBoxLayout* row_ = nullptr;
  QLabel* title_ = nullptr;
  QLabel* sentence_ = nullptr;
  QPushButton* open_ = nullptr;
};

}  // namespace tw
