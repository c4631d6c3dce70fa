// SPDX-License-Identifier: GPL-3.0-or-later
// What became of a schedule on another kernel.
#include <QScrollArea>

#include "app/window/pane.h"
#include "widgets/replay/replay_view.h"

namespace tw {
namespace {

class ReplayPane final : public Pane {
public:
  explicit ReplayPane(Workbench& bench)
      : Pane(bench), scroll_(new QScrollArea), view_(new ReplayView) {
    scroll_->setWidget(view_);
    scroll_->setWidgetResizable(true);
    scroll_->setFocusPolicy(Qt::NoFocus);  // what it shows has the focus
    scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    bench.add_menu(view_,
                   {"Copy the replayed script", "Replay on another kernel", "Undo", "Loops"});
    bench.add_copy("Steps and history", "Copy the replayed script", [this] {
      return now().replay ? QString::fromStdString(now().replay->script) : QString();
    });
  }
  QWidget* widget() override { return scroll_; }
  void set_theme(Theme const& theme) override { view_->set_theme(theme); }
  /// A new result comes to the front.
  void show(session::Snapshot const& next) override {
    bool fresh = next.replay && next.replay.get() != view_->shown();
    view_->show_replay(next.replay);
    if (fresh) (void)bench_.show_view("replay");
  }

private:
  QScrollArea* scroll_;
  ReplayView* view_;
};

}  // namespace

PaneRow const& pane_replay() {
  static PaneRow const row{.name = "replay",
                           .title = "Replay",
                           .place = PanePlace::kBelowRight,
                           .order = 20,
                           .make = &make_pane<ReplayPane>};
  return row;
}

}  // namespace tw
