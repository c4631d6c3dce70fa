// SPDX-License-Identifier: GPL-3.0-or-later
// Cells that show how often their line missed, and what one is told where one points at a cell.
#include <QHelpEvent>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "widgets/film/film_view.h"
#include "widgets/paint/paint.h"

namespace tw {
namespace {

constexpr double kSign = 10, kLeft = 16;
constexpr int kSteps = 5;               // of the legend's ramp
constexpr double kLeastHeight = 0.3;    // of a cell whose line missed once
constexpr double kLeastStrength = 0.3;  // of the ramp's colour

}  // namespace

void FilmView::show_cells(FilmCells cells) {
  if (cells == cells_) return;
  cells_ = std::move(cells);
  count_misses();
  update();
}

void FilmView::count_misses() {
  misses_ = {};
  if (!film_ || !cells_.misses) return;
  int level = session::MissCounts::kAllLevels;
  for (size_t i = 0; i + 1 < film_->levels.size(); ++i)
    if (film_->levels[i].name == cells_.level) level = int(i);
  misses_ = session::MissCounts(*film_, level);
}

int64_t FilmView::most_misses() const { return misses_.most(frame_); }

int64_t FilmView::most_at_end() const { return film_ ? misses_.most(film_->frames()) : 0; }

int64_t FilmView::misses_of(int32_t tensor, int64_t element) const {
  return cells_.misses && film_ ? misses_.at(frame_, tensor, element) : 0;
}

/// "Misses of L1"
QString FilmView::misses_words() const {
  bool known = film_ && std::ranges::count(film_->levels, cells_.level, &session::FilmLevel::name);
  return known ? "Misses of " + QString::fromStdString(cells_.level)
               : QString("Misses of all caches, added up");
}

QString FilmView::heat_words() const {
  if (most_at_end() == 0) return misses_words() + ": none in these iterations";
  return QString("%1, so far: at most %2 of a line, %3 at the end")
      .arg(misses_words())
      .arg(most_misses())
      .arg(most_at_end());
}

/// As high as it is strong, also where colours look alike. The scale ends at what the film's last
/// frame has: a cell keeps its look while its line does not miss.
void FilmView::draw_heat(QPainter& painter, QRectF const& cell, int64_t misses) const {
  QRectF box = cell.adjusted(0.5, 0.5, -0.5, -0.5);
  painter.fillRect(box, theme_.control);
  if (misses == 0) return;
  double share = double(misses) / double(std::max<int64_t>(1, most_at_end()));
  box.setTop(box.bottom() - box.height() * (kLeastHeight + (1 - kLeastHeight) * share));
  painter.fillRect(
      box, Theme::mix(theme_.warn, theme_.control, kLeastStrength + (1 - kLeastStrength) * share));
}

/// None, then from one to what a line has at the end, and in words.
void FilmView::draw_heat_legend(QPainter& painter) const {
  QFont const font = mono_font(11, 600);
  double x = kLeft, most = double(most_at_end());
  auto sign = [&](int64_t count) {
    draw_heat(painter, QRectF(x, 10, kSign, kSign), count);
    x += kSign + 2;
  };
  auto say = [&](QString const& words) {
    double wide = QFontMetricsF(font).horizontalAdvance(words) + 2;
    paint::text(painter, QRectF(x + 3, 6, wide, 18), font, theme_.text1, words);
    x += wide + 14;
  };
  if (most > 0) {
    sign(0);
    say("0");
    int steps = int(std::min<double>(kSteps, most));
    for (int i = 0; i < steps; ++i) sign(std::llround(1 + (most - 1) * i / std::max(1, steps - 1)));
    say(steps == 1 ? QString("1") : QString("1 to %1").arg(most));
  }
  QFont const words = ui_font(11, 500);
  double room = unit_width() - kLeft - x;
  paint::text(painter, QRectF(x, 6, room, 18), words, theme_.text1,
              QFontMetricsF(words).elidedText(heat_words(), Qt::ElideRight, room - 2));
}

QString FilmView::cell_words(QPointF at) const {
  for (FilmGrid const& grid : grids()) {
    if (!grid.box.contains(at)) continue;
    int64_t element = element_at(grid, at);
    if (!cell_rect(grid, element).contains(at)) return {};
    QString name = element_words(*film_, grid.tensor, element);
    int level = film_->level_at(frame_, grid.tensor, element);
    name += ", now in " + QString::fromStdString(film_->levels[size_t(level)].name);
    if (!cells_.misses) return name;
    return QString("%1. %2, so far: %3 of its line")
        .arg(name, misses_words())
        .arg(misses_of(grid.tensor, element));
  }
  return {};
}

bool FilmView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return Canvas::event(event);
  auto* help = static_cast<QHelpEvent*>(event);
  QString words = cell_words(units(help->pos()));
  if (words.isEmpty()) return Canvas::event(event);
  QToolTip::showText(help->globalPos(), paint::wrapped(words), this);
  return true;
}

}  // namespace tw
