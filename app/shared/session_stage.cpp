#include "app/shared/session_stage.h"

#include <chrono>
#include <thread>

#include "engine/session/facts/code_facts.h"
#include "engine/session/facts/followed_loop.h"

namespace tw {
namespace {

/// Code is generated beside the session's jobs: it is waited for.
std::optional<session::FactValue> waited_code_fact(std::string const& name,
                                                   session::Session& session) {
  using Clock = std::chrono::steady_clock;
  auto end = Clock::now() + std::chrono::seconds(60);
  for (;;) {
    auto value = session::code_fact(name, session);
    if (value || Clock::now() > end || !session.snapshot().nest) return value;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace

SessionStage::SessionStage(session::Session& session)
    : session_(session), seen_(session.snapshot()) {}

Status SessionStage::perform(journal::Action const& action) {
  trouble_.clear();
  Status status = run(action);
  if (!status) trouble_ = to_sentence(status.error());
  follow();
  return status;
}

Status SessionStage::run(journal::Action const& action) {
  if (auto const* command = action.as<session::Command>()) return session_.execute(*command);
  if (auto const* choice = action.as<journal::ChooseKernel>()) {
    if (!seen_.kernels) return bad_input("no_model", "no model is open");
    int row = session::row_called(seen_, choice->kernel);
    if (row >= 0) return session_.execute(session::SelectKernel{row});
    return bad_input("unknown_kernel", "there is no kernel '" + choice->kernel + "'");
  }
  if (auto const* select = action.as<journal::SelectLoop>()) {
    TRY_ASSIGN(chosen_.selected, loop_called(select->loop));
    return {};
  }
  if (auto const* hover = action.as<journal::HoverLoop>()) {
    TRY_ASSIGN(chosen_.hovered, loop_called(hover->loop));
    return {};
  }
  return bad_input("needs_window", "only a window can do this");
}

Result<int> SessionStage::loop_called(std::string const& reference) const {
  int loop = session::loop_called(seen_, reference);
  if (loop < 0 && reference != "none")
    return bad_input("unknown_loop", "there is no loop '" + reference + "'");
  return loop;
}

/// As in a window: the selected loop is looked for in each new nest.
void SessionStage::follow() {
  session::Snapshot next = session_.snapshot();
  if (next.nest != seen_.nest || next.kernel != seen_.kernel)
    chosen_.selected = session::followed_loop(seen_, next, chosen_.selected);
  seen_ = std::move(next);
}

bool SessionStage::settle(double seconds) {
  bool still = session_.wait_idle(seconds);
  follow();
  return still;
}

std::optional<session::FactValue> SessionStage::fact(std::string const& name) const {
  if (name == "error" && !trouble_.empty()) return trouble_;
  if (session::is_code_fact(name)) return waited_code_fact(name, session_);
  return session::fact(name, seen_, chosen_);
}

}  // namespace tw
