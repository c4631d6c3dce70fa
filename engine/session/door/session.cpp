// What a session answers at once; what takes longer are queries and jobs.
#include "engine/session/session.h"

#include "engine/session/commands/command_row.h"
#include "engine/session/parts/parts.h"
#include "engine/session/state/known_devices.h"
#include "engine/session/use_cases.h"
#include "engine/session/views/schedule_views.h"

namespace tw::session {

Session::Session(Options options) : parts_(std::make_unique<Parts>(std::move(options))) {}
Session::~Session() = default;

Result<std::unique_ptr<Session>> Session::create(Options options) {
  if (!options.backend) return bad_input("no_backend", "this build of Tilewright has no target");
  return std::unique_ptr<Session>(new Session(std::move(options)));
}

void Session::set_listener(Listener listener) { parts_->news.set_listener(std::move(listener)); }
Snapshot Session::snapshot() const { return parts_->showing.snapshot(); }

CommandRow const* find_command(std::type_index kind) {
  for (CommandRow const* row : command_table())
    if (row->kind == kind) return row;
  return nullptr;
}

Status Session::execute(Command const& command) {
  CommandRow const* row = find_command(command.kind());
  if (!row) return bad_input("unknown_command", "the session has no such command");
  parts_->background.hold(std::chrono::seconds(0));
  parts_->clear_error();  // what was wrong before has nothing to do with this command
  Status status = row->run(*parts_, command);
  parts_->showing.publish();
  parts_->modelling.start();
  return status;
}

std::shared_ptr<void const> Session::answer(QueryRow const& row, void const* asked) {
  StateCell::Pointer state = parts_->cell.read();
  QueryKeyPtr key = row.key(parts_->seen(*state), asked);
  return key ? parts_->queues.memo.ask(row, key) : nullptr;
}

std::vector<PrimitiveView> Session::primitives() const {
  return primitive_views(parts_->cell.read()->backend->target(), parts_->options.macros.get());
}

std::vector<std::string> Session::export_targets() const { return parts_->options.exports.targets; }

std::vector<std::string> Session::devices() const { return known_devices(parts_->options); }

std::vector<std::string> Session::searches() const {
  std::vector<std::string> names;
  for (SearchRow const& row : tw::searches()) names.emplace_back(row.name);
  return names;
}

std::string Session::trial_store() const { return parts_->options.trial_store; }
bool Session::measures_in_background() const { return parts_->background.is_on(); }

std::string Session::script() const {
  StateCell::Pointer state = parts_->cell.read();
  return state->has_kernel() ? state->now().history.schedule().script() : "";
}

std::string Session::script_of(int node) const {
  StateCell::Pointer state = parts_->cell.read();
  bool known = state->has_kernel() && state->now().history.has(node);
  return known ? state->now().history.script(node) : "";
}

std::string Session::save() const {
  StateCell::Pointer state = parts_->cell.read();
  return state->model ? to_text(project_of(*state)) : "";
}

Status Session::restore(std::string const& saved) {
  TRY_ASSIGN(Project project, parse_project(saved));
  if (project.model.source.empty())
    return bad_input("no_model", "the project does not name its model");
  std::string source = project.model.source, shapes = project.model.shapes;
  return parts_->opening.open(source, std::make_shared<Project const>(std::move(project)), shapes);
}

/// A job may begin one on another thread: all are idle when none was busy in a whole round.
bool Session::wait_idle(double seconds) {
  Queues const& queues = parts_->queues;
  return queues.wait_idle(seconds) && parts_->gate.wait_until_it_rests(seconds) &&
         queues.main.wait_idle(seconds) && queues.memo.wait_idle(seconds);
}

}  // namespace tw::session
