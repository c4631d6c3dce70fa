// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/film/reuse_chart.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "engine/support/base/quantities.h"
#include "widgets/paint/paint.h"

namespace tw {
namespace {

constexpr double kLeft = 52, kRight = 16, kTop = 44, kPlot = 84, kBottom = 22;
constexpr int kLeastOctaves = 8;

}  // namespace

ReuseChart::ReuseChart(QWidget* parent) : Canvas(parent) {
  setObjectName("reuseChart");
  setAccessibleName("Reuse distance");
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  rescale();
  hide();
}

void ReuseChart::rescale() { setFixedHeight(pixels(QSizeF(1, kTop + kPlot + kBottom)).height()); }

void ReuseChart::show_film(std::shared_ptr<session::AccessFilm const> film) {
  if (!film) return;  // the last one stays while the next is made
  film_ = std::move(film);
  setVisible(film_->reuse.total() > 0);
  update();
}

/// Of the axis: up to the largest distance, and to the largest cache.
int ReuseChart::octaves() const {
  int64_t most = int64_t(1) << kLeastOctaves;
  if (!film_->reuse.uses.empty())
    most = std::max(most, analysis::ReuseHistogram::least_of(film_->reuse.uses.size()));
  for (session::FilmLevel const& level : film_->levels)
    most = std::max(most, level.bytes / film_->line_bytes);
  return int(std::ceil(std::log2(double(most)) + 0.2));
}

QRectF ReuseChart::plot() const {
  return {kLeft, kTop, std::max(40.0, unit_width() - kLeft - kRight), kPlot};
}

double ReuseChart::x_of(double lines) const {
  return plot().left() + plot().width() * std::log2(std::max(1.0, lines)) / octaves();
}
double ReuseChart::y_of(double share) const { return plot().bottom() - plot().height() * share; }

/// Of the uses whose line comes back after 2^octave to 2^(octave+1) other lines; those that come
/// back at once stand in the first.
double ReuseChart::share_of(int octave) const {
  double upper = film_->reuse.answered_within(int64_t(1) << (octave + 1));
  return octave == 0 ? upper : upper - film_->reuse.answered_within(int64_t(1) << octave);
}

void ReuseChart::draw_bars(QPainter& painter) const {
  painter.setPen(QPen(theme_.line3, 1));
  painter.setBrush(theme_.control);  // simulated, no measurement
  for (int octave = 0; octave < octaves(); ++octave) {
    double share = share_of(octave);
    if (share < 0.002) continue;
    QRectF bar(QPointF(x_of(std::exp2(octave)) + 1, y_of(share)),
               QPointF(x_of(std::exp2(octave + 1)) - 1, plot().bottom()));
    painter.drawRect(bar);
  }
}

void ReuseChart::draw_curve(QPainter& painter) const {
  QPainterPath path(QPointF(plot().left(), y_of(film_->reuse.answered_within(1))));
  for (double power = 0.125; power <= octaves(); power += 0.125)
    path.lineTo(x_of(std::exp2(power)),
                y_of(film_->reuse.answered_within(int64_t(std::exp2(power)))));
  painter.setPen(QPen(theme_.text1, 1.6));
  painter.setBrush(Qt::NoBrush);
  painter.drawPath(path);
}

void ReuseChart::draw_levels(QPainter& painter) const {
  double taken = 0;
  for (size_t i = 0; i + 1 < film_->levels.size(); ++i) {
    session::FilmLevel const& level = film_->levels[i];
    double x = x_of(double(level.bytes) / double(film_->line_bytes));
    painter.setPen(QPen(theme_.levels[std::min<size_t>(i, 2)], 1.6,
                        i == 0   ? Qt::SolidLine
                        : i == 1 ? Qt::DashLine
                                 : Qt::DotLine));
    painter.drawLine(QPointF(x, plot().top() - 2), QPointF(x, plot().bottom()));
    QFont const font = ui_font(11, 500);
    QString name = QString::fromStdString(level.name);
    double wide = QFontMetricsF(font).horizontalAdvance(name) + 2;
    double left = std::min(x - wide / 2, unit_width() - wide - 2);
    if (left < taken) continue;
    paint::text(painter, QRectF(left, plot().top() - 18, wide, 16), font, theme_.text2, name,
                Qt::AlignCenter);
    taken = left + wide + 4;
  }
}

void ReuseChart::draw_asked(QPainter& painter) const {
  if (asked_ <= 0) return;
  double x = x_of(double(asked_)), y = y_of(film_->reuse.answered_within(asked_));
  painter.setPen(QPen(theme_.ink, 1));
  painter.drawLine(QPointF(x, plot().top()), QPointF(x, plot().bottom()));
  painter.setBrush(theme_.ink);
  painter.drawEllipse(QPointF(x, y), 3.5, 3.5);
}

QString ReuseChart::answer() const {
  if (!film_) return {};
  analysis::ReuseHistogram const& reuse = film_->reuse;
  auto share = [](double part) { return QString::fromStdString(percent_text(part)); };
  if (asked_ > 0)
    return QStringLiteral("A fully associative cache of %1 hits %2 of these accesses")
        .arg(paint::bytes(asked_ * film_->line_bytes), share(reuse.answered_within(asked_)));
  double first = double(reuse.first) / double(std::max<int64_t>(1, reuse.total()));
  return QStringLiteral("Reuse distance: %1 of accesses are the first to their line")
      .arg(share(first));
}

void ReuseChart::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.panel);
  if (!film_) return;
  QFont const font = ui_font(12, 500);
  paint::text(painter, QRectF(16, 4, unit_width() - 32, 18), font, theme_.text2,
              QFontMetricsF(font).elidedText(answer(), Qt::ElideRight, unit_width() - 32));
  painter.fillRect(plot(), theme_.inset);
  QFont const ticks = mono_font(11);
  for (double share : {0.0, 0.5, 1.0}) {
    painter.fillRect(QRectF(plot().left(), y_of(share), plot().width(), 1), theme_.line1);
    paint::text(painter, QRectF(4, y_of(share) - 8, kLeft - 10, 16), ticks, theme_.text3,
                QString::fromStdString(percent_text(share)), Qt::AlignRight | Qt::AlignVCenter);
  }
  draw_bars(painter);
  draw_curve(painter);
  draw_levels(painter);
  draw_asked(painter);
  double taken = 0;
  for (int octave = 0; octave <= octaves(); octave += 4) {
    QString words = paint::bytes((int64_t(1) << octave) * film_->line_bytes);
    double wide = QFontMetricsF(ticks).horizontalAdvance(words) + 2;
    double left = std::clamp(x_of(std::exp2(octave)) - wide / 2, 2.0, unit_width() - wide - 2);
    if (left < taken) continue;
    paint::text(painter, QRectF(left, plot().bottom() + 3, wide, 16), ticks, theme_.text3, words,
                Qt::AlignCenter);
    taken = left + wide + 8;
  }
  if (hasFocus()) paint::focus_ring(painter, plot().adjusted(-1, -1, 1, 1), theme_, 3);
}

void ReuseChart::ask(int64_t lines) {
  if (lines == asked_ || !film_) return;
  asked_ = std::clamp<int64_t>(lines, 0, int64_t(1) << octaves());
  emit asked_changed(asked_);
  update();
}

void ReuseChart::mouseMoveEvent(QMouseEvent* event) {
  if (!film_) return;
  double part = (event->position().x() - plot().left()) / plot().width();
  ask(part < 0 || part > 1 ? 0 : int64_t(std::llround(std::exp2(part * octaves()))));
}

void ReuseChart::leaveEvent(QEvent*) { ask(0); }

/// A step is a quarter of an octave.
void ReuseChart::keyPressEvent(QKeyEvent* event) {
  if (!film_) return Canvas::keyPressEvent(event);
  double now = asked_ > 0 ? std::log2(double(asked_)) : octaves() / 2.0;
  switch (event->key()) {
    case Qt::Key_Left:
      return ask(std::max<int64_t>(1, int64_t(std::floor(std::exp2(now - 0.25)))));
    case Qt::Key_Right:
      return ask(int64_t(std::ceil(std::exp2(now + 0.25))));
    case Qt::Key_Escape:
      return ask(0);
    default:
      return Canvas::keyPressEvent(event);
  }
}

ValueInRange ReuseChart::value_in_range() const {
  return {double(asked_), 0, film_ ? std::exp2(octaves()) : 0.0};
}

std::vector<Part> ReuseChart::parts() const {
  std::vector<Part> list;
  if (!film_) return list;
  list.push_back({QRectF(16, 4, unit_width() - 32, 18), answer()});
  for (size_t i = 0; i + 1 < film_->levels.size(); ++i) {
    session::FilmLevel const& level = film_->levels[i];
    int64_t lines = level.bytes / film_->line_bytes;
    list.push_back(
        {QRectF(x_of(double(lines)) - 4, plot().top(), 8, plot().height()),
         QStringLiteral("%1, %2: %3 hits if fully associative")
             .arg(QString::fromStdString(level.name), paint::bytes(level.bytes),
                  QString::fromStdString(percent_text(film_->reuse.answered_within(lines))))});
  }
  return list;
}

}  // namespace tw
