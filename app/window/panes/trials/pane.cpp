// SPDX-License-Identifier: GPL-3.0-or-later
// The trials of the kernel's searches by their knobs.
#include <fmt/format.h>

#include <QEvent>
#include <algorithm>
#include <cmath>

#include "app/window/pane.h"
#include "app/window/panes/trials/journal.h"
#include "widgets/tuning/trials_view.h"

namespace tw {
namespace {

constexpr char kTime[] = "time";

class TrialsPane final : public Pane {
public:
  explicit TrialsPane(Workbench& bench) : Pane(bench), view_(new TrialsView) {
    view_->installEventFilter(this);
    perform_actions();
    watch();
    add_commands();
  }
  QWidget* widget() override { return view_; }
  QWidget* focus_target() override { return &view_->plot(); }
  void set_theme(Theme const& theme) override { view_->set_theme(theme); }
  void show(session::Snapshot const& next) override {
    session::TuningView of_kernel = runs_of(next);
    bool tried = !of_kernel.runs.empty();
    offer(tried);
    if (tried && view_->isVisible()) view_->show_runs(of_kernel, converters_of(of_kernel));
  }
  /// Trials are placed only while somebody looks.
  bool eventFilter(QObject*, QEvent* event) override {
    if (event->type() != QEvent::Show) return false;
    session::TuningView of_kernel = runs_of(now());
    view_->show_runs(of_kernel, converters_of(of_kernel));
    return false;
  }
  std::vector<Key> keys() const override {
    QString const section = "Measuring and devices";
    return {{section, "Left, Right in Trials", "Go from knob to knob"},
            {section, "Up, Down in Trials", "Keep the trials of one value, or of a tenth of time"},
            {section, "Delete in Trials", "Keep the trials of every value again"}};
  }
  std::optional<session::FactValue> fact(std::string const& name) const override {
    if (name == "trials.axes") return double(view_->space().axes.size());
    if (name == "trials.kept") return double(view_->kept());
    if (name == "trials.fastest") return double(view_->fastest().trial);
    if (name == "trials.slice") return name_of_axis(view_->plot().chosen_axis());
    return {};
  }

private:
  static session::TuningView runs_of(session::Snapshot const& next) {
    session::TuningView of_kernel;
    if (next.tuning && next.kernels && next.kernel >= 0)
      for (auto const& run : next.tuning->runs)
        if (run->row == next.kernel) of_kernel.runs.push_back(run);
    return of_kernel;
  }
  /// Asked of the device in use: what the rule takes elsewhere is not known here.
  session::RuleValues converters_of(session::TuningView const& runs) {
    session::RuleValues rules;
    for (auto const& run : runs.runs) {
      auto space = run->elsewhere ? nullptr : live().tuning_space(run->from);
      if (!space) continue;
      for (session::SpaceKnob const& knob : space->knobs)
        rules[run->number][knob.name] = knob.value;
    }
    return rules;
  }
  void perform_actions();
  void watch();
  void add_commands();
  Status keep(journal::KeepTrials const& action);
  std::string name_of_axis(int axis) const {
    auto const& axes = view_->space().axes;
    return size_t(axis) < axes.size() ? axes[size_t(axis)].knob : kTime;
  }
  /// As many as there are knobs: the time.
  Result<int> axis_named(std::string const& name) const {
    auto const& axes = view_->space().axes;
    if (name == kTime) return int(axes.size());
    if (int axis = view_->space().axis_of(name); axis >= 0) return axis;
    return bad_input("unknown_trial_axis", "no trials differ in a knob '" + name + "'");
  }
  Result<double> value_named(int axis, std::string const& word) const;
  std::string word_of(session::AxisRange const& range, double value) const {
    auto const& axes = view_->space().axes;
    if (size_t(range.axis) >= axes.size()) return fmt::format("{}", value);
    return axes[size_t(range.axis)].name(int(value));
  }

  TrialsView* view_;
};

Result<double> TrialsPane::value_named(int axis, std::string const& word) const {
  auto const& axes = view_->space().axes;
  if (size_t(axis) < axes.size()) {
    if (int place = axes[size_t(axis)].place_of(word); place >= 0) return double(place);
    return bad_input("unknown_trial_value",
                     "no trial has the value '" + word + "' of " + axes[size_t(axis)].knob);
  }
  bool read = false;
  double ms = QString::fromStdString(word).toDouble(&read);
  if (read && std::isfinite(ms)) return ms;
  return bad_input("unknown_trial_value", "a time is a number of ms, not '" + word + "'");
}

Status TrialsPane::keep(journal::KeepTrials const& action) {
  TRY_ASSIGN(int axis, axis_named(action.axis));
  std::optional<session::AxisRange> range;
  if (!action.low.empty()) {
    TRY_ASSIGN(double low, value_named(axis, action.low));
    TRY_ASSIGN(double high, value_named(axis, action.high.empty() ? action.low : action.high));
    range = session::AxisRange{axis, std::min(low, high), std::max(low, high)};
  }
  return view_->show_filter(view_->with_range(axis, range)), Status();
}

void TrialsPane::perform_actions() {
  bench_.on<journal::KeepTrials>([this](auto const& action) { return keep(action); });
  bench_.on<journal::KeepAllTrials>(
      [this](auto const&) { return view_->show_filter({}), Status(); });
  bench_.on<journal::KeepFastestTrials>([this](auto const& action) -> Status {
    if (action.percent <= 0 || action.percent > 100)
      return bad_input("bad_percent", "the fastest part is above 0 and at most 100 per cent");
    session::TrialFilter filter = view_->filter();
    filter.top = action.percent / 100;
    return view_->show_filter(filter), Status();
  });
  bench_.on<journal::ChooseTrialAxis>([this](auto const& action) -> Status {
    TRY_ASSIGN(int axis, axis_named(action.axis));
    return view_->choose_axis(axis), Status();
  });
  bench_.on<journal::TrialTimeAxis>([this](auto const& action) {
    return view_->show_logarithmic(action.scale == "logarithmic"), Status();
  });
}

void TrialsPane::watch() {
  connect(view_, &TrialsView::range_asked, this,
          [this](int axis, std::optional<session::AxisRange> range) {
            journal::KeepTrials action{name_of_axis(axis), {}, {}};
            if (range)
              action.low = word_of(*range, range->low), action.high = word_of(*range, range->high);
            bench_.ask(action);
          });
  connect(view_, &TrialsView::top_asked, this,
          [this](double part) { bench_.ask(journal::KeepFastestTrials{part * 100}); });
  connect(view_, &TrialsView::axis_chosen, this,
          [this](int axis) { bench_.ask(journal::ChooseTrialAxis{name_of_axis(axis)}); });
  connect(view_, &TrialsView::logarithmic_asked, this,
          [this](bool on) { bench_.ask(journal::TrialTimeAxis{on ? "logarithmic" : "linear"}); });
  connect(view_, &TrialsView::all_asked, this, [this] { bench_.ask(journal::KeepAllTrials{}); });
  connect(view_, &TrialsView::open_asked, this, [this](ChosenTrial chosen) {
    bench_.execute(session::OpenTrial{chosen.trial, chosen.run});
  });
}

void TrialsPane::add_commands() {
  bench_.add_command({.section = "Measuring and devices",
                      .name = "Trials by their knobs",
                      .run = [this] { bench_.ask(journal::ShowView{"trials"}); },
                      .possible = [this] { return offered(); },
                      .also = "parallel coordinates slices"});
  bench_.add_command({.section = "Measuring and devices",
                      .name = "Keep all trials",
                      .run = [this] { bench_.ask(journal::KeepAllTrials{}); },
                      .possible = [this] { return offered(); }});
  bench_.add_menu(view_, {"Keep all trials"});
}

}  // namespace

PaneRow const& pane_trials() {
  static PaneRow const row{.name = "trials",
                           .title = "Trials",
                           .place = PanePlace::kCentre,
                           .order = 47,
                           .when_asked = true,
                           .needs = PaneNeeds::kWidth,  // an axis for each knob
                           .make = &make_pane<TrialsPane>};
  return row;
}

}  // namespace tw
