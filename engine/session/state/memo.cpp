#include "engine/session/state/memo.h"

#include <fmt/format.h>

#include <algorithm>

namespace tw::session {

Memo::Memo(std::function<void()> changed) : changed_(std::move(changed)) {
  for (auto& jobs : lanes_) jobs = std::make_unique<Jobs>([] {});
}

void Memo::hold() { lane(QueryLane::kReports).hold(); }
void Memo::release() { lane(QueryLane::kReports).release(); }

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
  Entries& entries = made_[&row];
  if (auto found = find(entries, *key); found != entries.end()) {
    std::rotate(found, found + 1, entries.end());
    return entries.back().value;
  }
  QueryPart part = row.begin ? row.begin(*key) : QueryPart();
  if (row.lane == QueryLane::kCaller && !part.whole) {
    lock.unlock();  // another one that asks meanwhile makes it, too
    part = {row.make(*key, making()), true};
    lock.lock();
  }
  add(row, entries, begun(row, key, part));
  if (!part.whole) start(row, entries.back());
  return part.value;
}

Memo::Entries::iterator Memo::find(Entries& entries, QueryKey const& key) {
  return std::ranges::find_if(entries, [&](Entry const& one) { return one.key->is(key); });
}

Memo::Entry Memo::begun(QueryRow const& row, QueryKeyPtr const& key, QueryPart const& part) {
  QueryTurn turn{row.lane, row.latest ? "" : fmt::format("{}", ++asked_)};
  if (row.turn) turn = row.turn(*key);
  return {key, part.value, part.whole, turn.lane, fmt::format("{} {}", row.name, turn.among)};
}

/// A hand that moves on leaves what it does not wait for any more.
void Memo::add(QueryRow const& row, Entries& entries, Entry entry) {
  std::erase_if(entries, [&](Entry const& one) { return !one.whole && one.job == entry.job; });
  if (entries.size() >= row.kept) {
    if (!entries.front().whole) lane(entries.front().lane).cancel(entries.front().job);
    entries.erase(entries.begin());
  }
  entries.push_back(std::move(entry));
}

void Memo::start(QueryRow const& row, Entry const& entry) {
  lane(entry.lane)
      .start(entry.job, row.title, [this, &row, key = entry.key](StopToken stop, Progress const&) {
        make(row, key, stop);
      });
}

void Memo::make(QueryRow const& row, QueryKeyPtr const& key, StopToken stop) {
  if (known(row, *key)) return;  // another view needed it meanwhile
  QueryValue value;
  if (!stop.stop_requested())
    value = row.make(*key, making(stop, [&](QueryValue part) { show(row, key, std::move(part)); }));
  // What was stopped is not known: who still wants it asks again.
  if (stop.stop_requested() && row.stops) value = nullptr;
  if (take(row, key, std::move(value))) changed_();
}

void Memo::show(QueryRow const& row, QueryKeyPtr const& key, QueryValue part) {
  {
    std::lock_guard lock(mutex_);
    Entries& entries = made_[&row];
    auto wanted = std::ranges::find(entries, key, &Entry::key);
    if (wanted == entries.end() || wanted->whole) return;
    wanted->value = std::move(part);
  }
  changed_();
}

/// False: nobody waits for it.
bool Memo::take(QueryRow const& row, QueryKeyPtr const& key, QueryValue value) {
  std::lock_guard lock(mutex_);
  Entries& entries = made_[&row];
  auto wanted = std::ranges::find(entries, key, &Entry::key);
  bool waits = wanted != entries.end();
  if (value && (waits || !row.stops)) return keep(row, key, std::move(value));
  if (waits) entries.erase(wanted);
  return false;
}

bool Memo::keep(QueryRow const& row, QueryKeyPtr const& key, QueryValue value) {
  Entries& entries = made_[&row];
  auto found = find(entries, *key);
  bool waits = found != entries.end() && !found->whole;
  if (found == entries.end()) {
    add(row, entries, {.key = key, .job = "kept"});
    found = entries.end() - 1;
  }
  found->value = std::move(value);
  found->whole = true;
  return waits;
}

QueryValue Memo::known(QueryRow const& row, QueryKey const& key) {
  std::lock_guard lock(mutex_);
  Entries& entries = made_[&row];
  auto found = find(entries, key);
  return found != entries.end() && found->whole ? found->value : nullptr;
}

QueryValue Memo::need(QueryRow const& row, QueryKeyPtr const& key) {
  if (QueryValue value = known(row, *key)) return value;
  QueryPart part = row.begin ? row.begin(*key) : QueryPart();
  if (!part.whole) part.value = row.make(*key, making());
  bool waits = false;
  {
    std::lock_guard lock(mutex_);
    waits = keep(row, key, part.value);
  }
  if (waits) changed_();
  return part.value;
}

Making Memo::making(StopToken stop, std::function<void(QueryValue)> part) {
  return {std::move(stop), std::move(part),
          [this](QueryRow const& row, QueryKeyPtr const& key) { return need(row, key); }};
}

}  // namespace tw::session
