// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tuning/model_tuning_view.h"

#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "engine/support/base/quantities.h"
#include "widgets/paint/controls.h"
#include "widgets/paint/paint.h"

namespace tw {

using controls::button, controls::label;
using session::ModelTuningState;

namespace {

QString now_words(session::ModelTuningView const& view) {
  QString kernel;
  for (session::TunedKernelRow const& row : view.kernels)
    if (row.turn == session::KernelTurn::kSearched || row.turn == session::KernelTurn::kCompared)
      kernel = QString::fromStdString(row.kernel);
  switch (view.state) {
    case ModelTuningState::kTiming:
      return "Timing the network as it is";
    case ModelTuningState::kSearching:
      return kernel.isEmpty() ? "Searching" : "Searching " + kernel;
    case ModelTuningState::kPaused:
      return "Paused";
    case ModelTuningState::kComparing:
      return "Comparing the best of " + kernel;
    case ModelTuningState::kNetworks:
      return "Comparing the networks, in turns";
    default:
      return view.error.empty() ? "Ended: " + QString::fromStdString(view.ended) : "Ended";
  }
}

QString left_words(session::ModelTuningView const& view) {
  if (view.budget > 0) return QString("%1 of %2 trials").arg(view.trials).arg(view.budget);
  return QString("%1 trials · %2 of %3 s")
      .arg(view.trials)
      .arg(std::floor(std::min(view.elapsed, view.seconds)))
      .arg(view.seconds);
}

}  // namespace

ModelTuningView::ModelTuningView(QWidget* parent) : QWidget(parent) {
  setObjectName("modelTuning");
  kernels_ = new TunedKernels;
  devices_ = new TuningDevices;
  auto* scroll = new QScrollArea;
  scroll->setObjectName("tunedKernelScroll");
  scroll->setWidget(kernels_);
  scroll->setWidgetResizable(true);
  scroll->setFocusPolicy(Qt::NoFocus);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(build_head());
  column->addWidget(build_progress());
  column->addWidget(scroll, 1);
  auto* line = new QFrame;
  line->setFrameShape(QFrame::NoFrame);
  line->setObjectName("modelTuningLine");
  line->setFixedHeight(1);
  column->addWidget(line);
  column->addWidget(devices_);
}

QWidget* ModelTuningView::build_head() {
  again_ = button("Tune again", "modelTuningAgain", "Search further, from where the kernels stand");
  pause_ = button("Pause", "modelTuningPause", "Wait after the trial that runs now, or go on");
  stop_ = button("Stop", "modelTuningStop", "End the search; what was found is compared");
  auto* head = new QWidget;
  auto* row = new QHBoxLayout(head);
  row->setContentsMargins(16, 8, 16, 4);
  row->setSpacing(8);
  for (QPushButton* one : {again_, pause_, stop_}) row->addWidget(one);
  row->addStretch(1);
  connect(again_, &QPushButton::clicked, this, &ModelTuningView::again_asked);
  connect(stop_, &QPushButton::clicked, this, &ModelTuningView::stop_asked);
  connect(pause_, &QPushButton::clicked, this, [this] {
    bool paused = view_ && view_->state == ModelTuningState::kPaused;
    paused ? emit resume_asked() : emit pause_asked();
  });
  return head;
}

QWidget* ModelTuningView::build_progress() {
  now_ = label("modelTuningNow", "section", controls::Wrap::kYes);
  left_ = label("modelTuningLeft", "label");
  result_ = label("modelTuningResult", "secondary", controls::Wrap::kYes);
  bar_ = new QProgressBar;
  bar_->setTextVisible(false);
  bar_->setAccessibleName("Budget used");
  bar_->setRange(0, 1000);
  auto* words = new QHBoxLayout;
  words->addWidget(now_, 1);
  words->addWidget(left_);
  auto* all = new QWidget;
  auto* column = new QVBoxLayout(all);
  column->setContentsMargins(16, 4, 16, 8);
  column->setSpacing(4);
  column->addLayout(words);
  column->addWidget(bar_);
  column->addWidget(result_);
  return all;
}

void ModelTuningView::set_theme(Theme const& theme) {
  kernels_->set_theme(theme);
  devices_->set_theme(theme);
  bar_->setFixedHeight(theme.px(4));
}

void ModelTuningView::show_snapshot(session::Snapshot const& next) {
  view_ = next.tuning ? next.tuning->model : nullptr;
  if (!view_) return kernels_->show_kernels({}, -1);
  kernels_->show_kernels(view_->kernels, next.kernel);
  devices_->show_devices(view_->devices);
  devices_->setFixedHeight(devices_->sizeHint().height());
  show_progress(*view_);
}

void ModelTuningView::show_progress(session::ModelTuningView const& view) {
  bool paused = view.state == ModelTuningState::kPaused;
  bool searches = paused || view.state == ModelTuningState::kTiming ||
                  view.state == ModelTuningState::kSearching;
  QWidget* focused = window()->focusWidget();
  bool has_focus = focused == again_ || focused == pause_ || focused == stop_;
  again_->setVisible(!view.goes_on());
  pause_->setVisible(view.goes_on());
  stop_->setVisible(view.goes_on());
  pause_->setEnabled(searches && !view.stopping);
  pause_->setText(paused ? "Resume" : "Pause");
  stop_->setText(view.stopping ? "End now" : "Stop");
  stop_->setToolTip(view.stopping ? "End at once; what was tried stays, and no schedule changes"
                                  : "End the search; what was found is compared");
  // What was pressed may be gone now: the keyboard stays here.
  if (has_focus && focused->isHidden()) (view.goes_on() ? stop_ : again_)->setFocus();
  now_->setText(now_words(view));
  left_->setText(left_words(view));
  double done = !view.goes_on()   ? 1
                : view.budget > 0 ? double(view.trials) / view.budget
                                  : view.elapsed / std::max(view.seconds, 1e-9);
  bar_->setValue(int(1000 * std::clamp(done, 0.0, 1.0)));
  result_->setText(result_words(view));
  result_->setVisible(!result_->text().isEmpty());
}

QString ModelTuningView::result_words(session::ModelTuningView const& view) const {
  QStringList words;
  if (!view.error.empty())
    words << "The tuning failed: " + QString::fromStdString(view.error) + ".";
  if (view.after_ms && *view.after_ms < *view.before_ms) {
    words << QString("The network takes %1, before %2: %3.")
                 .arg(paint::time(*view.after_ms), paint::time(*view.before_ms),
                      QString::fromStdString(speedup_text(*view.before_ms / *view.after_ms)));
    words << QString("%1 of %2 kernels have another schedule now; each can be undone.")
                 .arg(view.changed)
                 .arg(view.kernels.size());
  } else if (view.after_ms) {
    words << QString("Nothing was faster in the network, which takes %1.")
                 .arg(paint::time(*view.after_ms));
  } else if (!view.goes_on() && view.error.empty()) {
    words << "The networks were not compared, and no schedule changed. The trials stay.";
  } else if (view.before_ms) {
    words << QString("The network takes %1 before.").arg(paint::time(*view.before_ms));
  }
  if (!view.not_stored.empty())
    words << "Trials are not kept: " + QString::fromStdString(view.not_stored) + ".";
  return words.join(" ");
}

}  // namespace tw
