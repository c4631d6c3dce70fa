// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/lesson/lesson_dialog.h"

#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

namespace tw {

LessonDialog::LessonDialog(std::vector<LessonRow> rows, QWidget* parent)
    : QDialog(parent), rows_(std::move(rows)), list_(new QListWidget) {
  setObjectName("lesson");
  setWindowTitle("Open a lesson");
  setAttribute(Qt::WA_DeleteOnClose);
  auto* column = new QVBoxLayout(this);
  auto* words = new QLabel("Each takes a few minutes. Opening a lesson closes the current model.");
  words->setProperty("role", "secondary");
  words->setWordWrap(true);
  column->addWidget(words);
  list_->setObjectName("lessonList");
  list_->setAccessibleName("Lessons");
  list_->setWordWrap(true);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  for (size_t i = 0; i < rows_.size(); ++i) {
    LessonRow const& row = rows_[i];
    new QListWidgetItem(QString("%1. %2 (%3 minutes)\n%4")
                            .arg(i + 1)
                            .arg(row.title)
                            .arg(row.minutes)
                            .arg(row.about),
                        list_);
  }
  list_->setCurrentRow(0);
  column->addWidget(list_, 1);
  auto* buttons = new QHBoxLayout;
  auto* file = new QPushButton("Open a file...");
  file->setObjectName("lessonFile");
  auto* open = new QPushButton("Open");
  open->setObjectName("lessonOpen");
  open->setProperty("primary", true);
  open->setDefault(true);
  buttons->addWidget(file);
  buttons->addStretch(1);
  buttons->addWidget(open);
  column->addLayout(buttons);
  connect(list_, &QListWidget::itemActivated, this, [this] { choose(); });
  connect(open, &QPushButton::clicked, this, [this] { choose(); });
  connect(file, &QPushButton::clicked, this, &LessonDialog::file_asked);
  resize(620, 560);
  list_->setFocus();
}

void LessonDialog::choose() {
  int row = list_->currentRow();
  if (row < 0 || size_t(row) >= rows_.size()) return;
  QString name = rows_[size_t(row)].name;
  close();
  emit lesson_chosen(name);
}

}  // namespace tw
