// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/start/sample_button.h"

#include <QPainter>
#include <algorithm>

#include "engine/support/base/quantities.h"
#include "widgets/loop_nest/loop_nest_metrics.h"
#include "widgets/paint/paint.h"

namespace tw {

namespace {

constexpr double kPad = 15;
constexpr double kSmall = 0.5;  // of the loop nest's own bars
constexpr double kPitch = 14, kIndent = 9;

}  // namespace

SampleButton::SampleButton(SampleCard sample) : StartCard(kHeight), sample_(std::move(sample)) {
  setObjectName("sample_" + sample_.name);
  setAccessibleName(sample_.title);
  sample_.description =
      paint::shape(QString(sample_.description).replace(" x ", "x").toStdString());
  sample_.description.replace(QChar(0x00D7), QStringLiteral(" × "));
  describe();
}

void SampleButton::show_story(session::SampleSummary const& story) {
  story_ = story;
  describe();
  update();
}

QString SampleButton::size_words() const {
  if (!story_ || story_->operators == 0) return sample_.description;
  return QString::fromStdString(count_text(story_->operators, "operator") + " · " +
                                count_text(story_->kernels, "kernel"));
}

/// What is drawn, in words.
void SampleButton::describe() {
  QStringList words{size_words()};
  if (story_ && story_->measured_ms)
    words << "measured here: " + paint::time(*story_->measured_ms);
  else if (story_ && story_->model_ms)
    words << "modelled: " + paint::time(*story_->model_ms);
  setAccessibleDescription(words.join(", "));
  if (!story_) return setToolTip(paint::wrapped(sample_.description));
  setToolTip(paint::wrapped(
      sample_.description + "\nThe loops of " + QString::fromStdString(story_->kernel) +
      ", its most arithmetic, with the default schedule" +
      (words.size() > 1 ? "\nThe whole model with default schedules, " + words.last()
                        : QString())));
}

/// As many rows as there are loops; the longest bar reaches as far as there is room.
void SampleButton::paint_loop_nest(QPainter& painter, QRectF const& room) const {
  auto const& loops = story_->loops;
  double pitch = std::min(room.height() / double(std::max<size_t>(loops.size(), 1)), kPitch * 1.6);
  double indent =
      std::min(kIndent, room.width() * 0.35 / double(std::max<size_t>(loops.size(), 1)));
  double widest = 1;
  for (size_t i = 0; i < loops.size(); ++i)
    widest = std::max(widest, indent * double(i) / room.width() * 420 +
                                  loop_nest_metrics::bar_width(loops[i].extent));
  for (size_t i = 0; i < loops.size(); ++i) {
    double left = indent * double(i);
    double wide = std::min(loop_nest_metrics::bar_width(loops[i].extent) / widest * room.width(),
                           room.width() - left);
    painter.save();
    painter.translate(room.left() + left, room.top() + pitch * double(i));
    painter.scale(kSmall, kSmall);
    paint::bar(painter, QRectF(0, 0, wide / kSmall, pitch * 0.74 / kSmall), theme_, loops[i].hue,
               loops[i].level);
    painter.restore();
  }
}

/// A modelled time has the hollow mark of what was not measured.
void SampleButton::paint_time(QPainter& painter, QRectF const& line, double& right) const {
  if (!story_ || (!story_->measured_ms && !story_->model_ms)) return;
  bool measured = story_->measured_ms.has_value();
  QString words = paint::time(measured ? *story_->measured_ms : *story_->model_ms);
  QFont font = mono_font(13);
  double wide = words_width(font, paint::unligated(words));
  QRectF box(right - wide, line.top(), wide, line.height());
  paint::text(painter, box, font, measured ? theme_.text1 : theme_.text2, words);
  right -= wide + 8;
  if (measured) return;
  painter.setPen(QPen(theme_.text3, 1.4));
  painter.setBrush(Qt::NoBrush);
  painter.drawEllipse(QPointF(right, line.center().y()), 3.5, 3.5);
  right -= 10;
}

void SampleButton::paint(QPainter& painter, QRectF const& area) const {
  paint_card(painter, area);
  QRectF inside = area.adjusted(kPad, kPad + 2, -kPad, -kPad + 2);
  QRectF title(inside.left(), inside.bottom() - 42, inside.width(), 22);
  QRectF sizes(inside.left(), inside.bottom() - 20, inside.width(), 18);
  double right = inside.right();
  paint_time(painter, title, right);
  title.setRight(right);
  QFont bold = ui_font(area.width() < 300 ? 13 : 15, 600), plain = ui_font(12);
  paint::text(painter, title, bold, theme_.text1, words_within(title.width(), bold, sample_.title));
  QRectF picture(inside.left(), inside.top(), inside.width() * 0.86,
                 title.top() - inside.top() - 14);
  if (story_) {
    paint_loop_nest(painter, picture);
    paint::text(painter, sizes, plain, theme_.text2,
                words_within(sizes.width(), plain, size_words()));
  } else {
    paint::text(painter, sizes, plain, theme_.text2,
                words_within(sizes.width(), plain, sample_.description));
  }
}

}  // namespace tw
