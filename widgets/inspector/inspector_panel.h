// SPDX-License-Identifier: GPL-3.0-or-later
/// The inspector in one scrolling column: the sheet, and below it what is computed, as text that
/// can be selected.
#pragma once

#include <QScrollArea>

#include "widgets/inspector/inspector_sheet.h"

class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace tw {

class InspectorPanel : public QScrollArea {
  Q_OBJECT
public:
  explicit InspectorPanel(QWidget* parent = nullptr);
  InspectorSheet& sheet() { return *sheet_; }
  InspectorSheet const& sheet() const { return *sheet_; }
  void show_values(SheetValues values);
  void set_empty_words(QString const& words);
  void set_theme(Theme const& theme);
  QString compute() const;
  void to_top();

signals:
  void copy_asked(QString const& text);

private:
  void show_compute(session::InspectorView const* view);

  InspectorSheet* sheet_;
  QWidget* head_;
  QLabel* reason_;
  QPushButton* copy_;
  QPlainTextEdit* text_;
};

}  // namespace tw
