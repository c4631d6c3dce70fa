// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/start/roof_picture.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "widgets/paint/level_pen.h"
#include "widgets/paint/paint.h"
#include "widgets/start/start_card.h"

namespace tw {

RoofPicture::RoofPicture() {
  setObjectName("lessonPicture");
  rescale();
  hide();
}

void RoofPicture::rescale() { setFixedHeight(theme_.px(kHeight)); }

double RoofPicture::peak() const {
  double most = 0;
  for (session::RoofView const& roof : machine_->roofs)
    if (roof.compute) most = std::max(most, roof.value);
  return most;
}

void RoofPicture::show_kernel(std::shared_ptr<session::MachineView const> machine,
                              std::optional<session::KernelEstimate> promise) {
  machine_ = std::move(machine);
  promise_ = promise;
  // What is promised is of this machine, whatever device is in use.
  bool here = machine_ && machine_->device == "local";
  bool known = here && promise_ && machine_->roofs_known && peak() > 0;
  setVisible(known);
  if (!known) return;
  setAccessibleName(
      QString("On this machine's roofline, modelled: %1 unscheduled, %2 default schedule")
          .arg(paint::speed(speed_in(promise_->plain_ms), "GFLOP/s"),
               paint::speed(speed_in(promise_->rule_ms), "GFLOP/s")));
  setToolTip(paint::wrapped(accessibleName()));
  update();
}

/// The kernel stands at two thirds of the width, the peak below the upper edge.
QPointF RoofPicture::place(double intensity, double speed) const {
  double octaves = std::log2(intensity / this->intensity());
  double low = std::log10(speed_in(promise_->plain_ms)) - 0.35, high = std::log10(peak()) + 0.25;
  return {unit_width() * (0.66 + octaves / 15),
          (unit_height() - 10) * (1 - (std::log10(speed) - low) / (high - low)) + 5};
}

void RoofPicture::draw_roofs(QPainter& painter) const {
  double top = peak(), fastest = 0;
  int level = 0, memories = 0;
  for (session::RoofView const& roof : machine_->roofs) memories += !roof.compute;
  for (session::RoofView const& roof : machine_->roofs) {
    if (roof.compute) continue;
    fastest = std::max(fastest, roof.value);
    painter.setPen(paint::level_pen(theme_, level == memories - 1 ? 3 : level));
    painter.drawLine(place(top / roof.value / 4096, roof.value * (top / roof.value / 4096)),
                     place(top / roof.value, top));
    ++level;
  }
  painter.setPen(QPen(theme_.text1, 2.5));
  double knee = fastest > 0 ? top / fastest : intensity();
  painter.drawLine(place(knee, top), {unit_width() - 10, place(knee, top).y()});
}

void RoofPicture::draw_points(QPainter& painter) const {
  QPointF plain = place(intensity(), speed_in(promise_->plain_ms));
  QPointF by_rule = place(intensity(), speed_in(promise_->rule_ms));
  painter.setPen(QPen(theme_.text2, 1.5));
  painter.drawLine(plain, by_rule);
  painter.setBrush(theme_.inset);
  painter.drawEllipse(plain, 4.5, 4.5);
  painter.setPen(QPen(theme_.ink, 1.5));
  painter.drawEllipse(by_rule, 6.5, 6.5);
  auto label = [&](QPointF at, QString const& words, int weight, QColor const& colour) {
    QFont const font = ui_font(11, weight);
    double wide = words_width(font, words) + 4;
    bool right = at.x() + 14 + wide < unit_width();
    bool at_roof = at.y() < place(intensity(), peak()).y() + 10;
    paint::text(
        painter,
        QRectF(right ? at.x() + 14 : at.x() - 14 - wide, at.y() + (at_roof ? 5 : -8), wide, 16),
        font, colour, words);
  };
  label(plain, paint::number(speed_in(promise_->plain_ms)), 400, theme_.text2);
  label(by_rule, paint::speed(speed_in(promise_->rule_ms), "GFLOP/s"), 600, theme_.text1);
}

void RoofPicture::paintEvent(QPaintEvent*) {
  if (!promise_) return;
  UnitPainter painter(this);
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme_.inset);
  painter.drawRoundedRect(unit_rect(), 6, 6);
  painter.setClipRect(unit_rect().adjusted(8, 4, -8, -4));
  draw_roofs(painter);
  painter.setClipping(false);
  draw_points(painter);
}

}  // namespace tw
