// SPDX-License-Identifier: GPL-3.0-or-later
/// Legal next moves, best first: what each does, the time that it is modelled to give, and how many
/// times as fast that is. A click takes one.
#pragma once

#include <memory>

#include "engine/session/moves.h"
#include "widgets/accessible/parts.h"
#include "widgets/paint/canvas.h"

namespace tw {

class MoveList : public Canvas, public HasParts {
  Q_OBJECT
public:
  explicit MoveList(QWidget* parent = nullptr);
  /// Null: they are looked for; the last ones stay, dimmed.
  void show_moves(std::shared_ptr<session::MovesView const> moves);
  /// In place of a list, while there cannot be one.
  void set_empty_words(QString const& words);
  session::MovesView const* shown() const { return moves_.get(); }
  int current() const { return current_; }
  QRectF row_rect(int row) const;
  std::vector<Part> parts() const override;

signals:
  void move_chosen(QString line);
  /// By the mouse, or by the keys; empty: by neither any more.
  void move_pointed(QString line);
  void came_into_sight();
  void went_out_of_sight();

protected:
  void paintEvent(QPaintEvent*) override;
  void resizeEvent(QResizeEvent*) override { fit(); }
  void rescale() override { fit(); }
  void mousePressEvent(QMouseEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void leaveEvent(QEvent*) override;
  void showEvent(QShowEvent*) override { emit came_into_sight(); }
  void hideEvent(QHideEvent*) override { emit went_out_of_sight(); }
  void keyPressEvent(QKeyEvent*) override;
  void focusOutEvent(QFocusEvent*) override;

private:
  int rows() const { return moves_ ? int(moves_->moves.size()) : 0; }
  double head_height() const;
  double row_height(int row) const;
  QString head() const;
  int row_at(QPointF at) const;
  void select(int row);
  void choose(int row);
  QString line_of(int row) const;
  void fit();
  void draw_row(QPainter& painter, int row) const;

  std::shared_ptr<session::MovesView const> moves_;
  QString empty_words_;
  bool looking_ = false;
  int current_ = 0, hovered_ = -1;
};

}  // namespace tw
