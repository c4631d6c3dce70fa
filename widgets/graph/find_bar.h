// SPDX-License-Identifier: GPL-3.0-or-later
/// Finds as one types: a line, how many there are, and the way to the next and the one before.
#pragma once

#include <QWidget>

#include "widgets/theme/theme.h"

class QCheckBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace tw {

class FindBar : public QWidget {
  Q_OBJECT
public:
  explicit FindBar(QWidget* parent = nullptr);
  void set_theme(Theme const& theme);
  /// As wide as it may be in a view of so many pixels.
  void fit(int width);
  /// Shows the text without saying that somebody typed it.
  void show_text(QString const& text);
  /// "3 of 12", and what the current one is; `current` counts from 0.
  void show_matches(int current, int count, QString const& what);
  void show_only(bool only);
  void take_focus();

signals:
  void text_typed(QString text);
  void step_asked(int direction);
  void only_asked(bool only);
  void closed();

protected:
  bool eventFilter(QObject*, QEvent*) override;
  void paintEvent(QPaintEvent*) override;

private:
  void elide();

  QLineEdit* line_;
  QLabel *count_, *what_;
  QString what_words_;
  QPushButton *before_, *next_;
  QCheckBox* only_;
  QSize most_;  ///< pixels
};

}  // namespace tw
