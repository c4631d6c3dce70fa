// SPDX-License-Identifier: GPL-3.0-or-later
// Two states of a kernel beside each other, or one on two devices.
#include <QEvent>

#include "app/window/pane.h"
#include "app/window/panes/compare/journal.h"
#include "widgets/compare/compare_view.h"

namespace tw {
namespace {

class ComparePane final : public Pane {
public:
  explicit ComparePane(Workbench& bench) : Pane(bench), view_(new CompareView(live())) {
    view_->installEventFilter(this);
    perform_actions();
    watch();
    add_commands();
  }
  QWidget* widget() override { return view_; }
  bool eventFilter(QObject*, QEvent* event) override {
    if (event->type() == QEvent::Show) view_->refresh(now());
    return false;
  }
  void set_theme(Theme const& theme) override { view_->set_theme(theme); }
  /// What belongs to one kernel leaves with it.
  void show(session::Snapshot const& next) override {
    if (view_->active() && (next.kernel != kernel_ || !next.history)) stop();
    if (view_->isVisible()) view_->refresh(next);
  }
  std::optional<session::FactValue> fact(std::string const& name) const override {
    if (name != "compare") return {};
    return view_->names().toStdString();
  }

private:
  void perform_actions();
  void watch();
  void add_commands();
  Status compare(journal::CompareStates const& action);
  Status compare(journal::CompareDevices const& action);
  Status show(journal::ShowComparison const& action);
  void swap();
  void begin() {
    bench_.show_tab(*this);
    view_->refresh(now());
  }
  void stop() {
    view_->clear();
    bench_.hide_tab(*this);
  }

  CompareView* view_;
  int kernel_ = -1;  ///< whose states are compared
};

void ComparePane::perform_actions() {
  bench_.on<journal::CompareStates>([this](auto const& action) { return compare(action); });
  bench_.on<journal::CompareDevices>([this](auto const& action) { return compare(action); });
  bench_.on<journal::StopComparing>([this](auto const&) { return stop(), Status(); });
  bench_.on<journal::ShowComparison>([this](auto const& action) { return show(action); });
}

void ComparePane::watch() {
  connect(view_, &CompareView::swap_asked, this, [this] { swap(); });
  connect(view_, &CompareView::close_asked, this, [this] { bench_.ask(journal::StopComparing{}); });
  connect(view_, &CompareView::stage_chosen, this, [this](QString const& key) {
    bench_.user_did(journal::ShowComparison{"stage", key.toStdString()});
  });
  connect(view_, &CompareView::form_chosen, this, [this](QString const& form) {
    bench_.user_did(journal::ShowComparison{"form", form.toStdString()});
  });
  connect(view_, &CompareView::menu_asked, this, [this](QPoint at) {
    bench_.show_menu({"Swap what is compared", "Compare side by side", "Compare as one text",
                      "Copy the compared code", "Close the comparison"},
                     at);
  });
}

void ComparePane::add_commands() {
  QString const section = "Steps and history";
  auto add = [&](char const* name, std::function<void()> run) {
    bench_.add_command(
        {.section = section, .name = name, .run = std::move(run), .possible = [this] {
           return view_->active();
         }});
  };
  add("Swap what is compared", [this] { swap(); });
  add("Compare side by side", [this] { bench_.ask(journal::ShowComparison{"form", "pair"}); });
  add("Compare as one text", [this] { bench_.ask(journal::ShowComparison{"form", "marks"}); });
  add("Close the comparison", [this] { bench_.ask(journal::StopComparing{}); });
  bench_.add_copy(section, "Copy the compared code",
                  [this] { return view_->active() ? view_->code_text() : QString(); });
}

Status ComparePane::compare(journal::CompareStates const& action) {
  if (!session::has_step(now(), action.before) || !session::has_step(now(), action.after))
    return bad_input("unknown_node", "there is no such step");
  if (action.before == action.after)
    return bad_input("same_state", "a comparison needs two different states");
  kernel_ = now().kernel;
  view_->compare(action.before, action.after);
  return begin(), Status();
}

Status ComparePane::compare(journal::CompareDevices const& action) {
  if (!session::has_step(now(), action.state))
    return bad_input("unknown_node", "there is no such step");
  if (action.before == action.after)
    return bad_input("same_device", "a comparison needs two different devices");
  if (!live().compare_devices(action.state, action.before, action.after))
    return bad_input("not_measured", "the step was not measured on both '" + action.before +
                                         "' and '" + action.after + "'");
  kernel_ = now().kernel;
  view_->compare_devices(action.state, QString::fromStdString(action.before),
                         QString::fromStdString(action.after));
  return begin(), Status();
}

Status ComparePane::show(journal::ShowComparison const& action) {
  QString value = QString::fromStdString(action.value);
  if (action.what == "form") {
    if (value != "pair" && value != "marks")
      return bad_input("unknown_form", "the form must be pair or marks");
    view_->show_form(value);
    return {};
  }
  if (view_->show_stage(value)) return {};
  return bad_input("unknown_stage", "there is no stage '" + action.value + "'");
}

void ComparePane::swap() {
  if (!view_->active()) return bench_.say("Nothing to compare: choose two states in History");
  if (view_->of_devices())
    bench_.ask(journal::CompareDevices{view_->before(), view_->after_device().toStdString(),
                                       view_->before_device().toStdString()});
  else
    bench_.ask(journal::CompareStates{view_->after(), view_->before()});
}

}  // namespace

PaneRow const& pane_compare() {
  static PaneRow const row{
      .name = "compare",
      .title = "Compare",
      .place = PanePlace::kCentre,
      .order = 40,
      .when_asked = true,
      .needs = PaneNeeds::kWidth,  // two programs side by side, and their costs
      .make = &make_pane<ComparePane>};
  return row;
}

}  // namespace tw
