// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tuning/trial_plot.h"

#include <algorithm>

#include "widgets/paint/paint.h"

namespace tw {
namespace {

constexpr double kReach = 12;  // units from a dot to where it is pointed at

}  // namespace

TrialPlot::TrialPlot(QWidget* parent)
    : Plot(parent), disc_(new QCPItemTracer(this)), ring_(new QCPItemTracer(this)) {
  for (QCPItemTracer* mark : {disc_, ring_}) {
    mark->setStyle(QCPItemTracer::tsCircle);
    mark->setClipToAxisRect(false);  // it may stand on the border
    mark->setLayer("overlay");       // over the lines that are made later
    mark->setVisible(false);
  }
}

void TrialPlot::take_runs(session::TuningView runs, TuningScale scale) {
  bool same = std::ranges::any_of(
      runs.runs, [&](auto const& run) { return runs_.run(run->number) != nullptr; });
  runs_ = std::move(runs);
  scale_ = scale;
  if (!same) show_all();
  redraw();
}

void TrialPlot::set_theme(Theme const& theme) {
  Plot::set_theme(theme);
  ring_->setPen(QPen(theme.ink, 2 * unit()));
  ring_->setSize(16 * unit());
  disc_->setPen(QPen(theme.inset, unit()));
  disc_->setSize(9 * unit());
  redraw();
}

void TrialPlot::redraw() {
  clearGraphs();
  for (QCPAbstractItem* line : lines_) removeItem(line);
  lines_.clear();
  draw_runs();
  refresh();
}

void TrialPlot::add_dots(session::TuningRun const& run, double radius, double opacity) {
  QVector<QCPGraphData> points;
  points.reserve(qsizetype(run.trials.size()));
  for (auto const& trial : run.trials)
    if (auto at = place(*trial)) points << QCPGraphData(at->x(), at->y());
  QColor colour = search_colour(theme_, run.search);
  colour.setAlphaF(float(opacity));
  QCPGraph* dots = addGraph();
  dots->setLineStyle(QCPGraph::lsNone);
  dots->setPen(Qt::NoPen);  // else every dot gets an edge
  dots->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(Qt::NoPen), QBrush(colour),
                                        2 * radius * unit()));
  dots->data()->set(points);
}

void TrialPlot::add_line(QPointF from, QPointF to, QPen pen) {
  auto* line = new QCPItemStraightLine(this);
  line->point1->setCoords(from);
  line->point2->setCoords(to);
  line->setPen(scaled(pen));
  lines_ << line;
}

QPointF TrialPlot::pixel(QPointF place) const {
  return {xAxis->coordToPixel(place.x()), yAxis->coordToPixel(place.y())};
}

QPen TrialPlot::scaled(QPen pen) const {
  pen.setWidthF(pen.widthF() * unit());
  return pen;
}

// ---- the chosen one ------------------------------------------------------------------------

void TrialPlot::select(ChosenTrial chosen) {
  chosen_ = chosen;
  refresh();
}

void TrialPlot::place_ring() {
  session::TuningRun const* run = chosen_.run > 0 ? runs_.run(chosen_.run) : nullptr;
  session::TuningTrial const* trial = run ? run->trial(chosen_.trial) : nullptr;
  auto at = trial ? place(*trial) : std::nullopt;
  bool seen = at && xAxis->range().contains(at->x()) && yAxis->range().contains(at->y());
  for (QCPItemTracer* mark : {disc_, ring_}) {
    mark->setVisible(seen);
    if (seen) mark->position->setCoords(*at);
  }
  if (seen) disc_->setBrush(search_colour(theme_, run->search));
}

ChosenTrial TrialPlot::nearest(QPointF at) const {
  ChosenTrial nearest;
  double least = kReach * unit();
  for (auto const& run : runs_.runs)
    for (auto const& trial : run->trials) {
      auto there = place(*trial);
      if (!there || !xAxis->range().contains(there->x())) continue;
      double away = (pixel(*there) - at).manhattanLength();
      if (away < least && yAxis->range().contains(there->y()))
        least = away, nearest = {run->number, trial->number};
    }
  return nearest;
}

QString TrialPlot::words_at(QPointF at) const {
  ChosenTrial found = nearest(at);
  if (found.run == 0) return {};
  session::TuningRun const& run = *runs_.run(found.run);
  session::TuningTrial const& trial = *run.trial(found.trial);
  QString words = words_of(trial, name_of(run, runs_), run.from, scale_).replace(", ", "\n");
  if (trial.predicted_ms > 0)
    words += QString("\npredicted %1, measured %2")
                 .arg(paint::time(trial.predicted_ms), paint::time(trial.ms));
  return words;
}

void TrialPlot::click(QPointF at) {
  if (ChosenTrial found = nearest(at); found.run > 0) emit trial_chosen(found);
}

void TrialPlot::keyPressEvent(QKeyEvent* event) {
  bool opens = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  if (opens && chosen_.run > 0) return emit open_asked(chosen_);
  Plot::keyPressEvent(event);
}

}  // namespace tw
