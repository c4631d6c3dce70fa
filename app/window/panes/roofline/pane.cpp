// SPDX-License-Identifier: GPL-3.0-or-later
// The states of a kernel under the machine's roofs.
#include "app/window/pane.h"
#include "widgets/roofline/roofline_view.h"

namespace tw {
namespace {

class RooflinePane final : public Pane {
public:
  explicit RooflinePane(Workbench& bench) : Pane(bench), view_(new RooflineView) {
    connect(view_, &RooflineView::point_chosen, this,
            [this](int node) { bench_.execute(session::JumpTo{node}); });
    bench.add_menu(view_, {"Measure again", "Measure this machine's roofs again", "Devices"});
  }
  QWidget* widget() override { return view_; }
  void set_theme(Theme const& theme) override { view_->set_theme(theme); }
  void show(session::Snapshot const& next) override { view_->show_roofline(next.roofline); }

private:
  RooflineView* view_;
};

}  // namespace

PaneRow const& pane_roofline() {
  static PaneRow const row{.name = "roofline",
                           .title = "Roofline",
                           .place = PanePlace::kBelow,
                           .order = 10,
                           .make = &make_pane<RooflinePane>};
  return row;
}

}  // namespace tw
