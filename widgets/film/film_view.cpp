// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/film/film_view.h"

#include <QKeyEvent>
#include <algorithm>
#include <cmath>

#include "widgets/paint/paint.h"

namespace tw {
namespace {

using session::AccessFilm;
using session::FilmAccess;
using session::FilmTensor;
using session::MissKind;

constexpr double kTitle = 20, kLeastGrid = 72;
constexpr int kTick = 33;  // ms

int64_t elements_of(FilmTensor const& tensor) {
  int64_t count = 1;
  for (int64_t extent : tensor.shape) count *= extent;
  return count;
}

char const* miss_words(MissKind kind) {
  switch (kind) {
    case MissKind::kCold:
      return ", compulsory miss";
    case MissKind::kCapacity:
      return ", capacity miss";
    case MissKind::kConflict:
      return ", conflict miss";
    default:
      return "";
  }
}

}  // namespace

FilmView::FilmView(QWidget* parent) : Canvas(parent) {
  setObjectName("accessFilm");
  setAccessibleName("Accesses");
  setFocusPolicy(Qt::StrongFocus);
  ticks_.setInterval(kTick);
  connect(&ticks_, &QTimer::timeout, this, [this] { tick(); });
  rescale();
}

/// Every tensor that is touched has room for its name and some rows.
void FilmView::rescale() {
  double grids = std::max(90.0, kLeastGrid * double(touched_.size()));
  setMinimumHeight(pixels(QSizeF(0, head_height() + grids + 8)).height());
}

void FilmView::show_film(std::shared_ptr<AccessFilm const> film) {
  waits_ = !film;
  if (film && film != film_) {
    bool other = !film_ || film_->program_hash != film->program_hash || film_->from != film->from;
    film_ = std::move(film);
    find_touched();
    count_misses();
    if (other) play(0);
    frame_ = other ? 0 : std::min(frame_, std::max(0, film_->frames() - 1));
    emit frame_changed(frame_);
  }
  update();
}

void FilmView::find_touched() {
  std::vector<bool> seen(film_->tensors.size(), false);
  for (FilmAccess const& access : film_->accesses) seen[size_t(access.tensor)] = true;
  touched_.clear();
  for (size_t i = 0; i < seen.size(); ++i)
    if (seen[i]) touched_.push_back(int32_t(i));
  rescale();
}

void FilmView::set_empty_words(QString const& words) {
  play(0);
  film_ = nullptr;
  count_misses();
  waits_ = false;
  empty_words_ = words;
  update();
}

void FilmView::go_to(int frame) {
  if (!film_) return;
  frame = std::clamp(frame, 0, std::max(0, film_->frames() - 1));
  if (frame == frame_) return;
  frame_ = frame;
  emit frame_changed(frame_);
  update();
}

void FilmView::play(int frames) {
  bool before = plays();
  speed_ = frames;
  frames == 0 || !film_ ? ticks_.stop() : ticks_.start();
  if (before != plays()) emit play_changed(plays());
}

void FilmView::tick() {
  int before = frame_;
  go_to(frame_ + speed_);
  if (frame_ == before) play(0);
}

double FilmView::head_height() const { return 66; }

int64_t FilmView::touched_element(int32_t tensor) const {
  // Of this frame, else of the last one before that touched it.
  for (int frame = frame_; frame >= 0 && frame > frame_ - 4000; --frame)
    for (int64_t i = film_->first_access[size_t(frame)]; i < film_->first_access[size_t(frame) + 1];
         ++i)
      if (film_->accesses[size_t(i)].tensor == tensor) return film_->accesses[size_t(i)].element;
  return 0;
}

/// Whole pages where they fit, else the window of one page that the frame is in.
FilmView::Grid FilmView::grid_of(int32_t tensor, QRectF const& box) const {
  FilmTensor const& of = film_->tensors[size_t(tensor)];
  Grid grid{.tensor = tensor, .box = box.adjusted(0, kTitle, 0, 0)};
  size_t rank = of.shape.size();
  grid.page_columns = rank > 0 ? of.shape[rank - 1] : 1;
  grid.page_rows = rank > 1 ? of.shape[rank - 2] : 1;
  int64_t page = grid.page_rows * grid.page_columns, element = touched_element(tensor);
  int64_t pages = std::max<int64_t>(1, elements_of(of) / std::max<int64_t>(page, 1));
  double fits = std::min(grid.box.width() / double(grid.page_columns),
                         grid.box.height() / double(grid.page_rows));
  grid.cell = std::clamp(fits, 4.0, 10.0);
  auto room_for = [&](double length) { return std::max<int64_t>(1, int64_t(length / grid.cell)); };
  grid.columns = std::min(grid.page_columns, room_for(grid.box.width()));
  grid.rows = std::min(grid.page_rows, room_for(grid.box.height()));
  double wide = double(grid.page_columns) * grid.cell + kPageGap;
  int64_t beside = std::max<int64_t>(1, int64_t((grid.box.width() + kPageGap) / wide));
  grid.pages = std::min(pages, beside);
  grid.first_page = element / page / grid.pages * grid.pages;
  grid.pages = std::min(grid.pages, pages - grid.first_page);
  grid.first_row = element % page / grid.page_columns / grid.rows * grid.rows;
  grid.first_column = element % grid.page_columns / grid.columns * grid.columns;
  grid.rows = std::min(grid.rows, grid.page_rows - grid.first_row);
  grid.columns = std::min(grid.columns, grid.page_columns - grid.first_column);
  return grid;
}

std::vector<FilmView::Grid> FilmView::grids() const {
  std::vector<Grid> grids;
  if (!film_ || !film_->failure.empty() || film_->frames() == 0) return grids;
  size_t count = touched_.size();
  double top = head_height(), high = (unit_height() - top - 8) / double(std::max<size_t>(count, 1));
  for (size_t i = 0; i < count; ++i) {
    QRectF box(kLeft, top + double(i) * high, unit_width() - 2 * kLeft, high - 8);
    if (box.height() > kTitle + 6) grids.push_back(grid_of(touched_[i], box));
  }
  return grids;
}

QRectF FilmView::cell_rect(Grid const& grid, int64_t element) const {
  int64_t page_size = grid.page_rows * grid.page_columns;
  int64_t page = element / page_size - grid.first_page;
  int64_t row = element % page_size / grid.page_columns - grid.first_row;
  int64_t column = element % grid.page_columns - grid.first_column;
  bool seen = page >= 0 && page < grid.pages && row >= 0 && row < grid.rows && column >= 0 &&
              column < grid.columns;
  if (!seen) return {};
  double page_left = double(page) * (double(grid.page_columns) * grid.cell + kPageGap);
  return {grid.box.left() + page_left + double(column) * grid.cell,
          grid.box.top() + double(row) * grid.cell, grid.cell, grid.cell};
}

void FilmView::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.inset);
  QString words = film_    ? QString::fromStdString(film_->failure)
                  : waits_ ? "Replaying the kernel's accesses through the caches…"
                           : empty_words_;
  if (!film_ || !film_->failure.empty() || film_->frames() == 0) {
    paint::paragraph(painter, QRectF(24, 20, unit_width() - 48, 60), ui_font(12), theme_.text2,
                     words);
    return;
  }
  if (waits_) painter.setOpacity(0.6);
  draw_totals(painter);
  for (Grid const& grid : grids()) draw_grid(painter, grid);
}

/// What each memory answered up to here, with the sign that its cells have.
void FilmView::draw_answered(QPainter& painter) const {
  double x = kLeft, all = 0;
  for (size_t level = 0; level < film_->levels.size(); ++level)
    all += double(film_->answered_by(frame_, level));
  for (size_t level = 0; level < film_->levels.size(); ++level) {
    draw_cell(painter, QRectF(x, 10, 10, 10), int(level));
    double share = all > 0 ? 100 * double(film_->answered_by(frame_, level)) / all : 0;
    QString words = QString("%1 %2%").arg(QString::fromStdString(film_->levels[level].name),
                                          QString::number(share, 'f', share < 10 ? 1 : 0));
    double wide = QFontMetricsF(mono_font(11, 600)).horizontalAdvance(words) + 4;
    if (x + wide + 16 > unit_width() - kLeft) break;
    paint::text(painter, QRectF(x + 16, 6, wide, 18), mono_font(11, 600), theme_.text1, words);
    x += wide + 32;
  }
}

void FilmView::draw_totals(QPainter& painter) const {
  cells_.misses ? draw_heat_legend(painter) : draw_answered(painter);
  QFont const font = ui_font(11);
  double wide = unit_width() - 2 * kLeft;
  auto line = [&](double y, QColor const& colour, QString const& words) {
    paint::text(painter, QRectF(kLeft, y, wide, 16), font, colour,
                QFontMetricsF(font).elidedText(words, Qt::ElideRight, wide - 2));
  };
  line(26, theme_.text2, totals_words());
  line(44, theme_.text1, frame_words());
}

/// As high as it is near: also where colours look alike.
void FilmView::draw_cell(QPainter& painter, QRectF const& cell, int level) const {
  int main = int(film_->levels.size()) - 1;
  QRectF box = cell.adjusted(0.5, 0.5, -0.5, -0.5);
  painter.fillRect(box, theme_.control);
  if (level >= main) return;
  double share = double(main - level) / double(main);
  box.setTop(box.bottom() - box.height() * share);
  painter.fillRect(box, theme_.levels[size_t(std::min(level, 2))]);
}

QString FilmView::grid_words(Grid const& grid) const {
  FilmTensor const& tensor = film_->tensors[size_t(grid.tensor)];
  QStringList shape;
  for (int64_t extent : tensor.shape) shape << QString::number(extent);
  QString words = QString("%1 %2[%3]")
                      .arg(QString::fromStdString(tensor.name),
                           QString::fromStdString(tensor.dtype), shape.join(", "));
  int64_t pages = elements_of(tensor) / std::max<int64_t>(1, grid.page_rows * grid.page_columns);
  QStringList part;
  if (pages > grid.pages)
    part << QString("pages %1 to %2 of %3")
                .arg(grid.first_page)
                .arg(grid.first_page + grid.pages - 1)
                .arg(pages);
  if (grid.rows < grid.page_rows)
    part << QString("rows %1 to %2").arg(grid.first_row).arg(grid.first_row + grid.rows - 1);
  if (grid.columns < grid.page_columns)
    part << QString("columns %1 to %2")
                .arg(grid.first_column)
                .arg(grid.first_column + grid.columns - 1);
  return part.isEmpty() ? words : words + QStringLiteral(" · ") + part.join(", ");
}

void FilmView::draw_grid(QPainter& painter, Grid const& grid) const {
  QFont const font = mono_font(11, 600);
  paint::text(
      painter, QRectF(grid.box.left(), grid.box.top() - kTitle, grid.box.width(), 18), font,
      theme_.text1,
      QFontMetricsF(font).elidedText(grid_words(grid), Qt::ElideRight, grid.box.width() - 2));
  int64_t page_size = grid.page_rows * grid.page_columns;
  painter.setRenderHint(QPainter::Antialiasing, false);
  for (int64_t page = 0; page < grid.pages; ++page)
    for (int64_t row = 0; row < grid.rows; ++row)
      for (int64_t column = 0; column < grid.columns; ++column) {
        int64_t element = (grid.first_page + page) * page_size +
                          (grid.first_row + row) * grid.page_columns + grid.first_column + column;
        QRectF cell = cell_rect(grid, element);
        if (cells_.misses)
          draw_heat(painter, cell, misses_of(grid.tensor, element));
        else
          draw_cell(painter, cell, film_->level_at(frame_, grid.tensor, element));
      }
  painter.setRenderHint(QPainter::Antialiasing, true);
  draw_touched(painter, grid);
}

/// Read: a frame; written: a frame with a diagonal; from main memory: in the colour of a warning,
/// which cells that count misses have themselves.
void FilmView::draw_touched(QPainter& painter, Grid const& grid) const {
  int main = int(film_->levels.size()) - 1;
  for (int64_t i = film_->first_access[size_t(frame_)]; i < film_->first_access[size_t(frame_) + 1];
       ++i) {
    FilmAccess const& access = film_->accesses[size_t(i)];
    if (access.tensor != grid.tensor) continue;
    QRectF cell = cell_rect(grid, access.element);
    if (cell.isEmpty()) continue;
    bool far = access.level == main;
    painter.setPen(QPen(far && !cells_.misses ? theme_.warn : theme_.ink, far ? 2 : 1.5));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(cell);
    if (access.writes) painter.drawLine(cell.bottomLeft(), cell.topRight());
  }
}

QString FilmView::element_words(int32_t tensor, int64_t element) const {
  FilmTensor const& of = film_->tensors[size_t(tensor)];
  QStringList index;
  for (size_t d = of.shape.size(); d-- > 0;) {
    index.prepend(QString::number(element % of.shape[d]));
    element /= of.shape[d];
  }
  return QString::fromStdString(of.name) + "[" + index.join(", ") + "]";
}

QString FilmView::access_words(FilmAccess const& access) const {
  return QString("%1 %2, %3%4")
      .arg(access.writes ? "writes" : "reads", element_words(access.tensor, access.element),
           QString::fromStdString(film_->levels[size_t(access.level)].name),
           miss_words(access.miss));
}

QString FilmView::frame_words() const {
  if (!film_ || film_->frames() == 0) return {};
  QStringList loops, words;
  for (size_t i = 0; i < film_->loops.size(); ++i) {
    int32_t value = film_->values[size_t(frame_) * film_->loops.size() + i];
    if (value >= 0)
      loops << QString("%1 %2").arg(QString::fromStdString(film_->names[i])).arg(value);
  }
  int32_t last = -1;
  bool wrote = false;
  for (int64_t i = film_->first_access[size_t(frame_)]; i < film_->first_access[size_t(frame_) + 1];
       ++i) {
    // Of the lanes of a vector the first one speaks.
    FilmAccess const& access = film_->accesses[size_t(i)];
    if (i > film_->first_access[size_t(frame_)] && access.tensor <= last && wrote) break;
    words << access_words(access);
    last = access.tensor;
    wrote = wrote || access.writes;
  }
  return loops.join(", ") + ": " + words.join("; ");
}

QString FilmView::totals_words() const {
  if (!film_ || film_->frames() == 0) return {};
  return QString("Iteration %1 of %2 · misses: %3 compulsory, %4 capacity, %5 conflict")
      .arg(frame_ + 1)
      .arg(film_->frames())
      .arg(film_->missed_by(frame_, MissKind::kCold))
      .arg(film_->missed_by(frame_, MissKind::kCapacity))
      .arg(film_->missed_by(frame_, MissKind::kConflict));
}

void FilmView::keyPressEvent(QKeyEvent* event) {
  int far = event->modifiers() & Qt::ShiftModifier ? 100 : 1;
  switch (event->key()) {
    case Qt::Key_Space:
      return play(plays() ? 0 : std::max(1, std::abs(speed_)));
    case Qt::Key_Backspace:
      return play(plays() ? 0 : -std::max(1, std::abs(speed_)));
    case Qt::Key_Left:
      return play(0), go_to(frame_ - far);
    case Qt::Key_Right:
      return play(0), go_to(frame_ + far);
    case Qt::Key_Home:
      return play(0), go_to(0);
    case Qt::Key_End:
      return play(0), go_to(film_ ? film_->frames() - 1 : 0);
    default:
      Canvas::keyPressEvent(event);
  }
}

ValueInRange FilmView::value_in_range() const {
  return {double(frame_), 0, film_ ? std::max(0.0, film_->frames() - 1.0) : 0.0};
}

std::vector<Part> FilmView::parts() const {
  std::vector<Part> parts;
  for (Grid const& grid : grids()) {
    QString words = "Tensor " + grid_words(grid);
    if (cells_.misses) {
      auto most = misses_.most_of(frame_, grid.tensor);
      words += most.count == 0 ? QString(", no misses so far")
                               : QString(", at most %1 misses so far, of the line of %2")
                                     .arg(most.count)
                                     .arg(element_words(grid.tensor, most.element));
    }
    parts.push_back({grid.box.adjusted(0, -kTitle, 0, 0), words});
  }
  if (!parts.empty() && cells_.misses)
    parts.push_back({QRectF(kLeft, 6, unit_width() - 2 * kLeft, 18), heat_words()});
  if (!parts.empty())
    parts.push_back({QRectF(kLeft, 26, unit_width() - 2 * kLeft, 34),
                     totals_words() + ". " + frame_words(), true});
  return parts;
}

}  // namespace tw
