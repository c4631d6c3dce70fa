#include "engine/lowering/async_copy_order.h"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "engine/ir/intrinsic.h"
#include "engine/lowering/async_copy_footprint.h"
#include "engine/target/axis_of.h"

namespace tw {

using namespace ir;

bool starts_copy(Stmt const& s) {
  auto const* call = s.as<IntrinsicCall>();
  return call && call->intrinsic->completion == Completion::kStarted;
}

bool has_phases(Stmt const& s) {
  auto const* call = s.as<IntrinsicCall>();
  return call && has_phases(call->intrinsic->completion);
}

bool AsyncQueue::starts(Stmt const& s) const {
  return starts_copy(s) && s.to<IntrinsicCall>().intrinsic->queue == name;
}

bool AsyncQueue::commits(Stmt const& s) const {
  auto const* call = s.as<IntrinsicCall>();
  return call && call->intrinsic->completion == Completion::kCommits &&
         call->intrinsic->queue == name;
}

bool holds(Stmt const& root, IsOne const& is_one) {
  bool found = false;
  walk(root, [&](Stmt const& s) { return found = found || is_one(s), !found; });
  return found;
}

bool is_launch(Target const& target, Stmt const& s) {
  auto const* loop = s.as<For>();
  return loop && axis_of(target, *loop);
}

bool holds_outside_launches(Target const& target, Stmt const& root, IsOne const& is_one) {
  bool found = false;
  walk(root, [&](Stmt const& s) {
    found = found || is_one(s);
    return !found && !is_launch(target, s);
  });
  return found;
}

bool AsyncQueue::starts_only(Stmt const& root) const {
  bool only = true, some = false;
  walk(root, [&](Stmt const& s) {
    bool inner = s.as<For>() || s.as<Seq>() || s.as<If>();
    some = some || starts(s);
    only = only && (inner || starts(s));
    return only;
  });
  return only && some;
}

namespace {

constexpr size_t kMostEvents = 1 << 20;
/// Iterations of a loop that tells no element: the third one is like all later ones.
constexpr int64_t kEnoughIterations = 3;

enum class What : uint8_t {
  kStatement,  ///< also that a tensor goes away
  kCommit,
  kWait,  ///< that stands there already, for as many groups as `effect`
  kEnd,   ///< of the body, once for each iteration of the loops around it
};

/// What happens, one after the other.
struct Event {
  What what = What::kStatement;
  StmtNode const* site = nullptr;
  size_t effect = 0;
  bool starts = false;
};

/// Runs through the loops that hold commits, and through those around the body.
class Course {
public:
  Course(Target const& target, AsyncQueue const& queue, Stmt const& body, LoopsAround const& around)
      : target_(target), queue_(queue), touching_(target, queue, body, around) {
    run_around(around.others, body);
    drop_idle_sites();
  }

  bool known() const { return known_; }
  std::vector<Event> const& events() const { return events_; }
  Effect const& effect(size_t number) const { return effects_[number]; }
  /// Rings come round: the same two meet again and again.
  bool disturbs(size_t effect, size_t copy) const {
    auto [at, is_new] = disturbs_.try_emplace({effect, copy}, false);
    if (is_new) at->second = effects_[effect].disturbs(effects_[copy]);
    return at->second;
  }

private:
  void run_around(std::span<For const* const> around, Stmt const& body) {
    if (around.empty()) {
      run(body);
      events_.push_back({What::kEnd});
      return;
    }
    For const& loop = *around.front();
    bool told = touching_.tells(body, loop.name());
    auto extent = as_int(loop.extent);
    known_ = known_ && (extent || !told);
    for (int64_t i = 0; i < (told ? extent.value_or(0) : 1) && known_; ++i) {
      values_[loop.name()] = i;
      run_around(around.subspan(1), body);
    }
    values_.erase(loop.name());
  }

  void run(Stmt const& s) {
    if (!known_ || events_.size() > kMostEvents) {
      known_ = false;
    } else if (queue_.commits(s)) {
      events_.push_back({What::kCommit});
    } else if (auto groups = waits_already(s)) {
      events_.push_back({What::kWait, nullptr, size_t(*groups)});
    } else if (!holds_outside_launches(target_, s, commits_)) {
      run_leaf(s);
    } else if (auto const* list = s.as<Seq>()) {
      for (Stmt const& child : list->stmts) run(child);
    } else if (auto const* loop = s.as<For>()) {
      run_loop(*loop);
    } else if (auto const* alloc = s.as<Alloc>()) {
      run(alloc->body);
      release(*alloc);
    } else if (auto const* role = role_of(s)) {
      run(*role);
    } else {
      known_ = false;
    }
  }

  /// Of threads split by roles only those that start something wait for it. Null: they are not.
  Stmt const* role_of(Stmt const& s) const {
    auto const* node = s.as<If>();
    bool phases = holds(s, [](Stmt const& part) { return has_phases(part); });
    if (!node || !node->else_body || !phases) return nullptr;
    bool first = holds(node->then_body, commits_), second = holds(node->else_body, commits_);
    if (first == second) return nullptr;
    return first ? &node->then_body : &node->else_body;
  }

  /// How many groups a wait lets be under way.
  std::optional<int64_t> waits_already(Stmt const& s) const {
    auto const* call = s.as<IntrinsicCall>();
    if (!call || call->intrinsic->completion != Completion::kWaits ||
        call->intrinsic->queue != queue_.name)
      return std::nullopt;
    return as_int(call->operands[0].value);
  }

  /// Who comes next gets its memory.
  void release(Alloc const& alloc) {
    Effect gone;
    gone.released = touching_.number_of(alloc.buffer->name);
    if (gone.released < 0) return;
    auto [at, is_new] = seen_.try_emplace({&alloc, {}}, effects_.size());
    if (is_new) effects_.push_back(std::move(gone));
    events_.push_back({What::kStatement, &alloc, at->second});
  }

  void run_loop(For const& loop) {
    auto extent = as_int(loop.extent);
    bool plain = loop.loop_kind == LoopKind::kSerial || loop.loop_kind == LoopKind::kUnroll;
    if (!extent || !plain) {
      known_ = false;
      return;
    }
    bool told = touching_.tells(loop.body, loop.name());
    int64_t iterations = told ? *extent : std::min(*extent, kEnoughIterations);
    for (int64_t i = 0; i < iterations && known_; ++i) {
      values_[loop.name()] = i;
      run(loop.body);
    }
    values_.erase(loop.name());
  }

  void run_leaf(Stmt const& s) {
    std::vector<int64_t> key;
    for (auto const& [name, value] : values_) {
      int64_t period = period_of(s, name);
      key.push_back(period > 0 ? value % period : value);
    }
    auto [at, is_new] = seen_.try_emplace({s.get(), key}, effects_.size());
    if (is_new) {
      effects_.push_back(touching_.of(s, values_));
      known_ = known_ && effects_.back().known && !effects_.back().clashes;
    }
    // A launch has waited for its own copies when it is over.
    bool starts =
        holds_outside_launches(target_, s, [&](Stmt const& part) { return queue_.starts(part); });
    events_.push_back({What::kStatement, s.get(), at->second, starts});
  }

  int64_t period_of(Stmt const& s, std::string const& name) {
    auto [at, is_new] = periods_.try_emplace({s.get(), name}, 0);
    if (is_new) at->second = touching_.period(s, name);
    return at->second;
  }

  /// A statement that does nothing in some iterations stands there in all of them, and so does a
  /// wait before it.
  void drop_idle_sites() {
    std::set<StmtNode const*> busy;
    for (Event const& event : events_)
      if (event.site && !effects_[event.effect].nothing()) busy.insert(event.site);
    std::erase_if(events_, [&](Event const& e) { return e.site && !busy.contains(e.site); });
  }

  Target const& target_;
  AsyncQueue const& queue_;
  IsOne const commits_ = [this](Stmt const& s) { return queue_.commits(s); };
  Touching touching_;
  std::map<std::string, int64_t> values_;
  std::map<std::pair<StmtNode const*, std::string>, int64_t> periods_;
  std::map<std::pair<StmtNode const*, std::vector<int64_t>>, size_t> seen_;
  std::vector<Effect> effects_;
  mutable std::map<std::pair<size_t, size_t>, bool> disturbs_;
  std::vector<Event> events_;
  bool known_ = true;
};

/// Copies under way, as the events go on; each by its effect's number.
class Flying {
public:
  explicit Flying(Course const& course) : course_(course) {}

  void commit() {
    groups_.push_back(std::move(open_));
    open_.clear();
  }
  void wait(int64_t groups) {
    int64_t done = std::max<int64_t>(int64_t(groups_.size()) - groups, 0);
    groups_.erase(groups_.begin(), groups_.begin() + done);
  }
  void start(size_t copy) {
    if (!course_.effect(copy).nothing()) open_.push_back(copy);
  }
  /// A group that nothing was started for is done at once.
  bool lands() const {
    return std::ranges::all_of(groups_, [](auto const& group) { return group.empty(); });
  }
  bool disturbed_open(size_t effect) const { return disturbed(open_, effect); }
  /// How many groups may be under way so that none is disturbed; none: as many as there are.
  std::optional<int64_t> most_with(size_t effect) const {
    for (size_t i = groups_.size(); i-- > 0;)
      if (disturbed(groups_[i], effect)) return int64_t(groups_.size() - i) - 1;
    return std::nullopt;
  }
  void clear() { groups_.clear(); }

private:
  using Group = std::vector<size_t>;
  bool disturbed(Group const& group, size_t effect) const {
    return std::ranges::any_of(group, [&](size_t copy) { return course_.disturbs(effect, copy); });
  }

  Course const& course_;
  std::vector<Group> groups_;
  Group open_;
};

/// Whether no statement comes too early for a copy, and none is under way at the end. `needed`
/// learns what would have to be waited for where there is no wait at all.
bool suffice(Course const& course, Waits const& waits, Waits* needed = nullptr) {
  Flying flying(course);
  for (Event const& event : course.events()) {
    if (event.what == What::kCommit) flying.commit();
    if (event.what == What::kWait) flying.wait(int64_t(event.effect));
    if (event.what == What::kEnd) {
      if (!needed && !waits.contains(nullptr) && !flying.lands()) return false;
      flying.clear();
    }
    if (event.what != What::kStatement) continue;
    if (auto wait = waits.find(event.site); wait != waits.end()) flying.wait(wait->second);
    if (flying.disturbed_open(event.effect)) return false;
    if (auto most = flying.most_with(event.effect)) {
      if (!needed) return false;
      auto [at, is_new] = needed->try_emplace(event.site, *most);
      at->second = std::min(at->second, *most);
    }
    if (event.starts) flying.start(event.effect);
  }
  return true;
}

}  // namespace

std::optional<Waits> latest_waits(Target const& target, AsyncQueue const& queue, Stmt const& body,
                                  LoopsAround const& around) {
  Course const course(target, queue, body, around);
  Waits waits;
  if (!course.known() || !suffice(course, {}, &waits)) return std::nullopt;
  waits[nullptr] = 0;
  if (!suffice(course, waits)) return std::nullopt;
  std::vector<StmtNode const*> sites{nullptr};
  for (Event const& event : course.events())
    if (event.site && waits.contains(event.site) &&
        std::ranges::find(sites, event.site) == sites.end())
      sites.push_back(event.site);
  for (StmtNode const* site : sites) {
    Waits fewer = waits;
    fewer.erase(site);
    if (suffice(course, fewer)) waits = std::move(fewer);
  }
  for (auto& [site, groups] : waits)
    while (site &&
           (++groups, !suffice(course, waits) || groups > int64_t(course.events().size()))) {
      --groups;
      break;
    }
  return waits;
}

}  // namespace tw
