// SPDX-License-Identifier: GPL-3.0-or-later
/// The lesson that comes next; not there while there is none.
#pragma once

#include <QFrame>
#include <optional>

#include "widgets/start/start_values.h"
#include "widgets/theme/theme.h"

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace tw {

class LessonCard : public QFrame {
  Q_OBJECT
public:
  LessonCard();
  void set_theme(Theme const& theme);
  void show_lesson(std::optional<StartLesson> const& lesson);

signals:
  void lesson_asked(QString name);

private:
  QString name_;
  QVBoxLayout* column_ = nullptr;
  QLabel* length_ = nullptr;
  QLabel* title_ = nullptr;
  QLabel* sentence_ = nullptr;
  QPushButton* start_ = nullptr;
};

}  // namespace tw
