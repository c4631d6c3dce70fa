// SPDX-License-Identifier: GPL-3.0-or-later
// What fusion made of each block of the model.
#include <QScrollArea>

#include "app/window/pane.h"
#include "engine/session/views/graph_pairs.h"
#include "widgets/fusion_rows/fusion_rows_view.h"

namespace tw {
namespace {

class FusionPane final : public Pane {
public:
  explicit FusionPane(Workbench& bench)
      : Pane(bench), scroll_(new QScrollArea), view_(new FusionRowsView) {
    scroll_->setObjectName("fusionScroll");
    scroll_->setWidget(view_);
    scroll_->setWidgetResizable(true);
    scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    connect(view_, &FusionRowsView::kernel_chosen, this, &FusionPane::select);
    connect(view_, &FusionRowsView::operator_chosen, this, [this](int node) {
      if (graph_) select(session::computed_in(*graph_, session::pair_nodes(*graph_), node).kernel);
    });
    connect(view_, &FusionRowsView::entered, this, [this](int kernel) {
      select(kernel);
      bench_.ask(journal::ShowView{"loops"});
    });
    connect(view_, &FusionRowsView::row_reached, this, [this](QRect row) {
      scroll_->ensureVisible(0, row.center().y(), 0, row.height() / 2 + 4);
    });
    bench.add_menu(view_, {"Graph before and after fusion, side by side", "Loops"});
    bench.add_command({.section = "Views", .name = "Fusion by block", .run = [this] {
                         bench_.ask(journal::ShowView{"fusion"});
                       }});
  }
  QWidget* widget() override { return scroll_; }
  QWidget* focus_target() override { return view_; }
  void set_theme(Theme const& theme) override { view_->set_theme(theme); }
  void show(session::Snapshot const& next) override {
    graph_ = next.graph;
    view_->show_graph(next.graph, next.kernels, next.kernel);
  }
  std::vector<Key> keys() const override {
    QString const fusion = "Fusion";
    return {{fusion, "Up, Down", "Go from block to block, and see why its kernels are not fused"},
            {fusion, "Left, Right", "Go from kernel to kernel of the block"},
            {fusion, "Enter, double click", "Go to the loops of the kernel"}};
  }

private:
  void select(int kernel) {
    if (kernel >= 0 && kernel != bench_.snapshot().kernel)
      bench_.execute(session::SelectKernel{kernel});
  }

  QScrollArea* scroll_;
  FusionRowsView* view_;
  std::shared_ptr<session::GraphView const> graph_;
};

}  // namespace

PaneRow const& pane_fusion() {
  static PaneRow const row{.name = "fusion",
                           .title = "Fusion",
                           .place = PanePlace::kCentre,
                           .order = 22,
                           .needs = PaneNeeds::kAll,
                           .make = &make_pane<FusionPane>};
  return row;
}

}  // namespace tw
