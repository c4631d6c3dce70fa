// SPDX-License-Identifier: GPL-3.0-or-later
/// Where a script is written: by QScintilla, in the theme's colours, with mistakes underlined and
/// said below their line, and words completed.
#pragma once

#include <Qsci/qsciscintilla.h>

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

signals:
  /// The user changed the text.
  void edited();
  void apply_asked();

protected:
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
};

}  // namespace tw
