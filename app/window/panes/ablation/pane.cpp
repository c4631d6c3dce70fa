// SPDX-License-Identifier: GPL-3.0-or-later
// What carries the gain of a schedule.
#include <QScrollArea>

#include "app/window/pane.h"
#include "widgets/tuning/gain_view.h"

namespace tw {
namespace {

class GainPane final : public Pane {
public:
  explicit GainPane(Workbench& bench) : Pane(bench), scroll_(new QScrollArea), view_(new GainView) {
    scroll_->setObjectName("gainScroll");
    scroll_->setWidget(view_);
    scroll_->setWidgetResizable(true);
    scroll_->setFocusPolicy(Qt::StrongFocus);  // arrows and page keys scroll
    scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    bench.add_menu(view_, {"Measure step contributions", "Measure knob contributions", "Loops"});
    bench.add_command({.section = "Measuring and devices", .name = "Ablation", .run = [this] {
                         bench_.ask(journal::ShowView{"ablation"});
                       }});
  }
  QWidget* widget() override { return scroll_; }
  void set_theme(Theme const& theme) override { view_->set_theme(theme); }
  /// A new one comes to the front.
  void show(session::Snapshot const& next) override {
    auto const gain = next.tuning ? next.tuning->ablation : nullptr;
    bool fresh = gain && gain->number != shown_;
    shown_ = gain ? gain->number : shown_;
    view_->show_gain(gain);
    if (fresh) (void)bench_.show_view("ablation");
  }

private:
  QScrollArea* scroll_;
  GainView* view_;
  int shown_ = 0;  ///< its number
};

}  // namespace

PaneRow const& pane_ablation() {
  static PaneRow const row{.name = "ablation",
                           .title = "Ablation",
                           .place = PanePlace::kBelowRight,
                           .order = 30,
                           .make = &make_pane<GainPane>};
  return row;
}

}  // namespace tw
