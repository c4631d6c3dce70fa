// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tuning/trial_table.h"

#include <QFontMetricsF>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <algorithm>

#include "widgets/paint/paint.h"

namespace tw {
namespace {

constexpr int kRow = 27, kHead = 28;
constexpr size_t kMostRows = 200;
constexpr double kTrial = 62, kValue = 150, kBar = 166, kBarWide = 48, kSearch = 232;
constexpr double kOpenWide = 112;

/// "ow.i" of "conv2d.ow.i": all knobs begin with the name of their block.
QString short_name(std::string const& knob) {
  return QString::fromStdString(knob.substr(knob.find('.') + 1));
}

std::string const* value_of(session::TuningTrial const& trial, std::string const& knob) {
  for (auto const& [name, value] : trial.knobs)
    if (name == knob) return &value;
  return nullptr;
}

}  // namespace

TrialTable::TrialTable(QWidget* parent) : Canvas(parent) {
  setObjectName("trials");
  setAccessibleName("Best trials");
  setFocusPolicy(Qt::StrongFocus);
}

void TrialTable::show_runs(session::TuningView runs, TuningScale scale) {
  scale_ = scale;
  rows_.clear();
  for (auto const& run : runs.runs)
    for (auto const& trial : run->trials)
      if (trial->ms > 0)
        rows_.push_back(
            {{run->number, trial->number}, trial, name_of(*run, runs), run->search, run->from});
  auto faster = [](Row const& row) { return row.trial->ms; };
  size_t kept = std::min(rows_.size(), kMostRows);
  std::ranges::partial_sort(rows_, rows_.begin() + std::ptrdiff_t(kept), {}, faster);
  rows_.resize(kept);
  search_width_ = 44;
  std::map<std::string, std::pair<int, double>> counts;
  for (Row const& row : rows_) {
    search_width_ =
        std::max(search_width_, QFontMetricsF(ui_font(12)).horizontalAdvance(row.search) + 4);
    for (auto const& [knob, value] : row.trial->knobs) {
      auto& [count, wide] = counts[knob];
      ++count;
      wide =
          std::max({wide, QFontMetricsF(ui_font(11)).horizontalAdvance(short_name(knob)),
                    QFontMetricsF(mono_font(12)).horizontalAdvance(QString::fromStdString(value))});
    }
  }
  std::vector<std::pair<std::string, std::pair<int, double>>> order(counts.begin(), counts.end());
  std::ranges::stable_sort(order, std::greater<>{},
                           [](auto const& one) { return one.second.first; });
  knobs_.clear();
  for (auto const& [knob, use] : order) knobs_.emplace_back(knob, use.second + 4);
  rescale();
  update();
}

void TrialTable::select(ChosenTrial chosen) {
  chosen_ = chosen;
  update();
}

std::vector<ChosenTrial> TrialTable::rows() const {
  std::vector<ChosenTrial> list;
  for (Row const& row : rows_) list.push_back(row.id);
  return list;
}

QSize TrialTable::sizeHint() const {
  return pixels(QSizeF(300, kHead + kRow * std::max(1, int(rows_.size())) + 4));
}
QRectF TrialTable::row_rect(int row) const {
  return QRectF(0, kHead + kRow * row, unit_width(), kRow);
}

/// As many as have room whole; the others stand in the tooltip.
std::vector<TrialTable::Column> TrialTable::columns() const {
  std::vector<Column> list;
  double left = kSearch + search_width_ + 14, right = unit_width() - 16 - kOpenWide;
  for (auto const& [knob, wide] : knobs_) {
    if (left + wide > right) continue;
    list.push_back({knob, short_name(knob), left, wide});
    left += wide + 14;
  }
  return list;
}

void TrialTable::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.panel);
  std::vector<Column> shown = columns();
  draw_head(painter, shown);
  for (int row = 0; row < int(rows_.size()); ++row) draw_row(painter, row, shown);
  if (int row = row_of(chosen_); hasFocus() && row >= 0)
    paint::focus_ring(painter, row_rect(row).adjusted(5, 3, -5, -3), theme_, 4);
}

void TrialTable::draw_head(QPainter& painter, std::vector<Column> const& shown) const {
  auto word = [&](double left, double wide, QString const& words, int side) {
    paint::text(painter, QRectF(left, 4, wide, 20), ui_font(11), theme_.text3, words,
                side | Qt::AlignVCenter);
  };
  word(8, kTrial - 8, "trial", Qt::AlignRight);
  word(kTrial + 8, kValue - kTrial - 8, scale_.unit(), Qt::AlignRight);
  word(kBar, 58, "of best", Qt::AlignLeft);
  word(kSearch, 60, "search", Qt::AlignLeft);
  for (Column const& column : shown) word(column.left, column.width, column.title, Qt::AlignRight);
  painter.fillRect(QRectF(0, kHead - 1, unit_width(), 1), theme_.line1);
}

void TrialTable::draw_row(QPainter& painter, int index, std::vector<Column> const& shown) const {
  Row const& row = rows_[size_t(index)];
  QRectF box = row_rect(index);
  bool selected = row.id == chosen_;
  if (selected) {
    painter.fillRect(box, theme_.control);
    painter.fillRect(QRectF(box.left(), box.top(), 3, box.height()), theme_.ink);
  }
  auto right = [&](double left, double wide, QFont const& font, QColor const& colour,
                   QString const& words) {
    paint::text(painter, QRectF(left, box.top(), wide, kRow), font, colour, words,
                Qt::AlignRight | Qt::AlignVCenter);
  };
  right(8, kTrial - 8, mono_font(12), theme_.text2, QString::number(row.id.trial));
  right(kTrial + 8, kValue - kTrial - 8, mono_font(12, 600), theme_.text1,
        scale_.words(row.trial->ms));
  QRectF track(kBar, box.center().y() - 3, kBarWide, 6);
  painter.fillRect(track, selected ? theme_.hover : theme_.control);
  track.setWidth(track.width() * rows_.front().trial->ms / row.trial->ms);
  painter.fillRect(track, theme_.text2);
  paint::text(painter, QRectF(kSearch, box.top(), search_width_ + 4, kRow), ui_font(12),
              theme_.text1, row.search);
  for (Column const& column : shown) {
    std::string const* value = value_of(*row.trial, column.knob);
    right(column.left, column.width, mono_font(12), value ? theme_.text1 : theme_.text3,
          value ? QString::fromStdString(*value) : QStringLiteral("·"));
  }
  if (selected)
    right(box.right() - 16 - kOpenWide, kOpenWide, ui_font(12, 600), theme_.text1,
          QStringLiteral("Open as steps ⏎"));
}

QString TrialTable::words_of(Row const& row) const {
  return tw::words_of(*row.trial, row.search, row.from, scale_);
}

bool TrialTable::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return Canvas::event(event);
  auto* help = static_cast<QHelpEvent*>(event);
  int row = row_at(units(help->pos()));
  QString words = row < 0 ? QString() : words_of(rows_[size_t(row)]).replace(", ", "\n");
  QToolTip::showText(help->globalPos(), words, this);
  return true;
}

int TrialTable::row_of(ChosenTrial chosen) const {
  for (size_t i = 0; i < rows_.size(); ++i)
    if (rows_[i].id == chosen) return int(i);
  return -1;
}

int TrialTable::row_at(QPointF at) const {
  int row = int((at.y() - kHead) / kRow);
  return at.y() >= kHead && row < int(rows_.size()) ? row : -1;
}

void TrialTable::choose(int row) {
  if (row < 0 || row >= int(rows_.size())) return;
  select(rows_[size_t(row)].id);
  emit trial_chosen(chosen_);
}

void TrialTable::mousePressEvent(QMouseEvent* event) { choose(row_at(event->position())); }

void TrialTable::mouseDoubleClickEvent(QMouseEvent* event) {
  if (row_at(event->position()) >= 0) emit open_asked(chosen_);
}

void TrialTable::keyPressEvent(QKeyEvent* event) {
  int at = row_of(chosen_), last = int(rows_.size()) - 1;
  switch (event->key()) {
    case Qt::Key_Down:
      return choose(std::min(at + 1, last));
    case Qt::Key_Up:
      return choose(std::max(at - 1, 0));
    case Qt::Key_Home:
      return choose(0);
    case Qt::Key_End:
      return choose(last);
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (at >= 0) emit open_asked(chosen_);
      return;
    default:
      return QWidget::keyPressEvent(event);
  }
}

std::vector<Part> TrialTable::parts() const {
  std::vector<Part> parts;
  for (size_t i = 0; i < rows_.size(); ++i)
    parts.push_back({row_rect(int(i)), words_of(rows_[i]), rows_[i].id == chosen_});
  return parts;
}

}  // namespace tw
