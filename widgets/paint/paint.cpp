// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/paint/paint.h"

#include "engine/support/base/quantities.h"

#include <QPainterPath>
#include <cmath>

#include "widgets/paint/letters.h"

namespace tw::paint {

using session::KernelState;
using session::LoopMark;
using session::PatternClass;

namespace {

/// Lines at 45 degrees, or dots for deeper levels.
void hatch(QPainter& painter, QRectF const& rect, QColor const& colour, int level) {
  painter.save();
  QPainterPath clip;
  clip.addRoundedRect(rect, 5, 5);
  painter.setClipPath(clip);
  if (level == 1 || level > 2) {
    painter.setPen(QPen(colour, 1.2));
    for (double x = rect.left() - rect.height(); x < rect.right(); x += 7)
      painter.drawLine(QPointF(x, rect.bottom()), QPointF(x + rect.height(), rect.top()));
  }
  if (level >= 2) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    for (double x = rect.left() + 2; x < rect.right(); x += 4)
      for (double y = rect.top() + 2; y < rect.bottom(); y += 4)
        painter.drawEllipse(QPointF(x, y), 0.7, 0.7);
  }
  painter.restore();
}

}  // namespace

void bar(QPainter& painter, QRectF const& rect, Theme const& theme, int hue, int level,
         bool refused) {
  QColor pure = theme.hue(hue);
  painter.setPen(refused ? QPen(theme.error, 1.5) : QPen(Qt::NoPen));
  painter.setBrush(Theme::mix(pure, theme.panel, level == 0 ? theme.outer_fill : theme.inner_fill));
  painter.drawRoundedRect(rect, 5, 5);
  if (level > 0) hatch(painter, rect, Theme::mix(pure, theme.panel, 0.30), level);
  painter.setPen(Qt::NoPen);
  painter.setBrush(refused ? theme.error : pure);
  painter.drawRoundedRect(QRectF(rect.left(), rect.top(), 5, rect.height()), 2.5, 2.5);
}

void loop_glyph(QPainter& painter, QPointF at, Theme const&, LoopMark mark, QColor const& colour) {
  painter.setPen(QPen(colour, 2));
  painter.setBrush(Qt::NoBrush);
  double x = at.x(), y = at.y();
  switch (mark) {
    case LoopMark::kParallel:
      for (int i = 0; i < 3; ++i)
        painter.drawLine(QPointF(x + 2 + 4 * i, y - 5), QPointF(x + 2 + 4 * i, y + 5));
      break;
    case LoopMark::kVector:
      painter.setPen(Qt::NoPen);
      painter.setBrush(colour);
      for (int i = 0; i < 4; ++i) painter.drawRect(QRectF(x + 4 * i, y - 3, 3, 7));
      break;
    case LoopMark::kUnroll:
      for (int i = 0; i < 3; ++i)
        painter.drawLine(QPointF(x, y - 4 + 4 * i), QPointF(x + 12 - 3 * i, y - 4 + 4 * i));
      break;
    case LoopMark::kBind:
      painter.drawRect(QRectF(x + 1, y - 5, 10, 10));
      painter.drawPoint(QPointF(x + 6, y));
      break;
    default:
      break;
  }
}

void bound_glyph(QPainter& painter, QPointF at, session::BoundTo bound, QColor const& colour) {
  double x = at.x(), y = at.y();
  if (bound == session::BoundTo::kBlocks) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    for (int row = 0; row < 2; ++row)
      for (int column = 0; column < 2; ++column)
        painter.drawRect(QRectF(x + 1 + 6 * column, y - 5.5 + 6 * row, 5, 5));
    return;
  }
  bool turns = bound == session::BoundTo::kTurns;
  painter.setPen(QPen(colour, 1.6));
  painter.setBrush(Qt::NoBrush);
  for (int thread = 0; thread < 2; ++thread) {
    QPolygonF wave;
    // Virtual threads cross: the one goes on where the other stops.
    for (int i = 0; i < 5; ++i) {
      double side = (i % 2 == 0) == (turns && thread == 1) ? 2.5 : -2.5;
      wave << QPointF(x + (turns ? 6 : 3 + 6 * thread) + side, y - 6 + 3 * i);
    }
    painter.drawPolyline(wave);
  }
}

void kernel_state(QPainter& painter, QPointF c, Theme const& theme, KernelState state) {
  painter.setPen(QPen(state == KernelState::kHand ? theme.ink : theme.text3, 1.4));
  painter.setBrush(state == KernelState::kHand ? QBrush(theme.ink) : QBrush(Qt::NoBrush));
  if (state == KernelState::kTuned) {
    painter.setBrush(theme.text2);
    painter.setPen(Qt::NoPen);
    QPointF const points[] = {
        {c.x(), c.y() - 4.5}, {c.x() + 4.5, c.y() + 4}, {c.x() - 4.5, c.y() + 4}};
    painter.drawPolygon(points, 3);
  } else if (state == KernelState::kPlain) {
    painter.drawLine(QPointF(c.x() - 4, c.y()), QPointF(c.x() + 4, c.y()));
  } else {
    painter.drawEllipse(c, 4, 4);
  }
}

QColor class_colour(Theme const& theme, PatternClass pattern) {
  switch (pattern) {
    case PatternClass::kInjective:
      return theme.hue(1);
    case PatternClass::kReduction:
      return theme.hue(2);
    case PatternClass::kComplex:
      return theme.hue(0);
    default:
      return theme.hue(6);
  }
}

void class_glyph(QPainter& painter, QRectF const& rect, Theme const& theme, PatternClass pattern) {
  static QString const kGlyphs[] = {QStringLiteral("→"), QStringLiteral("Σ"), QStringLiteral("⊞"),
                                    QStringLiteral("■")};
  text(painter, rect, mono_font(12, 600),
       Theme::mix(class_colour(theme, pattern), theme.text1, 0.7), kGlyphs[size_t(pattern)],
       Qt::AlignCenter);
}

void focus_ring(QPainter& painter, QRectF const& shape, Theme const& theme, double radius) {
  painter.setPen(QPen(theme.ink, 2));
  painter.setBrush(Qt::NoBrush);
  painter.drawRoundedRect(shape.adjusted(-2.5, -2.5, 2.5, 2.5), radius + 2, radius + 2);
}

QColor word_colour(Theme const& theme, int hue) {
  return Theme::mix(theme.hue(hue), theme.text1, 0.7);
}

namespace {

thread_local TextLog* text_log = nullptr;

}  // namespace

void log_words(QPainter const& painter, QRectF const& ink, QString const& words, bool cut) {
  if (!text_log || words.isEmpty()) return;
  // A clip hides what lies outside of it: only what can be seen counts.
  QRectF seen = painter.hasClipping() ? ink & painter.clipBoundingRect() : ink;
  if (seen.isEmpty()) return;
  text_log->texts.push_back({painter.transform().map(QPolygonF(seen)), words, cut});
}

TextLog::TextLog() : outer_(text_log) { text_log = this; }
TextLog::~TextLog() { text_log = outer_; }
bool TextLog::is_open() { return text_log != nullptr; }

void text(QPainter& painter, QRectF const& rect, QFont const& font, QColor const& colour,
          QString const& words, int flags) {
  painter.setFont(font);
  painter.setPen(colour);
  QFontMetricsF metrics(font);
  QString shown = metrics.elidedText(words, Qt::ElideRight, rect.width() + 0.5);
  painter.drawText(rect, flags, letters(painter, shown));
  if (text_log) log_words(painter, metrics.boundingRect(rect, flags, shown), words, shown != words);
}

double paragraph(QPainter& painter, QRectF const& rect, QFont const& font, QColor const& colour,
                 QString const& words) {
  painter.setFont(font);
  painter.setPen(colour);
  QRectF used;
  painter.drawText(rect, Qt::TextWordWrap | Qt::AlignLeft | Qt::AlignTop, words, &used);
  log_words(painter, used, words, used.bottom() > rect.bottom() + 0.5);
  return used.height();
}

QString unligated(QString const& words) {
  QString apart;
  apart.reserve(words.size() * 2);
  for (qsizetype i = 0; i < words.size(); ++i) {
    // A zero-width non-joiner keeps a face from drawing two letters as one sign.
    bool joins = i > 0 && (!words[i].isLetter() || !words[i - 1].isLetter()) &&
                 !words[i].isSpace() && !words[i - 1].isSpace();
    if (joins) apart += QChar(0x200C);
    apart += words[i];
  }
  return apart;
}

QString shape(std::string const& text) {
  QString words = QString::fromStdString(text);
  for (qsizetype i = 1; i + 1 < words.size(); ++i)
    if (words[i] == 'x' && words[i - 1].isDigit() && words[i + 1].isDigit())
      words[i] = QChar(0x00D7);
  return words;
}

QString bytes(int64_t count) { return QString::fromStdString(bytes_text(double(count))); }

QString wrapped(QString const& words) {
  constexpr qsizetype kLongest = 100;
  QStringList lines;
  for (QString line : words.split('\n')) {
    while (line.size() > kLongest) {
      qsizetype at = line.lastIndexOf(' ', kLongest);
      if (at <= 0) at = kLongest;
      lines << line.left(at);
      line = line.mid(at).trimmed();
    }
    lines << line;
  }
  return lines.join('\n');
}

QString number(double value) { return QString::fromStdString(number_text(value)); }

QString time(double ms) { return QString::fromStdString(milliseconds_text(ms)); }

QString speed(double billions, char const* unit) {
  return QString::fromStdString(speed_text(billions, unit));
}

}  // namespace tw::paint
