// SPDX-License-Identifier: GPL-3.0-or-later
/// Which lesson to open: those of the program, or a file.
#pragma once

#include <QDialog>
#include <vector>

class QListWidget;

namespace tw {

struct LessonRow {
  QString name, title, about;
  int minutes = 0;
};

class LessonDialog : public QDialog {
  Q_OBJECT
public:
  LessonDialog(std::vector<LessonRow> rows, QWidget* parent);

signals:
  void lesson_chosen(QString name);
  void file_asked();

private:
  void choose();

  std::vector<LessonRow> rows_;
  QListWidget* list_;
};

}  // namespace tw
