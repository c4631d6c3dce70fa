#include "engine/session/state/memo.h"

#include <fmt/format.h>

#include <algorithm>

namespace tw::session {

Memo::Memo(std::function<void()> changed) : changed_(std::move(changed)) {
  for (auto& jobs : lanes_) jobs = std::make_unique<Jobs>([] {});
}

void Memo::end() {
  for (auto& jobs : lanes_) jobs->end();
}

void Memo::join() {
  for (auto& jobs : lanes_) jobs->join();
}

bool Memo::wait_idle(double seconds) const {
  return std::ranges::all_of(lanes_, [&](auto const& jobs) { return jobs->wait_idle(seconds); });
}

QueryValue Memo::ask(QueryRow const& row, QueryKeyPtr const& key) {
  std::unique_lock lock(mutex_);
  std::vector<Entry>& entries = made_[&row];
  auto known = std::ranges::find_if(entries, [&](Entry const& one) { return one.key->is(*key); });
  if (known != entries.end()) return known->value;
  QueryPart part = row.begin ? row.begin(*key) : QueryPart();
  if (row.lane == QueryLane::kCaller && !part.whole) {
    lock.unlock();  // another one that asks meanwhile makes it, too
    part = {row.make(*key, StopToken()), true};
    lock.lock();
  }
  make_room(row, entries);
  std::string job = row.latest ? row.name : fmt::format("{} {}", row.name, ++asked_);
  entries.push_back({key, part.value, part.whole, std::move(job)});
  if (!part.whole) start(row, entries.back());
  return part.value;
}

/// A hand that moves on leaves what it does not wait for any more.
void Memo::make_room(QueryRow const& row, std::vector<Entry>& entries) {
  if (row.latest) std::erase_if(entries, [](Entry const& one) { return !one.whole; });
  if (entries.size() < row.kept) return;
  if (!entries.front().whole) lane(row).cancel(entries.front().job);
  entries.erase(entries.begin());
}

void Memo::start(QueryRow const& row, Entry const& entry) {
  lane(row).start(entry.job, row.title,
                  [this, &row, key = entry.key](StopToken stop, Progress const&) {
                    if (stop.stop_requested()) return take(row, key, nullptr, true);
                    QueryValue value = row.make(*key, stop);
                    take(row, key, std::move(value), stop.stop_requested());
                  });
}

/// What was stopped is not known: who still wants it asks again.
void Memo::take(QueryRow const& row, QueryKeyPtr const& key, QueryValue value, bool stopped) {
  {
    std::lock_guard lock(mutex_);
    std::vector<Entry>& entries = made_[&row];
    auto wanted = std::ranges::find(entries, key, &Entry::key);
    if (wanted == entries.end()) return;  // others were asked for meanwhile
    if (stopped) return void(entries.erase(wanted));
    wanted->value = std::move(value);
    wanted->whole = true;
  }
  changed_();
}

}  // namespace tw::session
