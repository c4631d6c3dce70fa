// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot/plot.h"

#include <QHelpEvent>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "widgets/paint/paint.h"

namespace tw {
namespace {

constexpr double kNearest = 200;  // how much closer than the whole one can come
constexpr double kStep = 1.25;    // of a key
constexpr double kPan = 0.2;      // of what is seen
constexpr double kClick = 4;      // pixels: further away it is a drag
char const kHelp[] = "Wheel, + and -: zoom\nDrag, arrows: pan\nDouble click, 0: reset";

/// Inside of `whole`, with the size kept if that is possible.
QCPRange held(QCPRange seen, QCPRange whole, bool logarithmic) {
  if (whole.size() <= 0) return whole;
  auto there = [&](double x) { return logarithmic ? std::log(x) : x; };
  auto back = [&](double x) { return logarithmic ? std::exp(x) : x; };
  double lower = there(whole.lower), all = there(whole.upper) - lower;
  double from = there(seen.lower), size = there(seen.upper) - from;
  if (size >= all * (1 - 1e-6)) return whole;
  double kept = std::max(size, all / kNearest);
  from = std::clamp(from + (size - kept) / 2, lower, lower + all - kept);
  return {back(from), back(from + kept)};
}

bool is_log(QCPAxis const& axis) { return axis.scaleType() == QCPAxis::stLogarithmic; }

}  // namespace

/// What the plot itself paints, in units, at its place among the layers.
class PlotWords : public QCPLayerable {
public:
  explicit PlotWords(Plot* plot) : QCPLayerable(plot, "axes"), plot_(plot) {}

protected:
  void applyDefaultAntialiasingHint(QCPPainter*) const override {}
  void draw(QCPPainter* painter) override { plot_->paint_all_words(*painter); }

private:
  Plot* plot_;
};

Plot::Plot(QWidget* parent) : QCustomPlot(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleDescription(kHelp);
  setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
  setPlottingHint(QCP::phImmediateRefresh, false);
  // A second buffer costs more on a large screen than ten thousand dots.
  layer("overlay")->setMode(QCPLayer::lmLogical);
  for (QCPAxis* axis : {xAxis, yAxis}) {
    axis->setSubTicks(false);
    for (auto set : {&QCPAxis::setBasePen, &QCPAxis::setTickPen}) (axis->*set)(Qt::NoPen);
    axis->setTickLength(0);
    connect(axis, qOverload<QCPRange const&>(&QCPAxis::rangeChanged), this, &Plot::hold);
  }
  connect(this, &QCustomPlot::beforeReplot, this, [this] { before_drawing(); });
  new PlotWords(this);  // the plot's own child
}

void Plot::set_theme(Theme const& theme) {
  bool rescaled = theme.scale != theme_.scale;
  theme_ = theme;
  setBackground(QBrush(theme.panel));
  axisRect()->setBackground(QBrush(theme.inset));
  for (QCPAxis* axis : {xAxis, yAxis}) {
    axis->setTickLabelFont(mono_font(tick_size_ * unit()));
    axis->setTickLabelColor(theme.text3);
    axis->setTickLabelPadding(theme.px(axis == xAxis ? 4 : 6));
    axis->grid()->setPen(QPen(theme.line1, 1));
    axis->grid()->setZeroLinePen(QPen(theme.line1, 1));
  }
  if (rescaled) updateGeometry();
  refresh();
}

void Plot::set_margins(double left, double top, double right, double bottom) {
  QMargins margins(theme_.px(left), theme_.px(top), theme_.px(right), theme_.px(bottom));
  // Words of ticks may need more at the left.
  axisRect()->setAutoMargins(QCP::msLeft);
  axisRect()->setMinimumMargins(QMargins(margins.left(), 0, 0, 0));
  axisRect()->setMargins(margins);
}

QRectF Plot::area() const {
  QRectF pixels = axisRect()->rect();
  return {pixels.topLeft() / unit(), pixels.size() / unit()};
}

void Plot::refresh() {
  stale_ = true;
  update();
}

// ---- what is seen --------------------------------------------------------------------------

void Plot::set_whole(QCPRange x, QCPRange y) {
  whole_x_ = x, whole_y_ = y;
  if (near_) return hold();
  show_all();
}

void Plot::show_all() {
  near_ = false;
  xAxis->setRange(whole_x_);
  yAxis->setRange(whole_y_);
  refresh();
}

/// Nobody gets lost outside of what there is.
void Plot::hold() {
  if (holding_ || whole_x_.size() <= 0 || whole_y_.size() <= 0) return;
  holding_ = true;
  xAxis->setRange(held(xAxis->range(), whole_x_, is_log(*xAxis)));
  yAxis->setRange(held(yAxis->range(), whole_y_, is_log(*yAxis)));
  holding_ = false;
  near_ = xAxis->range() != whole_x_ || yAxis->range() != whole_y_;
  refresh();
}

void Plot::zoom(double factor, QPointF around) {
  xAxis->scaleRange(factor, xAxis->pixelToCoord(around.x()));
  yAxis->scaleRange(factor, yAxis->pixelToCoord(around.y()));
}

void Plot::pan(double right, double up) {
  auto move = [](QCPAxis& axis, double share) {
    QCPRange seen = axis.range();
    axis.moveRange(is_log(axis) ? std::pow(seen.upper / seen.lower, share) : seen.size() * share);
  };
  move(*xAxis, right);
  move(*yAxis, up);
}

// ---- painting ------------------------------------------------------------------------------

void Plot::paintEvent(QPaintEvent* event) {
  if (stale_ || paint::TextLog::is_open()) replot(QCustomPlot::rpQueuedRefresh);
  stale_ = false;
  QCPPainter painter(this);
  if (!painter.isActive() || painter.paintEngine()->type() != QPaintEngine::SVG) {
    painter.end();
    return QCustomPlot::paintEvent(event);
  }
  // In a file of lines they stay lines: the library would paste the pixels that it keeps.
  painter.setMode(QCPPainter::pmVectorized);
  painter.fillRect(rect(), theme_.panel);
  draw(&painter);
}

/// The library would draw at once, even while it is hidden.
void Plot::resizeEvent(QResizeEvent*) {
  setViewport(rect());
  refresh();
}

void Plot::paint_all_words(QPainter& painter) {
  log_ticks(painter);
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.scale(unit(), unit());
  paint_words(painter);
  painter.restore();
}

/// The library paints them: only their places are told.
void Plot::log_ticks(QPainter& painter) const {
  if (!paint::TextLog::is_open()) return;
  QFontMetricsF metrics(xAxis->tickLabelFont());
  QRectF area = axisRect()->rect();
  for (QCPAxis* axis : {xAxis, yAxis})
    for (qsizetype i = 0; i < axis->tickVector().size(); ++i) {
      QString words = axis->tickVectorLabels().value(i);
      double at = axis->coordToPixel(axis->tickVector()[i]),
             wide = metrics.horizontalAdvance(words);
      double high = metrics.height(), padding = axis->tickLabelPadding();
      QRectF box = axis == xAxis ? QRectF(at - wide / 2, area.bottom() + padding, wide, high)
                                 : QRectF(area.left() - padding - wide, at - high / 2, wide, high);
      paint::log_words(painter, box, words, !QRectF(rect()).contains(box));
    }
}

// ---- mouse and keys ------------------------------------------------------------------------

void Plot::point_at(QPointF at, QPoint global) {
  QString words = words_at(at);
  if (words == tip_) return;
  tip_ = words;
  setCursor(words.isEmpty() ? Qt::ArrowCursor : Qt::PointingHandCursor);
  QToolTip::showText(global, words, this);  // without words it goes away
}

bool Plot::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QCustomPlot::event(event);
  auto* help = static_cast<QHelpEvent*>(event);
  QString words = words_at(help->pos());
  QToolTip::showText(help->globalPos(), words.isEmpty() ? kHelp : words, this);
  return true;
}

void Plot::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) pressed_ = event->position();
  QCustomPlot::mousePressEvent(event);
}

/// A hand that trembles while it clicks moves nothing.
void Plot::mouseMoveEvent(QMouseEvent* event) {
  if (event->buttons() == Qt::NoButton)
    point_at(event->position(), event->globalPosition().toPoint());
  if (pressed_ && (event->position() - *pressed_).manhattanLength() < kClick * unit()) return;
  pressed_.reset();
  QCustomPlot::mouseMoveEvent(event);
}

void Plot::mouseReleaseEvent(QMouseEvent* event) {
  if (pressed_ && event->button() == Qt::LeftButton) click(*pressed_);
  pressed_.reset();
  QCustomPlot::mouseReleaseEvent(event);
}

void Plot::mouseDoubleClickEvent(QMouseEvent* event) {
  QCustomPlot::mouseDoubleClickEvent(event);
  if (event->button() == Qt::LeftButton) show_all();
}

void Plot::leaveEvent(QEvent* event) {
  tip_.clear();
  QCustomPlot::leaveEvent(event);
}

void Plot::keyPressEvent(QKeyEvent* event) {
  QPointF centre = QRectF(axisRect()->rect()).center();
  switch (event->key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      return zoom(1 / kStep, centre);
    case Qt::Key_Minus:
      return zoom(kStep, centre);
    case Qt::Key_0:
      return show_all();
    case Qt::Key_Left:
      return pan(-kPan, 0);
    case Qt::Key_Right:
      return pan(kPan, 0);
    case Qt::Key_Up:
      return pan(0, kPan);
    case Qt::Key_Down:
      return pan(0, -kPan);
    default:
      return QCustomPlot::keyPressEvent(event);
  }
}

}  // namespace tw
