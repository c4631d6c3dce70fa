// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/access/request_strip.h"

#include <QMouseEvent>
#include <algorithm>

#include "widgets/paint/paint.h"

namespace tw {
namespace {

constexpr double kInset = 14, kTop = 6, kFoot = 12;

}  // namespace

RequestStrip::RequestStrip(QWidget* parent) : Canvas(parent) {
  setObjectName("requestStrip");
  setAccessibleName("Cost of each request as the loops run");
  rescale();
}

void RequestStrip::show_costs(Costs costs) {
  costs_ = std::move(costs);
  update();
}

void RequestStrip::stand_at(int64_t iteration) {
  at_ = iteration;
  update();
}

QRectF RequestStrip::plot() const {
  return {kInset, kTop, unit_width() - 2 * kInset, unit_height() - kTop - kFoot};
}

double RequestStrip::x_of(int64_t iteration) const {
  double all = double(std::max<int64_t>(1, costs_.iterations));
  return plot().left() + plot().width() * (double(iteration) + 0.5) / all;
}

void RequestStrip::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.panel);
  if (costs_.of_bar.empty()) return;
  painter.fillRect(plot(), theme_.inset);
  int most = std::max(1, *std::ranges::max_element(costs_.of_bar));
  double wide = plot().width() / double(costs_.of_bar.size());
  QColor plain = costs_.passes ? theme_.levels[0] : paint::word_colour(theme_, 1);
  painter.setPen(Qt::NoPen);
  for (size_t i = 0; i < costs_.of_bar.size(); ++i) {
    double high = (plot().height() - 2) * std::max(0, costs_.of_bar[i]) / most;
    QRectF bar(plot().left() + wide * double(i), plot().bottom() - high, wide > 4 ? wide - 1 : wide,
               high);
    bool over = costs_.of_bar[i] > costs_.ideal;
    painter.setBrush(Theme::mix(over ? theme_.warn : plain, theme_.inset, over ? 0.45 : 0.8));
    painter.drawRect(bar);
    if (!over || wide <= 4) continue;
    painter.setBrush(QBrush(theme_.warn, Qt::BDiagPattern));
    painter.drawRect(bar);
  }
  double x = x_of(at_);
  painter.setPen(QPen(theme_.ink, 2));
  painter.drawLine(QPointF(x, kTop - 3), QPointF(x, plot().bottom()));
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme_.ink);
  painter.drawEllipse(QPointF(x, plot().bottom() + 5), 4.5, 4.5);
}

/// A click or a drag goes there.
void RequestStrip::ask_at(QMouseEvent* event) {
  if (!(event->buttons() & Qt::LeftButton) || costs_.iterations < 1) return;
  double share = (event->position().x() - plot().left()) / std::max(1.0, plot().width());
  auto to = int64_t(share * double(costs_.iterations));
  emit iteration_asked(std::clamp<int64_t>(to, 0, costs_.iterations - 1));
}

QString RequestStrip::bar_words(size_t bar) const {
  int cost = costs_.of_bar[bar];
  QString where =
      QString("iteration %1: ").arg(iteration_of(bar, costs_.of_bar.size(), costs_.iterations));
  if (cost < 0) return where + "not known";
  char const* unit =
      costs_.passes ? (cost == 1 ? "pass" : "passes") : (cost == 1 ? "sector" : "sectors");
  return where + QString("%1 %2").arg(cost).arg(unit);
}

std::vector<Part> RequestStrip::parts() const {
  std::vector<Part> list;
  double wide = plot().width() / double(std::max<size_t>(1, costs_.of_bar.size()));
  for (size_t i = 0; i < costs_.of_bar.size(); ++i) {
    int64_t first = iteration_of(i, costs_.of_bar.size(), costs_.iterations),
            next = iteration_of(i + 1, costs_.of_bar.size(), costs_.iterations);
    list.push_back({QRectF(plot().left() + wide * double(i), plot().top(), wide, plot().height()),
                    bar_words(i), at_ >= first && at_ < next});
  }
  return list;
}

}  // namespace tw
