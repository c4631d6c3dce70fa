// SPDX-License-Identifier: GPL-3.0-or-later
// The tuning of the whole model: begun, watched, and its kernels looked at.
#include <QPointer>

#include "app/window/pane.h"
#include "app/window/top_bar.h"
#include "widgets/tuning/device_checks.h"
#include "widgets/tuning/model_tuning_view.h"
#include "widgets/tuning/tune_model_dialog.h"

namespace tw {
namespace {

class ModelTuningPane final : public Pane {
public:
  explicit ModelTuningPane(Workbench& bench) : Pane(bench), view_(new ModelTuningView) {
    bench.add_dialog("tune-model", [this](QString const&) { return show_dialog(); });
    watch();
    bench.add_command({.section = "Measuring and devices",
                       .name = "Tune the model",
                       .keys = "Ctrl+Alt+U",
                       .run =
                           [this] {
                             bench_.ask(journal::ShowDialog{"tune-model", {}});
                           },
                       .possible = [this] { return can_start(); }});
  }
  QWidget* widget() override { return view_; }
  QWidget* focus_target() override { return &view_->kernels(); }
  bool keeps_focus() const override { return view_->kernels_have_focus(); }
  void set_theme(Theme const& theme) override { view_->set_theme(theme); }
  void show(session::Snapshot const& next) override;

private:
  void watch();
  Status show_dialog();
  void look_for_devices() {
    if (!dialog_ || dialog_->devices().knows_devices()) return;
    dialog_->devices().show_devices(live().device_choices(false).get());
  }
  bool can_start() const {
    auto const& tuning = now().tuning;
    bool goes_on = tuning && (tuning->model_goes_on() || tuning->goes_on());
    return now().graph && !now().graph->nodes.empty() && !goes_on;
  }

  ModelTuningView* view_;
  QPointer<TuneModelDialog> dialog_;
  bool shown_ = false;
};

void ModelTuningPane::watch() {
  connect(view_, &ModelTuningView::again_asked, this, [this] {
    bench_.ask(journal::ShowDialog{"tune-model", {}});
  });
  connect(view_, &ModelTuningView::pause_asked, this,
          [this] { bench_.execute(session::PauseTuning{}); });
  connect(view_, &ModelTuningView::resume_asked, this,
          [this] { bench_.execute(session::ResumeTuning{}); });
  connect(view_, &ModelTuningView::stop_asked, this,
          [this] { bench_.execute(session::StopTuning{}); });
  connect(view_, &ModelTuningView::kernel_chosen, this,
          [this](int row) { bench_.execute(session::SelectKernel{row}); });
  connect(view_, &ModelTuningView::kernel_entered, this,
          [this] { bench_.ask(journal::ShowView{"tuning"}); });
  bench_.add_menu(view_, {"Tune the model", "Pause the tuning", "Resume the tuning",
                          "Stop the tuning", "Clear ended tunings", "Tuning"});
}

/// Its tab is there while there is one to show, and comes to the front when one begins.
void ModelTuningPane::show(session::Snapshot const& next) {
  bool known = next.tuning && next.tuning->model;
  if (known && !shown_) bench_.show_tab(*this);
  if (!known && shown_) bench_.hide_tab(*this);
  shown_ = known;
  view_->show_snapshot(next);
  look_for_devices();
}

Status ModelTuningPane::show_dialog() {
  if (!now().model || !now().kernels) return bad_input("no_model", "no model is open");
  if (!now().graph || now().graph->nodes.empty())
    return bad_input("no_network", "this is a single kernel: tune the kernel");
  auto [device, machine] = device_in_use(now());
  dialog_ = new TuneModelDialog(QString::fromStdString(now().model->name),
                                int(now().kernels->rows.size()), device, machine, live().searches(),
                                bench_.top_bar().window());
  connect(dialog_, &TuneModelDialog::start_asked, this,
          [this](session::TuneModel const& wanted) { bench_.execute(wanted); });
  bench_.open(dialog_);
  (void)live().device_choices(true);  // as they are now
  look_for_devices();
  return {};
}

}  // namespace

PaneRow const& pane_model_tuning() {
  static PaneRow const row{.name = "model_tuning",
                           .title = "Model tuning",
                           .place = PanePlace::kCentre,
                           .order = 28,
                           .when_asked = true,
                           .make = &make_pane<ModelTuningPane>};
  return row;
}

}  // namespace tw
