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

constexpr double kTitle = 20, kLeastGrid = 72, kLeft = 16;
constexpr int kTick = 33;  // ms

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

std::vector<FilmGrid> FilmView::grids() const {
  std::vector<FilmGrid> grids;
  if (!film_ || !film_->failure.empty() || film_->frames() == 0) return grids;
  size_t count = touched_.size();
  double top = head_height(), high = (unit_height() - top - 8) / double(std::max<size_t>(count, 1));
  for (size_t i = 0; i < count; ++i) {
    QRectF box(kLeft, top + double(i) * high, unit_width() - 2 * kLeft, high - 8);
    if (box.height() > kTitle + 6)
      grids.push_back(grid_of(*film_, touched_[i], touched_element(touched_[i]),
                              box.adjusted(0, kTitle, 0, 0)));
  }
  return grids;
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
  for (FilmGrid const& grid : grids()) draw_grid(painter, grid);
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

void FilmView::draw_grid(QPainter& painter, FilmGrid const& grid) const {
  QFont const font = mono_font(11, 600);
  paint::text(
      painter, QRectF(grid.box.left(), grid.box.top() - kTitle, grid.box.width(), 18), font,
      theme_.text1,
      QFontMetricsF(font).elidedText(words_of(*film_, grid), Qt::ElideRight, grid.box.width() - 2));
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
void FilmView::draw_touched(QPainter& painter, FilmGrid const& grid) const {
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
    words << words_of(*film_, access);
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
  for (FilmGrid const& grid : grids()) {
    QString words = "Tensor " + words_of(*film_, grid);
    if (cells_.misses) {
      auto most = misses_.most_of(frame_, grid.tensor);
      words += most.count == 0 ? QString(", no misses so far")
                               : QString(", at most %1 misses so far, of the line of %2")
                                     .arg(most.count)
                                     .arg(element_words(*film_, grid.tensor, most.element));
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
