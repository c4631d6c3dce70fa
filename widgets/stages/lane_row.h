// SPDX-License-Identifier: GPL-3.0-or-later
/// Memories from the nearest to main memory, with the parts of tensors that lie there while a
/// kernel runs. A tensor that is dropped on a nearer one is copied into it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/session/memory.h"
#include "engine/session/preview.h"
#include "widgets/accessible/parts.h"
#include "widgets/paint/canvas.h"
#include "widgets/selection.h"

namespace tw {

class LaneRow : public Canvas, public HasParts {
  Q_OBJECT
public:
  using Preview = std::function<session::StepPreview(std::string const&)>;
  LaneRow(Selection& selection, Preview preview, QWidget* parent = nullptr);
  /// Null: they are looked for; the last ones stay.
  void show_lanes(std::shared_ptr<session::LanesView const> lanes);
  void forget();
  session::LanesView const* shown() const { return lanes_.get(); }

  struct Pill {
    int lane = 0, part = 0;
    QRectF rect;
  };
  std::vector<Pill> const& pills() const { return pills_; }
  QRectF lane_rect(int lane) const;
  /// The pill that keys are about.
  std::optional<Pill> current() const;
  std::vector<Part> parts() const override;

signals:
  void step_asked(QString line);
  /// Where the tensor of the current pill could go.
  void menu_asked(QPoint global);
  void came_into_sight();

protected:
  void paintEvent(QPaintEvent*) override;
  void resizeEvent(QResizeEvent*) override { rescale(); }
  void showEvent(QShowEvent*) override { emit came_into_sight(); }
  void rescale() override;
  void mousePressEvent(QMouseEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void mouseReleaseEvent(QMouseEvent*) override;
  void leaveEvent(QEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  void contextMenuEvent(QContextMenuEvent*) override;

private:
  void lay_out();
  /// Lanes stand in two rows where they would be too narrow in one.
  int rows() const;
  int lanes() const { return lanes_ ? int(lanes_->lanes.size()) : 0; }
  session::MemoryLane const& lane(int number) const { return lanes_->lanes[size_t(number)]; }
  session::LanePart const& part(Pill const& pill) const {
    return lane(pill.lane).parts[size_t(pill.part)];
  }
  int lane_at(QPointF at) const;
  int pill_at(QPointF at) const;
  QColor colour_of(session::MemoryLane const& lane) const;
  QString words_of(Pill const& pill) const;
  /// The best of the next moves that hold the pill's tensor in another way, at the tensor's first
  /// pill; null: none brings much.
  session::MoveView const* move_of(Pill const& pill) const;
  /// Empty: there is none, or no room for it.
  QRectF mark_of(Pill const& pill) const;
  Pill const* marked_at(QPointF at) const;
  void aim(int lane);
  void end_drag();
  void draw_lane(QPainter& painter, int number) const;
  void draw_pill(QPainter& painter, Pill const& pill) const;
  void draw_drag(QPainter& painter) const;

  Selection& selection_;
  Preview ask_;
  std::shared_ptr<session::LanesView const> lanes_;
  std::vector<Pill> pills_;
  std::vector<int> hidden_;  ///< per lane: parts without room
  int current_ = 0;
  int pressed_ = -1;
  bool drags_ = false;
  QPointF press_, at_;
  int aimed_ = -1;    ///< the lane below what is dragged
  std::string line_;  ///< what a drop would ask for
  session::StepPreview preview_;
};

}  // namespace tw
