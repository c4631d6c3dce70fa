// SPDX-License-Identifier: GPL-3.0-or-later
/// Why a step was refused: the condition, the two iterations that collide, repairs already tried.
#pragma once

#include <memory>

#include "engine/session/values.h"
#include "widgets/paint/canvas.h"

namespace tw {

class RefusalCard : public Canvas {
  Q_OBJECT
public:
  explicit RefusalCard(QWidget* parent = nullptr);
  /// Null hides the card.
  void show_refusal(std::shared_ptr<session::RefusalView const> view);
  session::RefusalView const* shown() const { return view_.get(); }
  QRectF repair_rect(int index) const { return repair_rect(size_t(index), unit_width()); }
  /// That all words need in a card of that width; both in units.
  double height_for(double wide) const;

signals:
  void repair_chosen(QString step);
  void dismissed();

protected:
  void paintEvent(QPaintEvent*) override;
  void mousePressEvent(QMouseEvent*) override;

private:
  void draw_words(QPainter& painter) const;
  double lay_message(QPainter* painter, QRectF const& box) const;
  void draw_conflict(QPainter& painter) const;
  void draw_repairs(QPainter& painter) const;
  QRectF repair_rect(size_t index, double card) const;
  size_t shown_repairs() const;
  QString steps_of(size_t index, double wide) const;
  double column(int index) const { return column(index, unit_width()); }
  double column(int index, double card) const;

  std::shared_ptr<session::RefusalView const> view_;
};

}  // namespace tw
