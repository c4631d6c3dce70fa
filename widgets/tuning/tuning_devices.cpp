// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tuning/tuning_devices.h"

#include <QFontMetricsF>
#include <QHelpEvent>
#include <QToolTip>
#include <algorithm>

#include "widgets/paint/paint.h"

namespace tw {

using session::DeviceDoes;

namespace {

/// A sign and a colour: never one alone.
std::pair<QString, QColor> look_of(DeviceDoes does, Theme const& theme) {
  switch (does) {
    case DeviceDoes::kMeasuring:
      return {QStringLiteral("●"), theme.ok};
    case DeviceDoes::kCompiling:
      return {QStringLiteral("◐"), theme.text1};
    case DeviceDoes::kLost:
      return {QStringLiteral("✕"), theme.error};
    case DeviceDoes::kQuarantine:
      return {QStringLiteral("■"), theme.warn};
    default:
      return {QStringLiteral("○"), theme.text2};
  }
}

QString counts_of(session::TuningDevice const& device) {
  QString words = device.trials == 1 ? "1 trial" : QString("%1 trials").arg(device.trials);
  if (device.trials_a_second > 0)
    words += QStringLiteral(" · ") + paint::number(device.trials_a_second) + "/s";
  return words;
}

}  // namespace

QString words_of(session::TuningDevice const& device) {
  QString reason = QString::fromStdString(device.reason);
  switch (device.does) {
    case DeviceDoes::kMeasuring:
      return device.trial > 0 ? QString("measuring trial %1").arg(device.trial)
                              : QStringLiteral("comparing the best");
    case DeviceDoes::kCompiling:
      return "compiling";
    case DeviceDoes::kLost:
      return "lost: " + reason;
    case DeviceDoes::kQuarantine:
      return "in quarantine: " + reason;
    default:
      return device.lost > 0 ? QString("idle; lost %1 times before").arg(device.lost)
                             : QStringLiteral("idle");
  }
}

TuningDevices::TuningDevices(QWidget* parent) : Canvas(parent) {
  setObjectName("tuningDevices");
  setAccessibleName("Devices of the tuning");
}

void TuningDevices::show_devices(std::vector<session::TuningDevice> devices) {
  devices_ = std::move(devices);
  updateGeometry();
  update();
}

/// With a line for the kinds, where they are known.
double TuningDevices::row_height() const {
  bool known = std::ranges::any_of(devices_, [](auto const& one) { return !one.machine.empty(); });
  return known ? 62 : 46;
}

/// What has no room.
bool TuningDevices::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return Canvas::event(event);
  auto* help = static_cast<QHelpEvent*>(event);
  QString words;
  for (size_t i = 0; i < devices_.size(); ++i)
    if (row_rect(i).contains(units(help->pos()))) words = parts()[i].name;
  QToolTip::showText(help->globalPos(), words, this);
  return true;
}

void TuningDevices::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.panel);
  paint::text(painter, QRectF(16, 4, unit_width() - 32, 20), ui_font(13, 600), theme_.text1,
              "Devices");
  for (size_t i = 0; i < devices_.size(); ++i) draw_row(painter, row_rect(i), devices_[i]);
}

void TuningDevices::draw_row(QPainter& painter, QRectF const& rect,
                             session::TuningDevice const& device) const {
  auto [sign, colour] = look_of(device.does, theme_);
  QString counts = counts_of(device);
  double right = QFontMetricsF(mono_font(11)).horizontalAdvance(counts) + 4;
  double left = std::max(40.0, rect.width() - right - 26);
  auto elided = [](QFont const& font, QString const& words, double wide) {
    return QFontMetricsF(font).elidedText(words, Qt::ElideRight, wide);
  };
  paint::text(painter, QRectF(rect.left(), rect.top(), 16, 20), ui_font(12), colour, sign);
  paint::text(painter, QRectF(rect.left() + 18, rect.top(), left + 2, 20), ui_font(12, 600),
              theme_.text1, elided(ui_font(12, 600), QString::fromStdString(device.name), left));
  paint::text(painter, QRectF(rect.right() - right, rect.top(), right, 20), mono_font(11),
              theme_.text2, counts, Qt::AlignRight | Qt::AlignVCenter);
  bool bad = !device.reason.empty();
  double wide = rect.width() - 20;
  paint::text(painter, QRectF(rect.left() + 18, rect.top() + 20, wide + 2, 18), ui_font(11),
              bad ? colour : theme_.text2, elided(ui_font(11), words_of(device), wide));
  paint::text(painter, QRectF(rect.left() + 18, rect.top() + 37, wide + 2, 18), ui_font(11),
              theme_.text3, elided(ui_font(11), QString::fromStdString(device.machine), wide));
}

std::vector<Part> TuningDevices::parts() const {
  std::vector<Part> parts;
  for (size_t i = 0; i < devices_.size(); ++i) {
    QString words = QString::fromStdString(devices_[i].name) + ", " + words_of(devices_[i]) + ", " +
                    counts_of(devices_[i]);
    if (!devices_[i].machine.empty()) words += ", " + QString::fromStdString(devices_[i].machine);
    parts.push_back({row_rect(i), words, false});
  }
  return parts;
}

}  // namespace tw
