// SPDX-License-Identifier: GPL-3.0-or-later
// The states of a kernel below the machine's roofs, or every kernel of the model.
#include <QEvent>
#include <QVBoxLayout>

#include "app/window/pane.h"
#include "app/window/panes/roofline/journal.h"
#include "engine/session/marks.h"
#include "widgets/paint/chooser.h"
#include "widgets/roofline/roofline_view.h"

namespace tw {
namespace {

class RooflinePane final : public Pane {
public:
  explicit RooflinePane(Workbench& bench)
      : Pane(bench), page_(new QWidget), of_(new Chooser), view_(new RooflineView) {
    of_->setObjectName("rooflineOf");
    of_->setAccessibleName("Whose points stand below the roofs");
    of_->addItem("Steps of the kernel", "kernel");
    of_->addItem("Kernels of the model", "model");
    auto* column = new QVBoxLayout(page_);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* choice = new QHBoxLayout;
    choice->setContentsMargins(12, 4, 12, 0);
    choice->addWidget(of_, 0, Qt::AlignLeft);
    column->addLayout(choice);
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
    bench.on<journal::RooflineOf>([this](auto const& action) {
      of_model_ = action.what == "model";
      of_->setCurrentIndex(of_model_ ? 1 : 0);
      return update(), Status();
    });
    bench.add_command({.section = "Views",
                       .name = "Put every kernel below the roofs",
                       .run =
                           [this] {
                             bench_.ask(journal::ShowView{"roofline"});
                             bench_.ask(journal::RooflineOf{of_model_ ? "kernel" : "model"});
                           },
                       .possible = [this] { return now().model != nullptr; }});
    bench.add_menu(view_, {"Put every kernel below the roofs", "Measure again",
                           "Measure this machine's roofs again", "Devices"});
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
    return {};
  }

private:
  /// Until the next one is there the last one stays, so that nothing flickers during a drag.
  void look_ahead() {
    QString const& step = bench_.selection().step();
    auto outlook = step.isEmpty() ? nullptr : live().outlook(step.toStdString());
    if (outlook || step.isEmpty()) view_->show_outlook(outlook);
  }

  void update() {
    view_->mark_layer(now().kernel);
    view_->show_times(now().kernels);
    view_->show_baseline(live().marks()->baseline_point);
    look_ahead();
    if (!of_model_) return view_->show_roofline(now().roofline);
    if (!view_->isVisible()) return;
    if (auto layers = live().layers_roofline()) return view_->show_layers(layers);
    view_->show_waiting(now().machine && now().machine->rates
                            ? "Every kernel is being modelled."
                            : "The machine's roofs are not known.");
  }

  QWidget* page_;
  Chooser* of_;
  RooflineView* view_;
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
