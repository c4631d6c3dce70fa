// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/start/machine_card.h"

#include <QPainter>
#include <algorithm>

#include "engine/session/model_roofline.h"
#include "widgets/paint/paint.h"

namespace tw {

namespace {

constexpr double kColumn = 74;

void paint_chip(QPainter& painter, QPointF at, QColor const& colour) {
  painter.setPen(QPen(colour, 1.3));
  painter.setBrush(Qt::NoBrush);
  painter.drawRoundedRect(QRectF(at.x() + 3, at.y() + 3, 14, 14), 2, 2);
  painter.drawRect(QRectF(at.x() + 7, at.y() + 7, 6, 6));
  for (int i = 0; i < 3; ++i) {
    double step = 6 + 4 * i;
    painter.drawLine(QPointF(at.x() + step, at.y()), QPointF(at.x() + step, at.y() + 3));
    painter.drawLine(QPointF(at.x() + step, at.y() + 17), QPointF(at.x() + step, at.y() + 20));
    painter.drawLine(QPointF(at.x(), at.y() + step), QPointF(at.x() + 3, at.y() + step));
    painter.drawLine(QPointF(at.x() + 17, at.y() + step), QPointF(at.x() + 20, at.y() + step));
  }
}

}  // namespace

MachineCard::MachineCard() : StartCard(kHeight) {
  setObjectName("machineCard");
  describe();
}

void MachineCard::show_machine(std::shared_ptr<session::MachineView const> machine,
                               QDateTime const& measured) {
  if (machine == machine_ && measured == measured_) return;
  machine_ = std::move(machine);
  measured_ = measured;
  describe();
  update();
}

void MachineCard::set_narrow(bool narrow) {
  narrow_ = narrow;
  set_height(narrow ? kHeight + 66 : kHeight);
  update();
}

void MachineCard::describe() {
  QStringList words = lines();
  setAccessibleName(words.takeFirst());
  for (Column const& one : columns()) words << one.name + " " + one.value + " " + one.unit;
  setAccessibleDescription(words.join(", "));
  setToolTip(paint::wrapped(accessibleDescription() +
                            "\nDevices, their state and their roofs (Ctrl+Shift+D)"));
}

/// Its state, then what it is, then what is known of its roofs.
QStringList MachineCard::lines() const {
  if (!machine_) return {"This machine", "Detecting hardware…"};
  QString name = QString::fromStdString(machine_->name);
  QString whose = name.section(QStringLiteral(" · "), 0, -2), units = name.section(" · ", -1);
  if (whose.isEmpty()) whose = name;
  QString is = units + ", " + QString::fromStdString(machine_->target);
  if (!machine_->detail.empty()) is += ", " + QString::fromStdString(machine_->detail);
  if (!machine_->roofs_known)
    return {whose, is, "roofs are being measured; a model can be opened in the meantime"};
  QString roofs = session::has_computed_roofs(*machine_) ? QStringLiteral("its roofs are computed")
                  : measured_.isValid()
                      ? "roofs measured " + ago_words(measured_, QDateTime::currentDateTime())
                      : QStringLiteral("its roofs are measured");
  if (machine_->roofs_doubtful) roofs = QStringLiteral("▲ roofs measured under other load");
  return {whose + " is ready", is, roofs};
}

std::vector<MachineCard::Column> MachineCard::columns() const {
  std::vector<Column> list;
  if (!machine_ || !machine_->roofs_known) return list;
  int level = 0, memories = 0;
  for (auto const& roof : machine_->roofs) memories += !roof.compute;
  for (auto const& roof : machine_->roofs) {
    if (roof.name.find("one core") != std::string::npos) continue;
    QString name = QString::fromStdString(roof.name);
    bool last = !roof.compute && level == memories - 1;
    list.push_back({roof.compute ? name.section(' ', 0, 0) : name, paint::number(roof.value),
                    QString::fromStdString(session::unit_of(roof)),
                    roof.compute ? -1
                    : last       ? 3
                                 : std::min(level, 2)});
    level += !roof.compute;
  }
  return list;
}

void MachineCard::paint_columns(QPainter& painter, QRectF const& room) const {
  double x = room.left();
  for (Column const& one : columns()) {
    if (x + kColumn > room.right() + 20) break;
    QColor colour = one.level < 0 ? theme_.text1 : theme_.levels[size_t(one.level)];
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawRoundedRect(QRectF(x, room.center().y() - 25, 3, 50), 1.5, 1.5);
    double wide = kColumn - 13;
    auto line = [&](double y, QFont const& font, QColor const& ink, QString const& words) {
      paint::text(painter, QRectF(x + 11, room.center().y() + y, wide, 18), font, ink,
                  words_within(wide, font, words));
    };
    line(-27, ui_font(11), theme_.text2, one.name);
    line(-9, ui_font(17, 600), theme_.text1, one.value);
    line(9, ui_font(11), theme_.text3, one.unit);
    x += kColumn;
  }
}

void MachineCard::paint(QPainter& painter, QRectF const& area) const {
  painter.setPen(QPen(theme_.line2, 1));
  painter.setBrush(is_hovered() ? theme_.hover : theme_.panel);
  painter.drawRoundedRect(area.adjusted(0.5, 0.5, -0.5, -0.5), 9, 9);
  paint_chip(painter, QPointF(20, 20), theme_.text2);
  double columns_wide = narrow_ ? 0 : kColumn * double(columns().size());
  QRectF words(54, 16, area.width() - 54 - 20 - columns_wide, 22);
  QStringList all = lines();
  for (int i = 0; i < all.size(); ++i) {
    QFont font = i == 0 ? ui_font(14, 600) : ui_font(12);
    QColor colour = i == 0                             ? theme_.text1
                    : all[i].startsWith(QChar(0x25B2)) ? theme_.warn
                    : i == 1                           ? theme_.text2
                                                       : theme_.text3;
    paint::text(painter, words.translated(0, 22 * i), font, colour,
                words_within(words.width(), font, all[i]));
  }
  if (narrow_)
    paint_columns(painter, QRectF(54, kHeight - 6, area.width() - 74, 60));
  else
    paint_columns(painter, QRectF(area.right() - columns_wide - 6, 0, columns_wide, area.height()));
}

}  // namespace tw
