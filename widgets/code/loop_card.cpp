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

constexpr double kLeft = 16, kAbove = 8, kSign = 18, kRow = 18, kCell = 172;
constexpr double kName = 62, kLongName = 92, kDigits = 42, kLongDigits = 62;

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
  QStringList said{head() + ".", sentence(), facts(form_).isEmpty() ? "" : facts(form_) + ".",
                   assumed};
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

QString LoopCard::facts(Form form) const {
  if (!modelled()) return {};
  LoopModel const& loop = report_->loop;
  QString words = in_words(count_text(loop.instructions, "instruction")) + ", " +
                  in_words(count_text(loop.operations, "micro-operation"));
  if (form == Form::kBeside) return words;  // registers have a bar there
  return words + QString(", %1 of %2 vector registers")
                     .arg(loop.vector_registers)
                     .arg(loop.of_vector_registers);
}

QString LoopCard::sentence() const { return modelled() ? in_words(report_->loop.bottleneck) : ""; }

// ---- places ---------------------------------------------------------------------------------

double LoopCard::inner_width(Form form) const {
  return (form == Form::kBeside ? kBesideWidth : unit_width()) - 2 * kLeft;
}

/// Beside the first of the loop's lines, as far as all of the card stays in sight.
double LoopCard::top() const {
  if (form_ == Form::kBelow) return 0;
  double room = unit_rect().height() - height_beside();
  return std::clamp(span_.top - kAbove, 0.0, std::max(0.0, room));
}

LoopCard::Places LoopCard::places(Form form, double top) const {
  double wide = inner_width(form), y = top + kAbove, left = kLeft + (modelled() ? kSign : 0);
  Places places;
  auto next = [&y](double x, double width, double high, double gap) {
    QRectF place(x, y, width, high);
    y += high + gap;
    return place;
  };
  places.head =
      next(left, kLeft + wide - left, height_of(ui_font(12, 600), head(), kLeft + wide - left), 2);
  places.sentence = next(kLeft, wide, height_of(ui_font(12), sentence(), wide), 2);
  places.facts = next(kLeft, wide, height_of(ui_font(11), facts(form), wide), 6);
  places.cells = y;
  return places;
}

std::vector<LoopCard::Cell> LoopCard::bars(Form form) const {
  std::vector<Cell> bars;
  if (!modelled()) return bars;
  LoopModel const& loop = report_->loop;
  if (form == Form::kBeside && loop.of_vector_registers > 0)
    bars.push_back({{},
                    "registers",
                    QString("%1 of %2").arg(loop.vector_registers).arg(loop.of_vector_registers),
                    QString("%1 of %2 vector registers in use")
                        .arg(loop.vector_registers)
                        .arg(loop.of_vector_registers),
                    double(loop.vector_registers) / loop.of_vector_registers});
  for (PortUse const& port : loop.ports) {
    double share = std::clamp(port.cycles / loop.cycles, 0.0, 1.0);
    QString name = in_words(port.name), words = in_words(percent_text(share));
    bars.push_back(
        {{}, name, words, QString("port %1, busy in %2 of the cycles").arg(name, words), share});
  }
  return bars;
}

std::vector<LoopCard::Cell> LoopCard::cells(Form form, double top) const {
  std::vector<Cell> cells = bars(form);
  double from = places(form, top).cells;
  int columns = std::max(1, int(inner_width(form) / kCell));
  size_t rows = (cells.size() + size_t(columns) - 1) / size_t(columns);
  double wide = inner_width(form) / columns;
  for (size_t i = 0; i < cells.size(); ++i)  // column by column, as they are listed
    cells[i].box =
        QRectF(kLeft + wide * double(i / rows), from + kRow * double(i % rows), wide - 12, kRow);
  return cells;
}

double LoopCard::bottom_of(Form form, double top) const {
  double bottom = places(form, top).cells + 4;
  for (Cell const& cell : cells(form, top)) bottom = std::max(bottom, cell.box.bottom() + 8);
  return bottom;
}

double LoopCard::height_beside() const { return bottom_of(Form::kBeside, 0); }

void LoopCard::set_form(Form form) {
  if (form == form_) return;
  form_ = form;
  if (report_) say_more();
  fit();
}

void LoopCard::set_span(Span span) {
  if (span == span_) return;
  span_ = span;
  update();
}

void LoopCard::fit() {
  constexpr int kMost = QWIDGETSIZE_MAX;
  if (form_ == Form::kBeside) {
    int wide = pixels(QSizeF(kBesideWidth, 0)).width();
    setMinimumSize(wide, 0);
    setMaximumSize(wide, kMost);
    return update();
  }
  int wanted = pixels(QSizeF(0, bottom_of(form_, 0))).height();
  setMinimumSize(0, wanted);
  setMaximumSize(kMost, wanted);
  update();
}

std::vector<Part> LoopCard::parts() const {
  std::vector<Part> parts;
  for (Cell const& cell : cells(form_, top())) parts.push_back({cell.box, cell.said});
  return parts;
}

// ---- drawing --------------------------------------------------------------------------------

void LoopCard::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.panel);
  painter.setPen(QPen(theme_.line1, 1));
  bool beside = form_ == Form::kBeside;
  painter.drawLine(QPointF(0.5, 0.5),
                   beside ? QPointF(0.5, unit_rect().bottom()) : QPointF(unit_width(), 0.5));
  if (beside) draw_span(painter);
  if (stale_) painter.setOpacity(0.6);
  Places at = places(form_, top());
  if (modelled()) {  // the sign of what is modelled
    painter.setPen(QPen(theme_.text2, 1.5));
    painter.setBrush(Qt::NoBrush);
    painter.drawEllipse(QPointF(kLeft + 5, at.head.top() + 8), 4.5, 4.5);
  }
  auto words = [&](QRectF const& box, QFont const& font, QColor colour, QString const& text) {
    if (!text.isEmpty()) paint::paragraph(painter, box.adjusted(0, 0, 0, 6), font, colour, text);
  };
  words(at.head, ui_font(12, 600), theme_.text1, head());
  words(at.sentence, ui_font(12), theme_.text1, sentence());
  words(at.facts, ui_font(11), theme_.text2, facts(form_));
  for (Cell const& cell : cells(form_, top())) draw_cell(painter, cell);
  if (hasFocus()) paint::focus_ring(painter, unit_rect().adjusted(4, 4, -4, -4), theme_, 4);
}

/// Where the loop's lines are: what stands beside them is about them.
void LoopCard::draw_span(QPainter& painter) const {
  QRectF seen = QRectF(0, span_.top, 3, span_.bottom - span_.top) & unit_rect();
  if (!seen.isEmpty()) painter.fillRect(seen, theme_.ink);
}

/// A hollow bar on a track, and its share in digits.
void LoopCard::draw_cell(QPainter& painter, Cell const& cell) const {
  QRectF box = cell.box;
  double name_wide = form_ == Form::kBeside ? kLongName : kName;
  QString name = QFontMetricsF(mono_font(11)).elidedText(cell.name, Qt::ElideRight, name_wide);
  paint::text(painter, QRectF(box.left(), box.top(), name_wide + 2, kRow), mono_font(11),
              theme_.text2, name);
  double digits = form_ == Form::kBeside ? kLongDigits : kDigits;
  QRectF track(box.left() + name_wide + 6, box.top() + 5.5,
               box.width() - name_wide - 6 - digits - 4, 7);
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme_.control);
  painter.drawRoundedRect(track, 2, 2);
  painter.setPen(QPen(theme_.text1, 1.2));
  painter.setBrush(Qt::NoBrush);
  painter.drawRoundedRect(
      QRectF(track.left(), track.top(), track.width() * cell.share, track.height()), 2, 2);
  paint::text(painter, QRectF(box.right() - digits, box.top(), digits, kRow), mono_font(11),
              theme_.text1, cell.words, Qt::AlignRight | Qt::AlignVCenter);
}

void LoopCard::mousePressEvent(QMouseEvent*) { emit clicked(); }

void LoopCard::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Space) return emit clicked();
  Canvas::keyPressEvent(event);
}

}  // namespace tw
