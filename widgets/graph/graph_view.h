// SPDX-License-Identifier: GPL-3.0-or-later
/// The model as cards of fused kernels, folded into groups where they are many; a click on a border
/// between two says why they were not fused. Cards are laid out off the window's thread; from far
/// away only what can be told apart is drawn. Each of its parts is asked for itself.
#pragma once

#include <memory>

#include "widgets/accessible/parts.h"
#include "widgets/graph/alike_blocks.h"
#include "widgets/graph/block_bar.h"
#include "widgets/graph/find_bar.h"
#include "widgets/graph/graph_camera.h"
#include "widgets/graph/graph_choice.h"
#include "widgets/graph/graph_cut.h"
#include "widgets/graph/graph_layout.h"
#include "widgets/graph/graph_lookup.h"
#include "widgets/graph/graph_map.h"
#include "widgets/graph/graph_marks.h"
#include "widgets/graph/graph_overlay.h"
#include "widgets/graph/graph_paint.h"
#include "widgets/graph/graph_reasons.h"
#include "widgets/graph/graph_search.h"
#include "widgets/graph/layout_notice.h"
#include "widgets/paint/canvas.h"
#include "widgets/paint/whole_picture.h"

namespace tw {

class GraphView : public Canvas, public HasParts, public HasWholePicture {
  Q_OBJECT
public:
  explicit GraphView(QWidget* parent = nullptr);
  void show_graph(std::shared_ptr<session::GraphView const> graph,
                  std::shared_ptr<session::KernelTable const> kernels, int kernel);
  /// What the bars and numbers of the cards say.
  void show_overlay(std::string const& name);
  graph::OverlayValues const& overlay() const { return values_; }
  /// False: another view's bars say what is found and marked here, too.
  void have_bars(bool has);

  GraphLayout& layout() { return layout_; }
  GraphLayout const& layout() const { return layout_; }
  graph::Cards const* cards() const { return layout_.cards(); }
  LayoutNotice& notice() { return *notice_; }
  GraphCamera& camera() { return camera_; }
  GraphCamera const& camera() const { return camera_; }
  GraphMarks& marks() { return marks_; }
  GraphMarks const& marks() const { return marks_; }
  GraphSearch& search() { return search_; }
  GraphSearch const& search() const { return search_; }
  AlikeBlocks& alike() { return alike_; }
  AlikeBlocks const& alike() const { return alike_; }
  GraphCut& cut() { return cut_; }
  ReasonEdge& reason() { return reason_; }
  ReasonEdge const& reason() const { return reason_; }
  GraphChoice& choice() { return choice_; }
  GraphMap const& map() const { return map_; }

  QSizeF begin_whole() override;
  void end_whole() override;
  bool is_whole() const { return whole_; }  ///< for a picture of all of it
  QSizeF whole_size() const;
  std::vector<Part> parts() const override;
  /// How long the last picture took, in milliseconds.
  double frame_ms() const { return frame_ms_; }

signals:
  /// A layout was taken over, and all parts with it.
  void laid_out();

protected:
  void paintEvent(QPaintEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void mouseReleaseEvent(QMouseEvent*) override;
  void mouseDoubleClickEvent(QMouseEvent*) override;
  void wheelEvent(QWheelEvent*) override;
  void resizeEvent(QResizeEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  void contextMenuEvent(QContextMenuEvent*) override;
  void leaveEvent(QEvent*) override;
  void rescale() override;

private:
  void connect_layout();
  void connect_parts();
  void take_layout(bool same, QRectF const& stood);
  void forget_graph();
  void place_bars();
  bool press_escape();

  std::shared_ptr<session::KernelTable const> kernels_;
  FindBar* find_bar_;
  BlockBar* block_bar_;
  GraphLayout layout_;
  LayoutNotice* notice_;
  GraphCamera camera_;
  GraphMarks marks_;
  GraphSearch search_;
  AlikeBlocks alike_;
  GraphCut cut_;
  ReasonEdge reason_;
  GraphChoice choice_;
  GraphMap map_;
  graph::OverlayValues values_;
  FarNames far_names_;
  QPointF press_, press_origin_;
  bool dragging_ = false, whole_ = false;
  /// Where one was before the whole graph was asked for.
  struct Left {
    GraphCamera::Place place;
    bool searched = false, noted = false;
  } left_;
  double frame_ms_ = 0;
};

}  // namespace tw
