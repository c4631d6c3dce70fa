// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/code/loop_card.h"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <algorithm>
#include <cmath>

#include "engine/support/base/quantities.h"
#include "widgets/paint/paint.h"

namespace tw {
namespace {

constexpr double kLeft = 16, kRow = 18, kCell = 172, kName = 62;

double height_of(QFont const& font, QString const& words, double wide) {
  if (words.isEmpty()) return 0;
  QRectF room(0, 0, wide, 10000);
  return std::ceil(QFontMetricsF(font).boundingRect(room, Qt::TextWordWrap, words).height());
}

QString in_words(std::string const& text) { return QString::fromStdString(text); }

}  // namespace

LoopCard::LoopCard(QWidget* parent) : Canvas(parent) {
  setObjectName("hotLoop");
  setAccessibleName("Hot loop, modelled");
  setFocusPolicy(Qt::TabFocus);
}

void LoopCard::show_report(std::shared_ptr<session::AssemblyReport const> report) {
  stale_ = !report || !report->complete;
  if (!stale_) report_ = std::move(report);
  if (!stale_) say_more();
  fit();
  update();
}

/// What the model leaves out stands in the tooltip, and is read to those who cannot point.
void LoopCard::say_more() {
  QString assumed = in_words(session::assumptions_of(*report_));
  QStringList said{head() + ".", sentence(), facts().isEmpty() ? "" : facts() + ".", assumed};
  said.removeAll("");
  setAccessibleDescription(said.join(' '));
  QString how = assumed.isEmpty() ? "" : "Modelled by LLVM's machine code analyzer. " + assumed;
  setToolTip(paint::wrapped((how + " A click shows the loop.").trimmed()));
}

bool LoopCard::modelled() const {
  return report_ && report_->hot && report_->failure.empty() && report_->loop.failure.empty();
}

QString LoopCard::head() const {
  return report_ ? in_words(session::summary_of(*report_)) : QString("The hot loop is modelled");
}

QString LoopCard::facts() const {
  if (!modelled()) return {};
  LoopModel const& loop = report_->loop;
  return QString("%1, %2, %3 of %4 vector registers")
      .arg(in_words(count_text(loop.instructions, "instruction")))
      .arg(in_words(count_text(loop.operations, "micro-operation")))
      .arg(loop.vector_registers)
      .arg(loop.of_vector_registers);
}

QString LoopCard::sentence() const { return modelled() ? in_words(report_->loop.bottleneck) : ""; }

double LoopCard::ports_top() const {
  double wide = unit_width() - 2 * kLeft;
  double head_high = height_of(ui_font(12, 600), head(), wide - 18);
  return 8 + head_high + 2 + height_of(ui_font(12), sentence(), wide) + 2 +
         height_of(ui_font(11), facts(), wide) + 6;
}

std::vector<LoopCard::Cell> LoopCard::cells() const {
  std::vector<Cell> cells;
  if (!modelled()) return cells;
  int columns = std::max(1, int((unit_width() - 2 * kLeft) / kCell));
  size_t rows = (report_->loop.ports.size() + size_t(columns) - 1) / size_t(columns);
  double top = ports_top(), wide = (unit_width() - 2 * kLeft) / columns;
  for (size_t i = 0; i < report_->loop.ports.size(); ++i)  // column by column, as they are listed
    cells.push_back(
        {QRectF(kLeft + wide * double(i / rows), top + kRow * double(i % rows), wide - 12, kRow),
         report_->loop.ports[i]});
  return cells;
}

void LoopCard::fit() {
  double high = ports_top() + 4;
  for (Cell const& cell : cells()) high = std::max(high, cell.box.bottom() + 8);
  int wanted = pixels(QSizeF(0, high)).height();
  if (wanted != height()) setFixedHeight(wanted);
  update();
}

std::vector<Part> LoopCard::parts() const {
  std::vector<Part> parts;
  for (Cell const& cell : cells())
    parts.push_back(
        {cell.box, QString("port %1, busy in %2 of the cycles")
                       .arg(in_words(cell.port.name),
                            in_words(percent_text(cell.port.cycles / report_->loop.cycles)))});
  return parts;
}

void LoopCard::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.panel);
  painter.setPen(QPen(theme_.line1, 1));
  painter.drawLine(QPointF(0, 0.5), QPointF(unit_width(), 0.5));
  if (stale_) painter.setOpacity(0.6);
  double wide = unit_width() - 2 * kLeft, y = 8, left = kLeft;
  if (modelled()) {  // the sign of what is modelled
    painter.setPen(QPen(theme_.text2, 1.5));
    painter.setBrush(Qt::NoBrush);
    painter.drawEllipse(QPointF(kLeft + 5, y + 8), 4.5, 4.5);
    left += 18;
  }
  y += paint::paragraph(painter, QRectF(left, y, wide - 18, 60), ui_font(12, 600), theme_.text1,
                        head()) +
       2;
  if (!modelled()) return;
  y +=
      paint::paragraph(painter, QRectF(kLeft, y, wide, 90), ui_font(12), theme_.text1, sentence()) +
      2;
  paint::paragraph(painter, QRectF(kLeft, y, wide, 90), ui_font(11), theme_.text2, facts());
  for (Cell const& cell : cells()) draw_port(painter, cell);
  if (hasFocus()) paint::focus_ring(painter, unit_rect().adjusted(4, 4, -4, -4), theme_, 4);
}

/// A hollow bar on a track, and its share in digits.
void LoopCard::draw_port(QPainter& painter, Cell const& cell) const {
  QRectF box = cell.box;
  double share = std::clamp(cell.port.cycles / report_->loop.cycles, 0.0, 1.0);
  QString name =
      QFontMetricsF(mono_font(11)).elidedText(in_words(cell.port.name), Qt::ElideRight, kName);
  paint::text(painter, QRectF(box.left(), box.top(), kName + 2, kRow), mono_font(11), theme_.text2,
              name);
  QRectF track(box.left() + kName + 6, box.top() + 5.5, box.width() - kName - 6 - 46, 7);
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme_.control);
  painter.drawRoundedRect(track, 2, 2);
  painter.setPen(QPen(theme_.text1, 1.2));
  painter.setBrush(Qt::NoBrush);
  painter.drawRoundedRect(QRectF(track.left(), track.top(), track.width() * share, track.height()),
                          2, 2);
  paint::text(painter, QRectF(box.right() - 42, box.top(), 42, kRow), mono_font(11), theme_.text1,
              in_words(percent_text(share)), Qt::AlignRight | Qt::AlignVCenter);
}

void LoopCard::mousePressEvent(QMouseEvent*) { emit clicked(); }

void LoopCard::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Space) return emit clicked();
  Canvas::keyPressEvent(event);
}

}  // namespace tw
