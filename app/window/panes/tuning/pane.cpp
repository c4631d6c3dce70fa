// SPDX-License-Identifier: GPL-3.0-or-later
// The tuning of a kernel: begun, watched, and its trials opened as steps.
#include <QPointer>
#include <algorithm>

#include "app/window/pane.h"
#include "app/window/panes/tuning/journal.h"
#include "app/window/top_bar.h"
#include "widgets/tuning/device_checks.h"
#include "widgets/tuning/tune_dialog.h"
#include "widgets/tuning/tuning_view.h"

namespace tw {
namespace {

class TuningPane final : public Pane {
public:
  explicit TuningPane(Workbench& bench)
      : Pane(bench), view_(new TuningView(bench.live().searches())) {
    bench.on<journal::SelectTrial>([this](auto const& action) { return select(action); });
    bench.add_dialog("tune", [this](QString const& step) { return show_dialog(step.toInt()); });
    watch();
    add_commands();
  }
  QWidget* widget() override { return view_; }
  QWidget* focus_target() override { return view_->focus_target(); }
  void set_theme(Theme const& theme) override { view_->set_theme(theme); }
  void show(session::Snapshot const& next) override {
    view_->show_snapshot(next);
    fill_dialog();
  }
  std::optional<session::FactValue> fact(std::string const& name) const override {
    if (name == "trial") return double(view_->selected().trial);
    if (name == "tuning.choices") return double(dialog_ ? dialog_->knobs() : 0);
    if (name == "tuning.points") return dialog_ ? dialog_->points() : 0.0;
    return {};
  }
  std::vector<Key> keys() const override {
    QString const section = "Measuring and devices";
    return {{section, "Return", "Open the selected trial of a tuning as steps"},
            {section, "+ - 0 in a plot", "Zoom in, zoom out, reset"},
            {section, "Arrows in a plot", "Pan"}};
  }

private:
  void watch();
  void add_commands();
  Status select(journal::SelectTrial const& action);
  Status show_dialog(int from);
  /// The dialog shows what there is to choose, and on which devices, as soon as that is known.
  void fill_dialog() {
    if (!dialog_) return;
    if (!dialog_->devices().knows_devices())
      dialog_->devices().show_devices(live().device_choices(false).get());
    if (dialog_->knows_space()) return;
    if (auto space = live().tuning_space(dialog_->from())) dialog_->show_space(*space);
  }
  session::TuningRun const* last() const { return now().tuning ? now().tuning->run() : nullptr; }
  /// The search of a kernel on any kind of devices.
  bool is(session::TuningState state) const {
    return now().tuning && std::ranges::any_of(now().tuning->runs, [&](auto const& run) {
             return run->group == last()->group && run->state == state;
           });
  }
  bool goes_on() const {
    return now().tuning && (now().tuning->goes_on() || now().tuning->model_goes_on());
  }
  bool model_is(session::ModelTuningState state) const {
    auto const& tuning = now().tuning;
    if (!tuning || !tuning->model) return false;
    return tuning->model->state == state ||
           std::ranges::any_of(tuning->beside,
                               [&](auto const& one) { return one->state == state; });
  }
  void start(QString const& search, int trials) {
    bench_.execute(session::Tune{.trials = trials, .search = search.toStdString()});
  }
  void open(ChosenTrial chosen) { bench_.execute(session::OpenTrial{chosen.trial, chosen.run}); }

  TuningView* view_;
  QPointer<TuneDialog> dialog_;
};

/// Of a state of the history; 0: of the target's template.
Status TuningPane::show_dialog(int from) {
  if (!now().history) return bad_input("no_kernel", "no kernel is selected");
  if (!session::has_step(now(), from)) return bad_input("unknown_node", "there is no such step");
  auto [device, machine] = device_in_use(now());
  dialog_ = new TuneDialog(from, live().searches(), device, machine, bench_.top_bar().window());
  dialog_->set_budget(view_->search(), view_->trials());
  connect(dialog_, &TuneDialog::start_asked, this, [this](session::Tune const& wanted) {
    (void)bench_.show_view("tuning");
    bench_.execute(wanted);
  });
  bench_.open(dialog_);
  (void)live().device_choices(true);  // as they are now
  fill_dialog();
  return {};
}

Status TuningPane::select(journal::SelectTrial const& action) {
  int run = action.run == 0 && last() ? last()->number : action.run;
  if (view_->select({run, action.trial})) return {};
  return bad_input("no_trial",
                   "there is no trial " + std::to_string(action.trial) + " of the selected kernel");
}

void TuningPane::watch() {
  connect(view_, &TuningView::start_asked, this, &TuningPane::start);
  connect(view_, &TuningView::start_here_asked, this, [this] {
    int step = now().history ? now().history->current : 0;
    bench_.ask(journal::ShowDialog{"tune", std::to_string(step)});
  });
  connect(view_, &TuningView::devices_asked, this,
          [this] { bench_.run_action("Tune the kernel on several devices"); });
  connect(view_, &TuningView::start_model_asked, this,
          [this] { bench_.run_action("Tune the model"); });
  connect(view_, &TuningView::gain_asked, this, [this](ChosenTrial chosen) {
    bench_.execute(session::AblateTrial{chosen.trial, chosen.run});
  });
  connect(view_, &TuningView::pause_asked, this,
          [this] { bench_.execute(session::PauseTuning{}); });
  connect(view_, &TuningView::resume_asked, this,
          [this] { bench_.execute(session::ResumeTuning{}); });
  connect(view_, &TuningView::stop_asked, this, [this] { bench_.execute(session::StopTuning{}); });
  connect(view_, &TuningView::clear_asked, this,
          [this] { bench_.execute(session::ClearTuning{}); });
  connect(view_, &TuningView::open_asked, this, &TuningPane::open);
  connect(view_, &TuningView::selected_changed, this, [this](ChosenTrial chosen) {
    bench_.user_did(journal::SelectTrial{chosen.trial, chosen.run});
  });
  bench_.add_menu(
      view_, {"Tune the kernel", "Tune the kernel on several devices", "Tune the model",
              "Pause the tuning", "Resume the tuning", "Stop the tuning", "Open the trial as steps",
              "Measure knob contributions", "Clear ended tunings"});
}

void TuningPane::add_commands() {
  QString const section = "Measuring and devices";
  auto add = [&](char const* name, char const* keys, std::function<void()> run,
                 std::function<bool()> possible) {
    bench_.add_command({.section = section,
                        .name = name,
                        .keys = keys,
                        .run = std::move(run),
                        .possible = std::move(possible)});
  };
  using session::TuningState;
  add(
      "Tuning", "Ctrl+Shift+T", [this] { bench_.ask(journal::ShowView{"tuning"}); },
      [this] { return now().model != nullptr; });
  add(
      "Tune the kernel", "Ctrl+Shift+U",
      [this] {
        bench_.ask(journal::ShowView{"tuning"});
        view_->start();
      },
      [this] { return view_->can_start(); });
  add(
      "Tune the kernel on several devices", "",
      [this] {
        bench_.ask(journal::ShowDialog{"tune", "0"});
      },
      [this] { return view_->can_start(); });
  add(
      "Measure knob contributions", "", [this] { view_->ask_gain(); },
      [this] { return view_->can_ask_gain(); });
  add(
      "Pause the tuning", "", [this] { bench_.execute(session::PauseTuning{}); },
      [this] {
        return is(TuningState::kRunning) || is(TuningState::kPreparing) ||
               model_is(session::ModelTuningState::kSearching);
      });
  add(
      "Resume the tuning", "", [this] { bench_.execute(session::ResumeTuning{}); },
      [this] { return is(TuningState::kPaused) || model_is(session::ModelTuningState::kPaused); });
  add(
      "Stop the tuning", "", [this] { bench_.execute(session::StopTuning{}); },
      [this] { return goes_on(); });
  add(
      "Open the trial as steps", "", [this] { view_->open_selected(); },
      [this] { return view_->can_open(); });
  add(
      "Clear ended tunings", "", [this] { bench_.execute(session::ClearTuning{}); },
      [this] { return last() && !now().tuning->goes_on(); });
}

}  // namespace

PaneRow const& pane_tuning() {
  static PaneRow const row{.name = "tuning",
                           .title = "Tuning",
                           .place = PanePlace::kCentre,
                           .order = 27,
                           .make = &make_pane<TuningPane>};
  return row;
}

}  // namespace tw
