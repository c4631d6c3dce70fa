// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tuning/gain_view.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

#include "engine/support/base/quantities.h"
#include "widgets/paint/paint.h"

namespace tw {
namespace {

constexpr double kLeft = 16, kHead = 56, kRow = 40;
constexpr double kNoise = 0.015;  // of time: less is no difference

QString elided(QFont const& font, QString const& words, double wide) {
  return QFontMetricsF(font).elidedText(words, Qt::ElideRight, wide);
}

}  // namespace

QString loss_words(session::AblatedPart const& part) {
  if (!part.loss) return part.sentence.empty() ? QString() : QStringLiteral("not timed");
  if (std::abs(*part.loss) < kNoise) return "no difference";
  return QString::fromStdString(speedup_text(1 / (1 + *part.loss)));
}

GainView::GainView(QWidget* parent) : Canvas(parent) {
  setObjectName("gain");
  setAccessibleName("Ablation");
  setProperty("tells", true);  // nothing in it can be clicked
  fit();
}

void GainView::show_gain(std::shared_ptr<session::AblationView const> gain) {
  if (gain == gain_) return;
  gain_ = std::move(gain);
  fit();
}

QRectF GainView::row_rect(size_t row) const {
  return {kLeft, kHead + kRow * double(row), unit_width() - 2 * kLeft, kRow};
}

void GainView::fit() {
  double rows = gain_ ? double(gain_->parts.size()) : 0;
  setMinimumHeight(pixels(QSizeF(0, kHead + kRow * rows + 8)).height());
  update();
}

QString GainView::summary() const {
  QString what = gain_->of_choices ? "choice" : "step";
  if (!gain_->error.empty())
    return "Ablation failed: " + QString::fromStdString(gain_->error) + ".";
  if (gain_->goes_on)
    return gain_->parts.empty() ? QString("Finding its steps and knobs")
                                : QString("Timing it without each of its %1")
                                      .arg(QString::fromStdString(count_text(
                                          int64_t(gain_->parts.size()), what.toStdString())));
  QString words = "It takes " + paint::time(gain_->ms.value_or(0));
  if (gain_->default_ms)
    words += QString(", the default %1: %2")
                 .arg(paint::time(*gain_->default_ms),
                      QString::fromStdString(speedup_text(*gain_->default_ms / *gain_->ms)));
  return words + (gain_->of_choices ? ". Each knob was reset individually."
                                    : ". Each step was left out individually.");
}

void GainView::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.panel);
  double wide = unit_width() - 2 * kLeft;
  if (!gain_) {
    paint::paragraph(painter, QRectF(kLeft, 16, wide, 60), ui_font(12), theme_.text2,
                     "Ablation times a state without each of its steps, or a trial with each knob "
                     "reset, one at a time. Start it from the menu of a state or a trial.");
    return;
  }
  QString title = QString::fromStdString(gain_->kernel) + QStringLiteral(" · ") +
                  QString::fromStdString(gain_->title);
  paint::text(painter, QRectF(kLeft, 8, wide, 20), ui_font(13, 600), theme_.text1,
              elided(ui_font(13, 600), title, wide - 2));
  paint::text(painter, QRectF(kLeft, 29, wide, 18), ui_font(12), theme_.text2,
              elided(ui_font(12), summary(), wide - 2));
  for (size_t i = 0; i < gain_->parts.size(); ++i) draw_row(painter, row_rect(i), gain_->parts[i]);
}

void GainView::draw_row(QPainter& painter, QRectF const& rect,
                        session::AblatedPart const& part) const {
  painter.setPen(QPen(theme_.line1, 1));
  painter.drawLine(rect.topLeft(), rect.topRight());
  double top = rect.top() + 2, value = 150, bar = std::min(160.0, rect.width() * 0.2);
  double wide = std::max(80.0, rect.width() - value - bar - 70);
  auto text = [&](double left, double y, double room, QFont const& font, QColor const& colour,
                  QString const& words, Qt::Alignment side = Qt::AlignLeft) {
    paint::text(painter, QRectF(left, y, room, 18), font, colour, elided(font, words, room - 2),
                side | Qt::AlignVCenter);
  };
  bool detailed = !part.detail.empty() || !part.sentence.empty();
  text(rect.left(), detailed ? top : top + 9, wide, mono_font(12), theme_.text1,
       QString::fromStdString(part.name));
  text(rect.left(), top + 18, wide, ui_font(11), theme_.text2,
       QString::fromStdString(part.sentence.empty() ? part.detail : part.sentence));
  if (!part.loss && part.sentence.empty()) return;
  double left = rect.left() + wide + 8;
  QRectF track(left, rect.center().y() - 3, bar, 6);
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme_.control);
  painter.drawRoundedRect(track, 3, 3);
  if (part.share > 0.005) {
    track.setWidth(std::max(6.0, track.width() * part.share));
    painter.setBrush(theme_.text1);
    painter.drawRoundedRect(track, 3, 3);
  }
  QString share = !part.loss       ? QString()
                  : part.share > 0 ? QString::fromStdString(percent_text(part.share))
                                   : QStringLiteral("0 %");
  text(left + bar + 4, top + 9, 44, mono_font(12), theme_.text1, share, Qt::AlignRight);
  text(rect.right() - value + 4, top + 9, value - 4, ui_font(12), theme_.text2, loss_words(part),
       Qt::AlignRight);
}

std::vector<Part> GainView::parts() const {
  std::vector<Part> parts;
  for (size_t i = 0; gain_ && i < gain_->parts.size(); ++i) {
    session::AblatedPart const& part = gain_->parts[i];
    QString words = QString::fromStdString(part.name);
    if (!part.detail.empty()) words += ", " + QString::fromStdString(part.detail);
    if (QString loss = loss_words(part); !loss.isEmpty()) words += ", without it " + loss;
    if (!part.sentence.empty()) words += ", " + QString::fromStdString(part.sentence);
    parts.push_back({row_rect(i), words, false});
  }
  return parts;
}

}  // namespace tw
