// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/devices/device_list.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

#include "widgets/paint/paint.h"

namespace tw {
namespace {

constexpr int kRow = 88;

/// Each state has a sign of its own beside its colour.
QString sign_of(DeviceWord word) {
  static QString const kSigns[] = {QStringLiteral("◌"), QStringLiteral("✓"), QStringLiteral("◐"),
                                   QStringLiteral("✕"), QStringLiteral("○")};
  return kSigns[size_t(word)];
}

QColor colour_of(DeviceWord word, Theme const& theme) {
  switch (word) {
    case DeviceWord::kReady:
      return theme.ok;
    case DeviceWord::kUnreachable:
      return theme.error;
    default:
      return theme.text2;
  }
}

}  // namespace

QString word_of(DeviceWord word) {
  static char const* const kWords[] = {"being asked", "ready", "busy", "unreachable", "no device"};
  return kWords[size_t(word)];
}

QString use_of(DeviceRow const& row) {
  QStringList words;
  if (row.simulated) words << "simulated";
  if (row.in_use) words << "in use";
  if (row.runs_part) words << "in use for a part";
  return words.join(", ");
}

DeviceList::DeviceList(QWidget* parent) : Canvas(parent) {
  setObjectName("deviceList");
  setAccessibleName("Devices");
  setFocusPolicy(Qt::StrongFocus);
}

void DeviceList::show_devices(std::vector<DeviceRow> rows, int selected) {
  rows_ = std::move(rows);
  selected_ = selected;
  setMinimumHeight(sizeHint().height());
  updateGeometry();
  update();
}

QSize DeviceList::sizeHint() const {
  return pixels(QSizeF(340, kRow * std::max(1, int(rows_.size()))));
}
QRectF DeviceList::row_rect(int row) const { return QRectF(0, kRow * row, unit_width(), kRow); }

int DeviceList::row_at(QPointF at) const {
  int row = int(at.y()) / kRow;
  return at.y() >= 0 && size_t(row) < rows_.size() ? row : -1;
}

std::vector<Part> DeviceList::parts() const {
  std::vector<Part> parts;
  for (size_t i = 0; i < rows_.size(); ++i) {
    DeviceRow const& row = rows_[i];
    QStringList words{row.name, word_of(row.word)};
    for (QString const& more :
         {row.since, row.trouble, row.machine, row.answers, row.speed, row.memory, use_of(row)})
      if (!more.isEmpty()) words << more;
    parts.push_back({row_rect(int(i)), words.join(", "), int(i) == selected_});
  }
  return parts;
}

void DeviceList::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.panel);
  for (size_t i = 0; i < rows_.size(); ++i) {
    QRectF box = row_rect(int(i));
    if (int(i) == selected_) {
      painter.fillRect(box, theme_.control);
      painter.fillRect(QRectF(0, box.top(), 3, box.height()), theme_.ink);
    }
    painter.fillRect(QRectF(16, box.bottom() - 1, unit_width() - 32, 1), theme_.line1);
    draw_card(painter, rows_[i], box);
    if (int(i) == selected_ && hasFocus())
      paint::focus_ring(painter, box.adjusted(6, 4, -6, -4), theme_, 6);
  }
}

void DeviceList::draw_card(QPainter& painter, DeviceRow const& row, QRectF const& box) const {
  double left = 18, right = unit_width() - 16, top = box.top();
  QString word = word_of(row.word);
  QFont state = ui_font(12, 600);
  double wide = QFontMetricsF(state).horizontalAdvance(word) + 20;
  paint::text(painter, QRectF(right - wide, top + 8, 16, 20), state, colour_of(row.word, theme_),
              sign_of(row.word));
  paint::text(painter, QRectF(right - wide + 18, top + 8, wide - 16, 20), state,
              colour_of(row.word, theme_), word);
  QFont name = mono_font(13, 600);
  double room = right - wide - left - 12;
  double long_name = std::min(QFontMetricsF(name).horizontalAdvance(row.name) + 2, room);
  auto shown = [](QFont const& font, QString const& words, double width) {
    return QFontMetricsF(font).elidedText(words, Qt::ElideRight, width);
  };
  QColor bright = row.word == DeviceWord::kUnreachable ? theme_.text2 : theme_.text1;
  paint::text(painter, QRectF(left, top + 8, long_name, 20), name, bright,
              shown(name, row.name, long_name));
  if (QString use = use_of(row); !use.isEmpty()) {
    use.prepend(QStringLiteral("● "));
    QFont face = ui_font(11, 500);
    double needs = QFontMetricsF(face).horizontalAdvance(use) + 2;
    if (room - long_name > needs + 10)
      paint::text(painter, QRectF(left + long_name + 10, top + 8, needs, 20), face, theme_.text2,
                  use);
  }
  QFont small = ui_font(11);
  QString facts = row.word == DeviceWord::kUnreachable && !row.trouble.isEmpty() ? row.trouble
                  : row.machine.isEmpty()                                        ? row.address
                                                                                 : row.machine;
  paint::text(painter, QRectF(left, top + 29, right - left, 16), small, theme_.text2,
              shown(small, facts, right - left));
  QStringList figures;
  for (QString const& one : {row.since, row.answers, row.speed, row.memory})
    if (!one.isEmpty()) figures << one;
  QString line = figures.join(QStringLiteral("   "));
  paint::text(painter, QRectF(left, top + 46, right - left, 16), small, theme_.text3,
              shown(small, line, right - left));
  draw_activity(painter, row, QRectF(left, top + 67, right - left, 12));
}

/// A column for each part of the last minutes; what failed is drawn downwards from the line.
void DeviceList::draw_activity(QPainter& painter, DeviceRow const& row, QRectF const& strip) const {
  painter.fillRect(QRectF(strip.left(), strip.bottom() - 3, strip.width(), 1), theme_.line2);
  if (row.activity.empty()) return;
  int most = 1;
  for (DeviceActivity const& one : row.activity) most = std::max(most, one.calls);
  double pitch = strip.width() / double(row.activity.size());
  for (size_t i = 0; i < row.activity.size(); ++i) {
    DeviceActivity const& one = row.activity[i];
    double x = strip.left() + pitch * double(i);
    double tall = one.calls == 0 ? 0 : 2 + (strip.height() - 5) * one.calls / most;
    painter.fillRect(QRectF(x, strip.bottom() - 3 - tall, std::max(1.0, pitch - 1.5), tall),
                     theme_.text2);
    if (one.failures > 0)
      painter.fillRect(QRectF(x, strip.bottom() - 3, std::max(1.0, pitch - 1.5), 4), theme_.error);
  }
}

void DeviceList::mousePressEvent(QMouseEvent* event) {
  setFocus();
  if (int row = row_at(event->position()); row >= 0) emit chosen(row);
}

void DeviceList::mouseDoubleClickEvent(QMouseEvent* event) {
  if (int row = row_at(event->position()); row >= 0) emit use_asked(row);
}

void DeviceList::contextMenuEvent(QContextMenuEvent* event) {
  bool by_key = event->reason() == QContextMenuEvent::Keyboard;
  int row = by_key ? selected_ : row_at(event->pos());
  if (row < 0) return;
  if (row != selected_) emit chosen(row);
  emit menu_asked(by_key ? mapToGlobal(pixels(row_rect(row).center())) : event->globalPos());
}

void DeviceList::keyPressEvent(QKeyEvent* event) {
  if (rows_.empty()) return QWidget::keyPressEvent(event);
  int last = int(rows_.size()) - 1;
  auto go = [&](int row) {
    if (row = std::clamp(row, 0, last); row != selected_) emit chosen(row);
  };
  switch (event->modifiers() & ~Qt::KeypadModifier ? 0 : event->key()) {
    case Qt::Key_Up:
      return go(selected_ - 1);
    case Qt::Key_Down:
      return go(selected_ + 1);
    case Qt::Key_Home:
      return go(0);
    case Qt::Key_End:
      return go(last);
    case Qt::Key_Return:
    case Qt::Key_Enter:
      return emit use_asked(selected_);
    case Qt::Key_Delete:
      return emit remove_asked(selected_);
    default:
      QWidget::keyPressEvent(event);
  }
}

}  // namespace tw
