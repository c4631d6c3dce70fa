// SPDX-License-Identifier: GPL-3.0-or-later
/// The model as cards of fused kernels; a click on a border between two says why they were not
/// fused.
#pragma once

#include <QFutureWatcher>
#include <QWidget>
#include <memory>

#include "engine/session/graph_layout.h"
#include "engine/session/values.h"
#include "widgets/accessible/parts.h"
#include "widgets/theme/theme.h"

namespace tw {

class GraphView : public QWidget, public HasParts {
  Q_OBJECT
public:
  explicit GraphView(QWidget* parent = nullptr);
  ~GraphView() override;
  void set_theme(Theme const& theme);
  void show_graph(std::shared_ptr<session::GraphView const> graph,
                  std::shared_ptr<session::KernelTable const> kernels, int kernel);
  void show_before(bool before);
  bool laid_out() const { return !layout_.nodes.empty(); }
  void zoom_to_fit();
  double scale() const { return scale_; }
  QPointF origin() const { return origin_; }
  /// `origin` is where the graph's upper left corner stands, in logical pixels.
  void look_at(double scale, QPointF origin);
  bool shows_before() const { return before_; }
  size_t card_count() const { return cards_.size(); }
  size_t edge_count() const { return borders_.size(); }
  /// Whether a layout is still being made.
  bool busy() const;
  /// Why two nodes were not fused, or (`to` < 0) why one joined; empty when nothing is known.
  struct Reason {
    QString title, words;
  };
  Reason reason_of(int from, int to);
  std::vector<Part> parts() const override;

signals:
  void kernel_chosen(int row);
  /// By node ids; `to` is -1 where one node was clicked.
  void reason_asked(int from, int to);
  /// The user has moved or zoomed.
  void looked();

protected:
  void paintEvent(QPaintEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void mouseReleaseEvent(QMouseEvent*) override;
  void wheelEvent(QWheelEvent*) override;
  void resizeEvent(QResizeEvent*) override;
  void keyPressEvent(QKeyEvent*) override;

private:
  struct Card {
    QString title, time;
    int kernel = -1;
    std::vector<session::GraphNodeView const*> chips;
    double share = 0;
  };
  struct Border {
    session::GraphEdgeView const* edge;
  };
  void rebuild();
  void start_layout();
  QPointF mark_of(size_t edge) const;
  void draw_edges(QPainter& painter) const;
  void draw_card(QPainter& painter, size_t index) const;
  QPointF to_scene(QPointF at) const { return (at - origin_) / scale_; }
  void click(QPointF scene);
  void moved_by_user();
  void zoom(double factor, QPointF around);
  void bring_into_view(int kernel);

  Theme theme_;
  std::shared_ptr<session::GraphView const> graph_;
  std::shared_ptr<session::KernelTable const> kernels_;
  int kernel_ = -1;
  bool before_ = false;
  std::vector<Card> cards_;
  std::vector<Border> borders_;  // one per laid out edge
  session::Layout layout_;
  QFutureWatcher<session::Layout>* watcher_ = nullptr;
  QPointF origin_{24, 24}, press_, press_origin_;
  double scale_ = 1;
  bool fitted_ = false, dragging_ = false;
  bool moved_ = false;  ///< by the user, since it was fitted
  int chosen_edge_ = -1;
};

}  // namespace tw
