// SPDX-License-Identifier: GPL-3.0-or-later
/// Colours a script: primitives, numbers, names of arguments, comments.
#pragma once

#include <Qsci/qscilexercustom.h>

#include <QSet>

#include "widgets/theme/theme.h"

namespace tw {

/// The editor asks for points, and has no use for pixels.
QFont editor_font(QFont font, Theme const& theme, double px);

class ScriptLexer : public QsciLexerCustom {
  Q_OBJECT
public:
  explicit ScriptLexer(QObject* parent) : QsciLexerCustom(parent) {}
  void set_theme(Theme const& theme);
  void set_words(QStringList const& primitives);

  enum Style : int { kPlain, kPrimitive, kNumber, kArgument, kComment };
  char const* language() const override { return "Tilewright schedule"; }
  QString description(int style) const override;
  void styleText(int start, int end) override;
  QColor defaultColor(int style) const override;
  QColor defaultPaper(int) const override { return theme_.inset; }
  QFont defaultFont(int style) const override;
  bool defaultEolFill(int) const override { return true; }

private:
  Theme theme_;
  QSet<QString> primitives_;
};

}  // namespace tw
