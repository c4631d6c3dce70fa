// SPDX-License-Identifier: GPL-3.0-or-later
/// A kernel's accesses, played: tensors as grids whose cells show the nearest memory that has them,
/// or how often their line missed so far, and what an iteration touches.
#pragma once

#include <QTimer>
#include <memory>
#include <string>
#include <vector>

#include "engine/session/memory.h"
#include "engine/session/miss_counts.h"
#include "widgets/accessible/part_watch.h"
#include "widgets/accessible/parts.h"
#include "widgets/film/film_grid.h"
#include "widgets/paint/canvas.h"

namespace tw {

/// What the cells show.
struct FilmCells {
  bool misses = false;  ///< how often their line missed so far; else where it is
  std::string level;    ///< of this cache; empty: of all, added up
  bool operator==(FilmCells const&) const = default;
};

class FilmView : public Canvas, public HasParts, public HasValue {
  Q_OBJECT
public:
  explicit FilmView(QWidget* parent = nullptr);
  /// Null: it is made; the last one stays, dimmed.
  void show_film(std::shared_ptr<session::AccessFilm const> film);
  void set_empty_words(QString const& words);
  session::AccessFilm const* shown() const { return film_.get(); }

  int frame() const { return frame_; }
  void go_to(int frame);
  /// Frames for each tick of 33 ms: negative plays backwards, 0 stops.
  void play(int frames);
  bool plays() const { return ticks_.isActive(); }

  // ---- what cells show: film_heat.cpp ----
  /// A cache that the film's device has not is as all of them.
  void show_cells(FilmCells cells);
  FilmCells const& cells() const { return cells_; }
  /// Misses up to the frame, of the line that has most and of an element's; 0 where cells show
  /// places.
  int64_t most_misses() const;
  int64_t misses_of(int32_t tensor, int64_t element) const;
  /// "Misses of L1 so far: at most 12 of a line, 37 at the end"
  QString heat_words() const;
  /// What a tool tip says there; empty: no cell is there. In units.
  QString cell_words(QPointF at) const;
  std::vector<Part> parts() const override;
  ValueInRange value_in_range() const override;
  /// "i 0, j 3: reads A[0, 17] from L1; ..."
  QString frame_words() const;
  QString totals_words() const;

signals:
  void frame_changed(int frame);
  void play_changed(bool plays);

protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  void rescale() override;

private:
  std::vector<FilmGrid> grids() const;
  int64_t touched_element(int32_t tensor) const;
  double head_height() const;
  void find_touched();
  void tick();
  void draw_totals(QPainter& painter) const;
  void draw_answered(QPainter& painter) const;
  void draw_grid(QPainter& painter, FilmGrid const& grid) const;
  void draw_cell(QPainter& painter, QRectF const& cell, int level) const;
  void draw_touched(QPainter& painter, FilmGrid const& grid) const;
  void count_misses();
  int64_t most_at_end() const;
  QString misses_words() const;
  void draw_heat(QPainter& painter, QRectF const& cell, int64_t misses) const;
  void draw_heat_legend(QPainter& painter) const;

  std::shared_ptr<session::AccessFilm const> film_;
  std::vector<int32_t> touched_;  ///< tensors that some frame touches
  FilmCells cells_;
  session::MissCounts misses_;  ///< as `cells_` asks; empty where they show places
  QString empty_words_;
  bool waits_ = false;
  int frame_ = 0, speed_ = 1;
  QTimer ticks_;
};

}  // namespace tw
