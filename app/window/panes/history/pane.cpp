// SPDX-License-Identifier: GPL-3.0-or-later
// The states of a kernel as a map, with what can be done with each.
#include <QApplication>
#include <QClipboard>
#include <QLineEdit>
#include <QTimer>
#include <algorithm>

#include "app/window/pane.h"
#include "app/window/panes/compare/journal.h"
#include "app/window/panes/history/journal.h"
#include "app/window/top_bar.h"
#include "engine/session/bookmarks.h"
#include "widgets/history/history_geometry.h"
#include "widgets/history/history_panel.h"
#include "widgets/paint/paint.h"
#include "widgets/paint/ratio_words.h"

namespace tw {
namespace {

class HistoryPane final : public Pane {
public:
  explicit HistoryPane(Workbench& bench)
      : Pane(bench), panel_(new HistoryPanel), view_(&panel_->view()) {
    perform_actions();
    watch_map();
    watch_panel();
    add_commands();
  }
  QWidget* widget() override { return panel_; }
  void set_theme(Theme const& theme) override { panel_->set_theme(theme); }
  bool hears_hidden() const override { return false; }
  void show(session::Snapshot const& next) override {
    marks_ = live().marks();
    view_->set_attached(!next.machine || next.machine->attached);
    panel_->show_history(next.history, marks_);
    show_baseline();
  }
  QString find_command() const override { return "Find in the history"; }

  /// A resize or a new step may have moved the current station out of the pane.
  void settled() override {
    QTimer::singleShot(0, this, [this] {
      if (now().history) emit view_->moved_to(station_of(view_->layout(), now().history->current));
    });
  }
  std::optional<session::FactValue> fact(std::string const& name) const override {
    if (name == "history.focused") return double(view_->marked());
    if (name == "history.picked") return double(view_->picked());
    if (name == "history.folds") return double(view_->layout().folds.size());
    if (name == "history.found") return double(view_->found());
    if (name == "history.shown") return double(shown_count(view_->layout()));
    return mark_fact(name);
  }

private:
  void perform_actions();
  void watch_map();
  void watch_panel();
  void add_commands();
  void add_mark_commands();
  void compare_marked();
  void compare_with_baseline();
  void set_baseline(int node);
  void show_baseline();
  std::optional<double> to_baseline() const;
  std::optional<session::FactValue> mark_fact(std::string const& name) const;
  void tune_from(int node) { bench_.ask(journal::ShowDialog{"tune", std::to_string(node)}); }
  /// What the ring is on, else where the kernel stands; 0: neither is a step.
  int ringed() const {
    int marked = view_->marked();
    return marked >= 0 ? marked : now().history ? now().history->current : 0;
  }
  Status check_step(int step) const {
    if (session::has_step(now(), step)) return {};
    return bad_input("unknown_node", "there is no such step");
  }

  HistoryPanel* panel_;
  HistoryView* view_;
  std::shared_ptr<session::Marks const> marks_ = std::make_shared<session::Marks>();
};

void HistoryPane::perform_actions() {
  bench_.on<journal::MarkStep>([this](auto const& action) -> Status {
    TRY(check_step(action.step));
    view_->mark(action.step);
    return {};
  });
  bench_.on<journal::PickStep>([this](auto const& action) -> Status {
    TRY(check_step(action.step));
    view_->pick(action.step);
    return {};
  });
  bench_.on<journal::UnfoldSteps>([this](auto const& action) -> Status {
    if (view_->unfold(action.first)) return {};
    return bad_input("unknown_fold", "no fold begins with step " + std::to_string(action.first));
  });
  bench_.on<journal::FindStep>([this](auto const& action) {
    return panel_->find(QString::fromStdString(action.words)), Status();
  });
  bench_.on<journal::FilterHistory>([this](auto const& action) -> Status {
    auto at = HistoryPanel::filter_names().indexOf(QString::fromStdString(action.which));
    if (at < 0) return bad_input("unknown_filter", "there is no filter '" + action.which + "'");
    return panel_->filter(HistoryFilter(at)), Status();
  });
  bench_.on<journal::FoldHistory>(
      [this](auto const& action) { return panel_->fold(action.state == "on"), Status(); });
}

void HistoryPane::watch_map() {
  connect(&view_->menu(), &HistoryMenu::node_chosen, this,
          [this](int node) { bench_.execute(session::JumpTo{node}); });
  connect(view_, &HistoryView::ringed, this,
          [this](int node) { bench_.user_did(journal::MarkStep{node}); });
  connect(view_, &HistoryView::unfold_asked, this,
          [this](int first) { bench_.ask(journal::UnfoldSteps{first}); });
  connect(&view_->menu(), &HistoryMenu::pick_asked, this,
          [this](int node) { bench_.ask(journal::PickStep{node}); });
  connect(&view_->menu(), &HistoryMenu::devices_compare_asked, this,
          [this](int node, QString const& before, QString const& after) {
            bench_.ask(journal::CompareDevices{node, before.toStdString(), after.toStdString()});
          });
  connect(&view_->lines(), &StateLines::note_written, this, [this](int node, QString const& note) {
    bench_.execute(session::SetNote{node, note.toStdString()});
  });
  connect(&view_->lines(), &StateLines::name_written, this, [this](int node, QString const& name) {
    bench_.execute(session::NameState{node, name.toStdString()});
  });
  connect(&view_->menu(), &HistoryMenu::tag_asked, this, [this](int node, bool on) {
    bench_.execute(session::TagState{node, !on});
  });
  connect(&view_->menu(), &HistoryMenu::baseline_asked, this,
          [this](int node) { set_baseline(node); });
  connect(&view_->menu(), &HistoryMenu::compare_asked, this, [this](int before, int after) {
    bench_.ask(journal::CompareStates{before, after});
  });
  connect(&view_->menu(), &HistoryMenu::tune_asked, this, [this](int node) { tune_from(node); });
  connect(&view_->menu(), &HistoryMenu::gain_asked, this,
          [this](int node) { bench_.execute(session::AblateStep{node}); });
  connect(&view_->menu(), &HistoryMenu::script_copied, this, [this](int node) {
    QApplication::clipboard()->setText(QString::fromStdString(live().script_of(node)));
  });
}

void HistoryPane::watch_panel() {
  auto replay = [this] { bench_.ask(journal::ShowDialog{"replay", {}}); };
  connect(&view_->menu(), &HistoryMenu::replay_asked, this, replay);
  connect(panel_, &HistoryPanel::replay_asked, this, replay);
  connect(panel_, &HistoryPanel::find_asked, this,
          [this](QString const& words) { bench_.ask(journal::FindStep{words.toStdString()}); });
  connect(panel_, &HistoryPanel::filter_asked, this,
          [this](QString const& name) { bench_.ask(journal::FilterHistory{name.toStdString()}); });
  connect(panel_, &HistoryPanel::fold_asked, this,
          [this](bool folded) { bench_.ask(journal::FoldHistory{folded ? "on" : "off"}); });
  connect(panel_, &HistoryPanel::compare_asked, this, [this] { compare_marked(); });
}

void HistoryPane::add_commands() {
  QString const section = "Steps and history";
  add_mark_commands();
  bench_.add_command({.section = section,
                      .name = "Compare focused and current state",
                      .keys = "Ctrl+D",
                      .run = [this] { compare_marked(); }});
  bench_.add_command({.section = section,
                      .name = "Tune from here",
                      .run = [this] { tune_from(ringed()); },
                      .possible = [this] { return ringed() > 0; }});
  bench_.add_command({.section = section,
                      .name = "Measure step contributions",
                      .run = [this] { bench_.execute(session::AblateStep{ringed()}); },
                      .possible = [this] { return ringed() > 0; }});
  bench_.add_command({.section = section, .name = "Find in the history", .run = [this] {
                        bench_.ask(journal::ShowView{"history"});
                        panel_->findChild<QLineEdit*>("findStep")->setFocus();
                      }});
}

void HistoryPane::add_mark_commands() {
  QString const section = "Steps and history";
  auto add = [&](char const* name, char const* keys, std::function<void()> run,
                 std::function<bool()> possible = nullptr) {
    if (!possible) possible = [this] { return now().history != nullptr; };
    bench_.add_command({.section = section,
                        .name = name,
                        .keys = keys,
                        .run = std::move(run),
                        .possible = std::move(possible)});
  };
  auto has_baseline = [this] { return marks_->baseline >= 0; };
  add("Star the focused state", "Ctrl+Alt+T", [this] {
    auto known = marks_->states.find(ringed());
    bool tagged = known != marks_->states.end() && known->second.tagged;
    bench_.execute(session::TagState{ringed(), tagged});
  });
  add("Name the focused state", "", [this] {
    bench_.ask(journal::ShowView{"history"});
    view_->edit_name(ringed());
  });
  add("Set the focused state as baseline", "Ctrl+Alt+B", [this] { set_baseline(ringed()); });
  add(
      "Clear baseline", "", [this] { set_baseline(-1); }, has_baseline);
  add(
      "Compare with the baseline", "Ctrl+Shift+B", [this] { compare_with_baseline(); },
      has_baseline);
  for (QString const& name : HistoryPanel::filter_names())
    bench_.add_command(
        {.section = section,
         .name = "Show " + name + " states in the history",
         .run = [this, name] { bench_.ask(journal::FilterHistory{name.toStdString()}); },
         .possible = [this] { return now().history != nullptr; }});
}

void HistoryPane::set_baseline(int node) {
  if (node < 0)
    bench_.execute(session::ClearBaseline{});
  else
    bench_.execute(session::SetBaseline{node});
}

void HistoryPane::compare_with_baseline() {
  int current = now().history ? now().history->current : 0;
  bench_.ask(journal::CompareStates{marks_->baseline, current});
}

/// Of the current step.
std::optional<double> HistoryPane::to_baseline() const {
  auto const& history = now().history;
  if (!history || !session::has_step(now(), marks_->baseline)) return std::nullopt;
  // Where nothing runs, times are the model's.
  bool attached = !now().machine || now().machine->attached;
  auto time = [&](int step) {
    auto const& node = history->nodes[size_t(step)];
    return attached ? node.min_ms : node.model_ms;
  };
  auto before = time(marks_->baseline), after = time(history->current);
  if (!before || !after || *after <= 0) return std::nullopt;
  return *before / *after;
}

/// In the top bar, beside the speed.
void HistoryPane::show_baseline() {
  auto const& history = now().history;
  if (!history || !session::has_step(now(), marks_->baseline))
    return bench_.top_bar().show_baseline({}, {});
  auto const& before = history->nodes[size_t(marks_->baseline)];
  auto known = marks_->states.find(marks_->baseline);
  QString name = QString::fromStdString(known != marks_->states.end() && !known->second.name.empty()
                                            ? known->second.name
                                            : before.label);
  QString explained = "The baseline is " + name;
  if (before.min_ms) explained += ", " + paint::time(*before.min_ms);
  auto times = to_baseline();
  QString words = history->current == marks_->baseline ? QStringLiteral("baseline")
                  : times                              ? paint::against_baseline(*times)
                                                       : QString();
  bench_.top_bar().show_baseline(words, explained);
}

std::optional<session::FactValue> HistoryPane::mark_fact(std::string const& name) const {
  if (name == "history.baseline") return double(marks_->baseline);
  if (name == "history.starred") {
    auto tagged = [](auto const& one) { return one.second.tagged; };
    return double(std::ranges::count_if(marks_->states, tagged));
  }
  if (name == "history.to_baseline") return to_baseline().value_or(0);
  if (name != "history.name" || !now().history) return {};
  auto known = marks_->states.find(now().history->current);
  bool named = known != marks_->states.end() && !known->second.name.empty();
  return named ? known->second.name : "none";
}

/// The ringed state against the current one; the current one against what it came from.
void HistoryPane::compare_marked() {
  auto const& history = now().history;
  int current = history ? history->current : 0, marked = view_->marked();
  if (history && (marked < 0 || marked == current)) marked = history->nodes[size_t(current)].parent;
  bench_.ask(journal::CompareStates{std::max(marked, 0), current});
}

}  // namespace

PaneRow const& pane_history() {
  static PaneRow const row{.name = "history",
                           .title = "History",
                           .place = PanePlace::kBelowRight,
                           .order = 10,
                           .make = &make_pane<HistoryPane>};
  return row;
}

}  // namespace tw
