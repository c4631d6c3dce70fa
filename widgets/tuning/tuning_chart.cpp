// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tuning/tuning_chart.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>
#include <map>

#include "widgets/paint/paint.h"
#include "widgets/plot/plot_ticks.h"

namespace tw {
namespace {

constexpr double kLabelHigh = 16;
constexpr double kRoofReach = 3;  // a roof that is further away would press all lines together
constexpr double kBeyond = 1.01;  // of the last trial: its dot is whole

/// The last comparison times what stood out once more, in turns: a sample that it did not repeat is
/// no best, and the line ends where the words below it do.
double held(session::TuningRun const& run, double ms) {
  if (run.goes_on() || !run.best_ms) return ms;
  return std::max(ms, std::min(*run.best_ms, run.default_ms.value_or(*run.best_ms)));
}

/// How far the axis goes: an unfinished search shows where it ends, unless that is far away.
double trials_to_show(session::TuningRun const& run) {
  auto done = double(run.trials.size());
  return run.goes_on() ? std::min(double(run.budget), std::max(64.0, done * 2)) : done;
}

}  // namespace

TuningChart::TuningChart(QWidget* parent) : TrialPlot(parent) {
  setObjectName("tuningChart");
  setAccessibleName("Best so far");
  xAxis->grid()->setVisible(false);
  xAxis->setTicker(QSharedPointer<PlotTicks>::create(xAxis, 6, tick_number, 1));
  yAxis->setTicker(QSharedPointer<PlotTicks>::create(yAxis, 4));
}

void TuningChart::show_runs(session::TuningView runs, TuningScale scale) {
  take_runs(std::move(runs), scale);
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
    best = std::max(best, scale_.value(held(*run, run->least_ms())));
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
  double step = round_step(most * 1.06, 4);
  most_value_ = std::ceil(most * 1.06 / step) * step;
  set_whole({0, trials * kBeyond}, {0, most_value_});
}

double TuningChart::shown(double ms) const { return std::min(scale_.value(ms), most_value_); }

std::optional<QPointF> TuningChart::place(session::TuningTrial const& trial) const {
  if (trial.ms <= 0) return {};
  return QPointF(trial.number, shown(trial.ms));
}

QPointF TuningChart::position(int trial, double ms) const {
  return pixel({double(trial), shown(ms)});
}

void TuningChart::draw_runs() {
  set_range();
  for (auto const& run : runs_.runs) add_dots(*run, 1.6, 0.7);
  if (scale_.roof > 0 && scale_.roof <= most_value_)
    add_line({0, scale_.roof}, {1, scale_.roof}, QPen(theme_.text1, 2));
  QPen dashed(theme_.text2, 1);
  dashed.setDashPattern({6, 4});
  for (Mark const& mark : marks())
    add_line({0, scale_.value(mark.ms)}, {1, scale_.value(mark.ms)}, dashed);
  for (auto const& run : runs_.runs) add_best(*run);
}

/// What stands beside the plot has the room that it needs: arrows come and go as one moves.
void TuningChart::before_drawing() {
  TrialPlot::before_drawing();
  double wide = 40;
  for (Label const& label : labels())
    wide =
        std::max(wide, QFontMetricsF(ui_font(11, label.weight)).horizontalAdvance(label.words) + 6);
  set_margins(56, 54, wide + 22, 40);
}

/// A step where something better was found, and on to the last trial.
void TuningChart::add_best(session::TuningRun const& run) {
  QVector<QCPGraphData> points;
  double before = 0;
  for (auto const& trial : run.trials) {
    double best = held(run, trial->best_ms);
    if (trial->best_ms <= 0 || best == before) continue;
    before = best;
    points << QCPGraphData(trial->number, shown(before));
  }
  if (points.isEmpty()) return;
  points << QCPGraphData(double(run.trials.size()), shown(before));
  QCPGraph* line = addGraph();
  line->setLineStyle(QCPGraph::lsStepLeft);
  line->setPen(scaled(search_pen(theme_, run.search)));
  line->data()->set(points, true);
}

/// With an arrow where the line itself is out of sight.
TuningChart::Label TuningChart::label(double value, QString const& name, QColor const& colour,
                                      int weight) const {
  QCPRange seen = yAxis->range();
  QString words = name + " " + paint::number(value);
  if (value > seen.upper) words += QStringLiteral(" ↑");
  if (value < seen.lower) words += QStringLiteral(" ↓");
  double y = yAxis->coordToPixel(std::clamp(value, seen.lower, seen.upper)) / unit();
  return {y, words, colour, weight};
}

/// As far apart as their words are high, in the order of their lines.
std::vector<TuningChart::Label> TuningChart::labels() const {
  std::vector<Label> list;
  if (scale_.roof > 0) list.push_back(label(scale_.roof, "roof", theme_.text1, 600));
  for (Mark const& mark : marks())
    list.push_back(label(scale_.value(mark.ms), mark.name, theme_.text2, 400));
  for (auto const& run : runs_.runs)
    if (run->least_ms() > 0) {
      QColor hue = Theme::mix(search_colour(theme_, run->search), theme_.text1, 0.6);
      double best = held(*run, run->least_ms());
      list.push_back(label(scale_.value(best), name_of(*run, runs_), hue, 600));
    }
  std::ranges::stable_sort(list, {}, &Label::y);
  for (size_t i = 1; i < list.size(); ++i)
    list[i].y = std::max(list[i].y, list[i - 1].y + kLabelHigh);
  double floor = area().bottom();
  for (size_t i = list.size(); i-- > 0; floor -= kLabelHigh) list[i].y = std::min(list[i].y, floor);
  return list;
}

void TuningChart::paint_words(QPainter& painter) {
  QRectF plot = area();
  paint::text(painter, QRectF(16, 4, 120, 20), ui_font(13, 600), theme_.text1, "Best so far");
  paint::text(painter, QRectF(16, 24, 120, 16), ui_font(11), theme_.text3, scale_.unit());
  paint::text(painter, QRectF(plot.right() - 120, 24, 120, 16), ui_font(11), theme_.text2,
              near_words(), Qt::AlignRight | Qt::AlignVCenter);
  paint::text(painter, QRectF(plot.right() - 60, plot.bottom() + 20, 60, 16), ui_font(11),
              theme_.text3, "trials", Qt::AlignRight | Qt::AlignTop);
  double wide = rect().width() / unit() - plot.right() - 12;
  for (Label const& label : labels())
    paint::text(painter, QRectF(plot.right() + 12, label.y - 8, wide, kLabelHigh),
                ui_font(11, label.weight), label.colour, label.words);
}

/// A part for each search's line: its dots are the rows of the table.
std::vector<Part> TuningChart::parts() const {
  std::vector<Part> parts;
  for (auto const& run : runs_.runs) {
    if (run->least_ms() <= 0) continue;
    double best = held(*run, run->least_ms());
    QPointF end = position(int(run->trials.size()), best);
    QSizeF size = QSizeF(16, 16) * unit();
    parts.push_back(
        {QRectF(end - QPointF(size.width(), size.height()) / 2, size),
         QString("%1 search, best %2 %3 after %4 trials")
             .arg(name_of(*run, runs_), paint::number(scale_.value(best)), scale_.unit())
             .arg(run->trials.size()),
         run->number == chosen_.run});
  }
  return parts;
}

}  // namespace tw
