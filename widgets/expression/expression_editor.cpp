// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/expression/expression_editor.h"

#include <QHelpEvent>
#include <QMimeData>
#include <QPainter>
#include <QRegularExpression>
#include <QTextBlock>
#include <QToolTip>
#include <set>

#include "widgets/paint/paint.h"

namespace tw {

void ExpressionColours::set_theme(Theme const& theme) {
  theme_ = theme;
  rehighlight();
}

void ExpressionColours::highlightBlock(QString const& line) {
  static std::set<QString> const kKeywords{"tilewright", "te",  "kernel", "in",  "as",  "op",
                                           "scan",       "sum", "prod",   "max", "min", "select"};
  static std::set<QString> const kTypes{"f16", "bf16", "f32", "f64", "i8",  "i16", "i32",
                                        "i64", "u8",   "u16", "u32", "u64", "bool"};
  static QRegularExpression const kToken("#.*|@?[A-Za-z_][A-Za-z_0-9]*|[0-9][0-9.e]*");
  static QRegularExpression const kAxis("([A-Za-z_][A-Za-z_0-9]*)\\s+in\\s");
  QStringList axes;
  for (auto found = kAxis.globalMatch(line); found.hasNext();) {
    QString name = found.next().captured(1);
    if (!axes.contains(name)) axes << name;
  }
  for (auto found = kToken.globalMatch(line); found.hasNext();) {
    QRegularExpressionMatch token = found.next();
    QString word = token.captured();
    QTextCharFormat format;
    if (word.startsWith('#')) {
      format.setForeground(theme_.text3);
      format.setFontItalic(true);
    } else if (axes.contains(word)) {
      format.setForeground(paint::word_colour(theme_, int(axes.indexOf(word))));
      format.setFontWeight(QFont::Medium);
    } else if (kKeywords.contains(word)) {
      format.setForeground(theme_.text2);
      format.setFontWeight(QFont::DemiBold);
    } else if (kTypes.contains(word) || word.startsWith('@')) {
      format.setForeground(theme_.text3);
    } else {
      format.setForeground(theme_.text1);
    }
    setFormat(int(token.capturedStart()), int(token.capturedLength()), format);
  }
}

ExpressionEditor::ExpressionEditor(QWidget* parent)
    : QPlainTextEdit(parent),
      colours_(new ExpressionColours(document())),
      numbers_(new QWidget(this)) {
  setObjectName("expressionEditor");
  setAccessibleName("Tensor expression");
  setLineWrapMode(QPlainTextEdit::WidgetWidth);
  setTabChangesFocus(true);
  setFont(mono_font(13));
  numbers_->installEventFilter(this);
  connect(this, &QPlainTextEdit::blockCountChanged, this, [this] { make_room(); });
  connect(this, &QPlainTextEdit::updateRequest, this,
          [this](QRect const&, int) { numbers_->update(); });
  make_room();
}

void ExpressionEditor::set_theme(Theme const& theme) {
  theme_ = theme;
  colours_->set_theme(theme);
  setFont(mono_font(theme.px(13)));
  make_room();
  underline();
  numbers_->update();
}

namespace {
constexpr QChar kByteOrderMark(0xFEFF);
}

QString ExpressionEditor::text() const { return toPlainText().remove(kByteOrderMark); }

/// A mark would be a letter that nobody sees, and move the columns of what is said about the line.
void ExpressionEditor::insertFromMimeData(QMimeData const* source) {
  if (source->hasText()) textCursor().insertText(source->text().remove(kByteOrderMark));
  ensureCursorVisible();
}

void ExpressionEditor::make_room() {
  int digits = int(QString::number(blockCount()).size());
  int wide =
      22 + QFontMetrics(mono_font(theme_.px(11))).horizontalAdvance('8') * std::max(2, digits);
  setViewportMargins(wide, 6, 0, 0);
  QRect inside = contentsRect();
  numbers_->setGeometry(inside.left(), inside.top() + 6, wide, inside.height() - 6);
}

void ExpressionEditor::resizeEvent(QResizeEvent* event) {
  QPlainTextEdit::resizeEvent(event);
  make_room();
}

bool ExpressionEditor::eventFilter(QObject* watched, QEvent* event) {
  if (watched == numbers_ && event->type() == QEvent::Paint) return paint_numbers(), true;
  return QPlainTextEdit::eventFilter(watched, event);
}

void ExpressionEditor::paint_numbers() {
  QPainter painter(numbers_);
  painter.fillRect(numbers_->rect(), theme_.inset);
  QTextBlock block = firstVisibleBlock();
  double y = blockBoundingGeometry(block).translated(contentOffset()).top();
  for (; block.isValid() && y < numbers_->height(); block = block.next()) {
    double height = blockBoundingRect(block).height();
    int number = block.blockNumber() + 1;
    bool wrong = std::ranges::any_of(problems_, [&](auto const& p) { return p.line == number; });
    paint::text(painter, QRectF(0, y, numbers_->width() - 10, theme_.px(18)),
                mono_font(theme_.px(11)), wrong ? theme_.error : theme_.text3,
                QString::number(number), Qt::AlignRight | Qt::AlignVCenter);
    if (wrong) painter.fillRect(QRectF(numbers_->width() - 5, y + 2, 3, height - 4), theme_.error);
    y += height;
  }
}

/// From its column to the end of the word, at least one letter; without a column the whole line.
QTextCursor ExpressionEditor::place_of(session::ExpressionProblem const& problem) const {
  QTextBlock block = document()->findBlockByNumber(std::max(0, problem.line - 1));
  if (!block.isValid()) block = document()->lastBlock();
  QString line = block.text();
  int from = int(line.size() - QStringView(line).trimmed().size()), to = int(line.size());
  if (problem.column > 0) {
    from = std::min(problem.column - 1, std::max(0, int(line.size()) - 1));
    to = from + 1;
    while (to < line.size() && (line[to].isLetterOrNumber() || line[to] == '_') &&
           (line[from].isLetterOrNumber() || line[from] == '_'))
      ++to;
  }
  QTextCursor cursor(block);
  cursor.setPosition(block.position() + std::min(from, int(line.size())));
  cursor.setPosition(block.position() + std::min(to, int(line.size())), QTextCursor::KeepAnchor);
  return cursor;
}

void ExpressionEditor::underline() {
  QList<QTextEdit::ExtraSelection> marks;
  for (session::ExpressionProblem const& problem : problems_) {
    QTextEdit::ExtraSelection mark;
    mark.cursor = place_of(problem);
    mark.format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
    mark.format.setUnderlineColor(theme_.error);
    mark.format.setBackground(Theme::mix(theme_.error, theme_.inset, 0.16));
    marks << mark;
  }
  setExtraSelections(marks);
}

void ExpressionEditor::show_problems(std::vector<session::ExpressionProblem> const& problems) {
  problems_ = problems;
  underline();
  numbers_->update();
}

void ExpressionEditor::go_to(session::ExpressionProblem const& problem) {
  QTextCursor cursor = place_of(problem);
  cursor.setPosition(cursor.selectionStart());
  setTextCursor(cursor);
  setFocus();
}

/// The sentence of the mistake under the pointer.
bool ExpressionEditor::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QPlainTextEdit::event(event);
  auto* help = static_cast<QHelpEvent*>(event);
  int line = cursorForPosition(viewport()->mapFrom(this, help->pos())).blockNumber() + 1;
  for (session::ExpressionProblem const& problem : problems_)
    if (problem.line == line) {
      QToolTip::showText(help->globalPos(), QString::fromStdString(problem.message), this);
      return true;
    }
  QToolTip::hideText();
  return true;
}

}  // namespace tw
