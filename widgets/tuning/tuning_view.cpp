// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tuning/tuning_view.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QSpinBox>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "engine/support/base/quantities.h"
#include "widgets/paint/chooser.h"
#include "widgets/paint/controls.h"
#include "widgets/paint/paint.h"
#include "widgets/paint/wrap_layout.h"
#include "widgets/tuning/tuning_words.h"

namespace tw {
namespace {

using controls::button, controls::label;

constexpr int kTrials = 64;

QString seconds_words(double seconds) {
  if (seconds < 90) return QString("%1 s left").arg(std::ceil(seconds));
  return QString("%1 min left").arg(std::ceil(seconds / 60));
}

}  // namespace

TuningView::TuningView(std::vector<std::string> const& searches, QWidget* parent)
    : QWidget(parent) {
  setObjectName("tuning");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(build_head(searches));
  column->addWidget(build_progress());
  column->addWidget(kept_);
  pages_ = new QStackedWidget;
  pages_->addWidget(build_empty());
  pages_->addWidget(build_charts());
  column->addWidget(pages_, 1);
  connect_parts();
  show_run(nullptr);
}

QWidget* TuningView::build_head(std::vector<std::string> const& searches) {
  start_ = button("Start", "tuningStart", "Search for a faster schedule of this kernel");
  start_->setProperty("primary", true);
  on_ = button("Devices...", "tuningOn", "Choose devices and fixed knobs");
  here_ =
      button("From here...", "tuningHere", "Keep the steps of this state, search their numbers");
  model_ = button("Model...", "tuningModel", "Search for all kernels of the model");
  pause_ = button("Pause", "tuningPause", "Pause after the current trial, or resume");
  stop_ = button("Stop", "tuningStop", "Stop the search; trials are kept");
  search_ = new Chooser;
  search_->setObjectName("tuningSearch");
  search_->setAccessibleName("Search");
  for (std::string const& name : searches) search_->addItem(QString::fromStdString(name));
  trials_ = new QSpinBox;
  trials_->setObjectName("tuningTrials");
  trials_->setAccessibleName("Trials");
  trials_->setRange(1, 1'000'000);
  trials_->setValue(kTrials);
  trials_->setSuffix(" trials");
  head_ = new QWidget;
  auto* row = new WrapLayout(8, head_);
  row->setContentsMargins(16, 8, 16, 4);
  for (QWidget* one :
       std::initializer_list<QWidget*>{start_, on_, here_, model_, pause_, stop_, search_, trials_})
    row->addWidget(one);
  return head_;
}

void TuningView::make_words() {
  done_ = label("tuningDone", "section");
  left_ = label("tuningLeft", "label");
  rate_ = label("tuningRate", "secondary");
  failed_ = label("tuningFailed", "secondary");
  sentence_ = label("tuningSentence", "secondary");
  sentence_->setWordWrap(true);
  kept_ = label("tuningKept", "secondary", controls::Wrap::kYes);
  kept_->setContentsMargins(16, 0, 16, 6);
  open_ = button("Open as steps", "tuningOpen", "The best trial as a branch of the history");
  open_->setProperty("primary", true);
  gain_ = button("Ablate", "tuningGain", "Reset each knob to its default and measure");
  clear_ = button("Clear", "tuningClear", "Remove ended searches");
  clear_->setProperty("quiet", true);
}

QWidget* TuningView::build_progress() {
  make_words();
  bar_ = new QProgressBar;
  bar_->setTextVisible(false);
  bar_->setAccessibleName("Trials done");
  auto* words = new QHBoxLayout;
  words->addWidget(done_);
  words->addStretch(1);
  words->addWidget(left_);
  auto* both = new QVBoxLayout;
  both->setSpacing(4);
  both->addLayout(words);
  both->addWidget(bar_);
  progress_ = new QWidget;
  auto* all = new QVBoxLayout(progress_);
  all->setContentsMargins(16, 4, 16, 8);
  auto* row = new QHBoxLayout;
  row->setSpacing(20);
  row->addLayout(both, 1);
  row->addWidget(rate_);
  row->addWidget(failed_);
  all->addLayout(row);
  auto* end = new QHBoxLayout;
  end->addWidget(sentence_, 1);
  end->addWidget(open_);
  end->addWidget(gain_);
  end->addWidget(clear_);
  all->addLayout(end);
  return progress_;
}

QWidget* TuningView::build_empty() {
  auto* words = label("tuningEmpty", "secondary");
  words->setText(
      "Tuning tries other schedules of this kernel, checks and measures each one, and offers the "
      "fastest.");
  words->setWordWrap(true);
  words->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  words->setContentsMargins(16, 12, 16, 12);
  return words;
}

/// One of them at a time: beside the lines there is room for one.
QWidget* TuningView::build_side() {
  failures_ = new TuningFailures;
  predictions_ = new TuningPredictions;
  importance_ = new TuningImportance;
  devices_ = new TuningDevices;
  auto* which = new Chooser;
  which->setObjectName("tuningSide");
  which->setAccessibleName("Shown beside the lines");
  which->addItems({"Failures", "Predictions", "Knobs", "Devices"});
  auto* stack = new QStackedWidget;
  for (QWidget* one :
       std::initializer_list<QWidget*>{failures_, predictions_, importance_, devices_})
    stack->addWidget(one);
  connect(which, &QComboBox::currentIndexChanged, stack, &QStackedWidget::setCurrentIndex);
  side_ = new QWidget;
  auto* column = new QVBoxLayout(side_);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(4);
  auto* head = new QHBoxLayout;
  head->setContentsMargins(16, 0, 16, 0);
  head->addStretch(1);
  head->addWidget(which);
  column->addLayout(head);
  column->addWidget(stack, 1);
  return side_;
}

QWidget* TuningView::build_charts() {
  chart_ = new TuningChart;
  table_ = new TrialTable;
  scroll_ = new QScrollArea;
  scroll_->setObjectName("trialScroll");
  scroll_->setWidget(table_);
  scroll_->setWidgetResizable(true);
  scroll_->setFocusPolicy(Qt::NoFocus);
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* upper = new QHBoxLayout;
  upper->setSpacing(0);
  upper->addWidget(chart_, 3);
  upper->addWidget(build_side(), 1);
  column->addLayout(upper, 3);
  column->addWidget(scroll_, 2);
  return page;
}

void TuningView::connect_parts() {
  connect(start_, &QPushButton::clicked, this, [this] { start(); });
  connect(on_, &QPushButton::clicked, this, &TuningView::devices_asked);
  connect(here_, &QPushButton::clicked, this, &TuningView::start_here_asked);
  connect(model_, &QPushButton::clicked, this, &TuningView::start_model_asked);
  connect(gain_, &QPushButton::clicked, this, [this] { ask_gain(); });
  connect(pause_, &QPushButton::clicked, this, [this] {
    bool paused = is_active(session::TuningState::kPaused) ||
                  (of_model_ && of_model_->state == session::ModelTuningState::kPaused);
    paused ? emit resume_asked() : emit pause_asked();
  });
  connect(stop_, &QPushButton::clicked, this, &TuningView::stop_asked);
  connect(clear_, &QPushButton::clicked, this, &TuningView::clear_asked);
  connect(open_, &QPushButton::clicked, this, [this] {
    if (offered().run > 0) emit open_asked(offered());
  });
  for (TrialPlot* plot : std::initializer_list<TrialPlot*>{chart_, predictions_}) {
    connect(plot, &TrialPlot::trial_chosen, this, &TuningView::choose);
    connect(plot, &TrialPlot::open_asked, this, &TuningView::open_asked);
  }
  connect(table_, &TrialTable::trial_chosen, this, &TuningView::choose);
  connect(table_, &TrialTable::open_asked, this, &TuningView::open_asked);
}

void TuningView::set_theme(Theme const& theme) {
  chart_->set_theme(theme);
  failures_->set_theme(theme);
  predictions_->set_theme(theme);
  importance_->set_theme(theme);
  devices_->set_theme(theme);
  table_->set_theme(theme);
  side_->setMaximumWidth(theme.px(360));
  bar_->setFixedHeight(theme.px(4));
}

void TuningView::choose(ChosenTrial chosen) {
  if (select(chosen)) emit selected_changed(chosen);
}

bool TuningView::select(ChosenTrial chosen) {
  session::TuningRun const* run = chosen.run > 0 ? runs_.run(chosen.run) : nullptr;
  if (!run || !run->trial(chosen.trial)) return false;
  chart_->select(chosen);
  predictions_->select(chosen);
  table_->select(chosen);
  QRect row = table_->pixels(table_->chosen_rect());
  if (!row.isEmpty()) scroll_->ensureVisible(0, row.center().y(), 0, row.height());
  show_buttons();
  return true;
}

bool TuningView::is_active(session::TuningState state) const {
  return std::ranges::any_of(active_, [&](auto const& run) { return run->state == state; });
}

bool TuningView::can_start() const { return has_kernel_ && active_.empty() && !of_model_; }
QString TuningView::search() const { return search_->currentText(); }
int TuningView::trials() const { return trials_->value(); }
bool TuningView::can_open() const { return selected().run > 0 || offered().run > 0; }

/// What was found for another kind of devices waits for one of those.
ChosenTrial TuningView::offered() const {
  ChosenTrial best;
  double least = 0;
  for (auto const& run : runs_.runs) {
    if (run->best == 0 || run->elsewhere) continue;
    double ms = run->best_ms.value_or(run->trial(run->best)->ms);
    if (best.run == 0 || ms < least) least = ms, best = {run->number, run->best};
  }
  return best;
}

bool TuningView::can_ask_gain() const {
  if (!active_.empty() || of_model_) return false;
  ChosenTrial best = selected().run > 0 ? selected() : offered();
  session::TuningRun const* run = best.run > 0 ? runs_.run(best.run) : nullptr;
  session::TuningTrial const* trial = run ? run->trial(best.trial) : nullptr;
  return trial && trial->ms > 0 && (run->from > 0 || !trial->knobs.empty());
}

void TuningView::ask_gain() {
  if (can_ask_gain()) emit gain_asked(selected().run > 0 ? selected() : offered());
}

void TuningView::start() {
  if (can_start()) emit start_asked(search_->currentText(), trials_->value());
}

void TuningView::open_selected() {
  if (selected().run > 0) return emit open_asked(selected());
  if (offered().run > 0) emit open_asked(offered());
}

QWidget* TuningView::focus_target() const {
  return table_->rows().empty() ? static_cast<QWidget*>(start_) : table_;
}

void TuningView::show_snapshot(session::Snapshot const& next) {
  has_kernel_ = next.kernels && next.kernel >= 0;
  session::TuningView of_kernel;
  active_.clear();
  if (next.tuning)
    for (auto const& run : next.tuning->runs) {
      if (run->goes_on()) active_.push_back(run);
      if (run->row == next.kernel) of_kernel.runs.push_back(run);
    }
  of_model_ = next.tuning && next.tuning->model_goes_on() ? next.tuning->model : nullptr;
  of_kernel.kept = next.tuning ? next.tuning->kept : std::vector<session::KeptSchedule>();
  step_ = next.history ? next.history->current : 0;
  has_model_ = next.graph && !next.graph->nodes.empty();
  kernel_ = has_kernel_ ? next.kernels->rows[size_t(next.kernel)].name : "";
  TuningScale scale =
      has_kernel_ ? TuningScale::of(next.kernels->rows[size_t(next.kernel)]) : TuningScale();
  bool same = of_kernel.runs == runs_.runs && scale.roof == scale_.roof;
  runs_ = std::move(of_kernel);
  scale_ = scale;
  pages_->setCurrentIndex(runs_.runs.empty() ? 0 : 1);
  if (!same) {
    chart_->show_runs(runs_, scale_);
    failures_->show_runs(runs_);
    predictions_->show_runs(runs_, scale_);
    importance_->show_runs(runs_);
    table_->show_runs(runs_, scale_);
    ChosenTrial chosen = selected();
    session::TuningRun const* run = chosen.run > 0 ? runs_.run(chosen.run) : nullptr;
    if (!run) table_->select({}), chart_->select({}), predictions_->select({});
  }
  bool other = !active_.empty() && active_.front()->row != next.kernel;
  show_run(other ? active_.front().get() : runs_.run());
  kept_->setText(kept_words(runs_, kernel_));
  kept_->setVisible(!kept_->text().isEmpty());
}

std::vector<session::TuningRun const*> TuningView::together(session::TuningRun const& run) const {
  std::vector<session::TuningRun const*> list;
  auto add = [&](auto const& runs) {
    for (auto const& one : runs)
      if (one->group == run.group && one->row == run.row) list.push_back(one.get());
  };
  add(runs_.runs);
  if (list.empty()) add(active_);
  return list;
}

/// The last one of this kernel, or the one of another kernel that goes on; with all kinds of
/// devices that it was begun on.
void TuningView::show_run(session::TuningRun const* run) {
  progress_->setVisible(run != nullptr);
  if (run) {
    std::vector<session::TuningRun const*> const runs = together(*run);
    int budget = 0, done = 0, failed = 0;
    double rate = 0, left = 0;
    std::vector<session::TuningDevice> devices;
    for (session::TuningRun const* one : runs) {
      budget += one->budget;
      done += one->goes_on() ? int(one->trials.size()) : one->budget;
      failed += one->failed();
      rate += one->trials_a_second;
      if (one->state == session::TuningState::kRunning)
        left = std::max(left, one->seconds_left.value_or(0));
      devices.insert(devices.end(), one->devices.begin(), one->devices.end());
    }
    bar_->setRange(0, budget);
    bar_->setValue(done);
    done_->setText(progress_words(*run, runs, kernel_));
    left_->setText(left > 0 ? seconds_words(left) : QString());
    rate_->setText(rate > 0 ? QString("%1 trials a second").arg(paint::number(rate)) : QString());
    failed_->setText(QString("%1 failed").arg(failed));
    sentence_->setText(runs.size() > 1 ? words_of_kinds(runs) : end_words(*run));
    sentence_->setVisible(!sentence_->text().isEmpty());
    open_->setVisible(active_.empty() && offered().run > 0);
    devices_->show_devices(std::move(devices));
  }
  show_buttons();
}

void TuningView::show_buttons() {
  show_head();
  gain_->setVisible(can_ask_gain());
  clear_->setVisible(!runs_.runs.empty() &&
                     (active_.empty() || runs_.runs.size() > active_.size()));
}

/// What can be begun, or what goes on: never both.
void TuningView::show_head() {
  using session::TuningState;
  bool goes_on = !active_.empty() || of_model_;
  QWidget* focused = window()->focusWidget();
  bool has_focus = focused && head_->isAncestorOf(focused);
  bool waits = is_active(TuningState::kPaused) ||
               (of_model_ && of_model_->state == session::ModelTuningState::kPaused);
  for (QWidget* one : std::initializer_list<QWidget*>{start_, search_, trials_}) {
    one->setVisible(!goes_on);
    one->setEnabled(can_start());
  }
  on_->setVisible(!goes_on);
  on_->setEnabled(can_start());
  here_->setVisible(!goes_on);
  here_->setEnabled(can_start() && step_ > 0);
  here_->setToolTip(step_ > 0
                        ? "Keep the steps of this state, search their numbers"
                        : "The unscheduled loop nest has no step whose numbers could be searched");
  model_->setVisible(!goes_on && has_model_);
  model_->setEnabled(can_start());
  pause_->setVisible(goes_on);
  stop_->setVisible(goes_on);
  pause_->setText(waits ? "Resume" : "Pause");
  bool searches = std::ranges::any_of(
      active_, [](auto const& run) { return run->state != TuningState::kComparing; });
  pause_->setEnabled(searches || (of_model_ && !of_model_->stopping));
  stop_->setEnabled(goes_on);
  // What was pressed may be gone now: the keyboard stays here.
  if (has_focus && focused->isHidden()) (goes_on ? stop_ : start_)->setFocus();
}

}  // namespace tw
