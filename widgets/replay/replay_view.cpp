// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/replay/replay_view.h"

#include <QPainter>
#include <algorithm>

#include "widgets/paint/paint.h"

namespace tw {

using session::ReplayOutcome;

namespace {

constexpr double kLeft = 16, kText = 104, kLine = 18, kHead = 52;

struct Look {
  QString sign, word;
  QColor colour;
};

Look look_of(ReplayOutcome outcome, Theme const& theme) {
  switch (outcome) {
    case ReplayOutcome::kApplied:
      return {QStringLiteral("✓"), "applied", theme.ok};
    case ReplayOutcome::kChanged:
      return {QStringLiteral("≈"), "changed", theme.warn};
    default:
      return {QStringLiteral("✕"), "refused", theme.error};
  }
}

}  // namespace

ReplayView::ReplayView(QWidget* parent) : Canvas(parent) {
  setObjectName("replay");
  setAccessibleName("Replayed steps");
  setProperty("tells", true);  // nothing in it can be clicked
  fit();
}

void ReplayView::show_replay(std::shared_ptr<session::ReplayView const> replay) {
  if (replay == replay_) return;
  replay_ = std::move(replay);
  fit();
}

void ReplayView::resizeEvent(QResizeEvent*) { fit(); }

void ReplayView::fit() {
  auto all = rows();
  double tall = all.empty() ? 80 : all.back().rect.bottom() + 12;
  setMinimumHeight(pixels(QSizeF(0, tall)).height());
  update();
}

double ReplayView::reason_height(QString const& reason) const {
  if (reason.isEmpty()) return 0;
  QRectF box(0, 0, std::max(120.0, unit_width() - kText - 16), 1000);
  return QFontMetricsF(ui_font(12)).boundingRect(box, Qt::TextWordWrap, reason).height() + 2;
}

std::vector<ReplayView::Row> ReplayView::rows() const {
  std::vector<Row> all;
  double y = kHead;
  for (auto const& step : replay_ ? replay_->steps : std::vector<session::ReplayedStep>()) {
    Row row{{},
            nullptr,
            QString::fromStdString(step.from),
            QString::fromStdString(step.to),
            QString::fromStdString(step.reason)};
    bool both = !row.to.isEmpty() && row.to != row.from;
    double height = 8 + kLine * (both ? 2 : 1) + reason_height(row.reason);
    row.rect = QRectF(0, y, unit_width(), height);
    y += height;
    all.push_back(row);
  }
  for (size_t i = 0; i < all.size(); ++i) all[i].step = &replay_->steps[i];
  return all;
}

void ReplayView::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.panel);
  if (!replay_) {
    paint::paragraph(painter, QRectF(kLeft, 16, unit_width() - 2 * kLeft, 60), ui_font(12),
                     theme_.text2,
                     "After a schedule is replayed on another kernel, this shows which of its "
                     "steps applied, which changed and which were refused.");
    return;
  }
  auto line = [&](double y, QFont const& font, QColor const& colour, QString const& words) {
    paint::text(painter, QRectF(kLeft, y, unit_width() - 2 * kLeft, kLine), font, colour,
                QFontMetricsF(font).elidedText(words, Qt::ElideRight, unit_width() - 2 * kLeft));
  };
  line(8, ui_font(13, 600), theme_.text1,
       QString::fromStdString(replay_->from_kernel) + QStringLiteral(" → ") +
           QString::fromStdString(replay_->to_kernel));
  line(27, ui_font(12), theme_.text2, QString::fromStdString(replay_->summary));
  for (Row const& row : rows()) draw_row(painter, row);
}

void ReplayView::draw_row(QPainter& painter, Row const& row) const {
  Look look = look_of(row.step->outcome, theme_);
  double y = row.rect.top() + 4, wide = unit_width() - kText - 16;
  painter.setPen(QPen(theme_.line1, 1));
  painter.drawLine(QPointF(kLeft, row.rect.top()), QPointF(unit_width() - kLeft, row.rect.top()));
  paint::text(painter, QRectF(kLeft, y, 16, kLine), ui_font(12, 600), look.colour, look.sign);
  paint::text(painter, QRectF(kLeft + 18, y, kText - kLeft - 18, kLine), ui_font(12), look.colour,
              look.word);
  auto code = [&](QString const& words, QColor const& colour) {
    QFont font = mono_font(12);
    paint::text(painter, QRectF(kText, y, wide, kLine), font, colour,
                QFontMetricsF(font).elidedText(words, Qt::ElideRight, wide));
    y += kLine;
  };
  bool both = !row.to.isEmpty() && row.to != row.from;
  code(row.from, both ? theme_.text3 : theme_.text1);
  if (both) code(row.to, theme_.text1);
  if (!row.reason.isEmpty())
    paint::paragraph(painter, QRectF(kText, y, wide, row.rect.bottom() - y + 2), ui_font(12),
                     theme_.text2, row.reason);
}

std::vector<Part> ReplayView::parts() const {
  std::vector<Part> parts;
  for (Row const& row : rows())
    parts.push_back({row.rect,
                     look_of(row.step->outcome, theme_).word + ": " + row.from +
                         (row.to.isEmpty() || row.to == row.from ? "" : ", here " + row.to) +
                         (row.reason.isEmpty() ? "" : ", " + row.reason),
                     false});
  return parts;
}

}  // namespace tw
