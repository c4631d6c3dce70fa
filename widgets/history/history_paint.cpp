// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/history/history_paint.h"

#include <QPainterPath>
#include <algorithm>

#include "engine/session/spread_words.h"
#include "engine/session/step_words.h"
#include "widgets/history/history_geometry.h"
#include "widgets/history/history_metrics.h"
#include "widgets/paint/marks.h"
#include "widgets/paint/paint.h"
#include "widgets/paint/ratio_words.h"

namespace tw {

using namespace history_metrics;
using session::HistoryNodeView;
using session::Verdict;

namespace {

/// Straight in a lane; to another lane it turns between two columns, where no words stand.
void paint_track(QPainter& painter, QPointF from, QPointF to, QPen const& pen) {
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

void paint_tracks(QPainter& painter, HistoryScene const& scene, QRectF const& seen) {
  // The way to the current state lies on top of the others.
  for (bool on_path : {false, true})
    for (HistoryNodeView const& node : scene.facts.view()->nodes) {
      auto id = size_t(node.id);
      if (node.parent < 0 || scene.layout.on_path[id] != on_path) continue;
      QPointF from = station_of(scene.layout, node.parent), to = station_of(scene.layout, node.id);
      if (from == to || !QRectF(from, to).normalized().adjusted(-1, -1, 1, 1).intersects(seen))
        continue;
      paint_track(painter, from, to,
                  QPen(on_path ? scene.theme.text1 : scene.theme.text3, 4,
                       node.label == "default" ? Qt::DotLine : Qt::SolidLine, Qt::FlatCap));
    }
}

void paint_fold(QPainter& painter, HistoryScene const& scene, HistoryFold const& fold) {
  QRectF box = pill_of(fold);
  painter.setPen(QPen(scene.theme.line2, 1));
  painter.setBrush(scene.theme.control);
  painter.drawRoundedRect(box, box.height() / 2, box.height() / 2);
  paint::text(painter, box, ui_font(11, 500), scene.theme.text2,
              QString(fold.count == 1 ? "+ %1 step" : "+ %1 steps").arg(fold.count),
              Qt::AlignCenter);
}

/// The name that a person gave it; else the step, with as much of its arguments as there is room
/// for. What is no single step (a macro, a trial, the schedule by rule) has a label.
void paint_title(QPainter& painter, HistoryScene const& scene, HistoryNodeView const& node) {
  QPointF at = station_of(scene.layout, node.id);
  int weight = node.id == scene.facts.view()->current ? 600 : 400;
  QFont font = mono_font(11.5, weight);
  QString words = QString::fromStdString(node.label);
  QString step = QString::fromStdString(session::short_step(node.step));
  if (step.startsWith(words + " ")) words = step;
  if (QString name = scene.facts.name_of(node.id); !name.isEmpty())
    words = name, font = ui_font(11.5, 600);
  QRectF above(at.x() - kPitch / 2 + 3, at.y() - 36, kPitch - 6, 18);
  paint::text(painter, above, font, scene.theme.text1,
              QFontMetricsF(font).elidedText(words, Qt::ElideRight, above.width()),
              Qt::AlignCenter);
}

/// A star to the right of the station, the baseline's flag to the left: shapes need no colour.
void paint_marks(QPainter& painter, HistoryScene const& scene, HistoryNodeView const& node) {
  QPointF at = station_of(scene.layout, node.id);
  if (scene.facts.is_tagged(node.id))
    paint::star(painter, at + QPointF(20, -9), 6, scene.theme.text1);
  if (node.id == scene.facts.baseline())
    paint::flag(painter, at + QPointF(-26, -3), scene.theme.text1);
}

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

QString speed_words(HistoryNodeView const& node, HistoryFacts const& facts) {
  if (node.verdict == Verdict::kWrong) return "wrong";
  if (!node.failure.empty()) return "no result";
  if (node.speed) return paint::number(*node.speed);
  if (facts.is_modelled(node))
    return QStringLiteral("○ ") + paint::number(facts.modelled_speed(node));
  return node.measuring ? "measuring" : "not measured";
}

/// Whether its words are a speed.
bool is_number(HistoryNodeView const& node, HistoryFacts const& facts) {
  return (node.speed || facts.is_modelled(node)) && node.verdict != Verdict::kWrong &&
         node.failure.empty();
}

/// The first of several texts that has room, else the last one: each says less. The tooltip has
/// all.
QString fitting(QStringList const& texts, qreal width) {
  QFontMetricsF const metrics(ui_font(11));
  for (QString const& text : texts)
    if (metrics.elidedText(text, Qt::ElideRight, width) == text) return text;  // as it is drawn
  return texts.last();
}

/// What another device measured: never as big as this one's, and with its name.
void paint_elsewhere(QPainter& painter, HistoryScene const& scene, HistoryNodeView const& node,
                     QRectF const& line) {
  auto known = std::find_if(node.elsewhere.begin(), node.elsewhere.end(),
                            [](auto const& one) { return one.min_ms.has_value(); });
  if (known == node.elsewhere.end()) return;
  QFont small = ui_font(11);
  QString words =
      QString("%1 on %2").arg(paint::time(*known->min_ms), QString::fromStdString(known->device));
  paint::text(painter, line, small, scene.theme.text3,
              QFontMetricsF(small).elidedText(words, Qt::ElideRight, line.width()),
              Qt::AlignCenter);
}

/// A time, and how it stands to the baseline, or how far its samples are apart.
QStringList measured_words(HistoryScene const& scene, HistoryNodeView const& node) {
  auto times = node.id == scene.facts.baseline() ? std::nullopt : scene.facts.to_baseline(node);
  QString sign = node.disturbed ? QStringLiteral("▲ ") : QString(),
          time = paint::time(*scene.facts.time_ms(node));
  if (times) {
    QString ratio = paint::times_as_fast(*times);
    return {sign + time + QStringLiteral(" · ") + ratio, sign + ratio, sign + time};
  }
  if (!node.min_ms) return {time};
  QString spread = QString::fromStdString(session::spread_words(*node.min_ms, node.spread));
  QStringList words{sign + time + " " + spread};
  QString most = spread.startsWith("to ") ? spread.mid(3) : QString();
  if (!most.isEmpty() && most.section(' ', 1) == time.section(' ', 1))
    words << sign + time.section(' ', 0, 0) + QStringLiteral("–") + most;
  return words << sign + time;
}

/// Whether it is right and how fast it is; the fastest in a pill.
void paint_speed(QPainter& painter, HistoryScene const& scene, HistoryNodeView const& node,
                 QRectF const& line) {
  QPointF at = line.center();
  bool best = node.id == scene.facts.best();
  Glyph glyph = verdict_glyph(node, scene.theme);
  QString words = speed_words(node, scene.facts);
  bool number = is_number(node, scene.facts);
  // A modelled number needs no question mark: its ring says that nothing ran.
  bool unasked = scene.facts.is_modelled(node) && glyph.sign == QStringLiteral("?");
  if (unasked) glyph.sign.clear();
  QFont font = number ? mono_font(12, best ? 600 : 500) : ui_font(11);
  double sign = best ? 21 : unasked ? 0 : 15;  // the best one's pill begins further from the sign
  double wide = QFontMetricsF(font).horizontalAdvance(words) + (best ? 14 : 0);
  double left = at.x() - (sign + wide) / 2;
  paint::text(painter, QRectF(left, line.top(), sign, 16), ui_font(12, 600), glyph.colour,
              glyph.sign);
  QRectF box(left + sign, line.top(), wide + 2, 16);
  if (best) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(scene.theme.ink);
    painter.drawRoundedRect(box.adjusted(-5, -1, 4, 1), 9, 9);
    paint::text(painter, QRectF(box.left(), box.top(), 14, 16), ui_font(11), scene.theme.on_ink,
                QStringLiteral("★"));
    box.setLeft(box.left() + 14);
  }
  QColor colour = glyph.sign == QStringLiteral("✕") ? scene.theme.error
                  : best                            ? scene.theme.on_ink
                  : number                          ? scene.theme.text1
                                                    : scene.theme.text3;
  paint::text(painter, box, font, colour, words);
}

/// A hollow mark: this number was not measured. The speed is in the unit of the measured one.
void paint_modelled(QPainter& painter, HistoryScene const& scene, HistoryNodeView const& node,
                    QRectF const& line) {
  QString modelled =
      paint::number(scene.facts.modelled_speed(node)) + " " + QString::fromStdString(node.bound);
  if (scene.facts.model_differs(node)) modelled = QStringLiteral("≠ ") + modelled;
  QFont small = ui_font(11);
  modelled = QFontMetricsF(small).elidedText(modelled, Qt::ElideRight, line.width() - 14);
  double width = QFontMetricsF(small).horizontalAdvance(modelled) + 12;
  double x = line.center().x() - width / 2;
  painter.setPen(QPen(scene.theme.text3, 1.4));
  painter.setBrush(Qt::NoBrush);
  painter.drawEllipse(QPointF(x + 4, line.center().y()), 3.4, 3.4);
  paint::text(painter, QRectF(x + 12, line.top(), width, 16), small, scene.theme.text3, modelled);
}

/// Whether it is right and how fast it is; its time and spread; what the model says; the note.
void paint_badges(QPainter& painter, HistoryScene const& scene, HistoryNodeView const& node) {
  QPointF at = station_of(scene.layout, node.id);
  QRectF line(at.x() - kPitch / 2 + 3, at.y() + 13, kPitch - 6, 16);
  paint_speed(painter, scene, node, line);
  line.translate(0, 16);
  bool modelled = scene.facts.is_modelled(node) && !node.min_ms;
  bool timed = (node.min_ms || modelled) && is_number(node, scene.facts);
  if (timed)
    paint::text(painter, line, ui_font(11), node.disturbed ? scene.theme.warn : scene.theme.text2,
                fitting(measured_words(scene, node), line.width()), Qt::AlignCenter);
  else
    paint_elsewhere(painter, scene, node, line);
  line.translate(0, 15);
  if (modelled)
    paint::text(painter, line, ui_font(11), scene.theme.text3,
                "bound by " + QString::fromStdString(node.bound), Qt::AlignCenter);
  else if (node.model_ms)
    paint_modelled(painter, scene, node, line);
  line.translate(0, 15);
  if (scene.noting == node.id) return;
  if (node.note.empty()) {
    if (timed) paint_elsewhere(painter, scene, node, line);  // below this device's
    return;
  }
  QFont italic = ui_font(11);
  italic.setItalic(true);
  paint::text(painter, line, italic, scene.theme.text2,
              QFontMetricsF(italic).elidedText(QString::fromStdString(node.note).simplified(),
                                               Qt::ElideRight, line.width()),
              Qt::AlignCenter);
}

void paint_station(QPainter& painter, HistoryScene const& scene, HistoryNodeView const& node) {
  QPointF at = station_of(scene.layout, node.id);
  bool current = node.id == scene.facts.view()->current,
       on_path = scene.layout.on_path[size_t(node.id)];
  bool wrong = node.verdict == Verdict::kWrong, lost = !wrong && !node.failure.empty();
  QColor colour = wrong     ? scene.theme.error
                  : lost    ? scene.theme.warn
                  : on_path ? scene.theme.text1
                            : scene.theme.text3;
  painter.setPen(QPen(scene.theme.panel, 3));  // stands apart from the tracks behind it
  painter.setBrush(scene.theme.panel);
  painter.drawEllipse(at, 8, 8);
  painter.setPen(QPen(colour, 2));
  painter.setBrush(node.min_ms && !wrong && !lost ? colour : scene.theme.panel);
  painter.drawEllipse(at, 6, 6);
  painter.setBrush(Qt::NoBrush);
  if (wrong) {
    painter.drawLine(at + QPointF(-3, -3), at + QPointF(3, 3));
    painter.drawLine(at + QPointF(-3, 3), at + QPointF(3, -3));
  }
  if (current) {
    painter.setPen(QPen(scene.theme.ink, 2));
    painter.drawEllipse(at, 11, 11);
  }
  if (scene.picked == node.id) {
    painter.setPen(QPen(scene.theme.ink, 2, Qt::DashLine));
    painter.drawEllipse(at, 15, 15);
  }
  if (scene.found.contains(node.id)) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(Theme::mix(scene.theme.warn, scene.theme.panel, 0.22));
    painter.drawRoundedRect(QRectF(at.x() - kPitch / 2 + 5, at.y() - 36, kPitch - 10, 18), 4, 4);
  }
  if (scene.marked == node.id && scene.has_focus)
    paint::focus_ring(painter, QRectF(at - QPointF(14, 14), QSizeF(28, 28)), scene.theme, 14);
  paint_title(painter, scene, node);
  paint_marks(painter, scene, node);
  paint_badges(painter, scene, node);
}

}  // namespace

void paint_history(QPainter& painter, HistoryScene const& scene, QRectF const& shown) {
  QRectF seen = shown.adjusted(-kPitch, -kLane, kPitch, kLane);
  paint_tracks(painter, scene, seen);
  for (HistoryFold const& fold : scene.layout.folds)
    if (seen.contains(pill_of(fold).center())) paint_fold(painter, scene, fold);
  for (HistoryNodeView const& node : scene.facts.view()->nodes)
    if (scene.layout.places[size_t(node.id)].shown &&
        seen.contains(station_of(scene.layout, node.id)))
      paint_station(painter, scene, node);
}

}  // namespace tw
