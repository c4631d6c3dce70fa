// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/kernels/kernel_list.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <algorithm>

#include "engine/support/base/quantities.h"
#include "widgets/paint/marks.h"
#include "widgets/paint/paint.h"
#include "widgets/paint/ratio_words.h"

namespace tw {

using session::KernelKey;
using session::KernelOrder;

namespace {

constexpr double kLine = 18, kLeft = 40, kRight = 14;

QFont title_font(bool sorted) { return ui_font(11, sorted ? 600 : 400); }

}  // namespace

KernelList::KernelList(QWidget* parent) : Canvas(parent) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setObjectName("kernels");
  setAccessibleName("Kernels");
}

void KernelList::show_kernels(std::shared_ptr<session::KernelTable const> table, int current) {
  table_ = std::move(table);
  QStringList names;
  if (table_)
    for (auto const& row : table_->rows) names << QString::fromStdString(row.name);
  names_.set_names(names);
  current_ = current;
  longest_ = 0;
  most_ = 1;
  for (auto const& row : table_ ? table_->rows : std::vector<session::KernelRow>()) {
    longest_ = std::max(longest_, session::time_in_model(row).value_or(0));
    most_ = std::max(most_, row.flops * row.count);
  }
  lay_out();
}

void KernelList::show_baselines(std::vector<session::KernelDifference> const& kernels) {
  baselines_.clear();
  for (session::KernelDifference const& one : kernels) baselines_[one.kernel] = one;
  update();
}

void KernelList::set_empty_words(QString const& words) {
  if (words == empty_words_) return;
  empty_words_ = words;
  update();
}

void KernelList::sort_by(KernelOrder order) {
  order_ = order;
  lay_out();
}

void KernelList::filter(QString const& words) {
  filter_ = words;
  lay_out();
}

void KernelList::set_columns(std::vector<KernelKey> columns) {
  std::ranges::sort(columns);
  columns_ = std::move(columns);
  lay_out();
}

void KernelList::lay_out() {
  shown_.clear();
  if (table_) shown_ = session::chosen_rows(*table_, order_, filter_.toStdString());
  cells_ = place_cells(columns_, room());
  setMinimumHeight(sizeHint().height());
  updateGeometry();
  update();
}

void KernelList::resizeEvent(QResizeEvent*) {
  cells_ = place_cells(columns_, room());
  setMinimumHeight(sizeHint().height());
}

double KernelList::room() const { return std::max(unit_width(), 240.0) - kLeft - kRight; }
double KernelList::head() const { return 10 + kLine * cells_.lines; }
double KernelList::row_height() const { return 28 + kLine * cells_.lines; }

QSize KernelList::sizeHint() const {
  double rows = table_ ? double(shown_.size()) : 1;
  return pixels(QSizeF(272, head() + row_height() * std::max(rows, 1.0) + 30));
}

int KernelList::place_of(int row) const {
  auto found = std::ranges::find(shown_, row);
  return found == shown_.end() ? -1 : int(found - shown_.begin());
}

QRectF KernelList::row_rect(int row) const {
  int place = place_of(row);
  if (place < 0) return {};
  return QRectF(0, head() + row_height() * place, unit_width(), row_height());
}

int KernelList::row_at(QPointF at) const {
  if (at.y() < head()) return -1;
  auto place = size_t((at.y() - head()) / row_height());
  return place < shown_.size() ? shown_[place] : -1;
}

/// What a click on a title asks for: it, the other way round, the model's order.
KernelOrder KernelList::asked_order(KernelKey key) const {
  if (order_.key != key) return {key, false};
  if (!order_.reversed) return {key, true};
  return {};
}

/// The word above the names stands before a column of words.
std::vector<KernelList::Title> KernelList::titles() const {
  std::vector<Title> all;
  double free = room();  // left of the first column
  for (KernelCell const& cell : cells_.cells) {
    QRectF rect(kLeft + cell.left, 3 + kLine * cell.line, cell.wide, kLine);
    bool first = cell.line == 0 && cell.left == 0 && cell.of_words;
    if (first) rect.setLeft(rect.left() + 44);
    if (cell.line == 0) free = std::min(free, first ? 44.0 : cell.left);
    all.push_back({cell.key, rect, cell.of_words});
  }
  all.insert(all.begin(), {KernelKey::kName, QRectF(kLeft, 3, free, kLine), true});
  return all;
}

std::vector<Part> KernelList::parts() const {
  std::vector<Part> parts;
  for (int row : shown_) {
    auto const& entry = table_->rows[size_t(row)];
    QString words = QString::fromStdString(entry.name);
    if (session::time_of(entry)) words += ", " + time_words(entry);
    if (auto known = baselines_.find(row); known != baselines_.end() && known->second.speedup())
      words += ", " + paint::against_baseline(*known->second.speedup());
    parts.push_back({row_rect(row), words, row == current_});
  }
  if (shown_.empty()) return parts;
  for (Title const& title : titles()) {
    QString words = "Sort by " + QString::fromStdString(session::info_of(title.key).name);
    if (order_.key == title.key) words += order_.reversed ? ", reversed" : ", sorted";
    parts.push_back({title.rect, words, false});
  }
  return parts;
}

void KernelList::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.panel);
  if (!table_) return;
  if (shown_.empty()) {
    QString words = table_->rows.empty() ? empty_words_ : "No kernel matches the filter.";
    paint::paragraph(painter, QRectF(16, 16, unit_width() - 32, unit_height() - 20), ui_font(12),
                     theme_.text2, words);
    return;
  }
  draw_head(painter);
  for (int row : shown_) draw_row(painter, row);
}

void KernelList::draw_head(QPainter& painter) const {
  for (Title const& title : titles()) {
    bool sorted = order_.key == title.key;
    QFont font = title_font(sorted);
    QString words = QString::fromStdString(session::info_of(title.key).title);
    QString fits = QFontMetricsF(font).elidedText(words, Qt::ElideRight, title.rect.width());
    paint::text(painter, title.rect, font, sorted ? theme_.text1 : theme_.text3, fits,
                (title.of_words ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (!sorted) continue;
    double half = QFontMetricsF(font).horizontalAdvance(fits) / 2;
    double x = title.of_words ? title.rect.left() + half : title.rect.right() - half;
    bool down = session::info_of(title.key).largest_first != order_.reversed;
    paint::sort_sign(painter, QPointF(x, title.rect.bottom() + 1), down, theme_.text1);
  }
}

void KernelList::draw_row(QPainter& painter, int row) const {
  auto const& entry = table_->rows[size_t(row)];
  QRectF box = row_rect(row);
  if (row == current_) {
    painter.fillRect(box, theme_.control);
    painter.fillRect(QRectF(0, box.top(), 3, box.height()), theme_.ink);
  } else if (row == hovered_) {
    painter.fillRect(box, theme_.hover);
  }
  paint::kernel_state(painter, QPointF(22, box.top() + 16), theme_, entry.state);
  draw_name(painter, box, row);
  bool counted = std::ranges::count(columns_, KernelKey::kCount) > 0;
  for (KernelCell const& cell : cells_.cells) {
    QString words = cell_words(*table_, entry, cell.key);
    if (cell.key == KernelKey::kWork)
      words += entry.count > 1 && !counted ? QStringLiteral(" · ×%1").arg(entry.count)
               : !entry.own_text.empty()   ? QStringLiteral(" · yours")
                                           : QString();
    QFont font = mono_font(cell.of_words ? 11 : 12);
    QRectF place(kLeft + cell.left, box.top() + 22 + kLine * cell.line, cell.wide, kLine);
    QColor colour = cell.key != KernelKey::kTime ? (cell.of_words ? theme_.text3 : theme_.text2)
                    : entry.disturbed            ? theme_.warn
                                                 : theme_.text1;
    paint::text(painter, place, font, colour,
                QFontMetricsF(font).elidedText(words, Qt::ElideRight, place.width()),
                (cell.of_words ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  }
  draw_bar(painter, box, row);
}

void KernelList::draw_name(QPainter& painter, QRectF const& box, int row) const {
  double right = unit_width() - kRight;
  if (auto known = baselines_.find(row); known != baselines_.end()) {
    auto speedup = known->second.speedup();
    QString words = speedup ? paint::times_as_fast(*speedup) : QStringLiteral("·");
    double wide = QFontMetricsF(mono_font(11, 500)).horizontalAdvance(words) + 3;
    paint::text(painter, QRectF(right - wide, box.top() + 4, wide, 18), mono_font(11, 500),
                theme_.text1, words, Qt::AlignRight | Qt::AlignVCenter);
    paint::flag(painter, QPointF(right - wide - 11, box.top() + 19), theme_.text2);
    right -= wide + 20;
  }
  QFont font = mono_font(12, 600);
  QRectF place(kLeft, box.top() + 4, right - kLeft, 18);
  paint::text(painter, place, font, theme_.text1, names_.shown(row, font, place.width()));
}

/// A part of the longest time in the model. While no time is known, of the most work: dots, since
/// nothing was measured.
void KernelList::draw_bar(QPainter& painter, QRectF const& box, int row) const {
  auto const& entry = table_->rows[size_t(row)];
  QRectF track(kLeft, box.bottom() - 5, room(), 3);
  if (longest_ <= 0) {
    double share = double(entry.flops * entry.count) / double(most_);
    for (double x = 0; x < track.width() * share; x += 6)
      painter.fillRect(QRectF(track.left() + x, track.top(), 2, 2), theme_.line3);
    return;
  }
  auto time = session::time_in_model(entry);
  if (!time) return;
  painter.fillRect(track, theme_.line1);
  track.setWidth(track.width() * *time / longest_);
  painter.fillRect(track, theme_.text2);
}

void KernelList::mousePressEvent(QMouseEvent* event) {
  setFocus();
  if (!table_) return;
  if (event->position().y() < head()) {
    if (event->button() != Qt::LeftButton)
      return emit columns_asked(event->globalPosition().toPoint());
    for (Title const& title : titles())
      if (title.rect.adjusted(-2, -3, 2, 4).contains(event->position()))
        return emit sort_asked(asked_order(title.key));
    return;
  }
  int row = row_at(event->position());
  if (row < 0) return;
  emit kernel_chosen(row);
  if (event->button() == Qt::LeftButton) emit kernel_entered();
}

void KernelList::contextMenuEvent(QContextMenuEvent* event) {
  if (!table_ || current_ < 0) return;
  bool by_key = event->reason() == QContextMenuEvent::Keyboard;
  if (!by_key && event->pos().y() < head()) return;
  QPoint at = pixels(row_rect(current_).center());
  emit menu_asked(current_, by_key ? mapToGlobal(at) : event->globalPos());
}

QString KernelList::tooltip(int row) const {
  QString words = kernel_words(*table_, table_->rows[size_t(row)]);
  if (auto known = baselines_.find(row); known != baselines_.end()) {
    auto const& one = known->second;
    words += QString("\nbaseline %1: %2")
                 .arg(QString::fromStdString(one.before),
                      one.before_ms ? paint::time(*one.before_ms) : "not measured");
    if (one.speedup())
      words += QString(", %1 times as fast now").arg(paint::number(*one.speedup()));
  }
  return paint::wrapped(words);
}

void KernelList::mouseMoveEvent(QMouseEvent* event) {
  int row = row_at(event->position());
  if (row == hovered_) return;
  hovered_ = row;
  setToolTip(table_ && row >= 0 ? tooltip(row) : QString());
  update();
}

void KernelList::leaveEvent(QEvent*) {
  hovered_ = -1;
  update();
}

void KernelList::keyPressEvent(QKeyEvent* event) {
  int key = event->key();
  if (key == Qt::Key_Return || key == Qt::Key_Enter) return emit kernel_entered();
  static std::map<int, int> const kSteps{{Qt::Key_Up, -1},        {Qt::Key_Down, 1},
                                         {Qt::Key_PageUp, -10},   {Qt::Key_PageDown, 10},
                                         {Qt::Key_Home, -100000}, {Qt::Key_End, 100000}};
  auto step = kSteps.find(key);
  if (step == kSteps.end() || shown_.empty() || event->modifiers() & Qt::ControlModifier)
    return QWidget::keyPressEvent(event);
  int last = int(shown_.size()) - 1, place = place_of(current_);
  int next = place < 0 ? 0 : std::clamp(place + step->second, 0, last);
  emit moved_to(row_rect(shown_[size_t(next)]));
  if (next != place) emit kernel_chosen(shown_[size_t(next)]);
}

}  // namespace tw
