// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/top_bar.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

#include "widgets/paint/paint.h"

namespace tw {

using session::HistoryNodeView;
using session::Verdict;

TopBar::TopBar(QWidget* parent) : QWidget(parent) {
  setObjectName("topBar");
  setAccessibleName("Summary");
  setFixedHeight(48);
}

void TopBar::set_theme(Theme const& theme) {
  theme_ = theme;
  update();
}

void TopBar::show_snapshot(session::Snapshot const& snapshot) {
  snapshot_ = snapshot;
  update();
}

void TopBar::draw_place(QPainter& painter) const {
  QColor const squares[] = {theme_.hue(0), theme_.text2, theme_.text2, theme_.hue(0)};
  for (int i = 0; i < 4; ++i) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(squares[i]);
    painter.drawRoundedRect(QRectF(16 + 10 * (i % 2), 15 + 10 * (i / 2), 8, 8), 2, 2);
  }
  if (!snapshot_.model)
    return paint::text(painter, QRectF(48, 0, 200, 48), ui_font(13, 600), theme_.text1,
                       "Tilewright");
  QString model = QString::fromStdString(snapshot_.model->name);
  double wide = QFontMetricsF(ui_font(13)).horizontalAdvance(model);
  paint::text(painter, QRectF(48, 0, wide + 2, 48), ui_font(13), theme_.text2, model);
  if (snapshot_.kernel < 0 || !snapshot_.kernels) return;
  paint::text(painter, QRectF(54 + wide, 0, 14, 48), ui_font(13), theme_.text3, QStringLiteral("›"),
              Qt::AlignCenter);
  double limit = std::min(340.0, width() * 0.26);
  paint::text(painter, QRectF(74 + wide, 0, std::max(60.0, limit - 26 - wide + 48), 48),
              ui_font(13, 600), theme_.text1,
              QString::fromStdString(snapshot_.kernels->rows[size_t(snapshot_.kernel)].name));
}

void TopBar::draw_pill(QPainter& painter, double& right, QString const& words) const {
  double wide = QFontMetricsF(ui_font(12)).horizontalAdvance(words) + 24;
  QRectF pill(right - wide, 10, wide, 28);
  painter.setPen(QPen(theme_.line2, 1));
  painter.setBrush(theme_.control);
  painter.drawRoundedRect(pill, 6, 6);
  paint::text(painter, pill, ui_font(12), theme_.text1, words, Qt::AlignCenter);
  right = pill.left() - 8;
}

void TopBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillRect(rect(), theme_.panel);
  painter.fillRect(QRectF(0, height() - 1, width(), 1), theme_.line1);
  draw_place(painter);
  double right = width() - 16;
  HistoryNodeView const* node =
      snapshot_.history ? &snapshot_.history->nodes[size_t(snapshot_.history->current)] : nullptr;
  if (node) {
    double share = node->gflops && snapshot_.roofline && snapshot_.roofline->attainable > 0
                       ? *node->gflops / snapshot_.roofline->attainable
                       : -1;
    if (share >= 0) {
      QString words = QString("%1 % of roof %2")
                          .arg(share * 100, 0, 'f', share < 0.1 ? 1 : 0)
                          .arg(paint::number(snapshot_.roofline->attainable));
      double wide = QFontMetricsF(ui_font(12)).horizontalAdvance(words) + 4;
      paint::text(painter, QRectF(right - wide, 0, wide, 48), ui_font(12), theme_.text2, words);
      right -= wide + 10;
      QRectF track(right - 90, 21, 90, 6);
      painter.setPen(Qt::NoPen);
      painter.setBrush(theme_.control);
      painter.drawRoundedRect(track, 3, 3);
      painter.setBrush(theme_.ink);
      painter.drawRoundedRect(
          QRectF(track.left(), track.top(), track.width() * std::clamp(share, 0.01, 1.0), 6), 3, 3);
      right = track.left() - 16;
    }
    bool wrong = node->verdict == Verdict::kWrong;
    QString big = wrong || !node->failure.empty() ? "no result"
                  : node->gflops                  ? paint::number(*node->gflops)
                                                  : QStringLiteral("·");
    QString unit = node->gflops && !wrong
                       ? QString("GFLOP/s  ± %1 %").arg(node->spread * 100, 0, 'f', 1)
                       : QString();
    double unit_wide = unit.isEmpty() ? 0 : QFontMetricsF(ui_font(11)).horizontalAdvance(unit) + 6;
    double big_wide = QFontMetricsF(ui_font(22, 600)).horizontalAdvance(big) + 6;
    paint::text(painter, QRectF(right - unit_wide, 4, unit_wide, 44), ui_font(11), theme_.text2,
                unit, Qt::AlignLeft | Qt::AlignVCenter);
    paint::text(painter, QRectF(right - unit_wide - big_wide, 0, big_wide, 46), ui_font(22, 600),
                node->measuring ? theme_.text3
                : wrong         ? theme_.error
                                : theme_.text1,
                big, Qt::AlignLeft | Qt::AlignVCenter);
    right -= unit_wide + big_wide + 18;
    static QString const kWords[] = {"", QStringLiteral("◐ Checking"), QStringLiteral("✓ Correct"),
                                     QStringLiteral("✕ Wrong")};
    QColor const colours[] = {theme_.text3, theme_.text2, theme_.ok, theme_.error};
    QString verdict =
        !node->failure.empty() ? QStringLiteral("▲ Not measured") : kWords[size_t(node->verdict)];
    QColor colour = !node->failure.empty() ? theme_.warn : colours[size_t(node->verdict)];
    double wide = QFontMetricsF(ui_font(13, 500)).horizontalAdvance(verdict) + 4;
    paint::text(painter, QRectF(right - wide, 0, wide, 48), ui_font(13, 500), colour, verdict);
    right -= wide + 18;
  }
  if (!snapshot_.machine || right < 660) return;
  draw_pill(painter, right, QString::fromStdString(snapshot_.machine->target));
  if (right > 620) draw_pill(painter, right, QString::fromStdString(snapshot_.machine->name));
}

void TopBar::mousePressEvent(QMouseEvent* event) {
  if (event->position().x() < 44) emit home_asked();
}

}  // namespace tw
