// SPDX-License-Identifier: GPL-3.0-or-later
// What the machine does with the kernel, cycle by cycle, simulated or modelled; or a recorded run.
#include <QEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QFutureWatcher>
#include <QtConcurrent>
#include <algorithm>

#include "app/window/pane.h"
#include "app/window/panes/timeline/journal.h"
#include "engine/session/facts/facts.h"
#include "widgets/timeline/timeline_view.h"

namespace tw {
namespace {

using State = std::shared_ptr<session::SimulatedState const>;

QString text_of(std::string const& text) { return QString::fromStdString(text); }

QString name_of_step(session::HistoryView const& history, int step) {
  return QString("step %1").arg(step) + QStringLiteral(" · ") +
         text_of(history.nodes[size_t(step)].label);
}

class TimelinePane final : public Pane {
public:
  explicit TimelinePane(Workbench& bench)
      : Pane(bench), view_(new TimelineView), reading_(new QFutureWatcher<Recorded>(this)) {
    perform_actions();
    watch();
    add_commands();
    view_->installEventFilter(this);
  }
  QWidget* widget() override { return view_; }
  QWidget* focus_target() override { return view_; }
  bool keeps_focus() const override { return view_->hasFocus(); }
  bool busy() const override { return reading_->isRunning(); }
  void set_theme(Theme const& theme) override { view_->set_theme(theme); }
  void show(session::Snapshot const& next) override;
  std::optional<session::FactValue> fact(std::string const& name) const override;
  std::vector<Key> keys() const override;
  bool eventFilter(QObject*, QEvent* event) override {
    if (event->type() == QEvent::Show) update();  // nothing is made until somebody looks
    return false;
  }

private:
  struct Recorded {
    std::string file;
    State state;  ///< null: `error` says why
    Error error;
  };
  void perform_actions();
  void watch();
  void add_commands();
  void update();
  void show_states();
  void show_recorded();
  void read_is_done();
  void choose_file();
  std::vector<TimelineView::Choice> choices() const;
  /// The step of the history that stands above; -1: none.
  int step_above() const;
  Status choose_above(journal::TimelineAgainst const& action);
  Status choose(journal::ChooseInstruction const& action);
  Status set_break(journal::BreakOnQueue const& action);
  Status show_memory(journal::ShowMemoryOf const& action);
  Status show_finding(journal::ShowFinding const& action);
  Status link();
  Status open(journal::OpenTimeline const& action);
  /// Error: nothing is shown.
  Status check_shown() const {
    if (view_->focus().current()) return {};
    return bad_input("no_timeline", "no timeline is shown");
  }

  TimelineView* view_;
  QFutureWatcher<Recorded>* reading_;
  State recorded_;  ///< null: the kernel's is shown
  QString recorded_name_;
  std::string above_ = "previous";
  int kernel_ = -1;
  bool links_ = true;
};

// ---- what is shown ---------------------------------------------------------------------------

void TimelinePane::show(session::Snapshot const& next) {
  offer((next.has_timeline && next.history) || recorded_ || reading_->isRunning());
  if (next.kernel != kernel_ && above_ != "none") above_ = "previous";
  update();
}

void TimelinePane::update() {
  if (!view_->isVisible()) return;
  if (recorded_) return show_recorded();
  if (now().history) show_states();
  kernel_ = now().kernel;
}

int TimelinePane::step_above() const {
  session::HistoryView const& history = *now().history;
  if (above_ == "none") return -1;
  if (above_ == "previous") return history.nodes[size_t(history.current)].parent;
  int step = std::atoi(above_.c_str());
  return session::has_step(now(), step) && step != history.current ? step : -1;
}

std::vector<TimelineView::Choice> TimelinePane::choices() const {
  std::vector<TimelineView::Choice> all{{"previous", "Compare with previous step"},
                                        {"none", "This run alone"}};
  for (session::HistoryNodeView const& node : now().history->nodes)
    if (node.id != now().history->current)
      all.push_back(
          {QString::number(node.id), "Compare with " + name_of_step(*now().history, node.id)});
  return all;
}

void TimelinePane::show_states() {
  int current = now().history->current, above = step_above();
  view_->show_choices(choices(), text_of(above_));
  State after = live().timeline(current), before = above < 0 ? nullptr : live().timeline(above);
  if (!after) {
    bool old = kernel_ == now().kernel && view_->focus().current();
    if (old) return view_->show_runs(view_->focus().runs(), true);
    return view_->show_failure(now().has_timeline
                                   ? "The timeline of the kernel is made…"
                                   : "The target of this device has no timeline of kernels.");
  }
  if (!after->timeline) return view_->show_failure(text_of(after->failure));
  std::vector<TimelineRun> runs;
  auto add = [&](int step, State const& state) {
    double total = now().history->nodes[size_t(step)].min_ms.value_or(0);
    runs.push_back({name_of_step(*now().history, step), state, total});
  };
  if (before && before->timeline) add(above, before);
  add(current, after);
  view_->show_runs(std::move(runs), above >= 0 && !before);
}

void TimelinePane::show_recorded() {
  view_->show_choices({{"recorded", recorded_name_}}, "recorded");
  view_->show_runs({{recorded_name_, recorded_}}, false);
}

std::optional<session::FactValue> TimelinePane::fact(std::string const& name) const {
  if (!name.starts_with("timeline")) return {};
  TimelineFocus const& focus = view_->focus();
  TimelineRun const* run = view_->isVisible() ? focus.current() : nullptr;
  if (name == "timeline") {
    QStringList names;
    for (TimelineRun const& one : focus.runs()) names << one.name;
    return run ? names.join(", ").toStdString() : "none";
  }
  if (!run) return {};
  Timeline const& timeline = run->timeline();
  if (name == "timeline.cycles") return double(timeline.cycles);
  if (name == "timeline.above")
    return focus.runs().size() == 2 ? double(focus.runs()[0].timeline().cycles) : 0.0;
  if (name == "timeline.instructions") return double(timeline.instructions.size());
  if (name == "timeline.instruction") return double(focus.instruction());
  if (name == "timeline.cursor") return double(focus.cursor());
  if (name == "timeline.seen") return focus.to() - focus.from();
  if (name == "timeline.breakpoints") return double(focus.breaks().size());
  if (name == "timeline.findings") return double(timeline.findings.size());
  if (name == "timeline.cuts") return double(timeline.cuts.size());
  if (name == "timeline.sentence") return timeline.sentence.empty() ? "none" : timeline.sentence;
  if (name == "timeline.verdict") return timeline.verdict.empty() ? "none" : timeline.verdict;
  if (name == "timeline.memory")
    return focus.memory() < 0 ? "none" : timeline.counters[size_t(focus.memory())].name;
  return {};
}

std::vector<Pane::Key> TimelinePane::keys() const {
  QString const timeline = "Timeline";
  return {{timeline, ", .", "Previous, next instruction"},
          {timeline, "Home, End", "First, last instruction"},
          {timeline, "W, S", "Zoom in, zoom out"},
          {timeline, "A, D", "Pan left, right"},
          {timeline, "0", "Show all cycles"},
          {timeline, "F", "Run to the next breakpoint"}};
}

// ---- what is done ----------------------------------------------------------------------------

Status TimelinePane::choose_above(journal::TimelineAgainst const& action) {
  bool number = !action.state.empty() &&
                std::ranges::all_of(action.state, [](char c) { return c >= '0' && c <= '9'; });
  bool known = action.state == "previous" || action.state == "none" ||
               (number && action.state.size() < 9 &&
                session::has_step(now(), std::atoi(action.state.c_str())));
  if (!known) return bad_input("unknown_node", "there is no step '" + action.state + "'");
  above_ = action.state;
  return update(), Status();
}

Status TimelinePane::choose(journal::ChooseInstruction const& action) {
  TRY(check_shown());
  TimelineFocus& focus = view_->focus();
  bool above = action.run == "above";
  if (above && focus.runs().size() < 2) return bad_input("no_run", "there is no reference run");
  int run = above ? 0 : focus.current_number();
  int64_t count = int64_t(focus.runs()[size_t(run)].timeline().instructions.size());
  if (action.instruction < 0 || action.instruction >= count)
    return bad_input("unknown_instruction",
                     "there is no instruction " + std::to_string(action.instruction));
  focus.choose(run, action.instruction);
  focus.bring_into_sight();
  return link();
}

/// The loop of the chosen instruction's line, in all views.
Status TimelinePane::link() {
  int loop = view_->loop_of_chosen();
  if (loop < 0 || recorded_) return {};
  links_ = false;  // its other instructions are not what was meant
  bench_.selection().select(loop);
  links_ = true;
  return {};
}

Status TimelinePane::set_break(journal::BreakOnQueue const& action) {
  TRY(check_shown());
  auto const& counters = view_->focus().current()->timeline().counters;
  for (size_t i = 0; i < counters.size(); ++i)
    if (!counters[i].of_memory && counters[i].name == action.queue)
      return view_->focus().toggle({int(i), action.on == "push"}), Status();
  return bad_input("unknown_queue", "there is no queue '" + action.queue + "'");
}

Status TimelinePane::show_memory(journal::ShowMemoryOf const& action) {
  TRY(check_shown());
  auto const& counters = view_->focus().current()->timeline().counters;
  for (size_t i = 0; i < counters.size(); ++i)
    if (counters[i].of_memory && counters[i].name == action.memory)
      return view_->focus().show_memory(int(i)), Status();
  return bad_input("unknown_memory", "there is no memory '" + action.memory + "'");
}

Status TimelinePane::show_finding(journal::ShowFinding const& action) {
  TRY(check_shown());
  auto const& findings = view_->focus().current()->timeline().findings;
  if (action.finding < 0 || size_t(action.finding) >= findings.size())
    return bad_input("unknown_finding", "there is no finding " + std::to_string(action.finding));
  view_->focus().mark(findings[size_t(action.finding)].instructions);
  return link();
}

Status TimelinePane::open(journal::OpenTimeline const& action) {
  reading_->setFuture(QtConcurrent::run([file = action.file] {
    auto state = session::read_timeline(file);
    if (!state) return Recorded{file, nullptr, state.error()};
    return Recorded{file, std::make_shared<session::SimulatedState const>(*std::move(state)), {}};
  }));
  offer(true);
  bench_.show_tab(*this);
  return {};
}

void TimelinePane::read_is_done() {
  Recorded read = reading_->result();
  if (!read.state) return bench_.say(text_of(to_sentence(read.error)));
  recorded_ = read.state;
  recorded_name_ = QFileInfo(text_of(read.file)).fileName();
  update();
}

void TimelinePane::choose_file() {
  auto* dialog = new QFileDialog(view_->window(), "Open a timeline", {},
                                 "Timelines (*.timeline);;All files (*)");
  dialog->setObjectName("openTimelineDialog");
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, this,
          [this](QString const& path) { bench_.ask(journal::OpenTimeline{path.toStdString()}); });
  bench_.open(dialog);
}

void TimelinePane::perform_actions() {
  TimelineFocus& focus = view_->focus();
  bench_.on<journal::TimelineAgainst>([this](auto const& action) { return choose_above(action); });
  bench_.on<journal::ChooseInstruction>([this](auto const& action) { return choose(action); });
  bench_.on<journal::BreakOnQueue>([this](auto const& action) { return set_break(action); });
  bench_.on<journal::ShowMemoryOf>([this](auto const& action) { return show_memory(action); });
  bench_.on<journal::ShowFinding>([this](auto const& action) { return show_finding(action); });
  bench_.on<journal::OpenTimeline>([this](auto const& action) { return open(action); });
  bench_.on<journal::StepTimeline>([this, &focus](auto const& action) -> Status {
    TRY(check_shown());
    focus.step(action.steps);
    return link();
  });
  bench_.on<journal::PutCycle>([this, &focus](auto const& action) -> Status {
    TRY(check_shown());
    if (!(action.cycle >= 0 && action.cycle <= double(focus.cycles())))
      return bad_input("unknown_cycle", "the run does not have that cycle");
    return focus.put_cursor(int64_t(action.cycle)), Status();
  });
  bench_.on<journal::SeeCycles>([this, &focus](auto const& action) -> Status {
    TRY(check_shown());
    if (!(action.from < action.to)) return bad_input("unusable_range", "empty cycle range");
    return focus.see(action.from, action.to), Status();
  });
  bench_.on<journal::RunToBreak>([this, &focus](auto const&) -> Status {
    TRY(check_shown());
    if (focus.breaks().empty())
      return bad_input("no_breakpoint", "no breakpoint is set: a click in a queue's plot sets one");
    if (!focus.run_to_next())
      return bad_input("nothing_found", "no breakpoint comes after the cursor");
    return link();
  });
  bench_.on<journal::CloseTimeline>([this](auto const&) -> Status {
    if (!recorded_) return bad_input("no_timeline", "no recorded timeline is open");
    recorded_.reset();
    return show(now()), Status();
  });
}

void TimelinePane::watch() {
  connect(reading_, &QFutureWatcher<Recorded>::finished, this, [this] { read_is_done(); });
  connect(view_, &TimelineView::against_chosen, this, [this](QString const& key) {
    if (!recorded_) bench_.user_did(journal::TimelineAgainst{key.toStdString()});
  });
  connect(view_, &TimelineView::instruction_chosen, this, [this](int run, int instruction) {
    bool above = run < view_->focus().current_number();
    bench_.user_did(journal::ChooseInstruction{instruction, above ? "above" : ""});
  });
  connect(view_, &TimelineView::cursor_put, this,
          [this](qint64 cycle) { bench_.user_did(journal::PutCycle{double(cycle)}); });
  connect(view_, &TimelineView::stepped, this,
          [this](int steps) { bench_.user_did(journal::StepTimeline{steps}); });
  connect(view_, &TimelineView::run_asked, this,
          [this] { bench_.user_did(journal::RunToBreak{}); });
  connect(view_, &TimelineView::break_asked, this, [this](int queue, bool push) {
    bench_.user_did(journal::BreakOnQueue{
        push ? "push" : "pop", view_->focus().current()->timeline().counters[size_t(queue)].name});
  });
  connect(view_, &TimelineView::memory_asked, this, [this](int counter) {
    bench_.user_did(
        journal::ShowMemoryOf{view_->focus().current()->timeline().counters[size_t(counter)].name});
  });
  connect(view_, &TimelineView::finding_asked, this,
          [this](int finding) { bench_.user_did(journal::ShowFinding{finding}); });
  connect(view_, &TimelineView::seen_by_user, this, [this] {
    bench_.user_did(journal::SeeCycles{view_->focus().from(), view_->focus().to()});
  });
  // The other way: `link`.
  connect(&bench_.selection(), &Selection::changed, this,
          [this] { view_->focus().light(links_ ? bench_.selection().lit() : -1); });
  bench_.add_menu(view_, {"Run to the next breakpoint", "Show all cycles", "Open a timeline"});
}

void TimelinePane::add_commands() {
  auto shown = [this] { return view_->isVisible() && view_->focus().current(); };
  bench_.add_command({.section = "Views",
                      .name = "Timeline",
                      .run = [this] { bench_.ask(journal::ShowView{"timeline"}); },
                      .possible = [this] { return offered(); }});
  bench_.add_command(
      {.section = "Views",
       .name = "Run to the next breakpoint",
       .run = [this] { bench_.ask(journal::RunToBreak{}); },
       .possible = [this, shown] { return shown() && !view_->focus().breaks().empty(); }});
  bench_.add_command({.section = "Views",
                      .name = "Show all cycles",
                      .run =
                          [this] {
                            bench_.ask(journal::SeeCycles{0, double(view_->focus().cycles())});
                          },
                      .possible = shown});
  bench_.add_command({.section = "Views",
                      .name = "Open a timeline",
                      .run =
                          [this] {
                            bench_.ask(journal::ShowDialog{"timeline", {}});
                          },
                      .possible = [this] { return now().model != nullptr; }});
  bench_.add_command({.section = "Views",
                      .name = "Close the recorded timeline",
                      .run = [this] { bench_.ask(journal::CloseTimeline{}); },
                      .possible = [this] { return recorded_ != nullptr; }});
  bench_.add_dialog("timeline", [this](QString const&) -> Status {
    if (!now().model) return bad_input("no_model", "no model is open");
    return choose_file(), Status();
  });
}

}  // namespace

PaneRow const& pane_timeline() {
  static PaneRow const row{.name = "timeline",
                           .title = "Timeline",
                           .place = PanePlace::kCentre,
                           .order = 15,
                           .when_asked = true,
                           .needs = PaneNeeds::kAll,  // every cycle of a run
                           .make = &make_pane<TimelinePane>};
  return row;
}

}  // namespace tw
