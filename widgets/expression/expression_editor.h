// SPDX-License-Identifier: GPL-3.0-or-later
/// An editor for tensor expressions: axes in their colours, mistakes underlined while one types.
#pragma once

#include <QPlainTextEdit>
#include <QSyntaxHighlighter>
#include <vector>

#include "engine/session/values.h"
#include "widgets/theme/theme.h"

namespace tw {

/// Keywords, types, numbers, comments, and each axis of a line in the hue that its bar will have.
class ExpressionColours : public QSyntaxHighlighter {
  Q_OBJECT
public:
  ExpressionColours(QTextDocument* document) : QSyntaxHighlighter(document) {}
  void set_theme(Theme const& theme);

protected:
  void highlightBlock(QString const& line) override;

private:
  Theme theme_;
};

class ExpressionEditor : public QPlainTextEdit {
  Q_OBJECT
public:
  explicit ExpressionEditor(QWidget* parent = nullptr);
  void set_theme(Theme const& theme);
  void show_problems(std::vector<session::ExpressionProblem> const& problems);
  std::vector<session::ExpressionProblem> const& problems() const { return problems_; }
  /// Without the byte-order marks that came in by keys or the clipboard.
  QString text() const;
  void go_to(session::ExpressionProblem const& problem);

protected:
  void resizeEvent(QResizeEvent*) override;
  bool event(QEvent*) override;
  bool eventFilter(QObject* watched, QEvent* event) override;
  void insertFromMimeData(QMimeData const* source) override;

private:
  QTextCursor place_of(session::ExpressionProblem const& problem) const;
  void underline();
  void paint_numbers();
  void make_room();

  Theme theme_;
  ExpressionColours* colours_;
  QWidget* numbers_;
  std::vector<session::ExpressionProblem> problems_;
};

}  // namespace tw
