// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/film/flow_row.h"

#include <algorithm>
#include <cmath>

#include "engine/support/base/quantities.h"
#include "widgets/paint/paint.h"

namespace tw {
namespace {

constexpr double kLeft = 16, kTop = 24, kHigh = 50, kCore = 40, kBox = 46;
constexpr double kThinnest = 2, kThickest = 12;

QString name_of(session::FlowLink const& link) { return QString::fromStdString(link.name); }

}  // namespace

FlowRow::FlowRow(QWidget* parent) : Canvas(parent) {
  setObjectName("memoryFlow");
  setAccessibleName("Traffic between memories");
  setProperty("tells", true);  // nothing in it can be clicked
  rescale();
  hide();
}

void FlowRow::rescale() { setFixedHeight(pixels(QSizeF(1, kTop + kHigh + 4)).height()); }

void FlowRow::show_links(std::vector<session::FlowLink> links) {
  links_ = std::move(links);
  setVisible(!links_.empty());
  update();
}

/// The link with the box of its memory at its right end.
QRectF FlowRow::link_rect(size_t number) const {
  double wide = (unit_width() - 2 * kLeft - kCore) / double(std::max<size_t>(1, links_.size()));
  return {kLeft + kCore + wide * double(number), kTop, wide, kHigh};
}

QColor FlowRow::colour_of(size_t number) const {
  bool main = number + 1 == links_.size();
  return theme_.levels[main ? 3 : std::min<size_t>(number, 2)];
}

QString FlowRow::time_words(session::FlowLink const& link) {
  if (link.ms <= 0) return "stays cached";
  return paint::time(link.ms) + " · " + QString::fromStdString(percent_text(link.of_time));
}

void FlowRow::draw_link(QPainter& painter, size_t number) const {
  session::FlowLink const& link = links_[number];
  QRectF box = link_rect(number);
  QRectF memory(box.right() - kBox, box.center().y() - 13, kBox, 26);
  double most = 1;
  for (session::FlowLink const& one : links_) most = std::max(most, one.bytes);
  double share = link.bytes > 1 ? std::log2(link.bytes) / std::log2(std::max(2.0, most)) : 0;
  double thick = kThinnest + (kThickest - kThinnest) * std::pow(share, 4);
  QRectF bar(box.left() + 4, box.center().y() - thick / 2, box.width() - kBox - 8, thick);
  QColor colour = colour_of(number);
  // Modelled: hollow.
  painter.setPen(QPen(link.binds ? theme_.ink : colour, link.binds ? 1.8 : 1.2));
  painter.setBrush(Theme::mix(colour, theme_.panel, 0.2));
  painter.drawRoundedRect(bar, thick / 2, thick / 2);
  painter.setPen(QPen(Theme::mix(colour, theme_.panel, 0.6), 1));
  painter.drawRoundedRect(memory.adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
  QFont const small = ui_font(11, 500), mono = mono_font(11, link.binds ? 600 : 400);
  paint::text(painter, memory, small, theme_.text1,
              QFontMetricsF(small).elidedText(name_of(link), Qt::ElideRight, memory.width() - 4),
              Qt::AlignCenter);
  auto words = [&](double top, QString text, QColor const& ink) {
    QRectF line(box.left() + 2, top, box.width() - kBox - 4, 16);
    // The time stands where its share has no room.
    if (QFontMetricsF(mono).horizontalAdvance(text) > line.width())
      text = text.section(" · ", 0, 0);
    paint::text(painter, line, mono, ink,
                QFontMetricsF(mono).elidedText(text, Qt::ElideRight, line.width()),
                Qt::AlignCenter);
  };
  words(box.top() + 1, paint::bytes(int64_t(link.bytes)), theme_.text1);
  words(box.bottom() - 17, time_words(link), link.binds ? theme_.text1 : theme_.text2);
}

void FlowRow::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.panel);
  if (links_.empty()) return;
  auto binds = std::ranges::find_if(links_, &session::FlowLink::binds);
  QString title = "Traffic of one run, modelled";
  if (binds != links_.end()) title += ": traffic with " + name_of(*binds) + " takes longest";
  QFont const font = ui_font(11, 500);
  paint::text(painter, QRectF(kLeft, 4, unit_width() - 2 * kLeft, 18), font, theme_.text3,
              QFontMetricsF(font).elidedText(title, Qt::ElideRight, unit_width() - 2 * kLeft));
  QRectF core(kLeft, kTop + kHigh / 2 - 13, kCore, 26);
  painter.setPen(QPen(theme_.line3, 1));
  painter.setBrush(Qt::NoBrush);
  painter.drawRoundedRect(core.adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
  paint::text(painter, core, ui_font(11, 500), theme_.text1, "core", Qt::AlignCenter);
  for (size_t number = 0; number < links_.size(); ++number) draw_link(painter, number);
}

std::vector<Part> FlowRow::parts() const {
  std::vector<Part> list;
  for (size_t number = 0; number < links_.size(); ++number) {
    session::FlowLink const& link = links_[number];
    QString words = QStringLiteral("%1 transfers %2 per run, ")
                        .arg(name_of(link), paint::bytes(int64_t(link.bytes)));
    words += link.ms > 0 ? QStringLiteral("%1, %2 of the modelled time")
                               .arg(paint::time(link.ms),
                                    QString::fromStdString(percent_text(link.of_time)))
                         : QString("which stay cached between runs");
    list.push_back({link_rect(number), words, link.binds});
  }
  return list;
}

}  // namespace tw
