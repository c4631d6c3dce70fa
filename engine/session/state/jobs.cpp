#include "engine/session/state/jobs.h"

#include <algorithm>

namespace tw::session {

Jobs::Jobs(std::function<void()> changed)
    : changed_(std::move(changed)), thread_([this] { run(); }) {}

Jobs::~Jobs() {
  end();
  join();
}

void Jobs::end() {
  line_.with([](Line& line) {
    line.ending = true;
    line.waiting.clear();
    line.stop.request_stop();
  });
}

void Jobs::join() {
  if (thread_.joinable()) thread_.join();
}

/// Waiting ones are gone, and a running one is asked to stop.
void Jobs::Line::drop(std::function<bool(Job const&)> const& those) {
  std::erase_if(waiting, those);
  if (!running || !those(*running)) return;
  gives_way = false;
  stop.request_stop();
}

void Jobs::start(std::string kind, std::string what, Work work) {
  line_.with([&](Line& line) {
    line.drop([&](Job const& job) { return job.kind == kind; });
    if (!line.ending) line.waiting.push_back({std::move(kind), std::move(what), std::move(work)});
  });
}

void Jobs::start_first(std::string kind, std::string what, Work work,
                       std::initializer_list<char const*> give_way) {
  line_.with([&](Line& line) {
    line.drop([&](Job const& job) { return job.kind == kind; });
    if (line.ending) return;
    line.waiting.push_front({std::move(kind), std::move(what), std::move(work)});
    if (!line.running || line.stop.stop_requested()) return;
    if (std::ranges::find(give_way, line.running->kind) == give_way.end()) return;
    line.gives_way = true;
    line.stop.request_stop();
  });
}

void Jobs::cancel_all(std::string const& kept) {
  line_.with([&](Line& line) {
    std::erase_if(line.waiting, [&](Job const& job) { return job.kind != kept; });
    line.gives_way = false;
    line.stop.request_stop();
  });
}

void Jobs::cancel_all_but(std::initializer_list<char const*> kinds) {
  line_.with([&](Line& line) {
    line.drop([&](Job const& job) { return std::ranges::find(kinds, job.kind) == kinds.end(); });
  });
}

void Jobs::cancel(std::string const& kind) {
  line_.with([&](Line& line) { line.drop([&](Job const& job) { return job.kind == kind; }); });
}

void Jobs::hold() {
  line_.with([](Line& line) { ++line.held; });
}

void Jobs::release() {
  line_.with([](Line& line) { --line.held; });
}

void Jobs::wait_while_held(StopToken stop) {
  line_.wait(std::move(stop), [](Line const& line) { return line.held == 0 || line.ending; });
}

std::optional<JobView> Jobs::current() const {
  return line_.look(
      [](Line const& line) { return line.running ? std::optional(line.view) : std::nullopt; });
}

bool Jobs::idle() const {
  return line_.look([](Line const& line) { return line.idle(); });
}

bool Jobs::wait_idle(double seconds) const {
  return line_.wait_for(seconds, [](Line const& line) { return line.idle(); });
}

void Jobs::Line::begin_next() {
  running = std::move(waiting.front());
  waiting.pop_front();
  view = {running->what, 0, 0, true, running->kind};
  stop = std::stop_source();
  gives_way = false;
}

/// One that gave way stands behind the one that came first.
void Jobs::Line::end_running() {
  if (gives_way && !ending)
    waiting.insert(waiting.begin() + (waiting.empty() ? 0 : 1), *std::move(running));
  running.reset();
}

void Jobs::run() {
  auto may_begin = [](Line const& line) {
    return line.ending || (!line.waiting.empty() && line.held == 0);
  };
  Progress progress = [this](ProgressReport const& report) {
    line_.with([&](Line& line) {
      line.view = {report.what, report.done, report.total, true, line.view.kind};
    });
    changed_();
  };
  while (true) {
    Work work;
    StopToken stop;
    bool ends = line_.when(may_begin, [&](Line& line) {
      if (line.ending) return true;
      line.begin_next();
      stop = line.stop.get_token();
      work = line.running->work;
      return false;
    });
    if (ends) return;
    changed_();
    work(stop, progress);
    line_.with([](Line& line) { line.end_running(); });
    changed_();
  }
}

}  // namespace tw::session
