// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tuning/trials_view.h"

#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/support/base/quantities.h"
#include "widgets/paint/chooser.h"
#include "widgets/paint/controls.h"
#include "widgets/paint/wrap_layout.h"

namespace tw {
namespace {

constexpr double kParts[] = {1, 0.5, 0.25, 0.1, 0.05, 0.01};

}  // namespace

TrialsView::TrialsView(QWidget* parent)
    : QWidget(parent),
      parallel_(new ParallelPlot),
      slice_(new SlicePlot),
      words_(controls::label("trialsWords", "section")),
      space_(std::make_shared<session::TrialSpace>()) {
  setObjectName("trialsView");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(build_head());
  auto* both = new QSplitter(Qt::Horizontal);
  both->setHandleWidth(1);
  both->addWidget(parallel_);
  both->addWidget(slice_);
  both->setStretchFactor(0, 3);
  both->setStretchFactor(1, 1);
  column->addWidget(both, 1);
  connect(parallel_, &ParallelPlot::range_asked, this, &TrialsView::range_asked);
  connect(parallel_, &ParallelPlot::axis_chosen, this, &TrialsView::axis_chosen);
  apply();
}

QWidget* TrialsView::build_head() {
  auto* head = new QWidget;
  auto* row = new WrapLayout(8, head);
  row->setContentsMargins(12, 6, 12, 6);
  top_ = new Chooser;
  top_->setObjectName("trialsTop");
  top_->setAccessibleName("Fraction of the trials, fastest first");
  for (double part : kParts)
    top_->addItem(part == 1 ? QStringLiteral("All trials")
                            : "Fastest " + QString::fromStdString(percent_text(part)));
  scale_ = new Chooser;
  scale_->setObjectName("trialsScale");
  scale_->setAccessibleName("Time axis");
  scale_->addItems({"Logarithmic time", "Linear time"});
  all_ = controls::button("Keep all", "trialsAll", "Show the trials of every value");
  open_ =
      controls::button("Open the fastest", "trialsOpen", "Open the fastest kept trial as steps");
  for (QWidget* one : std::initializer_list<QWidget*>{words_, top_, scale_, all_, open_})
    row->addWidget(one);
  connect(top_, &QComboBox::activated, this, [this](int at) { emit top_asked(kParts[at]); });
  connect(scale_, &QComboBox::activated, this, [this](int at) { emit logarithmic_asked(at == 0); });
  connect(all_, &QPushButton::clicked, this, &TrialsView::all_asked);
  connect(open_, &QPushButton::clicked, this, [this] { emit open_asked(fastest()); });
  return head;
}

void TrialsView::set_theme(Theme const& theme) {
  parallel_->set_theme(theme);
  slice_->set_theme(theme);
}

/// Empty: the time.
std::string TrialsView::knob_of(int axis) const {
  return size_t(axis) < space_->axes.size() ? space_->axes[size_t(axis)].knob : "";
}

/// The axes of another kernel are others: what was kept there says nothing here.
void TrialsView::show_runs(session::TuningView const& runs, session::RuleValues rules) {
  size_t trials = 0;
  for (auto const& run : runs.runs) trials += run->trials.size() + size_t(run->number) * 1000003;
  if (trials == seen_ && rules == rules_) return;
  seen_ = trials;
  rules_ = std::move(rules);
  std::pair<int, std::string> kernel;
  if (!runs.runs.empty()) kernel = {runs.runs[0]->row, runs.runs[0]->kernel};
  bool other = std::exchange(kernel_, kernel) != kernel || space_->axes.empty();
  std::string const chosen = knob_of(parallel_->chosen_axis());
  auto space = std::make_shared<session::TrialSpace const>(session::trial_space(runs, rules_));
  if (other) filter_.ranges.clear();
  filter_ = session::carried(filter_, *space_, *space);
  space_ = space;
  parallel_->show_space(space_);
  slice_->show_space(space_);
  int axis = chosen.empty() ? int(space_->axes.size()) : space_->axis_of(chosen);
  choose_axis(other ? 0 : std::max(0, axis));
  apply();
}

void TrialsView::show_filter(session::TrialFilter const& filter) {
  filter_ = filter;
  apply();
}

void TrialsView::apply() {
  kept_ = session::kept_by(*space_, filter_);
  parallel_->show_filter(filter_, kept_);
  slice_->show_filter(kept_);
  words_->setText(words());
  auto part = std::ranges::find_if(
      kParts, [this](double one) { return std::abs(one - filter_.top) < 1e-9; });
  if (part != std::end(kParts)) top_->setCurrentIndex(int(part - kParts));
  all_->setEnabled(!filter_.ranges.empty() || filter_.top < 1);
  open_->setEnabled(fastest().run > 0);
}

QString TrialsView::words() const {
  if (space_->points.empty()) return "No trial has a time yet.";
  QString text = QString("%1 of %2 trials").arg(kept()).arg(space_->points.size());
  int best = session::fastest_of(*space_, kept_);
  if (best >= 0)
    text += ", the fastest " +
            QString::fromStdString(milliseconds_text(space_->points[size_t(best)].ms));
  return text;
}

int TrialsView::kept() const { return int(std::ranges::count(kept_, 1)); }

ChosenTrial TrialsView::fastest() const {
  int best = session::fastest_of(*space_, kept_);
  if (best < 0) return {};
  return {space_->points[size_t(best)].run, space_->points[size_t(best)].trial};
}

void TrialsView::show_logarithmic(bool logarithmic) {
  logarithmic_ = logarithmic;
  parallel_->show_logarithmic(logarithmic);
  slice_->show_logarithmic(logarithmic);
  scale_->setCurrentIndex(logarithmic ? 0 : 1);
}

void TrialsView::choose_axis(int axis) {
  parallel_->choose_axis(axis);
  slice_->show_axis(parallel_->chosen_axis());
}

session::TrialFilter TrialsView::with_range(int axis,
                                            std::optional<session::AxisRange> range) const {
  session::TrialFilter filter = filter_;
  std::erase_if(filter.ranges, [axis](auto const& one) { return one.axis == axis; });
  if (range) filter.ranges.push_back(*range);
  return filter;
}

}  // namespace tw
