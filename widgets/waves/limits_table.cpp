// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/waves/limits_table.h"

#include <algorithm>
#include <climits>

#include "widgets/paint/paint.h"

namespace tw {
namespace {

constexpr double kRow = 26, kInset = 14, kName = 112, kBar = 120;

/// "room for 6 blocks", "room for any number".
QString room_words(int64_t blocks) {
  if (blocks >= INT_MAX) return QStringLiteral("bounds nothing");
  return blocks == 1 ? QStringLiteral("room for 1 block")
                     : QString("room for %1 blocks").arg(blocks);
}

}  // namespace

LimitsTable::LimitsTable(QWidget* parent) : Canvas(parent) {
  setObjectName("limitsTable");
  setAccessibleName("What limits the blocks of a multiprocessor");
  rescale();
}

double LimitsTable::needed_height() const {
  return 24 + kRow * double(std::max<size_t>(rows_.size(), 1)) + 24;
}

void LimitsTable::rescale() {
  setFixedHeight(pixels(QSizeF(1, needed_height())).height());
  updateGeometry();
}

void LimitsTable::show_launch(LaunchReport const& launch, gpu::Multiprocessor const& unit) {
  gpu::KernelUse use = launch.use();
  gpu::Occupancy now = gpu::occupancy(unit, use);
  auto row = [&](gpu::Limit limit, QString const& takes, double used, double all) {
    rows_.push_back({QString::fromStdString(gpu::limit_text(limit)), takes,
                     room_words(gpu::blocks_within(unit, use, limit)),
                     all > 0 ? std::min(1.0, used * now.blocks / all) : 0.0, now.blocks,
                     now.blocks > 0 && now.limit == limit});
  };
  rows_.clear();
  int warps = (use.threads + unit.warp - 1) / unit.warp;
  if (launch.registers)
    row(gpu::Limit::kRegisters, QString("%1 of a thread").arg(use.registers),
        double(use.registers) * unit.warp * warps, double(unit.registers));
  row(gpu::Limit::kShared, paint::bytes(use.shared_bytes) + " of a block", double(use.shared_bytes),
      double(unit.shared_per_unit));
  row(gpu::Limit::kWarps, QString("%1 of a block").arg(warps), warps, unit.max_warps);
  row(gpu::Limit::kBlocks, QString(), 1, unit.max_blocks);
  next_ = QString::fromStdString(gpu::next_step(unit, use));
  if (!launch.registers) {
    next_ = QString::fromStdString(launch.not_counted);
    if (next_.isEmpty()) next_ = "Registers are being counted…";
  }
  rescale();
  update();
}

void LimitsTable::draw_row(QPainter& painter, Row const& row, double y) const {
  QFont font = ui_font(12, row.limits ? 600 : 400);
  paint::text(painter, QRectF(kInset, y, kName - 6, kRow), font,
              row.limits ? theme_.text1 : theme_.text2, row.name);
  QRectF bar(kInset + kName, y + 7, kBar, kRow - 14);
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme_.control);
  painter.drawRoundedRect(bar, 2, 2);
  int segments = std::clamp(row.segments, 0, 32);
  double wide = bar.width() * row.share / std::max(1, segments);
  painter.setBrush(row.limits ? theme_.ink : theme_.text3);
  for (int i = 0; i < segments; ++i)
    painter.drawRect(
        QRectF(bar.left() + wide * i, bar.top(), std::max(1.0, wide - 1), bar.height()));
  double left = bar.right() + 12, right = unit_width() - kInset;
  QFont mono = mono_font(12);
  double room_wide = QFontMetricsF(ui_font(12)).horizontalAdvance(row.blocks) + 4;
  paint::text(painter, QRectF(right - room_wide, y, room_wide, kRow), ui_font(12, 400),
              row.limits ? theme_.text1 : theme_.text3, row.blocks,
              Qt::AlignRight | Qt::AlignVCenter);
  double takes = right - room_wide - left - 8;
  paint::text(painter, QRectF(left, y, takes, kRow), mono, theme_.text2,
              QFontMetricsF(mono).elidedText(row.takes, Qt::ElideRight, takes));
}

void LimitsTable::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.panel);
  if (rows_.empty()) return;
  paint::text(painter, QRectF(kInset, 2, unit_width() - 2 * kInset, 20), ui_font(12, 600),
              theme_.text1, "What limits the blocks of a multiprocessor");
  double y = 24;
  for (Row const& row : rows_) {
    draw_row(painter, row, y);
    y += kRow;
  }
  QFont font = ui_font(12);
  double room = unit_width() - 2 * kInset;
  paint::text(painter, QRectF(kInset, y + 2, room, 18), font, theme_.text2,
              QFontMetricsF(font).elidedText(next_, Qt::ElideRight, room));
}

std::vector<Part> LimitsTable::parts() const {
  std::vector<Part> list;
  double y = 24;
  for (Row const& row : rows_) {
    list.push_back({QRectF(0, y, unit_width(), kRow),
                    row.name + ", " + row.takes + ": " + row.blocks, row.limits});
    y += kRow;
  }
  if (!next_.isEmpty()) list.push_back({QRectF(0, y, unit_width(), 22), next_});
  return list;
}

}  // namespace tw
