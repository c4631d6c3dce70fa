// SPDX-License-Identifier: GPL-3.0-or-later
/// Why a step was refused: the condition, the two iterations that collide, repairs already tried.
#pragma once

#include <functional>
#include <memory>

#include "engine/session/outlook.h"
#include "engine/session/values.h"
#include "widgets/paint/canvas.h"

namespace tw {

class RefusalCard : public Canvas {
  Q_OBJECT
public:
  explicit RefusalCard(QWidget* parent = nullptr);
  /// Null hides the card. `nest` is what the step was refused on.
  void show_refusal(std::shared_ptr<session::RefusalView const> view,
                    std::shared_ptr<session::NestView const> nest = nullptr);
  /// What each repair would bring; `ask` says null while it does not know yet.
  void look_ahead(
      std::function<std::shared_ptr<session::Outlook const>(std::string const&)> const& ask);
  session::RefusalView const* shown() const { return view_.get(); }
  QRectF repair_rect(int index) const { return repair_rect(size_t(index), unit_width()); }
  /// That all words need in a card of that width; both in units.
  double height_for(double wide) const;
  QSizeF size_within(double most_wide, double most_tall) const;
  /// Where a click closes it, in units.
  QRectF close_rect() const { return {unit_width() - 32, 8, 24, 24}; }

signals:
  void repair_chosen(QString step);
  /// The repair below the pointer; empty: none is.
  void repair_pointed_at(QString step);
  void dismissed();

protected:
  void paintEvent(QPaintEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void leaveEvent(QEvent*) override;
  void hideEvent(QHideEvent*) override;

private:
  bool draws_pair(double card) const;
  QString worth_of(size_t repair) const;
  int repair_at(QPointF at) const;
  bool closes_at(QPointF at) const;
  void draw_close(QPainter& painter) const;
  void point_at(int repair);
  int stage_of_culprit() const;
  void draw_words(QPainter& painter) const;
  double lay_message(QPainter* painter, QRectF const& box) const;
  double lay_paragraph(QPainter* painter, QRectF const& box, QFont const& font,
                       QColor const& colour, QString const& words) const;
  double lay_dependence(QPainter* painter, QRectF const& box) const;
  void draw_repairs(QPainter& painter) const;
  QRectF repair_rect(size_t index, double card) const;
  size_t shown_repairs() const;
  QString steps_of(size_t index, double wide) const;
  double column(int index) const { return column(index, unit_width()); }
  double column(int index, double card) const;

  std::shared_ptr<session::RefusalView const> view_;
  std::shared_ptr<session::NestView const> nest_;
  std::vector<std::shared_ptr<session::Outlook const>>
      outlooks_;  ///< of the repairs; null: not yet
  int pointed_ = -1;
  bool closing_ = false;  ///< the pointer is where a click closes it
};

}  // namespace tw
