// SPDX-License-Identifier: GPL-3.0-or-later
// The states of a kernel below the machine's roofs, or every kernel of the model.
#include <QEvent>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "app/window/pane.h"
#include "app/window/panes/roofline/journal.h"
#include "engine/session/bookmarks.h"
#include "widgets/paint/chooser.h"
#include "widgets/paint/controls.h"
#include "widgets/roofline/roofline_view.h"
#include "widgets/roofline/what_if_bar.h"

namespace tw {
namespace {

constexpr char kWhatIf[] = "What if: other roofs and caches";

class RooflinePane final : public Pane {
public:
  explicit RooflinePane(Workbench& bench)
      : Pane(bench), page_(new QWidget), of_(new Chooser), view_(new RooflineView) {
    of_->setObjectName("rooflineOf");
    of_->setAccessibleName("Points on the roofline");
    of_->addItem("Steps of the kernel", "kernel");
    of_->addItem("Kernels of the model", "model");
    auto* column = new QVBoxLayout(page_);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* choice = new QHBoxLayout;
    choice->setContentsMargins(12, 4, 12, 0);
    choice->setSpacing(8);
    choice->addWidget(of_, 0, Qt::AlignLeft);
    ask_if_ = controls::button("What if", "whatIf", "The machine with other roofs or caches");
    ask_if_->setCheckable(true);
    choice->addWidget(ask_if_);
    choice->addStretch(1);
    column->addLayout(choice);
    bar_ = new WhatIfBar;
    bar_->hide();
    column->addWidget(bar_);
    column->addWidget(view_, 1);
    view_->installEventFilter(this);
    connect(of_, &Chooser::activated, this, [this](int row) {
      bench_.ask(journal::RooflineOf{of_->itemData(row).toString().toStdString()});
    });
    connect(view_, &RooflineView::point_chosen, this,
            [this](int node) { bench_.execute(session::JumpTo{node}); });
    connect(view_, &RooflineView::move_chosen, this,
            [this](QString const& line) { bench_.apply_line(line); });
    connect(view_, &RooflineView::move_pointed, this,
            [this](QString const& line) { bench_.selection().point_at(line, view_); });
    connect(&bench.selection(), &Selection::step_changed, this, [this] { look_ahead(); });
    connect(&bench.selection(), &Selection::moves_changed, this,
            [this] { view_->show_moves(bench_.selection().moves()); });
    connect(view_, &RooflineView::layer_chosen, this,
            [this](int kernel) { bench_.execute(session::SelectKernel{kernel}); });
    connect(ask_if_, &QPushButton::clicked, this, [this](bool on) { show_bar(on); });
    connect(bar_, &WhatIfBar::asked, this, [this](QString const& changes) {
      bench_.ask(journal::RooflineIf{changes.toStdString()});
    });
    bench.on<journal::RooflineIf>([this](auto const& action) { return suppose(action.changes); });
    bench.on<journal::RooflineOf>([this](auto const& action) {
      of_model_ = action.what == "model";
      of_->setCurrentIndex(of_model_ ? 1 : 0);
      return update(), Status();
    });
    bench.add_command({.section = "Views",
                       .name = "Show all kernels on the roofline",
                       .run =
                           [this] {
                             bench_.ask(journal::ShowView{"roofline"});
                             bench_.ask(journal::RooflineOf{of_model_ ? "kernel" : "model"});
                           },
                       .possible = [this] { return now().model != nullptr; }});
    bench.add_command({.section = "Views",
                       .name = kWhatIf,
                       .run =
                           [this] {
                             bench_.ask(journal::ShowView{"roofline"});
                             show_bar(true);
                           },
                       .possible = [this] { return knows_roofs(); },
                       .also = "hypothetical roofs caches bandwidth"});
    bench.add_command({.section = "Views",
                       .name = "Roofs and caches as they are",
                       .run = [this] { bench_.ask(journal::RooflineIf{}); },
                       .possible = [this] { return !what_.changes.empty(); }});
    bench.add_menu(view_,
                   {"Show all kernels on the roofline", kWhatIf, "Roofs and caches as they are",
                    "Measure again", "Measure this machine's roofs again", "Devices"});
  }
  std::vector<Key> keys() const override {
    return {
        {"Anywhere", "Left, Right in Roofline", "Go from point to point; Enter opens a kernel"}};
  }
  QWidget* widget() override { return page_; }
  void set_theme(Theme const& theme) override { view_->set_theme(theme); }
  bool hears_hidden() const override { return false; }
  void show(session::Snapshot const&) override { update(); }
  bool eventFilter(QObject*, QEvent* event) override {
    if (event->type() == QEvent::Show) update();  // no kernel is modelled until somebody looks
    return false;
  }
  std::optional<session::FactValue> fact(std::string const& name) const override {
    if (name == "roofline") return of_model_ ? "model" : "kernel";
    if (name == "roofline.points") return double(view_->parts().size());
    if (name == "roofline.if") return session::to_text(what_);
    if (name == "roofline.if_time") {
      auto view = supposed();
      return view && !view->trail.empty() ? view->trail.back().then.model_ms : 0.0;
    }
    return {};
  }

private:
  bool knows_roofs() const { return now().machine && now().machine->rates; }

  void show_bar(bool on) {
    on = on && knows_roofs();
    ask_if_->setChecked(on);
    bar_->setVisible(on);
    if (on) show_supposed();
  }

  Status suppose(std::string const& changes) {
    if (!now().machine) return bad_input("unknown_roofs", "the machine's roofs are not known");
    if (changes.empty()) {
      what_ = {};
    } else {
      auto parsed = session::parse_what_if(changes, *now().machine);
      // The fields say again what holds.
      if (!parsed) return show_supposed(), std::unexpected(parsed.error());
      what_ = *std::move(parsed);
    }
    of_machine_ = now().machine->device;
    if (!what_.changes.empty()) show_bar(true);
    return update(), Status();
  }

  std::shared_ptr<session::HypotheticalView const> supposed() const {
    return what_.changes.empty() ? nullptr : session::hypothetical(live(), what_, of_model_);
  }

  /// Numbers of one machine say nothing of another.
  void show_supposed() {
    if (!what_.changes.empty() && (!now().machine || now().machine->device != of_machine_))
      what_ = {};
    if (!bar_->isHidden() && now().machine) bar_->show_machine(editable(), what_);
    view_->show_hypothetical(
        supposed(), what_.changes.empty()
                        ? QString()
                        : QString::fromStdString(session::words_of(what_, *now().machine)));
  }

  /// What stands in the plot: the machine may have units that the kernel does not use.
  std::vector<session::MachineQuantity> editable() const {
    auto all = session::quantities_of(*now().machine);
    std::erase_if(all, [this](session::MachineQuantity const& one) {
      bool shown = std::ranges::any_of(now().machine->roofs, [&](session::RoofView const& roof) {
        return roof.compute && roof.name == one.name;
      });
      return one.kind == session::QuantityKind::kArithmetic && !shown;
    });
    return all;
  }

  /// Until the next one is there the last one stays, so that nothing flickers during a drag.
  void look_ahead() {
    QString const& step = bench_.selection().step();
    auto outlook = step.isEmpty() ? nullptr : live().outlook(step.toStdString());
    if (outlook || step.isEmpty()) view_->show_outlook(outlook);
  }

  void update() {
    view_->mark_layer(now().kernel);
    view_->show_times(now().kernels);
    auto marks = live().marks();
    view_->show_baseline(marks->baseline_point);
    view_->show_baselines(marks->kernels);
    look_ahead();
    show_supposed();
    if (!of_model_) return view_->show_roofline(now().roofline);
    if (!view_->isVisible()) return;
    if (auto there = supposed(); there && there->layers) {
      view_->show_times(nullptr);  // nothing was measured there
      return view_->show_layers(there->layers);
    }
    if (auto layers = live().layers_roofline()) return view_->show_layers(layers);
    view_->show_waiting(now().machine && now().machine->rates
                            ? "Modelling every kernel…"
                            : "The machine's roofs are not known.");
  }

  QWidget* page_;
  Chooser* of_;
  RooflineView* view_;
  QPushButton* ask_if_;
  WhatIfBar* bar_;
  session::WhatIf what_;
  std::string of_machine_;  ///< the device that `what_` is about
  bool of_model_ = false;
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
