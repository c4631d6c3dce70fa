// SPDX-License-Identifier: GPL-3.0-or-later
// How the blocks of a launch fill a GPU.
#include <fmt/format.h>

#include <QEvent>

#include "app/window/pane.h"
#include "app/window/panes/waves/journal.h"
#include "widgets/waves/waves_view.h"

namespace tw {
namespace {

class WavesPane final : public Pane {
public:
  explicit WavesPane(Workbench& bench) : Pane(bench), view_(new WavesView) {
    view_->installEventFilter(this);
    bench.on<journal::ChooseLaunch>([this](auto const& action) -> Status {
      if (view_->choose(action.launch - 1)) return {};
      return bad_input("no_launch", "the kernel has no such launch");
    });
    bench.on<journal::WavesIf>([this](auto const& action) -> Status {
      gpu::KernelUse use{action.registers, action.shared_bytes, action.threads};
      if (view_->show_what_if(use)) return {};
      return bad_input("no_launch", "no block can be like that, or no launch is shown");
    });
    bench.on<journal::WavesAsIs>([this](auto const&) { return view_->show_what_if({}), Status(); });
    connect(view_, &WavesView::what_if_asked, this,
            [this](int threads, int registers, qint64 shared_bytes) {
              bench_.ask(journal::WavesIf{threads, registers, int(shared_bytes)});
            });
    connect(view_, &WavesView::as_is_asked, this, [this] { bench_.ask(journal::WavesAsIs{}); });
    connect(view_, &WavesView::launch_asked, this,
            [this](int launch) { bench_.ask(journal::ChooseLaunch{launch + 1}); });
    bench.add_command({.section = "Views",
                       .name = "Waves and occupancy",
                       .run = [this] { bench_.ask(journal::ShowView{"waves"}); },
                       .possible = [this] { return offered(); }});
  }
  QWidget* widget() override { return view_; }
  QWidget* focus_target() override { return view_->map(); }
  bool keeps_focus() const override { return view_->map()->hasFocus(); }
  bool busy() const override { return waits_; }
  void set_theme(Theme const& theme) override { view_->set_theme(theme); }
  void show(session::Snapshot const& next) override {
    offer(next.has_launches && next.history);
    update();
  }
  std::vector<Key> keys() const override {
    QString const waves = "Waves and occupancy";
    return {{waves, "Left, Right", "What if: 32 threads fewer, more"},
            {waves, "Up, Down", "What if: 8 registers fewer, more"},
            {waves, "Esc", "As it is"}};
  }
  /// Nothing is assembled until somebody looks.
  bool eventFilter(QObject*, QEvent* event) override {
    if (event->type() == QEvent::Show) update();
    return false;
  }
  std::optional<session::FactValue> fact(std::string const& name) const override {
    if (!name.starts_with("waves")) return {};
    LaunchReport const* launch = view_->isVisible() ? view_->launch() : nullptr;
    gpu::Occupancy now = launch ? view_->occupancy() : gpu::Occupancy();
    bool known = launch && view_->knows_occupancy();
    if (name == "waves") return double(known ? view_->waves().waves : 0);
    if (name == "waves.blocks") return double(launch ? view_->pictured().blocks() : 0);
    if (name == "waves.if") {
      if (!launch || !view_->what_if()) return std::string("none");
      gpu::KernelUse const& use = *view_->what_if();
      return fmt::format("{} {} {}", use.threads, use.registers, use.shared_bytes);
    }
    if (name == "waves.last") return double(known ? view_->waves().last : 0);
    if (name == "waves.at_once") return double(known ? view_->waves().at_once : 0);
    if (name == "waves.occupancy") return now.share;
    if (name == "waves.limit") return known ? gpu::limit_text(now.limit) : std::string("none");
    if (name == "waves.registers")
      return double(launch ? view_->pictured().registers.value_or(0) : 0);
    return {};
  }

private:
  /// What needs no assembler is shown at once.
  void update() {
    waits_ = false;
    if (!view_->isVisible()) return;
    if (!now().history)
      return view_->show_words("Select a kernel to see how its blocks fill the GPU.");
    int current = now().history->current;
    auto assembled = session::launches(live(), current, true);
    waits_ = !assembled;
    auto shown = assembled ? assembled : session::launches(live(), current, false);
    if (shown) view_->show_state(shown);
  }

  WavesView* view_;
  bool waits_ = false;
};

}  // namespace

PaneRow const& pane_waves() {
  static PaneRow const row{.name = "waves",
                           .title = "Waves",
                           .place = PanePlace::kCentre,
                           .order = 14,
                           .when_asked = true,
                           .needs = PaneNeeds::kWidthAndHeight,
                           .make = &make_pane<WavesPane>};
  return row;
}

}  // namespace tw
