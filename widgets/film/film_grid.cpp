// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/film/film_grid.h"

#include <QStringList>
#include <algorithm>

namespace tw {

using session::FilmTensor;
using session::MissKind;

namespace {

constexpr double kPageGap = 8;

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

FilmGrid grid_of(session::AccessFilm const& film, int32_t tensor, int64_t element,
                 QRectF const& box) {
  FilmTensor const& of = film.tensors[size_t(tensor)];
  FilmGrid grid{.tensor = tensor, .box = box};
  size_t rank = of.shape.size();
  grid.page_columns = rank > 0 ? of.shape[rank - 1] : 1;
  grid.page_rows = rank > 1 ? of.shape[rank - 2] : 1;
  int64_t page = grid.page_rows * grid.page_columns;
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

QRectF cell_rect(FilmGrid const& grid, int64_t element) {
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

int64_t element_at(FilmGrid const& grid, QPointF at) {
  double page_wide = double(grid.page_columns) * grid.cell + kPageGap;
  auto page = int64_t((at.x() - grid.box.left()) / page_wide);
  auto column = int64_t((at.x() - grid.box.left() - double(page) * page_wide) / grid.cell);
  auto row = int64_t((at.y() - grid.box.top()) / grid.cell);
  return ((grid.first_page + page) * grid.page_rows + grid.first_row + row) * grid.page_columns +
         grid.first_column + column;
}

QString element_words(session::AccessFilm const& film, int32_t tensor, int64_t element) {
  FilmTensor const& of = film.tensors[size_t(tensor)];
  QStringList index;
  for (size_t d = of.shape.size(); d-- > 0;) {
    index.prepend(QString::number(element % of.shape[d]));
    element /= of.shape[d];
  }
  return QString::fromStdString(of.name) + "[" + index.join(", ") + "]";
}

QString words_of(session::AccessFilm const& film, session::FilmAccess const& access) {
  return QString("%1 %2, %3%4")
      .arg(access.writes ? "writes" : "reads", element_words(film, access.tensor, access.element),
           QString::fromStdString(film.levels[size_t(access.level)].name), miss_words(access.miss));
}

QString words_of(session::AccessFilm const& film, FilmGrid const& grid) {
  FilmTensor const& tensor = film.tensors[size_t(grid.tensor)];
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

}  // namespace tw
