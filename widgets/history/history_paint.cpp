// SPDX-License-Identifier: GPL-3.0-or-later
// How the history's map is painted: tracks first, then folds and stations, only what is seen.
#include <QPaintEvent>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>

#include "engine/session/spread_words.h"
#include "engine/session/step_words.h"
#include "engine/support/base/quantities.h"
#include "widgets/history/history_metrics.h"
#include "widgets/history/history_view.h"
#include "widgets/paint/marks.h"
#include "widgets/paint/paint.h"
#include "widgets/paint/ratio_words.h"

namespace tw {

using namespace history_metrics;
using session::HistoryNodeView;
using session::Verdict;

void HistoryView::paintEvent(QPaintEvent* event) {
  UnitPainter painter(this);
  QRectF shown(units(event->rect().topLeft()), QSizeF(event->rect().size()) / unit());
  painter.fillRect(shown, theme_.panel);
  if (!view_ || view_->nodes.empty())
    return paint::text(painter, QRectF(24, 20, unit_width() - 48, 20), ui_font(12), theme_.text2,
                       "Every step you apply is kept here.");
  QRectF seen = shown.adjusted(-kPitch, -kLane, kPitch, kLane);
  draw_tracks(painter, seen);
  for (HistoryFold const& fold : layout_.folds)
    if (seen.contains(pill(fold).center())) draw_fold(painter, fold);
  for (HistoryNodeView const& node : view_->nodes)
    if (layout_.places[size_t(node.id)].shown && seen.contains(station(node.id)))
      draw_station(painter, node);
}

/// Where the track to a node begins: at its parent, or at the fold that its parent lies in.
QPointF HistoryView::start_of(int node) const { return station(view_->nodes[size_t(node)].parent); }

/// Straight in a lane; to another lane it turns between two columns, where no words stand.
void HistoryView::draw_track(QPainter& painter, QPointF from, QPointF to, QPen const& pen) const {
  painter.setPen(pen);
  painter.setBrush(Qt::NoBrush);
  QPainterPath path(from);
  if (from.y() == to.y()) {
    path.lineTo(to);
  } else {
    double x = from.x() + kPitch / 2, r = 16;
    path.lineTo(x - r, from.y());
    path.quadTo(QPointF(x, from.y()), QPointF(x, from.y() + r));
    path.lineTo(x, to.y() - r);
    path.quadTo(QPointF(x, to.y()), QPointF(x + r, to.y()));
    path.lineTo(to);
  }
  painter.drawPath(path);
}

void HistoryView::draw_tracks(QPainter& painter, QRectF const& seen) const {
  // The way to the current state lies on top of the others.
  for (bool on_path : {false, true})
    for (HistoryNodeView const& node : view_->nodes) {
      auto id = size_t(node.id);
      if (node.parent < 0 || layout_.on_path[id] != on_path) continue;
      QPointF from = start_of(node.id), to = station(node.id);
      if (from == to || !QRectF(from, to).normalized().adjusted(-1, -1, 1, 1).intersects(seen))
        continue;
      draw_track(painter, from, to,
                 QPen(on_path ? theme_.text1 : theme_.text3, 4,
                      node.label == "default" ? Qt::DotLine : Qt::SolidLine, Qt::FlatCap));
    }
}

void HistoryView::draw_fold(QPainter& painter, HistoryFold const& fold) const {
  QRectF box = pill(fold);
  painter.setPen(QPen(theme_.line2, 1));
  painter.setBrush(theme_.control);
  painter.drawRoundedRect(box, box.height() / 2, box.height() / 2);
  paint::text(painter, box, ui_font(11, 500), theme_.text2,
              QString(fold.count == 1 ? "+ %1 step" : "+ %1 steps").arg(fold.count),
              Qt::AlignCenter);
}

void HistoryView::draw_station(QPainter& painter, HistoryNodeView const& node) const {
  QPointF at = station(node.id);
  bool current = node.id == view_->current, on_path = layout_.on_path[size_t(node.id)];
  bool wrong = node.verdict == Verdict::kWrong, lost = !wrong && !node.failure.empty();
  QColor colour = wrong ? theme_.error : lost ? theme_.warn : on_path ? theme_.text1 : theme_.text3;
  painter.setPen(QPen(theme_.panel, 3));  // stands apart from the tracks behind it
  painter.setBrush(theme_.panel);
  painter.drawEllipse(at, 8, 8);
  painter.setPen(QPen(colour, 2));
  painter.setBrush(node.min_ms && !wrong && !lost ? colour : theme_.panel);
  painter.drawEllipse(at, 6, 6);
  painter.setBrush(Qt::NoBrush);
  if (wrong) {
    painter.drawLine(at + QPointF(-3, -3), at + QPointF(3, 3));
    painter.drawLine(at + QPointF(-3, 3), at + QPointF(3, -3));
  }
  if (current) {
    painter.setPen(QPen(theme_.ink, 2));
    painter.drawEllipse(at, 11, 11);
  }
  if (picked_ == node.id) {
    painter.setPen(QPen(theme_.ink, 2, Qt::DashLine));
    painter.drawEllipse(at, 15, 15);
  }
  if (found_.contains(node.id)) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(Theme::mix(theme_.warn, theme_.panel, 0.22));
    painter.drawRoundedRect(QRectF(at.x() - kPitch / 2 + 5, at.y() - 36, kPitch - 10, 18), 4, 4);
  }
  if (marked_ == node.id && hasFocus())
    paint::focus_ring(painter, QRectF(at - QPointF(14, 14), QSizeF(28, 28)), theme_, 14);
  draw_title(painter, node);
  draw_marks(painter, node);
  draw_badges(painter, node);
}

/// The name that a person gave it; else the step, with as much of its arguments as there is room
/// for. What is no single step (a macro, a trial, the schedule by rule) has a label.
void HistoryView::draw_title(QPainter& painter, HistoryNodeView const& node) const {
  QPointF at = station(node.id);
  int weight = node.id == view_->current ? 600 : 400;
  QFont font = mono_font(11.5, weight);
  QString words = QString::fromStdString(node.label);
  QString step = QString::fromStdString(session::short_step(node.step));
  if (step.startsWith(words + " ")) words = step;
  if (QString name = name_of(node.id); !name.isEmpty()) words = name, font = ui_font(11.5, 600);
  QRectF above(at.x() - kPitch / 2 + 3, at.y() - 36, kPitch - 6, 18);
  paint::text(painter, above, font, theme_.text1,
              QFontMetricsF(font).elidedText(words, Qt::ElideRight, above.width()),
              Qt::AlignCenter);
}

/// A star to the right of the station, the baseline's flag to the left: shapes need no colour.
void HistoryView::draw_marks(QPainter& painter, HistoryNodeView const& node) const {
  QPointF at = station(node.id);
  if (is_tagged(node.id)) paint::star(painter, at + QPointF(20, -9), 6, theme_.text1);
  if (node.id == baseline()) paint::flag(painter, at + QPointF(-26, -3), theme_.text1);
}

namespace {

struct Glyph {
  QString sign;
  QColor colour;
};

Glyph verdict_glyph(HistoryNodeView const& node, Theme const& theme) {
  if (node.verdict == Verdict::kWrong) return {QStringLiteral("✕"), theme.error};
  if (!node.failure.empty()) return {QStringLiteral("▲"), theme.warn};
  if (node.verdict == Verdict::kCorrect) return {QStringLiteral("✓"), theme.ok};
  if (node.measuring || node.verdict == Verdict::kChecking)
    return {QStringLiteral("◐"), theme.text2};
  return {QStringLiteral("?"), theme.text3};
}

QString speed_words(HistoryNodeView const& node) {
  if (node.verdict == Verdict::kWrong) return "wrong";
  if (!node.failure.empty()) return "no result";
  if (node.speed) return paint::number(*node.speed);
  return node.measuring ? "measuring" : "not measured";
}

/// The first of several texts that has room, else the last one: each says less. The tooltip has
/// all.
QString fitting(QStringList const& texts, qreal width) {
  QFontMetricsF const metrics(ui_font(11));
  for (QString const& text : texts)
    if (metrics.elidedText(text, Qt::ElideRight, width) == text) return text;  // as it is drawn
  return texts.last();
}

}  // namespace

/// What another device measured: never as big as this one's, and with its name.
void HistoryView::draw_elsewhere(QPainter& painter, HistoryNodeView const& node,
                                 QRectF const& line) const {
  bool above = line.top() < station(node.id).y() + 40;
  if (above == node.min_ms.has_value()) return;  // where this device's time stands, or below it
  auto known = std::find_if(node.elsewhere.begin(), node.elsewhere.end(),
                            [](auto const& one) { return one.min_ms.has_value(); });
  if (known == node.elsewhere.end()) return;
  QFont small = ui_font(11);
  QString words =
      QString("%1 on %2").arg(paint::time(*known->min_ms), QString::fromStdString(known->device));
  paint::text(painter, line, small, theme_.text3,
              QFontMetricsF(small).elidedText(words, Qt::ElideRight, line.width()),
              Qt::AlignCenter);
}

/// A time, and how it stands to the baseline, or how far its samples are apart.
QStringList HistoryView::measured_words(HistoryNodeView const& node) const {
  auto times = node.id == baseline() ? std::nullopt : to_baseline(node);
  QString sign = node.disturbed ? QStringLiteral("▲ ") : QString(),
          time = paint::time(*node.min_ms);
  if (times) {
    QString ratio = paint::times_as_fast(*times);
    return {sign + time + QStringLiteral(" · ") + ratio, sign + ratio, sign + time};
  }
  QString spread = QString::fromStdString(session::spread_words(*node.min_ms, node.spread));
  QStringList words{sign + time + " " + spread};
  QString most = spread.startsWith("to ") ? spread.mid(3) : QString();
  if (!most.isEmpty() && most.section(' ', 1) == time.section(' ', 1))
    words << sign + time.section(' ', 0, 0) + QStringLiteral("–") + most;
  return words << sign + time;
}

/// Whether it is right and how fast it is; its time and spread; what the model says; the note.
void HistoryView::draw_badges(QPainter& painter, HistoryNodeView const& node) const {
  QPointF at = station(node.id);
  QRectF line(at.x() - kPitch / 2 + 3, at.y() + 13, kPitch - 6, 16);
  bool best = node.id == best_;
  Glyph glyph = verdict_glyph(node, theme_);
  QString words = speed_words(node);
  bool number = node.speed && words != "wrong" && words != "no result";
  QFont font = number ? mono_font(12, best ? 600 : 500) : ui_font(11);
  double sign = best ? 21 : 15;  // the best one's pill begins further from the sign
  double wide = QFontMetricsF(font).horizontalAdvance(words) + (best ? 14 : 0);
  double left = at.x() - (sign + wide) / 2;
  paint::text(painter, QRectF(left, line.top(), sign, 16), ui_font(12, 600), glyph.colour,
              glyph.sign);
  QRectF box(left + sign, line.top(), wide + 2, 16);
  if (best) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme_.ink);
    painter.drawRoundedRect(box.adjusted(-5, -1, 4, 1), 9, 9);
    paint::text(painter, QRectF(box.left(), box.top(), 14, 16), ui_font(11), theme_.on_ink,
                QStringLiteral("★"));
    box.setLeft(box.left() + 14);
  }
  QColor colour = glyph.sign == QStringLiteral("✕") ? theme_.error
                  : best                            ? theme_.on_ink
                  : number                          ? theme_.text1
                                                    : theme_.text3;
  paint::text(painter, box, font, colour, words);
  line.translate(0, 16);
  if (!node.min_ms) draw_elsewhere(painter, node, line);
  if (node.min_ms && number) {
    paint::text(painter, line, ui_font(11), node.disturbed ? theme_.warn : theme_.text2,
                fitting(measured_words(node), line.width()), Qt::AlignCenter);
  }
  line.translate(0, 15);
  if (node.model_ms) {
    // A hollow mark: this number was not measured. The speed is in the unit of the measured one.
    bool moves = view_->roof && view_->roof->moves_data;
    double speed =
        moves ? view_->roof->bytes / *node.model_ms * 1e-6 : node.model_gflops.value_or(0);
    QString modelled = paint::number(speed) + " " + QString::fromStdString(node.bound);
    if (model_differs(node)) modelled = QStringLiteral("≠ ") + modelled;
    QFont small = ui_font(11);
    modelled = QFontMetricsF(small).elidedText(modelled, Qt::ElideRight, line.width() - 14);
    double width = QFontMetricsF(small).horizontalAdvance(modelled) + 12;
    double x = at.x() - width / 2;
    painter.setPen(QPen(theme_.text3, 1.4));
    painter.setBrush(Qt::NoBrush);
    painter.drawEllipse(QPointF(x + 4, line.center().y()), 3.4, 3.4);
    paint::text(painter, QRectF(x + 12, line.top(), width, 16), small, theme_.text3, modelled);
  }
  line.translate(0, 15);
  if (noting_ == node.id) return;
  if (node.note.empty()) return draw_elsewhere(painter, node, line);
  QFont italic = ui_font(11);
  italic.setItalic(true);
  paint::text(painter, line, italic, theme_.text2,
              QFontMetricsF(italic).elidedText(QString::fromStdString(node.note).simplified(),
                                               Qt::ElideRight, line.width()),
              Qt::AlignCenter);
}

}  // namespace tw
