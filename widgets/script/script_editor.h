// SPDX-License-Identifier: GPL-3.0-or-later
/// Where a script is written: by QScintilla, in the theme's colours, with mistakes underlined and
/// said below their line, and words completed.
#pragma once

#include <Qsci/qsciscintilla.h>

#include <functional>
#include <memory>
#include <vector>

#include "engine/session/script.h"
#include "widgets/theme/theme.h"

class QCompleter;
class QStringListModel;

namespace tw {

class ScriptEditor : public QsciScintilla {
  Q_OBJECT
public:
  explicit ScriptEditor(QWidget* parent = nullptr);
  void set_theme(Theme const& theme);
  /// Primitives and macros that a step may be.
  void set_primitives(std::vector<session::PrimitiveView> primitives);
  /// Another text, without a word to those who wait for changes; the cursor stays in its line.
  void set_script(QString const& text);
  void show_review(std::shared_ptr<session::ScriptReview const> review);
  /// The line that the cursor is in, from 1.
  int cursor_line() const;
  /// Offers what may stand where the cursor is.
  void complete();
  bool offers() const;
  /// Says what stands in the tooltip of a line (from 1); empty: none does.
  void set_explainer(std::function<QString(int line)> explain) { explain_ = std::move(explain); }
  /// What is said of the line that is pointed at may be more by now.
  void explain_again();
  /// Of a point of the viewport, from 1; 0: none.
  int line_below(QPoint at) const;

signals:
  /// The user changed the text.
  void edited();
  void apply_asked();
  /// The cursor, or the pointer, is in another line (from 1).
  void line_reached(int line);

protected:
  bool viewportEvent(QEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

private:
  QString begun_word() const;
  void take(QString const& word);
  QString wrapped(QString const& words) const;
  void mark(session::ScriptProblem const& problem);

  Theme theme_;
  QStringListModel* words_;
  QCompleter* completer_;
  std::vector<session::PrimitiveView> primitives_;
  std::shared_ptr<session::ScriptReview const> review_;
  bool quiet_ = false;
  std::function<QString(int)> explain_;
  int explained_ = 0, hovered_ = 0;  ///< lines; 0: none
  QPoint explained_at_;
};

}  // namespace tw
