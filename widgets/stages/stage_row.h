// SPDX-License-Identifier: GPL-3.0-or-later
/// The stages of a kernel as cards, from producers to consumers. A card that is dropped on a loop
/// is computed there.
#pragma once

#include <memory>
#include <vector>

#include "engine/session/values.h"
#include "widgets/accessible/parts.h"
#include "widgets/paint/canvas.h"
#include "widgets/selection.h"

namespace tw {

/// What a card carries while it is dragged: the stage's name.
inline constexpr char const* kStageType = "application/x-tilewright-stage";

class StageRow : public Canvas, public HasParts {
  Q_OBJECT
public:
  explicit StageRow(Selection& selection, QWidget* parent = nullptr);
  void show_nest(std::shared_ptr<session::NestView const> nest);
  /// How many cards there are.
  int stages() const { return nest_ ? int(nest_->stages.size()) : 0; }
  QRectF card_rect(int stage) const;
  std::vector<Part> parts() const override;

protected:
  void paintEvent(QPaintEvent*) override;
  void resizeEvent(QResizeEvent*) override { keep_in_sight(); }
  void rescale() override;
  void mousePressEvent(QMouseEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void wheelEvent(QWheelEvent*) override;
  void keyPressEvent(QKeyEvent*) override;

private:
  double card_width() const;
  /// The stage whose loop is selected.
  int current() const;
  int stage_at(QPointF at) const;
  void choose(int stage);
  void keep_in_sight();
  QString place_words(int stage) const;
  bool reads(int reader, int writer) const;
  void draw_card(QPainter& painter, int stage) const;

  Selection& selection_;
  std::shared_ptr<session::NestView const> nest_;
  double scrolled_ = 0;
  int pressed_ = -1;
  QPointF press_;
};

}  // namespace tw
