// SPDX-License-Identifier: GPL-3.0-or-later
/// A button of the start page that is painted as a whole: a card or a row. What it draws is said in
/// units: pixels at a text scale of 100 %.
#pragma once

#include <QPushButton>

#include "widgets/theme/theme.h"

class QPainter;

namespace tw {

class StartCard : public QPushButton {
  Q_OBJECT
public:
  explicit StartCard(double height) : height_(height) {}
  void set_theme(Theme const& theme);
  /// In units.
  void set_height(double height);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return sizeHint(); }

signals:
  /// One of the four keys: to the next card there.
  void arrow_pressed(int key);

protected:
  /// The ground and the words; a frame shows the focus.
  virtual void paint(QPainter& painter, QRectF const& area) const = 0;
  bool is_hovered() const { return underMouse() || isDown(); }
  /// The ground of a card with a line around it.
  void paint_card(QPainter& painter, QRectF const& area) const;
  void paintEvent(QPaintEvent*) override;
  void keyPressEvent(QKeyEvent*) override;

  Theme theme_;

private:
  void take_height();

  double height_;
};

/// As much of the words as there is room for.
QString words_within(double room, QFont const& font, QString const& words);
/// How wide they are.
double words_width(QFont const& font, QString const& words);

}  // namespace tw
