// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/start/recent_row.h"

#include <QPainter>
#include <algorithm>

#include "widgets/paint/paint.h"

namespace tw {

RecentRow::RecentRow(QString name, QString place, std::optional<Reached> reached)
    : StartCard(kHeight), name_(std::move(name)), reached_(std::move(reached)) {
  second_ = !reached_                   ? place
            : reached_->where.isEmpty() ? QStringLiteral("not started")
                                        : reached_->where;
  if (reached_) when_ = day_words(reached_->when, QDateTime::currentDateTime());
  setAccessibleName(name_);
  QStringList words{second_};
  if (reached_) words << reached_->best << when_;
  words.removeAll(QString());
  setAccessibleDescription(words.join(", "));
  setToolTip(paint::wrapped(place));
}

void RecentRow::paint_mark(QPainter& painter, QPointF centre) const {
  paint::kernel_state(painter, centre, theme_,
                      reached_ ? reached_->state : session::KernelState::kDefault);
}

void RecentRow::paint(QPainter& painter, QRectF const& area) const {
  if (is_hovered()) painter.fillRect(area, theme_.hover);
  painter.fillRect(QRectF(area.left(), area.bottom() - 1, area.width(), 1), theme_.line1);
  double middle = area.center().y();
  paint_mark(painter, QPointF(area.left() + 12, middle));
  QRectF upper(area.left() + 32, middle - 21, area.width() - 40, 22), lower = upper;
  lower.translate(0, 20);
  auto line = [&](QRectF row, QFont const& font, QColor const& colour, QString const& words,
                  QFont const& last_font, QColor const& last_colour, QString const& last) {
    double wide = last.isEmpty() ? 0 : words_width(last_font, paint::unligated(last));
    if (wide > 0)
      paint::text(painter, QRectF(row.right() - wide, row.top(), wide, row.height()), last_font,
                  last_colour, last);
    row.setRight(row.right() - wide - (wide > 0 ? 12 : 0));
    paint::text(painter, row, font, colour, words_within(row.width(), font, words));
  };
  line(upper, ui_font(13, 500), theme_.text1, name_, mono_font(13), theme_.text1,
       reached_ ? reached_->best : QString());
  line(lower, ui_font(12), theme_.text2, second_, ui_font(12), theme_.text3, when_);
}

}  // namespace tw
