// SPDX-License-Identifier: GPL-3.0-or-later
/// Which blocks of the graph are built alike, and the way to the next and the one before.
#pragma once

#include <QWidget>

#include "widgets/theme/theme.h"

class QLabel;
class QPushButton;

namespace tw {

class BlockBar : public QWidget {
  Q_OBJECT
public:
  explicit BlockBar(QWidget* parent = nullptr);
  void set_theme(Theme const& theme);
  /// "2 of 4"; `current` counts from 0, -1: none.
  void show_blocks(QString const& words, int current, int count);
  /// As wide as it may be in a view of so many pixels, and as high as its words are then.
  void fit(int width);

signals:
  void step_asked(int direction);
  void closed();

protected:
  void paintEvent(QPaintEvent*) override;
  void keyPressEvent(QKeyEvent*) override;

private:
  QLabel *words_, *count_;
  QPushButton *before_, *next_, *end_;
  int most_ = 520;  ///< pixels across
};

}  // namespace tw
