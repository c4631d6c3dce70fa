// SPDX-License-Identifier: GPL-3.0-or-later
/// All trials of a kernel's searches by their knobs: parallel axes, one knob against the time, and
/// what one keeps of them.
#pragma once

#include <QWidget>

#include "widgets/tuning/slice_plot.h"
#include "widgets/tuning/tuning_scale.h"

class QComboBox;
class QLabel;
class QPushButton;

namespace tw {

class TrialsView : public QWidget {
  Q_OBJECT
public:
  explicit TrialsView(QWidget* parent = nullptr);
  void set_theme(Theme const& theme);
  /// Of one kernel. `rules`: as far as they are known.
  void show_runs(session::TuningView const& runs, session::RuleValues rules = {});
  void show_filter(session::TrialFilter const& filter);
  session::TrialFilter const& filter() const { return filter_; }
  void show_logarithmic(bool logarithmic);
  bool logarithmic() const { return logarithmic_; }
  void choose_axis(int axis);
  /// With the range of an axis, in the place of the one that it had.
  session::TrialFilter with_range(int axis, std::optional<session::AxisRange> range) const;
  session::TrialSpace const& space() const { return *space_; }
  int kept() const;
  /// The fastest of those that are kept; 0, 0: there is none.
  ChosenTrial fastest() const;
  ParallelPlot& plot() const { return *parallel_; }
  SlicePlot& slice() const { return *slice_; }

signals:
  void range_asked(int axis, std::optional<session::AxisRange> range);
  void top_asked(double part);
  void axis_chosen(int axis);
  void logarithmic_asked(bool on);
  void all_asked();
  void open_asked(ChosenTrial chosen);

private:
  QWidget* build_head();
  void apply();
  std::string knob_of(int axis) const;
  QString words() const;

  ParallelPlot* parallel_;
  SlicePlot* slice_;
  QLabel* words_;
  QComboBox *top_, *scale_;
  QPushButton *all_, *open_;
  std::shared_ptr<session::TrialSpace const> space_;
  session::TrialFilter filter_;
  std::vector<char> kept_;
  size_t seen_ = 0;  ///< trials of which the space was made
  std::pair<int, std::string> kernel_;
  session::RuleValues rules_;
  bool logarithmic_ = true;
};

}  // namespace tw
