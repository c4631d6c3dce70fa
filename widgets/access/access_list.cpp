// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/access/access_list.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <cmath>

#include "widgets/paint/paint.h"

namespace tw {
namespace {

constexpr double kTitle = 26, kRow = 40, kInset = 14;

QString cost_text(double value) {
  bool whole = std::abs(value - std::round(value)) < 1e-9;
  return QString::number(value, 'f', whole ? 0 : 1);
}

QString unit_word(LaunchAccess const& access) { return access.shared ? "passes" : "sectors"; }

/// "x 512 a warp"; under a condition "up to 512 a warp", of one of two versions "..., whole tiles"
QString times_text(LaunchAccess const& access) {
  double times = access.requests;
  QString number = times < 1e5 ? QString::number(times, 'f', 0) : paint::number(times);
  QString words = QString(access.guarded ? "up to %1 a warp" : "× %1 a warp").arg(number);
  return access.version.empty() ? words : words + ", " + QString::fromStdString(access.version);
}

}  // namespace

AccessList::AccessList(QWidget* parent) : Canvas(parent) {
  setObjectName("accessList");
  setAccessibleName("Accesses of a warp");
  setFocusPolicy(Qt::StrongFocus);
}

void AccessList::show_launches(std::vector<LaunchReport> launches) {
  launches_ = std::move(launches);
  lay_out();
}

void AccessList::choose(session::AccessPlace place) {
  chosen_ = place;
  update();
}

void AccessList::rescale() { lay_out(); }

QSize AccessList::sizeHint() const { return pixels(QSizeF(230, height_)); }

void AccessList::lay_out() {
  rows_.clear();
  height_ = 0;
  for (size_t i = 0; i < launches_.size(); ++i)
    for (bool shared : {false, true}) {
      bool titled = false;
      for (size_t j = 0; j < launches_[i].accesses.size(); ++j) {
        if (launches_[i].accesses[j].shared != shared) continue;
        if (!titled) {
          QString title = shared ? "Shared memory" : "Main memory";
          if (launches_.size() > 1) title += QString(" · launch %1").arg(i + 1);
          rows_.push_back({title, {}, height_});
          height_ += kTitle;
        }
        titled = true;
        rows_.push_back({{}, {int(i), int(j)}, height_});
        height_ += kRow;
      }
    }
  height_ += 8;
  setMinimumHeight(pixels(QSizeF(0, height_)).height());
  updateGeometry();
  update();
}

QString AccessList::words_of(session::AccessPlace place) const {
  LaunchAccess const& one = access(place);
  return QString("%1 of %2: %3, %4")
      .arg(one.store ? "store" : "load", QString::fromStdString(one.tensor),
           QString::fromStdString(session::cost_words(one)), times_text(one));
}

void AccessList::draw_row(QPainter& painter, Row const& row) const {
  double right = unit_width() - kInset;
  if (!row.title.isEmpty())
    return paint::text(painter, QRectF(kInset, row.y + 6, right - kInset, 18), ui_font(12, 600),
                       row.title.startsWith('S') ? theme_.levels[0] : paint::word_colour(theme_, 1),
                       row.title);
  LaunchAccess const& one = access(row.place);
  if (row.place == chosen_) {
    painter.fillRect(QRectF(0, row.y, unit_width(), kRow), theme_.control);
    painter.fillRect(QRectF(0, row.y, 3, kRow), theme_.ink);
  }
  bool over = session::costs_more(one), open = !one.undecided.empty();
  QString cost =
      open ? QStringLiteral("?") : QString("%1 / %2").arg(cost_text(one.average)).arg(one.ideal);
  if (over) cost.prepend(QStringLiteral("▲ "));
  QFont font = mono_font(13, 600);
  double wide = QFontMetricsF(font).horizontalAdvance(cost) + 4;
  paint::text(painter, QRectF(right - wide, row.y + 3, wide, 18), font,
              over || open ? theme_.warn : theme_.text1, cost, Qt::AlignRight | Qt::AlignVCenter);
  QFont name = mono_font(13);
  double room = right - wide - kInset - 8;
  QString tensor = QString::fromStdString(one.tensor) + (one.store ? " store" : " load");
  paint::text(painter, QRectF(kInset, row.y + 3, room, 18), name, theme_.text1,
              QFontMetricsF(name).elidedText(tensor, Qt::ElideMiddle, room));
  QFont small = ui_font(11);
  QString unit = open ? QStringLiteral("not decided") : unit_word(one);
  double unit_wide = QFontMetricsF(small).horizontalAdvance(unit) + 4;
  paint::text(painter, QRectF(right - unit_wide, row.y + 21, unit_wide, 15), small, theme_.text3,
              unit, Qt::AlignRight | Qt::AlignVCenter);
  double left = right - unit_wide - kInset - 4;
  paint::text(painter, QRectF(kInset, row.y + 21, left, 15), small, theme_.text3,
              QFontMetricsF(small).elidedText(times_text(one), Qt::ElideRight, left));
}

void AccessList::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.panel);
  for (Row const& row : rows_) draw_row(painter, row);
  if (!hasFocus()) return;
  for (Row const& row : rows_)
    if (row.place == chosen_ && row.title.isEmpty())
      paint::focus_ring(painter, QRectF(4, row.y + 2, unit_width() - 8, kRow - 4), theme_, 4);
}

void AccessList::mousePressEvent(QMouseEvent* event) {
  for (Row const& row : rows_)
    if (row.title.isEmpty() && event->position().y() >= row.y &&
        event->position().y() < row.y + kRow)
      return emit chosen(row.place.launch, row.place.access);
}

void AccessList::step(int by) {
  std::vector<session::AccessPlace> places;
  int now = -1;
  for (Row const& row : rows_) {
    if (!row.title.isEmpty()) continue;
    if (row.place == chosen_) now = int(places.size());
    places.push_back(row.place);
  }
  if (places.empty()) return;
  session::AccessPlace next = places[size_t(std::clamp(now + by, 0, int(places.size()) - 1))];
  emit chosen(next.launch, next.access);
}

void AccessList::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Up) return step(-1);
  if (event->key() == Qt::Key_Down) return step(1);
  Canvas::keyPressEvent(event);
}

std::vector<Part> AccessList::parts() const {
  std::vector<Part> list;
  for (Row const& row : rows_) {
    if (row.title.isEmpty())
      list.push_back(
          {QRectF(0, row.y, unit_width(), kRow), words_of(row.place), row.place == chosen_});
    else
      list.push_back({QRectF(0, row.y, unit_width(), kTitle), row.title});
  }
  return list;
}

}  // namespace tw
