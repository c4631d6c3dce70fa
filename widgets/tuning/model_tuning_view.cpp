// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tuning/model_tuning_view.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/paint/controls.h"

namespace tw {

using controls::button;
using session::ModelTuningState;

ModelTuningView::ModelTuningView(QWidget* parent) : QWidget(parent) {
  setObjectName("modelTuning");
  auto* all = new QWidget;
  column_ = new QVBoxLayout(all);
  column_->setContentsMargins(0, 0, 0, 0);
  column_->setSpacing(12);
  column_->addStretch(1);
  auto* scroll = new QScrollArea;
  scroll->setObjectName("tunedKernelScroll");
  scroll->setWidget(all);
  scroll->setWidgetResizable(true);
  scroll->setFocusPolicy(Qt::NoFocus);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(build_head());
  column->addWidget(scroll, 1);
  add_part();
}

QWidget* ModelTuningView::build_head() {
  again_ =
      button("Tune again", "modelTuningAgain", "Continue the search from the current schedules");
  pause_ = button("Pause", "modelTuningPause", "Pause after the current trial, or resume");
  stop_ = button("Stop", "modelTuningStop", "Stop the search and compare its results");
  auto* head = new QWidget;
  auto* row = new QHBoxLayout(head);
  row->setContentsMargins(16, 8, 16, 4);
  row->setSpacing(8);
  for (QPushButton* one : {again_, pause_, stop_}) row->addWidget(one);
  row->addStretch(1);
  connect(again_, &QPushButton::clicked, this, &ModelTuningView::again_asked);
  connect(stop_, &QPushButton::clicked, this, &ModelTuningView::stop_asked);
  connect(pause_, &QPushButton::clicked, this, [this] {
    bool paused = std::ranges::any_of(
        shown_, [](auto& one) { return one->state == ModelTuningState::kPaused; });
    paused ? emit resume_asked() : emit pause_asked();
  });
  return head;
}

void ModelTuningView::add_part() {
  auto* part = new ModelTuningPart;
  part->set_theme(theme_);
  parts_.push_back(part);
  column_->insertWidget(column_->count() - 1, part);
  connect(&part->kernels(), &TunedKernels::kernel_chosen, this, &ModelTuningView::kernel_chosen);
  connect(&part->kernels(), &TunedKernels::kernel_entered, this, &ModelTuningView::kernel_entered);
}

bool ModelTuningView::kernels_have_focus() const {
  return std::ranges::any_of(parts_, [](auto* part) { return part->kernels().hasFocus(); });
}

void ModelTuningView::set_theme(Theme const& theme) {
  theme_ = theme;
  for (ModelTuningPart* part : parts_) part->set_theme(theme);
}

void ModelTuningView::show_snapshot(session::Snapshot const& next) {
  shown_.clear();
  if (next.tuning && next.tuning->model) {
    shown_ = next.tuning->beside;
    shown_.insert(shown_.begin(), next.tuning->model);
  }
  while (parts_.size() < shown_.size()) add_part();
  for (size_t i = 0; i < parts_.size(); ++i) {
    bool known = i < shown_.size();
    parts_[i]->setVisible(known || i == 0);
    parts_[i]->show_tuning(known ? *shown_[i] : session::ModelTuningView(), next.kernel,
                           shown_.size() > 1);
  }
  if (!shown_.empty()) show_buttons();
}

void ModelTuningView::show_buttons() {
  auto any = [&](auto is) {
    return std::ranges::any_of(shown_, [&](auto& one) { return is(*one); });
  };
  using View = session::ModelTuningView;
  bool paused = any([](View const& one) { return one.state == ModelTuningState::kPaused; });
  bool searches = any([](View const& one) {
    return one.state == ModelTuningState::kPaused || one.state == ModelTuningState::kTiming ||
           one.state == ModelTuningState::kSearching;
  });
  bool stopping = any([](View const& one) { return one.stopping && one.goes_on(); });
  bool goes_on = any([](View const& one) { return one.goes_on(); });
  QWidget* focused = window()->focusWidget();
  bool has_focus = focused == again_ || focused == pause_ || focused == stop_;
  again_->setVisible(!goes_on);
  pause_->setVisible(goes_on);
  stop_->setVisible(goes_on);
  pause_->setEnabled(searches && !stopping);
  pause_->setText(paused ? "Resume" : "Pause");
  stop_->setText(stopping ? "End now" : "Stop");
  stop_->setToolTip(stopping ? "Stop at once; trials are kept, and no schedule changes"
                             : "Stop the search and compare its results");
  // What was pressed may be gone now: the keyboard stays here.
  if (has_focus && focused->isHidden()) (goes_on ? stop_ : again_)->setFocus();
}

}  // namespace tw
