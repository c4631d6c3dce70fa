// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/fusion/fusion_card.h"
#include "widgets/paint/paint.h"

namespace tw {
namespace {

constexpr double kChip = 28, kPad = 12, kHead = 22, kRow = 27, kGap = 12;

QString text_of(session::FusionEnd const& end) { return QString::fromStdString(end.title); }

double chip_width(session::FusionEnd const& end) {
  return QFontMetricsF(mono_font(12)).horizontalAdvance(text_of(end)) + 40;
}

/// What is between the costs as they are and those of the other way.
QString arrow_of(int change) { return change > 0 ? "↑ " : change < 0 ? "↓ " : ""; }

}  // namespace

FusionPicture::FusionPicture(QWidget* parent) : Canvas(parent) {
  setObjectName("fusionPicture");
  setAccessibleName("Cost of the alternative");
  setProperty("tells", true);  // nothing in it can be clicked
  QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
}

void FusionPicture::show_edge(std::shared_ptr<session::FusionEdge const> edge) {
  edge_ = std::move(edge);
  updateGeometry();
  update();
}

void FusionPicture::rescale() { updateGeometry(); }

int FusionPicture::heightForWidth(int width) const {
  return pixels(QSizeF(1, height_for(double(width) / unit()))).height();
}

QSize FusionPicture::sizeHint() const {
  int width = pixels(QSizeF(240, 1)).width();
  return {width, heightForWidth(width)};
}

/// The operators stand below each other where they have no room beside each other.
bool FusionPicture::stacked(double wide) const {
  return chip_width(edge_->from) + chip_width(edge_->to) + 32 + 2 * kPad > wide;
}

double FusionPicture::rule_height(double wide) const {
  return 2 * kPad + (stacked(wide) ? 2 * kChip + 24 : kChip);
}

std::vector<FusionPicture::Row> FusionPicture::rows(double wide) const {
  std::vector<Row> list;
  if (!edge_ || !edge_->costs || !edge_->costs->failure.empty()) return list;
  double y = rule_height(wide) + kGap + kHead;
  for (session::FusionRow& row : rows_of(*edge_->costs)) {
    list.push_back({QRectF(0, y, wide, kRow), std::move(row)});
    y += kRow;
  }
  return list;
}

double FusionPicture::height_for(double wide) const {
  if (!edge_) return 0;
  double rule = rule_height(wide);
  if (edge_->fixed) return rule;
  // As many rows as there will be: nothing moves when they come.
  if (!edge_->costs || !edge_->costs->failure.empty()) return rule + kGap + kHead + 4 * kRow;
  return rule + kGap + kHead + kRow * double(rows(wide).size());
}

void FusionPicture::draw_chip(QPainter& painter, QRectF const& box,
                              session::FusionEnd const& end) const {
  QColor colour = paint::class_colour(theme_, end.pattern);
  painter.setPen(Qt::NoPen);
  painter.setBrush(Theme::mix(colour, theme_.panel, 0.16));
  painter.drawRoundedRect(box, 4, 4);
  painter.fillRect(QRectF(box.left(), box.top(), 4, box.height()), colour);
  paint::class_glyph(painter, QRectF(box.left() + 8, box.top(), 16, kChip), theme_, end.pattern);
  QFontMetricsF metrics(mono_font(12));
  QString words = metrics.elidedText(text_of(end), Qt::ElideRight, box.width() - 34);
  paint::text(painter, box.adjusted(28, 0, -4, 0), mono_font(12), theme_.text1, words);
}

void FusionPicture::draw_rule(QPainter& painter) const {
  double wide = unit_width();
  QRectF frame(0.5, 0.5, wide - 1, rule_height(wide) - 1);
  painter.setPen(QPen(theme_.line2, 1));
  painter.setBrush(theme_.raised);
  painter.drawRoundedRect(frame, 8, 8);
  double room = wide - 2 * kPad;
  QRectF first(kPad, kPad, std::min(room, chip_width(edge_->from)), kChip);
  bool below = stacked(wide);
  QRectF second(below ? kPad : first.right() + 32, below ? kPad + kChip + 24 : kPad,
                std::min(room, chip_width(edge_->to)), kChip);
  draw_chip(painter, first, edge_->from);
  draw_chip(painter, second, edge_->to);
  QRectF sign =
      below ? QRectF(kPad, first.bottom(), 32, 24) : QRectF(first.right(), first.top(), 32, kChip);
  QString words = edge_->fused ? "+" : "×";
  paint::text(painter, sign, ui_font(15, 600), edge_->fused ? theme_.ok : theme_.error, words,
              Qt::AlignCenter);
}

void FusionPicture::draw_costs(QPainter& painter) const {
  double wide = unit_width(), y = rule_height(wide) + kGap;
  double column = std::min(110.0, (wide - 96) / 2);
  auto right = [&](double edge, QFont const& font, QColor const& colour, QString const& words,
                   double top, double high) {
    paint::text(painter, QRectF(edge - column, top, column, high), font, colour, words,
                Qt::AlignRight | Qt::AlignVCenter);
  };
  QFont label = ui_font(11, 500);
  paint::text(painter, QRectF(0, y, wide - 2 * column, kHead), label, theme_.text3, "Cost");
  right(wide - column, label, theme_.text3, "now", y, kHead);
  right(wide, label, theme_.text3, edge_->fused ? "separate" : "fused", y, kHead);
  if (!edge_->costs || !edge_->costs->failure.empty()) {
    QString words = edge_->costs ? QString::fromStdString(edge_->costs->failure)
                                 : QString("Planning the alternative…");
    paint::paragraph(painter, QRectF(0, y + kHead + 4, wide, 4 * kRow - 4), ui_font(12, 400),
                     theme_.text2, words);
    return;
  }
  for (Row const& row : rows(wide)) {
    painter.fillRect(QRectF(0, row.rect.top(), wide, 1), theme_.line1);
    paint::text(painter, QRectF(0, row.rect.top(), wide - 2 * column, kRow), ui_font(12, 400),
                theme_.text1, QString::fromStdString(row.words.what));
    right(wide - column, mono_font(11), theme_.text2, QString::fromStdString(row.words.now),
          row.rect.top(), kRow);
    QColor colour = row.words.change > 0   ? theme_.error
                    : row.words.change < 0 ? theme_.ok
                                           : theme_.text2;
    right(wide, mono_font(11), colour,
          arrow_of(row.words.change) + QString::fromStdString(row.words.then), row.rect.top(),
          kRow);
  }
}

void FusionPicture::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  if (!edge_) return;
  draw_rule(painter);
  if (!edge_->fixed) draw_costs(painter);
}

std::vector<Part> FusionPicture::parts() const {
  std::vector<Part> list;
  if (!edge_) return list;
  double wide = unit_width();
  list.push_back({QRectF(0, 0, wide, rule_height(wide)),
                  QStringLiteral("%1 %2 %3")
                      .arg(text_of(edge_->from), edge_->fused ? "fused with" : "not fused with",
                           text_of(edge_->to))});
  for (Row const& row : rows(wide))
    list.push_back(
        {row.rect,
         QStringLiteral("%1: now %2, %3 %4")
             .arg(QString::fromStdString(row.words.what), QString::fromStdString(row.words.now),
                  edge_->fused ? "separate" : "fused", QString::fromStdString(row.words.then))});
  return list;
}

}  // namespace tw
