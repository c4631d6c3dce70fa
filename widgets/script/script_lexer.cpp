// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/script/script_lexer.h"

#include <Qsci/qsciscintilla.h>

#include <QGuiApplication>
#include <QRegularExpression>
#include <QScreen>

namespace tw {

QFont editor_font(QFont font, Theme const& theme, double px) {
  QScreen const* screen = QGuiApplication::primaryScreen();
  double dots = screen ? screen->logicalDotsPerInchY() : 96;
  font.setPointSizeF(px * theme.scale * 72 / dots);
  return font;
}

void ScriptLexer::set_theme(Theme const& theme) {
  theme_ = theme;
  setDefaultPaper(theme.inset);
  setDefaultColor(theme.text1);
  setPaper(theme.inset);
  for (int style : {kPlain, kPrimitive, kNumber, kArgument, kComment}) {
    setColor(defaultColor(style), style);
    setFont(defaultFont(style), style);
    setPaper(theme.inset, style);
  }
}

void ScriptLexer::set_words(QStringList const& primitives) {
  primitives_ = QSet<QString>(primitives.begin(), primitives.end());
}

QString ScriptLexer::description(int style) const {
  static QStringList const names{"Plain", "Primitive", "Number", "Argument", "Comment"};
  return style >= 0 && style < names.size() ? names[style] : QString();
}

QColor ScriptLexer::defaultColor(int style) const {
  switch (style) {
    case kPrimitive:
      return theme_.text1;
    case kNumber:
      return Theme::mix(theme_.hue(1), theme_.text1, 0.7);
    case kArgument:
      return theme_.text2;
    case kComment:
      return theme_.text3;
    default:
      return Theme::mix(theme_.hue(0), theme_.text1, 0.45);
  }
}

QFont ScriptLexer::defaultFont(int style) const {
  return editor_font(mono_font(12, style == kPrimitive ? 600 : 400), theme_, 12);
}

void ScriptLexer::styleText(int start, int end) {
  if (!editor()) return;
  QByteArray bytes(end - start + 1, '\0');
  editor()->SendScintilla(QsciScintilla::SCI_GETTEXTRANGE, start, end, bytes.data());
  QString text = QString::fromUtf8(bytes.constData());
  static QRegularExpression const token(
      "(#[^\\n]*)|([A-Za-z_][A-Za-z0-9_.]*)|([0-9]+)|([^A-Za-z_0-9#]+)");
  startStyling(start);
  for (auto match = token.globalMatch(text); match.hasNext();) {
    QRegularExpressionMatch one = match.next();
    QString word = one.captured();
    int style = kPlain;
    if (word.startsWith('#'))
      style = kComment;
    else if (one.hasCaptured(3))
      style = kNumber;
    else if (one.hasCaptured(4))
      style = kArgument;
    else if (primitives_.contains(word))
      style = kPrimitive;
    else if (text.mid(one.capturedEnd(), 1) == "=")
      style = kArgument;
    setStyling(int(word.toUtf8().size()), style);
  }
}

}  // namespace tw
