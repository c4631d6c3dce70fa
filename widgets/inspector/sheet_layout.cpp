// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/inspector/sheet_layout.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

#include "widgets/paint/paint.h"

namespace tw::sheet {
namespace {

using Form = SheetRow::Form;

constexpr double kLine = 17, kLabel = 100, kGlyph = 22, kDot = 14, kBar = 4;
constexpr double kStop = 42, kFact = 22, kChevron = 14;

QFont head_font() { return ui_font(15, 600); }
QFont value_font() { return mono_font(12); }
QFont note_font() { return ui_font(11); }

double width_of(QFont const& font, QString const& words) {
  return QFontMetricsF(font).horizontalAdvance(words);
}

QString middle(QFont const& font, QString const& words, double wide) {
  return QFontMetricsF(font).elidedText(words, Qt::ElideMiddle, wide - 2);
}
QString right(QFont const& font, QString const& words, double wide) {
  return QFontMetricsF(font).elidedText(words, Qt::ElideRight, wide - 2);
}

/// Where the value of a fact begins: behind its label, or below one that is long.
double value_left(SheetRow const& row) {
  double label = width_of(ui_font(12), row.label) + 8;
  return std::max(kLabel, label) + (row.mark == SheetRow::Mark::kNone ? 0 : kDot);
}

struct FactLines {
  QStringList value;
  double left = 0;
  bool note_below = false;
};

FactLines lines_of(SheetRow const& row, double room) {
  FactLines lines;
  lines.left = value_left(row);
  lines.value = broken(value_font(), row.value, room - lines.left);
  if (row.note.isEmpty()) return lines;
  double last = lines.value.isEmpty() ? 0 : width_of(value_font(), lines.value.last());
  lines.note_below = last + 10 + width_of(note_font(), row.note) > room - lines.left;
  return lines;
}

double head_room(SheetRow const& row, double room) { return room - (row.pattern ? kGlyph + 8 : 0); }

double words_height(QString const& words, double room) {
  QRectF box(0, 0, room, 10000);
  return QFontMetricsF(ui_font(12)).boundingRect(box, Qt::TextWordWrap, words).height();
}

void draw_glyph(QPainter& painter, QRectF const& box, Theme const& theme,
                session::PatternClass pattern) {
  painter.setPen(Qt::NoPen);
  painter.setBrush(Theme::mix(paint::class_colour(theme, pattern), theme.panel, 0.16));
  painter.drawRoundedRect(box, 4, 4);
  paint::class_glyph(painter, box, theme, pattern);
}

void draw_head(QPainter& painter, QRectF const& box, Theme const& theme, SheetRow const& row) {
  double left = kLeft, room = box.width() - 2 * kLeft, y = box.top();
  if (row.pattern) {
    draw_glyph(painter, QRectF(left, y, kGlyph, kGlyph), theme, *row.pattern);
    left += kGlyph + 8;
  }
  room = head_room(row, room);
  for (QString const& line : broken(head_font(), row.label, room)) {
    paint::text(painter, QRectF(left, y, room, kGlyph), head_font(), theme.text1, line);
    y += kGlyph;
  }
  for (QString const& line : broken(value_font(), row.value, room)) {
    paint::text(painter, QRectF(left, y, room, kLine), value_font(), theme.text2, line);
    y += kLine;
  }
}

void draw_mark(QPainter& painter, QPointF centre, Theme const& theme, SheetRow::Mark mark) {
  bool measured = mark == SheetRow::Mark::kMeasured;
  painter.setPen(QPen(theme.text2, 1.3));
  painter.setBrush(measured ? QBrush(theme.text2) : QBrush(Qt::NoBrush));
  painter.drawEllipse(centre, 3.2, 3.2);
}

void draw_fact(QPainter& painter, QRectF const& box, Theme const& theme, SheetRow const& row) {
  double room = box.width() - 2 * kLeft;
  FactLines lines = lines_of(row, room);
  double y = box.top() + 2, left = kLeft + lines.left, wide = room - lines.left;
  paint::text(painter, QRectF(kLeft, y, lines.left, kLine), ui_font(12), theme.text2, row.label);
  if (row.mark != SheetRow::Mark::kNone)
    draw_mark(painter, QPointF(left - kDot + 4, y + kLine / 2), theme, row.mark);
  for (QString const& line : lines.value) {
    paint::text(painter, QRectF(left, y, wide, kLine), value_font(), theme.text1, line);
    y += kLine;
  }
  if (!row.note.isEmpty()) {
    double behind = lines.note_below ? 0 : width_of(value_font(), lines.value.last()) + 10;
    double top = lines.note_below ? y : y - kLine;
    paint::text(painter, QRectF(left + behind, top, wide - behind, kLine), note_font(), theme.text2,
                row.note);
    if (lines.note_below) y += kLine;
  }
  if (row.share < 0) return;
  QRectF bar(kLeft + kLabel, y + 2, room - kLabel, kBar);
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme.control);
  painter.drawRoundedRect(bar, 2, 2);
  bar.setWidth(std::clamp(row.share, 0.0, 1.0) * bar.width());
  painter.setBrush(theme.text2);
  painter.drawRoundedRect(bar, 2, 2);
}

/// It can be opened.
void draw_chevron(QPainter& painter, QRectF const& box, Theme const& theme) {
  QPointF at(box.right() - kLeft - 3, box.center().y());
  painter.setPen(QPen(theme.text2, 1.4));
  painter.setBrush(Qt::NoBrush);
  painter.drawPolyline(QPolygonF({at + QPointF(-4, -4), at, at + QPointF(-4, 4)}));
}

void draw_link(QPainter& painter, QRectF const& box, Theme const& theme, SheetRow const& row) {
  double left = kLeft, wide = box.width() - 2 * kLeft - kChevron, y = box.top() + 4;
  if (row.pattern) {
    draw_glyph(painter, QRectF(left, y + 6, kGlyph, kGlyph), theme, *row.pattern);
    left += kGlyph + 8;
    wide -= kGlyph + 8;
  }
  paint::text(painter, QRectF(left, y, wide, kLine), value_font(), theme.text1,
              middle(value_font(), row.label, wide));
  paint::text(painter, QRectF(left, y + kLine, wide, kLine), note_font(), theme.text2,
              right(note_font(), row.note, wide));
  draw_chevron(painter, box, theme);
}

void draw_tensor(QPainter& painter, QRectF const& box, Theme const& theme, SheetRow const& row) {
  double wide = box.width() - 2 * kLeft - (row.to ? kChevron : 0), y = box.top() + 4;
  double left = kLeft;
  QFont const strong = mono_font(12, 600);
  if (!row.label.isEmpty()) {
    QString name = middle(strong, row.label, wide / 2);
    paint::text(painter, QRectF(left, y, wide / 2, kLine), strong, theme.text1, name);
    left += std::max(26.0, width_of(strong, name) + 10);
  }
  double more = row.more.isEmpty() ? 0 : width_of(value_font(), row.more) + 8;
  double rest = kLeft + wide - left - more;
  paint::text(painter, QRectF(left, y, rest, kLine), value_font(), theme.text1,
              middle(value_font(), row.value, rest));
  paint::text(painter, QRectF(kLeft, y, wide, kLine), value_font(), theme.text2, row.more,
              Qt::AlignRight | Qt::AlignVCenter);
  QString note = right(note_font(), row.note, wide * 2 / 3);
  double behind = width_of(note_font(), note) + 8;
  paint::text(painter, QRectF(kLeft, y + kLine, wide, kLine), note_font(), theme.text2, note,
              Qt::AlignRight | Qt::AlignVCenter);
  paint::text(painter, QRectF(kLeft, y + kLine, wide - behind, kLine), mono_font(11), theme.text2,
              middle(mono_font(11), row.tip, wide - behind));
  if (row.to) draw_chevron(painter, box, theme);
}

}  // namespace

QStringList broken(QFont const& font, QString const& words, double wide) {
  QFontMetricsF metrics(font);
  QStringList lines;
  QString rest = words;
  while (!rest.isEmpty() && metrics.horizontalAdvance(rest) > wide) {
    qsizetype most = 1;
    while (most < rest.size() && metrics.horizontalAdvance(rest.left(most + 1)) <= wide) ++most;
    qsizetype at = most;
    while (at > most / 2 && !QStringLiteral(" /._,").contains(rest[at - 1])) --at;
    if (at <= most / 2) at = most;
    lines << rest.left(at).trimmed();
    rest = rest.mid(at).trimmed();
  }
  if (!rest.isEmpty() || lines.isEmpty()) lines << rest;
  return lines;
}

double height_of(SheetRow const& row, double room) {
  switch (row.form) {
    case Form::kHead: {
      double wide = head_room(row, room);
      return double(broken(head_font(), row.label, wide).size()) * kGlyph +
             double(broken(value_font(), row.value, wide).size()) * kLine + 8;
    }
    case Form::kWords:
      return std::ceil(words_height(row.value, room)) + 8;
    case Form::kSection:
      return 40;
    case Form::kLink:
    case Form::kTensor:
      return kStop;
    case Form::kHistogram:
      return 148;
    case Form::kFact:
      break;
  }
  FactLines lines = lines_of(row, room);
  double more = double(lines.value.size() - 1) + (lines.note_below ? 1 : 0);
  return kFact + more * kLine + (row.share >= 0 ? kBar + 4 : 0);
}

void draw(QPainter& painter, QRectF const& box, Theme const& theme, SheetRow const& row) {
  QRectF words = box.adjusted(kLeft, 0, -kLeft, 0);
  switch (row.form) {
    case Form::kHead:
      return draw_head(painter, box, theme, row);
    case Form::kWords:
      return (void)paint::paragraph(painter, words, ui_font(12), theme.text2, row.value);
    case Form::kSection:
      painter.setPen(QPen(theme.line1, 1));
      painter.drawLine(QPointF(0, box.top() + 8.5), QPointF(box.right(), box.top() + 8.5));
      return paint::text(painter, words.adjusted(0, 14, 0, -4), ui_font(13, 600), theme.text1,
                         right(ui_font(13, 600), row.label, words.width()));
    case Form::kLink:
      return draw_link(painter, box, theme, row);
    case Form::kTensor:
      return draw_tensor(painter, box, theme, row);
    case Form::kFact:
      return draw_fact(painter, box, theme, row);
    case Form::kHistogram:
      return;
  }
}

}  // namespace tw::sheet
