// SPDX-License-Identifier: GPL-3.0-or-later
/// The cells of a tensor that are drawn, and what is said of them.
#pragma once

#include <QRectF>
#include <QString>

#include "engine/session/memory.h"

namespace tw {

/// What of a tensor is drawn: pages of its last two dimensions, and the window of them.
struct FilmGrid {
  int32_t tensor = 0;
  QRectF box;  ///< of the cells
  int64_t page_rows = 1, page_columns = 1;
  int64_t first_page = 0, pages = 1;
  int64_t first_row = 0, rows = 1, first_column = 0, columns = 1;
  double cell = 5;
};

/// Whole pages where they fit in the box, else the window of one page that an element is in.
FilmGrid grid_of(session::AccessFilm const& film, int32_t tensor, int64_t element,
                 QRectF const& box);
/// Empty: it is not drawn.
QRectF cell_rect(FilmGrid const& grid, int64_t element);
/// The element whose cell is there, as far as there is one.
int64_t element_at(FilmGrid const& grid, QPointF at);

/// "A f32[17, 64] · rows 0 to 7"
QString words_of(session::AccessFilm const& film, FilmGrid const& grid);
/// "reads A[0, 17], L1"
QString words_of(session::AccessFilm const& film, session::FilmAccess const& access);
/// "A[0, 17]"
QString element_words(session::AccessFilm const& film, int32_t tensor, int64_t element);

}  // namespace tw
