// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/waves/waves_picture.h"

#include <QMouseEvent>
#include <algorithm>

#include "widgets/paint/paint.h"

namespace tw {
namespace {

constexpr double kLeft = 28, kRight = 12, kTop = 22, kBottom = 26;
constexpr int kMostColumns = 9;

}  // namespace

WavesPicture::WavesPicture(QWidget* parent) : Canvas(parent) {
  setObjectName("wavesPicture");
  setAccessibleName("Blocks on the multiprocessors");
  setMouseTracking(true);
  setMinimumHeight(180);
}

void WavesPicture::show_launch(LaunchReport const& launch, gpu::Occupancy const& occupancy,
                               int units) {
  launch_ = launch;
  occupancy_ = occupancy;
  units_ = units;
  waves_ = waves_of(launch.blocks(), units, occupancy);
  pointed_ = -1;
  update();
}

QRectF WavesPicture::plot() const {
  return {kLeft, kTop, unit_width() - kLeft - kRight, unit_height() - kTop - kBottom};
}

int WavesPicture::columns() const { return int(std::min<int64_t>(waves_.waves, kMostColumns)); }

int64_t WavesPicture::wave_of(int column) const {
  return column + 1 == columns() ? waves_.waves - 1 : column;
}

/// Each multiprocessor gets a block, then each a second one: a band for each of its places.
QRectF WavesPicture::place_rect(int column, int64_t place) const {
  double wide = plot().width() / columns();
  double tall = plot().height() / double(waves_.at_once);
  return {plot().left() + wide * column, plot().top() + tall * double(place), wide - 2, tall};
}

QString WavesPicture::block_words(int64_t block) const {
  int64_t x = block % launch_.grid[0], y = block / launch_.grid[0] % launch_.grid[1];
  int64_t place = block % waves_.at_once;
  return QString("Block %1 (x %2, y %3), wave %4 of %5, multiprocessor %6")
      .arg(block)
      .arg(x)
      .arg(y)
      .arg(block / waves_.at_once + 1)
      .arg(waves_.waves)
      .arg(place % units_);
}

/// Shades tell rows of blocks apart.
void WavesPicture::draw_wave(QPainter& painter, int column) const {
  int64_t wave = wave_of(column), first = wave * waves_.at_once;
  int64_t blocks = wave + 1 == waves_.waves ? waves_.last : waves_.at_once;
  painter.setPen(Qt::NoPen);
  for (int64_t place = 0; place < blocks; ++place) {
    QRectF box = place_rect(column, place);
    int64_t block = first + place, row = block / launch_.grid[0];
    painter.setBrush(block == pointed_
                         ? theme_.ink
                         : Theme::mix(theme_.hue(0), theme_.inset, row % 2 == 0 ? 0.62 : 0.42));
    painter.drawRect(box);
  }
  if (blocks == waves_.at_once) return;
  QRectF from = place_rect(column, blocks);
  QRectF empty(from.left(), from.top(), from.width(), plot().bottom() - from.top());
  painter.setBrush(Theme::mix(theme_.warn, theme_.inset, 0.12));
  painter.drawRect(empty);
  painter.setBrush(QBrush(theme_.warn, Qt::BDiagPattern));
  painter.drawRect(empty);
}

void WavesPicture::draw_axes(QPainter& painter) const {
  QFont font = mono_font(11);
  double band = plot().height() / occupancy_.blocks;
  for (int place = 0; place < occupancy_.blocks; ++place) {
    double top = plot().top() + band * place;
    if (place > 0) painter.fillRect(QRectF(plot().left(), top, plot().width(), 1), theme_.line3);
    if (band < 16 && place % 4 != 0) continue;
    paint::text(painter, QRectF(2, top + band / 2 - 8, kLeft - 8, 16), font, theme_.text3,
                QString("%1").arg(place + 1), Qt::AlignRight | Qt::AlignVCenter);
  }
  paint::text(painter, QRectF(14, 0, unit_width() - 28, 18), ui_font(11), theme_.text2,
              QString("A band is one place of each of %1 multiprocessors, a line a block; shades "
                      "tell rows of blocks apart")
                  .arg(units_));
  double wide = plot().width() / columns();
  QFont small = ui_font(11, 500);
  for (int column = 0; column < columns(); ++column) {
    int64_t wave = wave_of(column);
    bool last = wave + 1 == waves_.waves;
    int64_t blocks = last ? waves_.last : waves_.at_once;
    QString shortest = QString::number(wave + 1), words = QString("wave %1").arg(wave + 1);
    QString all = words + QString(" · %1 blocks").arg(blocks);
    QFontMetricsF metrics(small);
    for (QString const& more : {words, all})
      if (metrics.horizontalAdvance(more) < wide - 6) shortest = more;
    bool gap = column > 0 && wave != wave_of(column - 1) + 1;
    if (gap) shortest.prepend(QStringLiteral("… "));
    paint::text(painter, QRectF(plot().left() + wide * column, plot().bottom() + 5, wide - 2, 16),
                small, last && blocks < waves_.at_once ? theme_.warn : theme_.text2, shortest,
                Qt::AlignCenter);
  }
}

void WavesPicture::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.panel);
  if (waves_.waves == 0) return;
  painter.setRenderHint(QPainter::Antialiasing, false);
  for (int column = 0; column < columns(); ++column) draw_wave(painter, column);
  painter.setRenderHint(QPainter::Antialiasing);
  draw_axes(painter);
}

int64_t WavesPicture::block_at(QPointF at) const {
  if (waves_.waves == 0 || !plot().contains(at)) return -1;
  int column = int((at.x() - plot().left()) / (plot().width() / columns()));
  auto place = int64_t((at.y() - plot().top()) / plot().height() * double(waves_.at_once));
  int64_t block = wave_of(std::clamp(column, 0, columns() - 1)) * waves_.at_once + place;
  return block < launch_.blocks() ? block : -1;
}

void WavesPicture::mouseMoveEvent(QMouseEvent* event) {
  int64_t block = block_at(event->position());
  if (block == pointed_) return;
  pointed_ = block;
  setToolTip(block < 0 ? QString() : block_words(block));
  update();
}

void WavesPicture::leaveEvent(QEvent*) {
  pointed_ = -1;
  update();
}

std::vector<Part> WavesPicture::parts() const {
  std::vector<Part> list;
  for (int column = 0; column < columns(); ++column) {
    int64_t wave = wave_of(column);
    int64_t blocks = wave + 1 == waves_.waves ? waves_.last : waves_.at_once;
    QRectF first = place_rect(column, 0);
    list.push_back({QRectF(first.left(), plot().top(), first.width(), plot().height()),
                    QString("wave %1 of %2: %3 blocks of %4 places")
                        .arg(wave + 1)
                        .arg(waves_.waves)
                        .arg(blocks)
                        .arg(waves_.at_once)});
  }
  return list;
}

}  // namespace tw
