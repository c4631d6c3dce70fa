// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/access/access_picture.h"

#include <QMouseEvent>
#include <QPainterPath>
#include <algorithm>

#include "widgets/paint/paint.h"

namespace tw {
namespace {

constexpr double kInset = 14, kHead = 42, kLanes = 20, kWays = 46, kFoot = 26;
constexpr double kSectorRow = 12, kBankRow = 16, kMostRow = 26;
constexpr int kMostRows = 16;

QString unit_word(bool shared, int count) {
  return shared ? (count == 1 ? "pass" : "passes") : (count == 1 ? "sector" : "sectors");
}

}  // namespace

AccessPicture::AccessPicture(QString const& name, QWidget* parent) : Canvas(parent) {
  setObjectName(name);
  setAccessibleName("Lanes of a warp and what they touch");
  setMouseTracking(true);
  hide();
}

void AccessPicture::show_request(std::optional<Shown> shown) {
  shown_ = std::move(shown);
  cells_ = shown_ ? cells_of(shown_->request, shown_->access.shared, shown_->access.bytes)
                  : AccessCells();
  setVisible(shown_.has_value());
  rescale();
  update();
}

void AccessPicture::ring(int lane) {
  if (lane == ringed_) return;
  ringed_ = lane;
  update();
}

double AccessPicture::row_height() const {
  return std::clamp(unit_width() / 60, cells_.banks ? kBankRow : kSectorRow, kMostRow);
}

double AccessPicture::needed_height() const {
  int rows = std::clamp(cells_.rows, cells_.banks ? 2 : 4, kMostRows);
  return kHead + kLanes + kWays + row_height() * rows + kFoot;
}

void AccessPicture::rescale() {
  setFixedHeight(pixels(QSizeF(1, needed_height())).height());
  updateGeometry();
}

QRectF AccessPicture::lane_rect(int lane) const {
  int lanes = std::max<int>(1, int(shown_->request.address.size()));
  double wide = (unit_width() - 2 * kInset) / lanes;
  return {kInset + wide * lane, kHead, wide - 1, kLanes - 2};
}

QRectF AccessPicture::column_rect(int column) const {
  int columns = std::max(1, cells_.columns);
  double wide = (unit_width() - 2 * kInset) / columns;
  double gap = cells_.banks ? 1 : wide > 30 ? 6 : 2;
  return {kInset + wide * column, kHead + kLanes + kWays, std::max(2.0, wide - gap), 1};
}

QRectF AccessPicture::cell_rect(AccessCell const& cell) const {
  QRectF column = column_rect(cell.column);
  double row = row_height();
  return {column.left(), column.top() + row * cell.row, column.width(), row - 2};
}

int AccessPicture::lane_at(QPointF at) const {
  if (!shown_) return -1;
  for (int lane = 0; lane < int(shown_->request.address.size()); ++lane) {
    AccessCell const* cell = cells_.cell(lane);
    if (lane_rect(lane).contains(at) || (cell && cell_rect(*cell).contains(at))) return lane;
  }
  return -1;
}

/// The number that the eye is to find, and what it is of.
void AccessPicture::draw_head(QPainter& painter) const {
  bool over = shown_->request.cost > shown_->access.ideal;
  QString cost = QString("%1 %2")
                     .arg(shown_->request.cost)
                     .arg(unit_word(shown_->access.shared, shown_->request.cost));
  QFont big = ui_font(17, 600);
  double wide = QFontMetricsF(big).horizontalAdvance(cost) + 4;
  double right = unit_width() - kInset;
  paint::text(painter, QRectF(right - wide, 2, wide, 22), big, over ? theme_.warn : theme_.ok, cost,
              Qt::AlignRight | Qt::AlignVCenter);
  double room = right - wide - kInset - 26;
  painter.setPen(Qt::NoPen);
  painter.setBrush(shown_->past ? theme_.text3 : theme_.ink);
  painter.drawEllipse(QPointF(kInset + 4, 13), 3.5, 3.5);
  QFont font = ui_font(12, 600);
  paint::text(painter, QRectF(kInset + 14, 3, room, 20), font, theme_.text1,
              QFontMetricsF(font).elidedText(shown_->title, Qt::ElideRight, room));
  QFont small = ui_font(11);
  QString words = below_words();
  paint::text(painter, QRectF(kInset + 14, 22, right - kInset - 14, 16), small, theme_.text2,
              QFontMetricsF(small).elidedText(words, Qt::ElideRight, right - kInset - 16));
}

QString AccessPicture::below_words() const {
  int lanes = int(std::ranges::count_if(shown_->request.address, [](auto at) { return at != -1; }));
  QString who = lanes == int(shown_->request.address.size())
                    ? QString("%1 lanes").arg(lanes)
                    : QString("%1 of %2 lanes").arg(lanes).arg(shown_->request.address.size());
  if (cells_.banks) {
    std::vector<bool> busy(size_t(std::max(1, cells_.columns)), false);
    for (AccessCell const& cell : cells_.cells) busy[size_t(cell.column)] = true;
    return QString("%1, %2 of 32 banks busy").arg(who).arg(std::ranges::count(busy, true));
  }
  if (cells_.moved == 0) return who;
  return QString("%1 ask for %2, %3 are moved: %4 % used, %5 lines of 128 bytes")
      .arg(who, paint::bytes(cells_.asked), paint::bytes(cells_.moved))
      .arg(100.0 * double(cells_.asked) / double(cells_.moved), 0, 'f', 0)
      .arg(cells_.columns);
}

void AccessPicture::draw_lanes(QPainter& painter) const {
  QFont font = mono_font(11);
  for (int lane = 0; lane < int(shown_->request.address.size()); ++lane) {
    QRectF box = lane_rect(lane);
    bool takes_part = shown_->request.address[size_t(lane)] != -1, ringed = lane == ringed_;
    painter.setPen(takes_part ? Qt::NoPen : QPen(theme_.line2, 1));
    painter.setBrush(ringed ? theme_.ink : takes_part ? theme_.control : Qt::transparent);
    painter.drawRoundedRect(box, 2, 2);
    bool room = lane % 4 == 0 && std::abs(lane - ringed_) >= 2;
    if (!ringed && !room) continue;
    QRectF words(box.center().x() - 10, box.top(), 20, box.height());
    if (ringed && box.width() < 16) {
      painter.setPen(Qt::NoPen);
      painter.drawRoundedRect(words.adjusted(1, 0, -1, 0), 2, 2);
    }
    paint::text(painter, words, font, ringed ? theme_.on_ink : theme_.text2, QString::number(lane),
                Qt::AlignCenter);
  }
}

void AccessPicture::draw_ways(QPainter& painter) const {
  auto way = [&](int lane) {
    AccessCell const* cell = cells_.cell(lane);
    if (!cell) return;
    QRectF to = cell_rect(*cell), from = lane_rect(lane);
    double top = from.bottom() + 1, end = to.top() - 1, middle = (top + kHead + kLanes + kWays) / 2;
    QPainterPath path(QPointF(from.center().x(), top));
    double floor = std::min(end, kHead + kLanes + kWays - 1.0);
    path.cubicTo(QPointF(from.center().x(), middle), QPointF(to.center().x(), middle),
                 QPointF(to.center().x(), floor));
    painter.drawPath(path);
  };
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(theme_.line3, 1));
  for (int lane = 0; lane < int(cells_.of_lane.size()); ++lane)
    if (lane != ringed_) way(lane);
  painter.setPen(QPen(theme_.ink, 1.8));
  way(ringed_);
}

/// A sector is filled by its bytes that somebody wants; a bank's first word is what it hands over
/// at once, each further one waits.
void AccessPicture::draw_cells(QPainter& painter) const {
  QColor const first = cells_.banks ? theme_.levels[0] : theme_.hue(1);
  for (int column = 0; column < cells_.columns; ++column)
    for (int row = 0; row < (cells_.banks ? std::min(cells_.rows, kMostRows) : 4); ++row) {
      painter.setPen(Qt::NoPen);
      painter.setBrush(theme_.inset);
      painter.drawRoundedRect(cell_rect({column, row, 0, {}}), 2, 2);
    }
  AccessCell const* own = cells_.cell(ringed_);
  for (AccessCell const& cell : cells_.cells) {
    if (cell.row >= kMostRows) continue;
    QRectF box = cell_rect(cell);
    bool waits = cells_.banks && cell.row >= std::max(1, shown_->access.ideal);
    painter.setPen(Qt::NoPen);
    painter.setBrush(waits ? Theme::mix(theme_.warn, theme_.inset, 0.35)
                           : Theme::mix(first, theme_.inset, cells_.banks ? 0.75 : 0.28));
    painter.drawRoundedRect(box, 2, 2);
    if (waits) {
      painter.setBrush(QBrush(theme_.warn, Qt::BDiagPattern));
      painter.drawRoundedRect(box, 2, 2);
    } else if (!cells_.banks) {
      painter.setBrush(Theme::mix(first, theme_.inset, 0.85));
      double tall = box.height() * cell.used;
      painter.drawRoundedRect(QRectF(box.left(), box.bottom() - tall, box.width(), tall), 2, 2);
    }
    if (&cell != own) continue;
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme_.ink, 1.8));
    painter.drawRoundedRect(box.adjusted(-1, -1, 1, 1), 3, 3);
  }
}

void AccessPicture::draw_foot(QPainter& painter) const {
  QFont font = mono_font(11);
  double top = needed_height() - kFoot + 4;
  if (cells_.banks) {
    for (int bank : {0, 8, 16, 24, 31}) {
      QRectF column = column_rect(bank);
      QRectF words(std::clamp(column.center().x() - 14, 2.0, unit_width() - 30), top, 28, 16);
      paint::text(painter, words, font, theme_.text3, QString::number(bank), Qt::AlignCenter);
    }
    double from = column_rect(0).center().x() + 18;
    paint::text(painter, QRectF(from, top, 60, 16), ui_font(11), theme_.text3, "bank");
    return;
  }
  if (cells_.lines.empty()) return;
  int64_t apart = cells_.lines.back() - cells_.lines.front() + 128;
  QString words = cells_.columns == 1
                      ? QStringLiteral("one line")
                      : QString("%1 lines over %2").arg(cells_.columns).arg(paint::bytes(apart));
  paint::text(painter, QRectF(kInset, top, unit_width() - 2 * kInset, 16), ui_font(11),
              theme_.text3, words + QStringLiteral("; a column is a line, a cell a sector"));
}

void AccessPicture::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.panel);
  if (!shown_) return;
  draw_head(painter);
  draw_ways(painter);
  draw_lanes(painter);
  draw_cells(painter);
  draw_foot(painter);
}

void AccessPicture::mouseMoveEvent(QMouseEvent* event) {
  if (int lane = lane_at(event->position()); lane >= 0 && event->buttons() != Qt::NoButton)
    emit lane_asked(lane);
}

void AccessPicture::mousePressEvent(QMouseEvent* event) {
  if (int lane = lane_at(event->position()); lane >= 0) emit lane_asked(lane);
}

std::vector<Part> AccessPicture::parts() const {
  std::vector<Part> list;
  if (!shown_) return list;
  QString cost = QString("%1 %2")
                     .arg(shown_->request.cost)
                     .arg(unit_word(shown_->access.shared, shown_->request.cost));
  list.push_back(
      {QRectF(0, 0, unit_width(), kHead), shown_->title + ": " + cost + ", " + below_words()});
  for (int lane = 0; lane < int(cells_.of_lane.size()); ++lane) {
    AccessCell const* cell = cells_.cell(lane);
    QString where = !cell ? QStringLiteral("takes no part")
                    : cells_.banks
                        ? QString("bank %1, pass %2").arg(cell->column).arg(cell->row + 1)
                        : QString("line %1, sector %2").arg(cell->column).arg(cell->row);
    list.push_back({lane_rect(lane), QString("lane %1: %2").arg(lane).arg(where), lane == ringed_});
  }
  return list;
}

}  // namespace tw
