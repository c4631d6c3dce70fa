// A script while it is being written.
#include "engine/session/state/session_impl.h"
#include "engine/session/views/line_effects.h"
#include "engine/session/views/script_views.h"

namespace tw::session {
namespace {

constexpr size_t kKept = 4, kKeptEffects = 64;

std::string first_lines(std::string const& text, int count) {
  size_t end = 0;
  for (int i = 0; i < count && end < text.size(); ++i) {
    size_t next = text.find('\n', end);
    end = next == text.npos ? text.size() : next + 1;
  }
  return std::to_string(count) + ":" + text.substr(0, end);
}

}  // namespace

std::shared_ptr<ScriptReview const> SessionImpl::script_reviewed(std::string const& text) {
  std::shared_ptr<Backend const> backend = this->backend();
  std::lock_guard lock(mutex_);
  if (!state_.has_kernel()) return nullptr;
  History history = state_.now().history;
  MadeOf<ScriptReview, std::string> asked{ir::hash(history.schedule().program()), backend,
                                          history.schedule().script() + "\n---\n" + text};
  if (auto const* known = known_or_noted(looked_.scripts, asked, kKept)) return known->view;
  outlook_jobs_.start(
      "script", "checking a script",
      [this, asked, text, history = std::move(history)](StopToken stop, Progress const&) {
        auto view = std::make_shared<ScriptReview const>(
            script_review(history, text, options_.macros.get(), stop));
        if (stop.stop_requested()) return;
        {
          std::lock_guard guard(mutex_);
          keep(looked_.scripts, asked, view);
        }
        notify();
      });
  return nullptr;
}

std::vector<Command> SessionImpl::script_commands(std::string const& text) const {
  std::lock_guard lock(mutex_);
  if (!state_.has_kernel()) return {};
  History const& history = state_.kernels.at(state_.kernel).history;
  auto steps = step_lines(text);
  auto [node, shared] = shared_beginning(history, text);
  std::vector<Command> commands;
  if (node != history.current()) commands.push_back(JumpTo{node});
  std::string rest;
  for (size_t i = shared; i < steps.size(); ++i) rest += steps[i].second + "\n";
  if (!rest.empty()) commands.push_back(ApplyScript{rest});
  return commands;
}

std::shared_ptr<LineEffect const> SessionImpl::effect_of(std::string const& text, int line) {
  std::shared_ptr<Backend const> backend = this->backend();
  std::lock_guard lock(mutex_);
  if (!state_.has_kernel()) return nullptr;
  History history = state_.now().history;
  // What stands behind the line changes nothing of it.
  MadeOf<LineEffect, std::string> asked{
      ir::hash(history.schedule().program()), backend,
      history.schedule().script() + "\n---\n" + first_lines(text, line)};
  if (auto const* known = known_or_noted(looked_.effects, asked, kKeptEffects)) return known->view;
  outlook_jobs_.start(
      "line of a script", "following a script",
      [this, asked, text, line, history = std::move(history)](StopToken stop, Progress const&) {
        auto view = std::make_shared<LineEffect const>(
            effect_of_line(history, text, line, options_.macros.get(), stop));
        if (stop.stop_requested()) return;
        {
          std::lock_guard guard(mutex_);
          keep(looked_.effects, asked, view);
        }
        notify();
      });
  return nullptr;
}

std::shared_ptr<LineEffect const> line_effect(Session& session, std::string const& text, int line) {
  return static_cast<SessionImpl&>(session).effect_of(text, line);
}

std::shared_ptr<ScriptReview const> review_script(Session& session, std::string const& text) {
  return static_cast<SessionImpl&>(session).script_reviewed(text);
}

std::vector<Command> commands_for(Session& session, std::string const& text) {
  return static_cast<SessionImpl&>(session).script_commands(text);
}

}  // namespace tw::session
