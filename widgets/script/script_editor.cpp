// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/script/script_editor.h"

#include <Qsci/qscistyle.h>

#include <QAbstractItemView>
#include <QCompleter>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QRegularExpression>
#include <QStringListModel>
#include <QToolTip>
#include <algorithm>

#include "widgets/paint/paint.h"
#include "widgets/script/script_lexer.h"

namespace tw {
namespace {

constexpr int kMistake = 8, kRefused = 9;  // indicators; the first eight are a lexer's

}  // namespace

ScriptEditor::ScriptEditor(QWidget* parent)
    : QsciScintilla(parent),
      words_(new QStringListModel(this)),
      completer_(new QCompleter(words_, this)) {
  setObjectName("scriptEditor");
  setAccessibleName("Script");
  setLexer(new ScriptLexer(this));
  setUtf8(true);
  setEolMode(QsciScintilla::EolUnix);
  setWrapMode(QsciScintilla::WrapWord);
  setWrapIndentMode(QsciScintilla::WrapIndentIndented);
  setMarginType(0, QsciScintilla::NumberMargin);
  setCaretLineVisible(true);
  setAnnotationDisplay(QsciScintilla::AnnotationIndented);
  indicatorDefine(QsciScintilla::SquiggleIndicator, kMistake);
  indicatorDefine(QsciScintilla::SquiggleIndicator, kRefused);
  // A tab goes on to the next widget, as everywhere in the window.
  SendScintilla(SCI_CLEARCMDKEY, SCK_TAB);
  SendScintilla(SCI_CLEARCMDKEY, SCK_TAB + (SCMOD_SHIFT << 16));
  completer_->setWidget(this);
  completer_->setCaseSensitivity(Qt::CaseSensitive);
  connect(completer_, qOverload<QString const&>(&QCompleter::activated), this,
          [this](QString const& word) { take(word); });
  viewport()->setMouseTracking(true);
  connect(this, &QsciScintilla::cursorPositionChanged, this,
          [this](int line, int) { emit line_reached(line + 1); });
  connect(this, &QsciScintilla::textChanged, this, [this] {
    if (!quiet_) emit edited();
  });
}

void ScriptEditor::set_theme(Theme const& theme) {
  theme_ = theme;
  static_cast<ScriptLexer*>(lexer())->set_theme(theme);
  setPaper(theme.inset);
  setColor(theme.text1);
  setCaretForegroundColor(theme.ink);
  setCaretLineBackgroundColor(theme.control);
  setSelectionBackgroundColor(Theme::mix(theme.ink, theme.inset, 0.25));
  resetSelectionForegroundColor();
  setMarginsBackgroundColor(theme.inset);
  setMarginsForegroundColor(theme.text3);
  setMarginsFont(editor_font(mono_font(12), theme, 12));
  setMarginWidth(0, QString("000"));
  setMarginType(1, QsciScintilla::TextMargin);
  setMarginWidth(1, theme.px(8));
  setIndicatorForegroundColor(theme.error, kMistake);
  setIndicatorForegroundColor(theme.error, kRefused);
  show_review(review_);
}

void ScriptEditor::set_primitives(std::vector<session::PrimitiveView> primitives) {
  primitives_ = std::move(primitives);
  QStringList names;
  for (session::PrimitiveView const& primitive : primitives_)
    names << QString::fromStdString(primitive.name);
  static_cast<ScriptLexer*>(lexer())->set_words(names);
}

void ScriptEditor::set_script(QString const& script) {
  if (script == text()) return;
  int line = 0, column = 0;
  getCursorPosition(&line, &column);
  quiet_ = true;
  clearAnnotations();
  setText(script);
  setCursorPosition(std::min(line, std::max(0, lines() - 1)), 0);
  quiet_ = false;
}

int ScriptEditor::line_below(QPoint at) const {
  long place = SendScintilla(SCI_POSITIONFROMPOINTCLOSE, ulong(at.x()), long(at.y()));
  if (place < 0) {  // behind a line's end, or beside it
    place = SendScintilla(SCI_POSITIONFROMPOINT, ulong(std::max(0, at.x())), long(at.y()));
    long line = SendScintilla(SCI_LINEFROMPOSITION, ulong(place));
    long top = SendScintilla(SCI_POINTYFROMPOSITION, 0UL, place);
    long high = SendScintilla(SCI_TEXTHEIGHT, ulong(line));
    if (at.y() < top || at.y() >= top + high) return 0;
  }
  return int(SendScintilla(SCI_LINEFROMPOSITION, ulong(place))) + 1;
}

bool ScriptEditor::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::Leave) hovered_ = 0;
  if (event->type() != QEvent::ToolTip || !explain_) return QsciScintilla::viewportEvent(event);
  auto* help = static_cast<QHelpEvent*>(event);
  explained_ = line_below(help->pos());
  explained_at_ = help->globalPos();
  QString words = explained_ > 0 ? explain_(explained_) : QString();
  if (words.isEmpty()) return QToolTip::hideText(), true;
  QToolTip::showText(explained_at_, paint::wrapped(words), viewport());
  return true;
}

void ScriptEditor::explain_again() {
  if (!QToolTip::isVisible() || explained_ == 0 || !explain_ || !viewport()->underMouse()) return;
  QString words = paint::wrapped(explain_(explained_));
  if (words != QToolTip::text()) QToolTip::showText(explained_at_, words, viewport());
}

/// What is said of the line is found while one comes to rest there.
void ScriptEditor::mouseMoveEvent(QMouseEvent* event) {
  QsciScintilla::mouseMoveEvent(event);
  int line = line_below(event->pos());
  if (line == hovered_) return;
  hovered_ = line;
  if (line > 0) emit line_reached(line);
}

int ScriptEditor::cursor_line() const {
  int line = 0, column = 0;
  getCursorPosition(&line, &column);
  return line + 1;
}

/// In lines that fit the editor.
QString ScriptEditor::wrapped(QString const& words) const {
  QFontMetricsF metrics(editor_font(ui_font(11), theme_, 11));
  double room = std::max(120.0, double(viewport()->width() - marginWidth(0) - theme_.px(40)));
  QStringList lines;
  for (QString const& paragraph : words.split('\n')) {
    QString line;
    for (QString const& word : paragraph.split(' ')) {
      QString longer = line.isEmpty() ? word : line + ' ' + word;
      bool fits = metrics.horizontalAdvance(longer) < room;
      if (!fits && !line.isEmpty()) lines << line;
      line = fits || line.isEmpty() ? longer : word;
    }
    lines << line;
  }
  return lines.join('\n');
}

/// Below its line stands what is wrong with it, and the first repair.
void ScriptEditor::mark(session::ScriptProblem const& problem) {
  int line = problem.line - 1;
  QString words = text(line);
  int end = int(words.trimmed().isEmpty() ? 0 : words.lastIndexOf(QRegularExpression("\\S")) + 1);
  int begin = problem.column > 0 ? std::min(problem.column - 1, std::max(0, end - 1)) : 0;
  fillIndicatorRange(line, begin, line, std::max(end, begin + 1),
                     problem.refused ? kRefused : kMistake);
  QString said = QString::fromStdString(problem.message);
  if (!problem.repairs.empty())
    said += "\nLegal instead: " + QString::fromStdString(problem.repairs.front().step);
  annotate(
      line, wrapped(said),
      QsciStyle(-1, "problem", theme_.error, theme_.raised, editor_font(ui_font(11), theme_, 11)));
}

void ScriptEditor::show_review(std::shared_ptr<session::ScriptReview const> review) {
  review_ = std::move(review);
  quiet_ = true;
  clearAnnotations();
  for (int indicator : {kMistake, kRefused})
    clearIndicatorRange(0, 0, std::max(0, lines() - 1), text(std::max(0, lines() - 1)).size(),
                        indicator);
  if (review_ && review_->text == text().toStdString())
    for (session::ScriptProblem const& problem : review_->problems) mark(problem);
  quiet_ = false;
}

/// What is typed of the word before the cursor.
QString ScriptEditor::begun_word() const {
  int line = 0, column = 0;
  getCursorPosition(&line, &column);
  QString before = text(line).left(column);
  int begin = int(before.size());
  auto of_word = [](QChar letter) {
    return letter.isLetterOrNumber() || letter == '_' || letter == '.';
  };
  while (begin > 0 && of_word(before[begin - 1])) --begin;
  return before.mid(begin);
}

/// QScintilla's own list asks for the screen below it, and ends the program where there is none.
void ScriptEditor::complete() {
  int line = 0, column = 0;
  getCursorPosition(&line, &column);
  std::vector<std::string> names;
  if (review_ && size_t(line) < review_->names.size()) names = review_->names[size_t(line)];
  std::string before = text(line).left(column).toStdString();
  QStringList offered;
  for (std::string const& one : session::completions(before, primitives_, names))
    offered << QString::fromStdString(one);
  if (offered.isEmpty()) return completer_->popup()->hide();
  words_->setStringList(offered);
  completer_->setCompletionPrefix(begun_word());
  auto place = static_cast<unsigned long>(positionFromLineIndex(line, column));
  int x = int(SendScintilla(SCI_POINTXFROMPOSITION, 0UL, long(place)));
  int y = int(SendScintilla(SCI_POINTYFROMPOSITION, 0UL, long(place)));
  int wide = completer_->popup()->sizeHintForColumn(0) + theme_.px(40);
  completer_->complete(QRect(x, y, wide, textHeight(line)));
  completer_->popup()->setCurrentIndex(completer_->completionModel()->index(0, 0));
}

bool ScriptEditor::offers() const { return completer_->popup()->isVisible(); }

void ScriptEditor::take(QString const& word) {
  int line = 0, column = 0;
  getCursorPosition(&line, &column);
  int begin = column - int(begun_word().size());
  setSelection(line, begin, line, column);
  replaceSelectedText(word);
  setCursorPosition(line, begin + int(word.size()));
}

void ScriptEditor::keyPressEvent(QKeyEvent* event) {
  bool control = event->modifiers() & Qt::ControlModifier;
  bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  if (control && enter) return emit apply_asked();
  if (control && event->key() == Qt::Key_Space) return complete();
  // The list of words has these keys while it is there.
  if (offers() && (enter || event->key() == Qt::Key_Escape || event->key() == Qt::Key_Tab))
    return event->ignore();
  QsciScintilla::keyPressEvent(event);
  if (offers()) complete();
}

}  // namespace tw
