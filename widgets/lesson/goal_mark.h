// SPDX-License-Identifier: GPL-3.0-or-later
/// A round mark: open, or with a check.
#pragma once

#include <QLabel>

#include "widgets/paint/canvas.h"

namespace tw {

class GoalMark : public Canvas {
public:
  GoalMark(bool reached, Theme const& theme, QWidget* parent = nullptr);

protected:
  void paintEvent(QPaintEvent*) override;

private:
  bool reached_;
};

/// A picture as wide as there is room, at most as wide as it is.
class LessonPicture : public QLabel {
public:
  LessonPicture(QString const& file, QString const& words, QWidget* parent = nullptr);

protected:
  void resizeEvent(QResizeEvent*) override;

private:
  QPixmap whole_;
};

}  // namespace tw
