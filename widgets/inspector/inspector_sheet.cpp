// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/inspector/inspector_sheet.h"

#include <QKeyEvent>
#include <QLocale>
#include <QMouseEvent>
#include <algorithm>

#include "engine/support/base/quantities.h"
#include "widgets/inspector/sheet_layout.h"
#include "widgets/paint/paint.h"

namespace tw {

using Form = SheetRow::Form;

InspectorSheet::InspectorSheet(QWidget* parent) : Canvas(parent) {
  setObjectName("inspectorSheet");
  setAccessibleName("Attributes");
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
}

void InspectorSheet::show_values(SheetValues values) {
  looks_ = !values.view;
  if (looks_) return update();
  bool other = !values_.view || values_.view->of != values.view->of;
  values_ = std::move(values);
  rows_ = sheet_rows(values_);
  if (other) {
    hovered_ = bin_ = -1;
    auto stop = std::ranges::find_if(rows_, &SheetRow::is_stop);
    current_ = stop == rows_.end() ? -1 : int(stop - rows_.begin());
  }
  current_ = std::min(current_, int(rows_.size()) - 1);
  lay_out();
}

void InspectorSheet::set_empty_words(QString const& words) {
  values_ = {};
  rows_ = {{.form = Form::kWords, .value = words}};
  looks_ = false;
  current_ = hovered_ = bin_ = -1;
  lay_out();
}

double InspectorSheet::room() const { return std::max(80.0, unit_width() - 2 * sheet::kLeft); }

void InspectorSheet::lay_out() {
  rects_.clear();
  double y = 12;
  for (SheetRow const& row : rows_) {
    double high = sheet::height_of(row, room());
    rects_.emplace_back(0, y, unit_width(), high);
    y += high;
  }
  setMinimumHeight(pixels(QSizeF(0, y + 4)).height());
  update();
}

int InspectorSheet::row_at(QPointF at) const {
  for (size_t row = 0; row < rects_.size(); ++row)
    if (rects_[row].contains(at)) return int(row);
  return -1;
}

// ---- the histogram ---------------------------------------------------------------------------

int InspectorSheet::histogram_row() const {
  auto row = std::ranges::find(rows_, Form::kHistogram, &SheetRow::form);
  return row == rows_.end() ? -1 : int(row - rows_.begin());
}

int InspectorSheet::bins() const {
  return values_.statistics && histogram_row() >= 0 ? int(values_.statistics->bins.size()) : 0;
}

QRectF InspectorSheet::bin_rect(int bin) const {
  if (bin < 0 || bin >= bins()) return {};
  return sheet::bin_rect(rects_[size_t(histogram_row())], bin, bins());
}

int InspectorSheet::bin_at(QPointF at) const {
  for (int bin = 0; bin < bins(); ++bin)
    if (bin_rect(bin).contains(at)) return bin;
  return -1;
}

QString InspectorSheet::bin_words(int bin) const {
  session::ValueStatistics const& values = *values_.statistics;
  int64_t count = values.bins[size_t(bin)];
  double share = values.count > 0 ? double(count) / double(values.count) : 0;
  return QString("%1: %2, %3")
      .arg(QString::fromStdString(values.words_of(size_t(bin))),
           QLocale(QLocale::English).toString(qlonglong(count)),
           QString::fromStdString(percent_text(share)));
}

void InspectorSheet::step_bin(int step) {
  bin_ = std::clamp(bin_ < 0 ? (step > 0 ? 0 : bins() - 1) : bin_ + step, 0, bins() - 1);
  update();
}

// ---- by mouse and by keys ----------------------------------------------------------------------

void InspectorSheet::select(int row) {
  if (row < 0 || row >= int(rows_.size())) return;
  current_ = row;
  emit moved_to(rects_.size() > size_t(row) ? rects_[size_t(row)] : QRectF());
  update();
}

void InspectorSheet::go(int step) {
  for (int row = current_ + step; row >= 0 && row < int(rows_.size()); row += step)
    if (rows_[size_t(row)].is_stop()) return select(row);
}

void InspectorSheet::choose(int row) {
  if (looks_ || row < 0 || row >= int(rows_.size())) return;
  if (auto to = rows_[size_t(row)].to) emit inspect_asked(*to);
}

void InspectorSheet::mousePressEvent(QMouseEvent* event) {
  setFocus();
  int row = row_at(event->position());
  if (row < 0 || !rows_[size_t(row)].is_stop()) return;
  select(row);
  if (int bin = bin_at(event->position()); bin >= 0) bin_ = bin;
  if (event->button() == Qt::LeftButton) choose(row);
}

void InspectorSheet::mouseMoveEvent(QMouseEvent* event) {
  int row = row_at(event->position());
  bool opens = row >= 0 && rows_[size_t(row)].to;
  setCursor(opens ? Qt::PointingHandCursor : Qt::ArrowCursor);
  QString tip = row < 0 ? QString() : rows_[size_t(row)].tip;
  if (int bin = bin_at(event->position()); bin >= 0) {
    tip = bin_words(bin);
    if (bin != bin_) bin_ = bin, update();
  }
  setToolTip(paint::wrapped(tip));
  if (row == hovered_) return;
  hovered_ = row;
  update();
}

void InspectorSheet::leaveEvent(QEvent*) {
  hovered_ = -1;
  update();
}

void InspectorSheet::keyPressEvent(QKeyEvent* event) {
  bool on_histogram = current_ >= 0 && current_ == histogram_row() && bins() > 0;
  switch (event->key()) {
    case Qt::Key_Up:
      return go(-1);
    case Qt::Key_Down:
      return go(1);
    case Qt::Key_Home:
      current_ = -1;
      emit moved_to(QRectF(0, 0, 1, 1));
      return go(1);
    case Qt::Key_End:
      current_ = int(rows_.size());
      return go(-1);
    case Qt::Key_Left:
    case Qt::Key_Right:
      if (!on_histogram) break;
      return step_bin(event->key() == Qt::Key_Right ? 1 : -1);
    case Qt::Key_Return:
    case Qt::Key_Enter:
      return choose(current_);
    case Qt::Key_Backspace:
      emit back_asked();
      return;
    default:
      break;
  }
  Canvas::keyPressEvent(event);
}

void InspectorSheet::contextMenuEvent(QContextMenuEvent* event) {
  emit menu_asked(event->globalPos());
}

// ---- as it is drawn ---------------------------------------------------------------------------

void InspectorSheet::paintEvent(QPaintEvent* event) {
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.panel);
  if (looks_) painter.setOpacity(0.6);
  QRectF seen(units(event->rect().topLeft()), units(event->rect().bottomRight()));
  for (size_t row = 0; row < rows_.size(); ++row)
    if (rects_[row].intersects(seen.adjusted(0, -4, 0, 4))) draw_row(painter, int(row));
}

void InspectorSheet::draw_row(QPainter& painter, int number) const {
  SheetRow const& row = rows_[size_t(number)];
  QRectF box = rects_[size_t(number)];
  if (row.to && number == hovered_) painter.fillRect(box, theme_.hover);
  if (row.form == Form::kHistogram)
    sheet::draw_histogram(painter, box, theme_, *values_.statistics, bin_,
                          bin_ >= 0 ? bin_words(bin_) : QString());
  else
    sheet::draw(painter, box, theme_, row);
  if (row.is_stop() && number == current_ && hasFocus())
    paint::focus_ring(painter, box.adjusted(10, 3, -10, -3), theme_, 5);
}

std::vector<Part> InspectorSheet::parts() const {
  std::vector<Part> parts;
  for (size_t row = 0; row < rows_.size(); ++row) {
    if (rows_[row].form != Form::kHistogram) {
      parts.push_back({rects_[row], rows_[row].words(), int(row) == current_});
      continue;
    }
    for (int bin = 0; bin < bins(); ++bin)
      parts.push_back({bin_rect(bin), bin_words(bin), bin == bin_});
  }
  return parts;
}

}  // namespace tw
