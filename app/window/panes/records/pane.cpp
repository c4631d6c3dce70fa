// SPDX-License-Identifier: GPL-3.0-or-later
// The stored trials: every one that a tuning here or `tw tune` has made.
#include "app/window/pane.h"
#include "app/window/panes/records/journal.h"
#include "app/window/panes/records/record_monitor.h"

namespace tw {
namespace {

QString text_of(std::string const& text) { return QString::fromStdString(text); }

class RecordsPane final : public Pane {
public:
  explicit RecordsPane(Workbench& bench)
      : Pane(bench), view_(new RecordsView), board_(*view_, bench.live().trial_store()) {
    perform_actions();
    watch();
    add_commands();
  }
  QWidget* widget() override { return view_; }
  QWidget* focus_target() override { return view_->focus_target(); }
  bool keeps_focus() const override {
    QWidget* focus = view_->window()->focusWidget();
    return view_->isVisible() && focus && view_->isAncestorOf(focus);
  }
  void set_theme(Theme const& theme) override { view_->set_theme(theme); }
  bool busy() const override { return board_.busy(); }
  QString find_command() const override { return "Find in stored trials"; }
  Status about_to_show() override {
    board_.ask();
    return {};
  }
  void show(session::Snapshot const& next) override;
  std::optional<session::FactValue> fact(std::string const& name) const override;
  std::vector<Key> keys() const override {
    return {{"Measuring and devices", "Return", "Open the selected stored trial as steps"}};
  }

private:
  void perform_actions();
  void watch();
  void add_commands();
  Status filter(journal::FilterRecords const& action);

  RecordsView* view_;
  RecordMonitor board_;
  bool tunes_ = false;  ///< a search goes on
};

/// What a search has kept is there when it ends.
void RecordsPane::show(session::Snapshot const& next) {
  view_->offer_tuning(next.model && next.kernel >= 0);
  session::TuningRun const* run = next.tuning ? next.tuning->run() : nullptr;
  bool tunes = run && run->goes_on();
  if (std::exchange(tunes_, tunes) && !tunes && view_->isVisible()) board_.ask();
}

Status RecordsPane::filter(journal::FilterRecords const& action) {
  RecordFilter wanted{text_of(action.kernel),
                      text_of(action.device),
                      text_of(action.outcome),
                      text_of(action.job),
                      text_of(action.text),
                      action.order.empty() ? QString("newest") : text_of(action.order),
                      action.best};
  if (auto query = query_of(wanted); !query) return std::unexpected(query.error());
  view_->set_filter(wanted);
  board_.ask();
  return {};
}

void RecordsPane::perform_actions() {
  bench_.on<journal::FilterRecords>([this](auto const& action) { return filter(action); });
  bench_.on<journal::SelectRecords>([this](auto const& action) -> Status {
    std::vector<qint64> ids{action.trial};
    if (action.other != 0) ids.push_back(action.other);
    if (view_->selected() != ids) board_.show_trials(ids);
    return {};
  });
}

void RecordsPane::watch() {
  connect(view_, &RecordsView::filter_changed, this, [this](RecordFilter const& chosen) {
    bool newest = chosen.order == "newest";
    bench_.user_did(journal::FilterRecords{chosen.kernel.toStdString(), chosen.device.toStdString(),
                                           chosen.outcome.toStdString(), chosen.job.toStdString(),
                                           chosen.text.toStdString(),
                                           newest ? "" : chosen.order.toStdString(), chosen.best});
    board_.ask();
  });
  connect(view_, &RecordsView::selected_changed, this, [this](std::vector<qint64> const& ids) {
    if (!ids.empty())
      bench_.user_did(journal::SelectRecords{int(ids[0]), ids.size() > 1 ? int(ids[1]) : 0});
  });
  connect(view_, &RecordsView::tune_asked, this, [this] { bench_.run_action("Tune the kernel"); });
  connect(view_, &RecordsView::open_asked, this,
          [this](qint64 trial) { bench_.execute(session::OpenStored{int(trial)}); });
  bench_.add_menu(view_, {"Open the stored trial as steps", "Find in stored trials"});
}

void RecordsPane::add_commands() {
  QString const section = "Measuring and devices";
  auto add = [&](char const* name, char const* keys, std::function<void()> run,
                 std::function<bool()> possible = {}) {
    bench_.add_command({.section = section,
                        .name = name,
                        .keys = keys,
                        .run = std::move(run),
                        .possible = std::move(possible)});
  };
  add("Stored trials", "Ctrl+Shift+H", [this] { bench_.ask(journal::ShowView{"records"}); });
  add("Find in stored trials", "", [this] {
    bench_.ask(journal::ShowView{"records"});
    view_->focus_search();
  });
  add(
      "Open the stored trial as steps", "", [this] { view_->open_selected(); },
      [this] { return view_->can_open(); });
}

std::optional<session::FactValue> RecordsPane::fact(std::string const& name) const {
  auto or_none = [](QString const& words) {
    return words.isEmpty() ? std::string("none") : words.toStdString();
  };
  if (name == "records") return double(view_->rows());
  if (name == "records.trouble") return or_none(view_->sentence());
  if (name != "records.selected") return {};
  QStringList ids;
  for (qint64 id : view_->selected()) ids << QString::number(id);
  return or_none(ids.join(", "));
}

}  // namespace

PaneRow const& pane_records() {
  static PaneRow const row{.name = "records",
                           .title = "Records",
                           .place = PanePlace::kCentre,
                           .order = 28,
                           .stands_alone = true,
                           .needs = PaneNeeds::kAll,  // knobs are columns
                           .make = &make_pane<RecordsPane>};
  return row;
}

}  // namespace tw
