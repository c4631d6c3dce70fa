// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tuning/tuning_chart.h"

#include <QFontMetricsF>
#include <QMouseEvent>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <map>

#include "widgets/paint/paint.h"

namespace tw {
namespace {

constexpr double kLabelHigh = 16;
constexpr double kRoofReach = 3;  // a roof that is further away would press all lines together

/// 1, 2 or 5 times a power of ten, so that `most` has about `parts` of them.
double step_for(double most, double parts) {
  double raw = std::max(most, 1e-9) / parts;
  double power = std::pow(10.0, std::floor(std::log10(raw)));
  for (double factor : {1.0, 2.0, 5.0})
    if (raw <= factor * power) return factor * power;
  return 10 * power;
}

/// How far the axis goes: an unfinished search shows where it ends, unless that is far away.
double trials_to_show(session::TuningRun const& run) {
  auto done = double(run.trials.size());
  return run.goes_on() ? std::min(double(run.budget), std::max(64.0, done * 2)) : done;
}

QString tick(double value) { return QString::number(value, 'g', 4); }

}  // namespace

TuningChart::TuningChart(QWidget* parent) : Canvas(parent) {
  setObjectName("tuningChart");
  setAccessibleName("Best so far");
}

void TuningChart::show_runs(session::TuningView runs, TuningScale scale) {
  runs_ = std::move(runs);
  scale_ = scale;
  set_range();
  update();
}

void TuningChart::select(ChosenTrial chosen) {
  chosen_ = chosen;
  update();
}

/// As a trial of its own, where a search tried it: that is a shortest time as the others are, and
/// the last comparison has medians.
std::vector<TuningChart::Mark> TuningChart::marks() const {
  double rule = 0;
  for (auto run = runs_.runs.rbegin(); run != runs_.runs.rend(); ++run)
    for (auto const& trial : (*run)->trials)
      if ((*run)->from == 0 && trial->knobs.empty() && trial->ms > 0) rule = trial->ms;
  for (auto run = runs_.runs.rbegin(); run != runs_.runs.rend() && rule == 0; ++run)
    rule = (*run)->default_ms.value_or(0);
  std::map<int, double> steps;
  for (auto const& run : runs_.runs)
    if (run->from_ms() > 0) steps[run->from] = run->from_ms();
  std::vector<Mark> list;
  if (rule > 0) list.push_back({rule, "default"});
  for (auto const& [step, ms] : steps) list.push_back({ms, QString("step %1").arg(step)});
  return list;
}

void TuningChart::set_range() {
  double trials = 1, best = 0, most = 0;
  for (auto const& run : runs_.runs) {
    trials = std::max(trials, trials_to_show(*run));
    if (run->least_ms() <= 0) continue;
    best = std::max(best, scale_.value(run->least_ms()));
    // Of times the first best one is the longest that matters; slower trials stand at the border.
    for (auto const& trial : run->trials)
      if (trial->best_ms > 0) {
        most = std::max(most, scale_.value(trial->best_ms));
        if (!scale_.is_speed()) break;
      }
  }
  most = std::max(most, best);
  for (Mark const& mark : marks()) most = std::max(most, scale_.value(mark.ms));
  if (most <= 0) most = scale_.roof > 0 ? scale_.roof : 1;
  if (scale_.roof > most && scale_.roof < kRoofReach * most) most = scale_.roof;
  value_step_ = step_for(most * 1.06, 4);
  most_value_ = std::ceil(most * 1.06 / value_step_) * value_step_;
  trial_step_ = std::max(1.0, step_for(trials, 6));
  most_trials_ = trials;
  label_width_ = 40;
  for (Label const& label : labels())
    label_width_ = std::max(
        label_width_, QFontMetricsF(ui_font(11, label.weight)).horizontalAdvance(label.words) + 6);
}

QRectF TuningChart::plot() const {
  return QRectF(56, 54, std::max(100.0, unit_width() - 56 - label_width_ - 22),
                std::max(60.0, unit_height() - 54 - 40));
}

double TuningChart::y_of(double value) const {
  QRectF area = plot();
  return area.bottom() - area.height() * std::clamp(value / most_value_, 0.0, 1.0);
}

QPointF TuningChart::position(int trial, double ms) const {
  QRectF area = plot();
  return {area.left() + area.width() * std::min(trial / most_trials_, 1.0), y_of(scale_.value(ms))};
}

void TuningChart::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.panel);
  painter.fillRect(plot(), theme_.inset);
  paint::text(painter, QRectF(16, 4, 120, 20), ui_font(13, 600), theme_.text1, "Best so far");
  paint::text(painter, QRectF(16, 24, 120, 16), ui_font(11), theme_.text3, scale_.unit());
  draw_axes(painter);
  for (auto const& run : runs_.runs) draw_trials(painter, *run);
  draw_roof_and_marks(painter);
  for (auto const& run : runs_.runs) draw_best(painter, *run);
  draw_labels(painter);
  draw_chosen(painter);
}

void TuningChart::draw_axes(QPainter& painter) const {
  QRectF area = plot();
  for (double value = 0; value <= most_value_ * 1.001; value += value_step_) {
    double y = std::floor(y_of(value)) + 0.5;
    painter.setPen(QPen(theme_.line1, 1));
    painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
    paint::text(painter, QRectF(4, y - 8, 46, 16), mono_font(11), theme_.text3, tick(value),
                Qt::AlignRight | Qt::AlignVCenter);
  }
  for (double trial = 0; trial <= most_trials_ * 1.001; trial += trial_step_)
    paint::text(painter, QRectF(position(int(trial), 1).x() - 26, area.bottom() + 4, 52, 16),
                mono_font(11), theme_.text3, tick(trial), Qt::AlignHCenter | Qt::AlignTop);
  paint::text(painter, QRectF(area.right() - 60, area.bottom() + 20, 60, 16), ui_font(11),
              theme_.text3, "trials", Qt::AlignRight | Qt::AlignTop);
}

void TuningChart::draw_roof_and_marks(QPainter& painter) const {
  QRectF area = plot();
  if (scale_.roof > 0 && scale_.roof <= most_value_) {
    painter.setPen(QPen(theme_.text1, 2));
    painter.drawLine(QPointF(area.left(), y_of(scale_.roof)),
                     QPointF(area.right(), y_of(scale_.roof)));
  }
  for (Mark const& mark : marks()) {
    QPen pen(theme_.text2, 1);
    pen.setDashPattern({6, 4});
    painter.setPen(pen);
    double y = std::floor(y_of(scale_.value(mark.ms))) + 0.5;
    painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
  }
}

void TuningChart::draw_trials(QPainter& painter, session::TuningRun const& run) const {
  QColor colour = search_colour(theme_, run.search);
  colour.setAlphaF(0.7f);
  painter.setPen(Qt::NoPen);
  painter.setBrush(colour);
  for (auto const& trial : run.trials)
    if (trial->ms > 0) painter.drawEllipse(position(trial->number, trial->ms), 1.6, 1.6);
}

void TuningChart::draw_best(QPainter& painter, session::TuningRun const& run) const {
  QPainterPath path;
  double before = 0;
  for (auto const& trial : run.trials) {
    if (trial->best_ms <= 0) continue;
    QPointF at = position(trial->number, trial->best_ms);
    if (before <= 0)
      path.moveTo(at);
    else if (trial->best_ms != before)
      path.lineTo(QPointF(at.x(), y_of(scale_.value(before)))), path.lineTo(at);
    before = trial->best_ms;
  }
  if (before <= 0) return;
  path.lineTo(position(int(run.trials.size()), before));
  painter.setBrush(Qt::NoBrush);
  painter.setPen(search_pen(theme_, run.search));
  painter.drawPath(path);
}

/// As far apart as their words are high, in the order of their lines.
std::vector<TuningChart::Label> TuningChart::labels() const {
  std::vector<Label> list;
  auto number = [&](double value) { return paint::number(value); };
  QString beyond = scale_.roof > most_value_ ? QStringLiteral(" ↑") : QString();
  if (scale_.roof > 0)
    list.push_back({y_of(scale_.roof), "roof " + number(scale_.roof) + beyond, theme_.text1, 600});
  for (Mark const& mark : marks())
    list.push_back({y_of(scale_.value(mark.ms)), mark.name + " " + number(scale_.value(mark.ms)),
                    theme_.text2, 400});
  for (auto const& run : runs_.runs)
    if (run->least_ms() > 0) {
      double value = scale_.value(run->least_ms());
      QColor hue = search_colour(theme_, run->search);
      list.push_back({y_of(value), name_of(*run, runs_) + " " + number(value),
                      Theme::mix(hue, theme_.text1, 0.6), 600});
    }
  std::ranges::stable_sort(list, {}, &Label::y);
  for (size_t i = 1; i < list.size(); ++i)
    list[i].y = std::max(list[i].y, list[i - 1].y + kLabelHigh);
  double floor = plot().bottom();
  for (size_t i = list.size(); i-- > 0; floor -= kLabelHigh) list[i].y = std::min(list[i].y, floor);
  return list;
}

void TuningChart::draw_labels(QPainter& painter) const {
  for (Label const& label : labels())
    paint::text(painter, QRectF(plot().right() + 12, label.y - 8, label_width_ + 6, kLabelHigh),
                ui_font(11, label.weight), label.colour, label.words);
}

void TuningChart::draw_chosen(QPainter& painter) const {
  session::TuningRun const* run = chosen_.run > 0 ? runs_.run(chosen_.run) : nullptr;
  session::TuningTrial const* trial = run ? run->trial(chosen_.trial) : nullptr;
  if (!trial || trial->ms <= 0) return;
  QPointF at = position(trial->number, trial->ms);
  painter.setPen(QPen(theme_.inset, 1));
  painter.setBrush(search_colour(theme_, run->search));
  painter.drawEllipse(at, 4.5, 4.5);
  painter.setPen(QPen(theme_.ink, 2));
  painter.setBrush(Qt::NoBrush);
  painter.drawEllipse(at, 8, 8);
}

void TuningChart::mousePressEvent(QMouseEvent* event) {
  ChosenTrial nearest;
  double least = 12;
  for (auto const& run : runs_.runs)
    for (auto const& trial : run->trials) {
      if (trial->ms <= 0) continue;
      double away = (position(trial->number, trial->ms) - event->position()).manhattanLength();
      if (away < least) least = away, nearest = {run->number, trial->number};
    }
  if (nearest.run > 0) emit trial_chosen(nearest);
}

/// A part for each search's line: its dots are the rows of the table.
std::vector<Part> TuningChart::parts() const {
  std::vector<Part> parts;
  for (auto const& run : runs_.runs) {
    if (run->least_ms() <= 0) continue;
    QPointF end = position(int(run->trials.size()), run->least_ms());
    parts.push_back(
        {QRectF(end - QPointF(8, 8), QSizeF(16, 16)),
         QString("%1 search, best %2 %3 after %4 trials")
             .arg(name_of(*run, runs_), paint::number(scale_.value(run->least_ms())), scale_.unit())
             .arg(run->trials.size()),
         run->number == chosen_.run});
  }
  return parts;
}

}  // namespace tw
