// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/panes/lesson/guide.h"

#include <algorithm>
#include <filesystem>

#include "app/shared/devices.h"
#include "engine/session/facts/code_facts.h"

namespace tw {
namespace {

constexpr int kLook = 20;  // milliseconds: until the session is asked again whether it is still

template <typename T>
bool has(std::deque<journal::Action> const& actions) {
  return std::ranges::any_of(actions,
                             [](auto const& one) { return one.template as<T>() != nullptr; });
}

std::optional<lesson::Card> card_behind(std::string const& name) {
  std::vector<lesson::Card> cards = lesson::cards();
  auto here = std::ranges::find(cards, name, &lesson::Card::name);
  if (here == cards.end() || here + 1 == cards.end()) return {};
  return *(here + 1);
}

}  // namespace

Guide::Guide(Workbench& bench) : bench_(bench) {
  play_.setInterval(kLook);
  hint_.setSingleShot(true);
  connect(&play_, &QTimer::timeout, this, [this] { play_next(); });
  connect(&hint_, &QTimer::timeout, this, [this] { (void)show_hint(); });
}

/// The first line is done at once, the others when the session is still. What a kernel of its own
/// would stand beside is closed.
Status Guide::open(std::string const& name) {
  TRY_ASSIGN(lesson::Lesson lesson, lesson::open(name));
  close();
  for (lesson::Move const& move : lesson.start) queue_.push_back(*move.action);
  // Measured is where something runs, unless the lesson says where.
  auto machine = bench_.snapshot().machine;
  if (machine && !machine->attached && !has<session::UseDevice>(queue_))
    queue_.push_front(session::Command(session::UseDevice{kLocalDeviceName}));
  if (!queue_.empty()) {
    journal::Action first = queue_.front();
    queue_.pop_front();
    if ((first.as<session::AddKernel>() || has<session::AddKernel>(queue_)) &&
        bench_.snapshot().model)
      TRY(bench_.perform(session::CloseModel{}));
    TRY(bench_.perform(first));
  }
  following_ = card_behind(lesson.name);
  walk_.emplace(std::move(lesson));
  play_.start();
  emit changed();
  return {};
}

void Guide::close() {
  play_.stop();
  hint_.stop();
  queue_.clear();
  hints_.clear();
  begun_at_.clear();
  said_.clear();
  following_.reset();
  walk_.reset();
  emit changed();
}

/// One after the other, each when the session is still.
void Guide::play_next() {
  if (!bench_.live().wait_idle(0)) return;
  if (queue_.empty()) {
    play_.stop();
    begin_step();
    return look();
  }
  journal::Action action = queue_.front();
  queue_.pop_front();
  if (Status status = run(action); !status) {
    queue_.clear();
    bench_.say(QString::fromStdString(to_sentence(status.error())));
  }
}

/// Unrecorded: it follows from opening the lesson.
Status Guide::run(journal::Action const& action) {
  if (auto const* command = action.as<session::Command>()) return bench_.live().execute(*command);
  if (auto const* show = action.as<journal::ShowView>()) return bench_.show_view(show->view);
  if (auto const* choice = action.as<journal::ChooseKernel>())
    return bench_.live().execute(
        session::SelectKernel{session::row_called(bench_.live().snapshot(), choice->kernel)});
  return bench_.perform(action);
}

/// Who comes back to a step begins where it was begun before, unless what it builds on was done
/// only now.
void Guide::begin_step() {
  if (!walk_) return;
  if (auto history = bench_.live().snapshot().history) {
    int step = walk_->step_number(), before = walk_->reached_before(step);
    auto known = begun_at_.find(step);
    if (known == begun_at_.end() || known->second.before < before)
      begun_at_[step] = {history->current, before};
  }
  wait_for_hint();
}

/// One that was only looked at was not begun.
void Guide::leave_step(int step) {
  auto history = bench_.live().snapshot().history;
  auto begun = begun_at_.find(step);
  if (begun != begun_at_.end() && history && history->current == begun->second.state)
    begun_at_.erase(begun);
}

lesson::FactOf Guide::facts() const {
  return [this](std::string const& name) -> std::optional<session::FactValue> {
    if (session::is_code_fact(name)) return session::code_fact(name, bench_.live());
    Selection& selection = bench_.selection();
    return session::fact(name, bench_.snapshot(), {selection.loop(), selection.hovered()});
  };
}

void Guide::look() {
  if (!walk_) return;
  if (queue_.empty() && !play_.isActive() && walk_->look(facts())) wait_for_hint();
  emit changed();
}

Status Guide::go_to(int step) {
  if (!walk_) return bad_input("no_lesson", "no lesson is open");
  int left = walk_->step_number();
  TRY(walk_->go_to(step - 1));
  if (left != walk_->step_number()) leave_step(left);
  said_.clear();
  begin_step();
  look();
  return {};
}

size_t Guide::hints_shown() const {
  auto found = walk_ ? hints_.find(walk_->step_number()) : hints_.end();
  return found == hints_.end() ? 0 : found->second;
}

bool Guide::all_reached() const {
  return walk_ && walk_->reached() > 0 && walk_->reached() == walk_->lesson().goals();
}

/// From the last progress on.
void Guide::wait_for_hint() {
  hint_.stop();
  if (!walk_ || walk_->step_is_done() || hints_shown() >= walk_->step().hints.size()) return;
  hint_.start(walk_->step().hints[hints_shown()].seconds * 1000);
}

Status Guide::show_hint() {
  if (!walk_) return bad_input("no_lesson", "no lesson is open");
  if (hints_shown() >= walk_->step().hints.size())
    return bad_input("no_hint", "this step of the lesson has no further hint");
  ++hints_[walk_->step_number()];
  wait_for_hint();
  emit changed();
  return {};
}

/// From where the step was begun: the solution does not know what was tried meanwhile.
Status Guide::show_me() {
  if (!walk_) return bad_input("no_lesson", "no lesson is open");
  bool first = !walk_->solution_has_begun();
  lesson::Move const* move = walk_->next_move(facts());
  if (!move) return bad_input("nothing_to_show", "the solution of this step has no further line");
  if (!move->action) {
    lesson::Goal const* goal = walk_->open_question();
    auto value = goal ? facts()(goal->expect.fact) : std::nullopt;
    return value ? answer(lesson::answer_words(*value)) : Status();
  }
  auto begun = begun_at_.find(walk_->step_number());
  auto const& history = bench_.snapshot().history;
  if (first && history && begun != begun_at_.end() && history->current != begun->second.state &&
      session::has_step(bench_.snapshot(), begun->second.state))
    TRY(bench_.perform(session::JumpTo{begun->second.state}));
  TRY(bench_.perform(*move->action));
  emit changed();
  return {};
}

Status Guide::answer(std::string const& words) {
  if (!walk_) return bad_input("no_lesson", "no lesson is open");
  TRY_ASSIGN(bool right, walk_->answer(words, facts()));
  said_ = right ? QString() : QString("%1 is not right. Look again.").arg(words.c_str());
  if (right) wait_for_hint();
  emit changed();
  return {};
}

std::optional<session::FactValue> Guide::fact(std::string const& name) const {
  if (!name.starts_with("lesson.")) return {};
  if (name == "lesson.name") return walk_ ? walk_->lesson().name : "none";
  if (name == "lesson.step") return walk_ ? double(walk_->step_number() + 1) : 0.0;
  if (name == "lesson.goals") return walk_ ? double(walk_->lesson().goals()) : 0.0;
  if (name == "lesson.goals_reached") return walk_ ? double(walk_->reached()) : 0.0;
  if (name == "lesson.hints") return double(hints_shown());
  return {};
}

/// A picture stands on a line of its own.
std::vector<LessonPart> Guide::parts() const {
  std::vector<LessonPart> list{{}};
  QString text = QString::fromStdString(lesson::shown_text(walk_->step(), facts()));
  QString folder =
      QString::fromStdString(std::filesystem::path(walk_->lesson().file).parent_path().string());
  for (QString const& line : text.split('\n')) {
    qsizetype link = line.indexOf("](");
    bool picture = line.startsWith("![") && line.endsWith(')') && link > 0;
    QString target = picture ? line.mid(link + 2).chopped(1) : QString();
    if (picture && !target.contains(':')) {
      list.push_back({line.mid(2, link - 2), folder + "/" + target});
      list.push_back({});
    } else {
      list.back().text += (picture ? line.mid(1) : line) + "\n";
    }
  }
  std::erase_if(list, [](LessonPart const& part) {
    return part.picture.isEmpty() && part.text.trimmed().isEmpty();
  });
  return list;
}

LessonPage Guide::page() const {
  LessonPage page;
  if (!walk_) return page;
  lesson::Step const& step = walk_->step();
  page.lesson = QString::fromStdString(walk_->lesson().title);
  page.title = QString::fromStdString(step.title);
  page.step = walk_->step_number() + 1;
  page.steps = int(walk_->lesson().steps.size());
  page.parts = parts();
  for (lesson::Goal const& goal : step.goals) {
    QStringList choices;
    for (std::string const& choice : goal.choices) choices << QString::fromStdString(choice);
    page.goals.push_back(
        {QString::fromStdString(goal.text), walk_->is_reached(goal), goal.asks, choices});
  }
  for (size_t i = 0; i < hints_shown(); ++i)
    page.hints << QString::fromStdString(step.hints[i].text);
  page.more_hints = hints_shown() < step.hints.size();
  page.more_moves = !step.solution.empty();
  page.said = said_;
  if (page.step == page.steps && following_)
    page.following = QString::fromStdString(following_->title);
  return page;
}

}  // namespace tw
