// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/timeline_instructions.h"

#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <set>

#include "widgets/paint/canvas.h"
#include "widgets/paint/paint.h"

namespace tw {
namespace {

constexpr int kRow = 22, kHead = 30;

}  // namespace

TimelineInstructions::TimelineInstructions(TimelineFocus& focus, QWidget* parent)
    : QAbstractScrollArea(parent), focus_(focus) {
  setObjectName("timelineInstructions");
  setAccessibleName("Instructions");
  setFocusPolicy(Qt::NoFocus);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  verticalScrollBar()->setSingleStep(1);
  connect(&focus_, &TimelineFocus::runs_changed, this, [this] { update_bar(); });
  connect(&focus_, &TimelineFocus::chosen_changed, this, [this] { show_chosen(); });
  connect(&focus_, &TimelineFocus::light_changed, viewport(), qOverload<>(&QWidget::update));
  connect(verticalScrollBar(), &QScrollBar::valueChanged, viewport(),
          qOverload<>(&QWidget::update));
}

void TimelineInstructions::set_theme(Theme const& theme) {
  theme_ = theme;
  hues_.set_theme(theme);
  update_bar();
}

/// In rows.
void TimelineInstructions::update_bar() {
  int seen = std::max(1, int((room().height() - kHead) / kRow));
  verticalScrollBar()->setRange(0, std::max(0, rows() - seen));
  verticalScrollBar()->setPageStep(seen);
  viewport()->update();
}

void TimelineInstructions::show_chosen() {
  int row = focus_.current_instruction(), top = verticalScrollBar()->value(),
      seen = verticalScrollBar()->pageStep();
  if (row >= 0 && (row < top || row >= top + seen)) verticalScrollBar()->setValue(row - seen / 3);
  viewport()->update();
}

int TimelineInstructions::row_at(QPoint at) const {
  double y = at.y() / theme_.scale - kHead;
  int row = verticalScrollBar()->value() + int(std::floor(y / kRow));
  return y >= 0 && row < rows() ? row : -1;
}

void TimelineInstructions::mousePressEvent(QMouseEvent* event) {
  event->ignore();
  if (int row = row_at(event->pos()); row >= 0 && event->button() == Qt::LeftButton)
    emit chosen(row);
}

bool TimelineInstructions::viewportEvent(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QAbstractScrollArea::viewportEvent(event);
  auto* help = static_cast<QHelpEvent*>(event);
  int row = row_at(help->pos());
  if (row < 0) return QToolTip::hideText(), true;
  QToolTip::showText(help->globalPos(), paint::wrapped(words_of(row)), this);
  return true;
}

// ---- rows ------------------------------------------------------------------------------------

/// What it does in its own lane; -1: nothing is known of it.
int TimelineInstructions::kind_of(int row) const {
  Timeline const& timeline = focus_.current()->timeline();
  int kind = -1;
  for (int32_t i : focus_.current()->index().spans_of(row)) {
    Timeline::Span const& span = timeline.spans[size_t(i)];
    if (timeline.kinds[size_t(span.kind)].stall) continue;
    if (kind < 0 || span.lane == timeline.instructions[size_t(row)].lane) kind = span.kind;
    if (span.lane == timeline.instructions[size_t(row)].lane) break;
  }
  return kind;
}

QString TimelineInstructions::tokens_of(int row, bool taken) const {
  Timeline const& timeline = focus_.current()->timeline();
  session::TimelineIndex const& index = focus_.current()->index();
  std::set<QChar> letters;
  auto tokens = taken ? index.taken_by(row) : index.put_by(row);
  for (int32_t i : tokens.first(std::min<size_t>(tokens.size(), 16))) {
    Timeline::Token const& token = timeline.tokens[size_t(i)];
    int32_t other = taken ? token.from : token.to;
    if (other < 0) continue;
    std::string const& lane =
        timeline.lanes[size_t(timeline.instructions[size_t(other)].lane)].name;
    if (!lane.empty()) letters.insert(QString::fromStdString(lane)[0].toLower());
  }
  QString words;
  for (QChar letter : letters) words += (taken ? QChar(0x2190) : QChar(0x2192)) + QString(letter);
  return words;
}

QString TimelineInstructions::words_of(int row) const {
  Timeline::Instruction const& one = focus_.current()->timeline().instructions[size_t(row)];
  QString words = QString("instruction %1: %2").arg(row).arg(QString::fromStdString(one.text));
  if (QString taken = tokens_of(row, true); !taken.isEmpty()) words += ", pop " + taken;
  if (QString put = tokens_of(row, false); !put.isEmpty()) words += ", push " + put;
  return words;
}

void TimelineInstructions::paintEvent(QPaintEvent*) {
  UnitPainter painter(viewport(), theme_.scale);
  painter.fillRect(QRectF({0, 0}, room()).adjusted(0, 0, 1, 1), theme_.panel);
  if (!focus_.current()) return;
  int chosen = focus_.current_instruction();
  QString title = chosen >= 0 ? QString("Instruction %1").arg(chosen)
                              : QString("%1 instructions").arg(grouped(rows()));
  QRectF head(12, 5, room().width() - 24, 20);
  paint::text(painter, head, ui_font(12, 600), theme_.text1, title);
  if (chosen >= 0) {
    QStringList words;
    if (int kind = kind_of(chosen); kind >= 0)
      words << QString::fromStdString(focus_.current()->timeline().kinds[size_t(kind)].name);
    if (int line = focus_.current()->timeline().instructions[size_t(chosen)].line; line > 0)
      words << QString("line %1").arg(line);
    QString right = words.join(QStringLiteral(" · "));
    double left = head.left() + QFontMetricsF(ui_font(12, 600)).horizontalAdvance(title) + 10;
    if (QFontMetricsF(ui_font(11)).horizontalAdvance(right) < head.right() - left)
      paint::text(painter, head, ui_font(11), theme_.text3, right,
                  Qt::AlignRight | Qt::AlignVCenter);
  }
  painter.setClipRect(QRectF(0, kHead, room().width(), room().height() - kHead));
  int first = verticalScrollBar()->value(),
      last = std::min(rows() - 1, first + int((room().height() - kHead) / kRow));
  for (int row = first; row <= last; ++row) draw_row(painter, row, kHead + (row - first) * kRow);
}

void TimelineInstructions::draw_row(QPainter& painter, int row, double y) const {
  if (y + kRow > room().height() + 4) return;  // hardly anything of it is seen
  TimelineRun const& run = *focus_.current();
  Timeline::Instruction const& one = run.timeline().instructions[size_t(row)];
  double wide = room().width();
  bool chosen = row == focus_.current_instruction();
  bool marked = std::ranges::find(focus_.marked(), row) != focus_.marked().end();
  if (chosen || marked) painter.fillRect(QRectF(0, y, wide, kRow), theme_.control);
  if (chosen) painter.fillRect(QRectF(0, y, 3, kRow), theme_.ink);
  if (marked && !chosen) painter.fillRect(QRectF(0, y, 3, kRow), theme_.error);
  QFont mono = mono_font(11.5);
  double letter = QFontMetricsF(mono).horizontalAdvance('0');
  double number = letter * double(QString::number(rows()).size()) + 2;
  paint::text(painter, QRectF(12, y, number, kRow), mono_font(11), theme_.text3,
              QString::number(row), Qt::AlignRight | Qt::AlignVCenter);
  if (int kind = kind_of(row); kind >= 0)
    painter.fillRect(QRectF(12 + number + 8, y + 5, 4, kRow - 10),
                     hues_.mark(run.timeline().kinds[size_t(kind)]));
  double left = 12 + number + 18, right = wide - 12;
  QString text = QString::fromStdString(one.text);
  // Signs for what is put and taken; with words where most instructions are whole beside them.
  bool columns = right - left > letter * 64;
  bool both_empty = true;
  for (bool taken : {false, true}) {
    QString words = tokens_of(row, taken);
    if (columns && !words.isEmpty()) words = (taken ? "pop " : "push ") + words;
    double column = letter * (columns ? (taken ? 8 : 9) : 3);
    both_empty = both_empty && words.isEmpty();
    paint::text(painter, QRectF(right - column, y, column, kRow), mono_font(11), theme_.text2,
                words, Qt::AlignRight | Qt::AlignVCenter);
    right -= column + 4;
  }
  if (both_empty) right = wide - 12;
  // The words of some instructions have no end; the rest is in the tooltip.
  QFont font = chosen ? mono_font(11.5, 600) : mono;
  text = QFontMetricsF(font).elidedText(text, Qt::ElideRight, right - left - 4);
  paint::text(painter, QRectF(left, y, right - left, kRow), font, theme_.text1, text);
}

std::vector<Part> TimelineInstructions::parts() const {
  std::vector<Part> parts;
  int first = verticalScrollBar()->value(),
      last = std::min(rows() - 1, first + int((room().height() - kHead) / kRow));
  for (int row = first; row <= last; ++row)
    parts.push_back({QRectF(0, theme_.px(kHead + (row - first) * kRow), width(), theme_.px(kRow)),
                     words_of(row), row == focus_.current_instruction()});
  return parts;
}

}  // namespace tw
