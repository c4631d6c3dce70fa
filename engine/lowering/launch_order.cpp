#include "engine/lowering/launch_order.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <optional>

#include "engine/ir/kernel.h"
#include "engine/ir/text.h"
#include "engine/lowering/launch_steps.h"
#include "engine/lowering/pipeline.h"
#include "engine/order/unordered_pairs.h"

namespace tw {

using namespace ir;

namespace {

/// What an event of the course is, besides waits and signals.
struct Act {
  int32_t effect = -1;                    ///< -1: it touches nothing
  std::string const* released = nullptr;  ///< a tensor that goes away
};

/// Of each role, or of all threads where there are none, one thread and all others, which do the
/// same steps; each of their copies is an agent, which comes whenever it likes after it was
/// started.
class LaunchCourse {
public:
  struct Member {
    int32_t role = -1;
    bool others = false;
    int64_t threads = 1;
    std::vector<int32_t> copies = {};  ///< the events of its copies
    int32_t last = -1;                 ///< the event of its end
  };

  explicit LaunchCourse(LaunchSteps const& steps) {
    if (steps.roles.empty()) add_members(-1, 2, {"a thread", "another thread"});
    constexpr std::pair<char const*, char const*> kNames[] = {
        {"a thread of the first role", "another thread of the first role"},
        {"a thread of the second role", "another thread of the second role"}};
    for (size_t role = 0; role < steps.roles.size(); ++role)
      add_members(int32_t(role), steps.roles[role], kNames[role]);
    barrier_ = course.add_counter("barrier");
    open_phases(steps.steps);
    for (int32_t agent = 0; agent < int32_t(members.size()); ++agent) write(steps.steps, agent);
  }

  order::Course course;
  std::vector<Act> acts;        ///< of each event
  std::vector<Member> members;  ///< by agent; copies come after them
  std::vector<order::PhaseBarrier> phases;
  std::vector<int32_t> opened;  ///< the events that do
  std::vector<int32_t> uses;    ///< events that arrive or wait
  std::string not_open;         ///< a barrier with phases that is never opened

private:
  /// What a thread has started in one queue: counters that tell of each that it is there.
  struct Flight {
    std::vector<std::vector<int32_t>> groups = {};
    std::vector<int32_t> open = {};  ///< of no group yet
    size_t landed = 0;               ///< groups that were waited for
    int32_t last = -1;               ///< the latest
  };

  void add_members(int32_t role, int64_t threads, std::pair<char const*, char const*> names) {
    course.add_agent(names.first);
    members.push_back({role, false, 1});
    if (threads == 1) return;
    course.add_agent(names.second);
    members.push_back({role, true, threads - 1});
  }

  void open_phases(std::vector<LaunchStep> const& steps) {
    for (LaunchStep const& step : steps) {
      if (step.kind != LaunchStepKind::kOpen || by_name_.contains(step.tensor)) continue;
      by_name_[step.tensor] = phases.size();
      phases.emplace_back(course, step.tensor, step.groups);
    }
  }

  int32_t add(int32_t agent, Act act, std::vector<order::Wait> const& waits = {},
              std::vector<order::Signal> const& given = {}) {
    acts.push_back(act);
    return course.add_event(agent, waits, given);
  }

  void write(std::vector<LaunchStep> const& steps, int32_t thread) {
    std::map<std::string, Flight> flights;  // by queues
    int64_t met = 0;
    for (LaunchStep const& step : steps) {
      if (step.role >= 0 && step.role != members[size_t(thread)].role) continue;
      if (step.kind == LaunchStepKind::kTouch) add(thread, {step.effect});
      if (step.kind == LaunchStepKind::kRelease) add(thread, {-1, &step.tensor});
      Flight& flight = flights[step.queue];
      if (step.kind == LaunchStepKind::kStart) start(thread, step, flight);
      if (step.kind == LaunchStepKind::kCommit)
        flight.groups.push_back(std::exchange(flight.open, {}));
      if (step.kind == LaunchStepKind::kBarrier) {
        add(thread, {}, {}, {{barrier_}});
        add(thread, {}, {{barrier_, int64_t(members.size()) * ++met}});
      }
      if (step.kind >= LaunchStepKind::kOpen) use_phases(thread, step, flight);
      if (step.kind == LaunchStepKind::kWait) wait(thread, step.groups, flight);
    }
    members[size_t(thread)].last = add(thread, {});
  }

  void wait(int32_t thread, int64_t most, Flight& flight) {
    std::vector<order::Wait> waits;
    auto groups = int64_t(flight.groups.size());
    for (; int64_t(flight.landed) + most < groups; ++flight.landed)
      for (int32_t copy : flight.groups[flight.landed]) waits.push_back({copy});
    add(thread, {}, waits);
  }

  void use_phases(int32_t thread, LaunchStep const& step, Flight const& flight) {
    if (step.kind == LaunchStepKind::kOpen) {  // one thread does
      if (thread == 0) opened.push_back(add(thread, {}));
      return;
    }
    auto found = by_name_.find(step.tensor);
    if (found == by_name_.end()) {
      not_open = step.tensor;
      return;
    }
    order::PhaseBarrier const& barrier = phases[found->second];
    order::Signal arrival = barrier.arrive(members[size_t(thread)].threads);
    if (step.kind == LaunchStepKind::kAwait)
      uses.push_back(add(thread, {}, {barrier.wait(step.groups)}));
    if (step.kind == LaunchStepKind::kArrive) uses.push_back(add(thread, {}, {}, {arrival}));
    if (step.kind == LaunchStepKind::kDeliver) deliver(thread, arrival, flight);
  }

  /// All copies that were started before it have come when it arrives.
  void deliver(int32_t thread, order::Signal arrival, Flight const& flight) {
    int32_t asked = course.add_counter("asked");
    uses.push_back(add(thread, {}, {}, {{asked}}));
    std::vector<order::Wait> waits{{asked}};
    for (int32_t copy : flight.open) waits.push_back({copy});
    for (size_t i = flight.landed; i < flight.groups.size(); ++i)
      for (int32_t copy : flight.groups[i]) waits.push_back({copy});
    add(course.add_agent("the arrival of copies"), {}, waits, {arrival});
  }

  /// Of a queue with a name each comes when the one before it is there.
  void start(int32_t thread, LaunchStep const& step, Flight& flight) {
    int32_t started = course.add_counter("started"), there = course.add_counter("copied");
    add(thread, {}, {}, {{started}});
    std::vector<order::Wait> waits{{started}};
    if (!step.queue.empty() && flight.last >= 0) waits.push_back({flight.last});
    members[size_t(thread)].copies.push_back(
        add(course.add_agent("a copy"), {step.effect}, waits, {{there}}));
    flight.open.push_back(there);
    flight.last = there;
  }

  int32_t barrier_ = 0;
  std::map<std::string, size_t> by_name_;  ///< of `phases`
};

/// "S[ty*4, k]"
std::string to_text(ThreadAccess const& access) {
  std::vector<std::string> indices;
  for (Expr const& index : access.indices) indices.push_back(ir::to_text(index));
  return fmt::format("{}[{}]", access.tensor, fmt::join(indices, ", "));
}

char const* does(ThreadAccess const& access) { return access.writes ? "writes" : "reads"; }

class LaunchProof {
public:
  LaunchProof(Target const& target, Launch const& launch, LaunchSteps const& steps)
      : launch_(launch),
        steps_(steps),
        all_shared_(with_shared_memories(target)),
        others_(target, threads_of(launch)),
        // Two that differ in nothing else are the same thread.
        own_(all_shared_, {{"who of the two", 2}}),
        course_(steps),
        order_(course_.course) {}

  int64_t events() const { return course_.course.events(); }

  /// Of the faults that were not found.
  std::string const& undecided() const { return undecided_; }

  std::vector<LaunchFault> faults() {
    if (phases_fit()) compare_all();
    std::vector<LaunchFault> all;
    for (auto& [code, sentence] : found_) all.push_back({code, std::move(sentence)});
    return all;
  }

private:
  enum class Who : uint8_t { kOthers, kSame };
  using Pair = std::pair<ThreadAccess const*, ThreadAccess const*>;
  using Reach = std::vector<std::optional<arith::Interval>>;  ///< at most, in each dimension

  static Threads threads_of(Launch const& launch) {
    Threads threads;
    for (For const* loop : launch.threads)
      threads.push_back({loop->name(), as_int(loop->extent).value_or(1)});
    return threads;
  }

  /// Whether nobody waits for ever, or for what is never opened: else what is before what says
  /// nothing.
  bool phases_fit() {
    if (!course_.not_open.empty())
      tell("phase_not_open",
           [&] { return fmt::format("{} is used, and nobody opens it", course_.not_open); });
    if (course_.phases.empty()) return found_.empty();
    std::vector<order::Stuck> stuck = order::stuck(course_.course);
    // Who else waits, waits for these; and others of a role do as one does.
    std::erase_if(stuck, [&](order::Stuck const& one) {
      auto agent = size_t(course_.course.agent(one.event));
      return agent >= course_.members.size() || course_.members[agent].others;
    });
    if (!stuck.empty())
      tell("roles_stuck", [&] { return order::to_sentence(stuck, course_.course); });
    if (!found_.empty()) return false;
    for (int32_t use : course_.uses)
      for (int32_t opening : course_.opened)
        if (!order_.is_before(opening, use))
          tell("phase_not_open", [&] {
            return fmt::format("{} uses a barrier with phases that may not be open yet",
                               course_.course.agent_name(course_.course.agent(use)));
          });
    for (order::MistakenPhase const& one : mistaken_phases(course_.course, course_.phases))
      tell("mistaken_phase", [&] {
        return fmt::format("{} waits for a phase of {} that its parity does not tell from {}",
                           course_.course.agent_name(course_.course.agent(one.event)),
                           course_.course.counter_name(one.counter),
                           one.too_late ? "the one after the next" : "the one before the last");
      });
    return true;
  }

  void compare_all() {
    auto agents = int32_t(course_.members.size());
    for (int32_t a = 0; a < agents; ++a) {
      for (int32_t b = a + 1; b < agents; ++b) compare_threads(a, b);
      LaunchCourse::Member const& member = course_.members[size_t(a)];
      for (int32_t copy : member.copies)
        if (!member.others) compare_copy(copy, a);
    }
  }

  void compare_threads(int32_t one, int32_t other) {
    order::each_unordered(order_, one, other, [&](int32_t a, int32_t b) {
      if (auto pair = meet(a, b, Who::kOthers))
        tell("race", [&] {
          return fmt::format("one thread {} {} and another one {} {}, with no barrier between",
                             does(*pair->first), to_text(*pair->first), does(*pair->second),
                             to_text(*pair->second));
        });
    });
  }

  void compare_copy(int32_t copy, int32_t thread) {
    int32_t agent = course_.course.agent(copy);
    // Of roles the other one may wait for it.
    auto ends_after = [&](LaunchCourse::Member const& one) {
      return order_.is_before(copy, one.last);
    };
    if (std::ranges::none_of(course_.members, ends_after))
      tell("never_waited_for", [&] { return "a copy is not waited for until the end"; });
    for (int32_t other = 0; other < int32_t(course_.members.size()); ++other)
      if (other != thread)
        order::each_unordered(order_, agent, other, [&](int32_t a, int32_t b) {
          if (auto pair = meet(a, b, Who::kOthers)) tell_copy("race", *pair, "another thread");
        });
    order::each_unordered(order_, agent, thread, [&](int32_t a, int32_t b) {
      if (auto pair = meet(a, b, Who::kSame)) tell_copy("used_in_flight", *pair, "its thread");
      std::string const* tensor = course_.acts[size_t(b)].released;
      if (tensor && touches(a, *tensor) && !ends_before_release(a, *tensor))
        tell("released_in_flight",
             [&] { return fmt::format("{} goes away while a copy may still use it", *tensor); });
    });
    for (int32_t by = 0; by < int32_t(course_.members.size()); ++by)
      for (int32_t other : course_.members[size_t(by)].copies) {
        bool own = by == thread;
        if (own && other <= copy) continue;
        if (order_.is_before(copy, other) || order_.is_before(other, copy)) continue;
        if (auto pair = meet(copy, other, own ? Who::kSame : Who::kOthers))
          tell_copy(own ? "used_in_flight" : "race", *pair, "another copy");
      }
  }

  /// A tensor is there until all have let it go: whoever is the last may have waited.
  bool ends_before_release(int32_t copy, std::string const& tensor) const {
    for (int32_t member = 0; member < int32_t(course_.members.size()); ++member)
      for (int32_t event : course_.course.events_of(member)) {
        std::string const* released = course_.acts[size_t(event)].released;
        if (released && *released == tensor && order_.is_before(copy, event)) return true;
      }
    return false;
  }

  void tell_copy(char const* code, Pair const& pair, char const* who) {
    tell(code, [&] {
      return fmt::format("a copy {} {} while {} may {} {}", does(*pair.first), to_text(*pair.first),
                         who, pair.second->writes ? "write" : "read", to_text(*pair.second));
    });
  }

  template <typename F>
  void tell(char const* code, F const& sentence) {
    if (!found_.contains(code)) found_[code] = sentence();
  }

  bool touches(int32_t event, std::string const& tensor) const {
    StepEffect const& effect = steps_.effects[size_t(course_.acts[size_t(event)].effect)];
    return std::ranges::any_of(effect.copied,
                               [&](ThreadAccess const& one) { return one.tensor == tensor; });
  }

  /// Two accesses of which one writes what the other touches, in two threads or in one.
  std::optional<Pair> meet(int32_t a, int32_t b, Who who) {
    int32_t first = course_.acts[size_t(a)].effect, second = course_.acts[size_t(b)].effect;
    if (first < 0 || second < 0) return std::nullopt;
    auto [at, is_new] = known_.try_emplace({first, second, who});
    if (!is_new) return at->second;
    bool own = who == Who::kSame;
    size_t common = launch_.around.size() + (own ? launch_.threads.size() : 0);
    auto accesses = [&](int32_t effect) -> std::vector<ThreadAccess> const& {
      StepEffect const& of = steps_.effects[size_t(effect)];
      return own ? of.copied : of.shared;
    };
    for (ThreadAccess const& one : accesses(first))
      for (ThreadAccess const& other : accesses(second)) {
        if (one.tensor != other.tensor || (!one.writes && !other.writes) || apart(one, other))
          continue;
        auto answer = (own ? own_ : others_).surely_meet(one, other, common, Order::kSameIteration);
        if (answer == true) return at->second = Pair{&one, &other};
        if (!answer)
          undecided_ = fmt::format("whether {} and {} are one element cannot be told", to_text(one),
                                   to_text(other));
      }
    return std::nullopt;
  }

  /// Slots of a ring mostly are: to see it costs much less than to look for two iterations.
  bool apart(ThreadAccess const& one, ThreadAccess const& other) {
    Reach const &a = reach_of(one), &b = reach_of(other);
    for (size_t d = 0; d < a.size() && d < b.size(); ++d)
      if (a[d] && b[d] && (a[d]->high < b[d]->low || b[d]->high < a[d]->low)) return true;
    return false;
  }

  Reach const& reach_of(ThreadAccess const& access) {
    auto [at, is_new] = reach_.try_emplace(&access);
    if (!is_new) return at->second;
    arith::Ranges ranges = ranges_of(launch_, access);
    for (Expr const& index : access.indices) at->second.push_back(arith::bounds(index, ranges));
    return at->second;
  }

  Launch const& launch_;
  LaunchSteps const& steps_;
  Target const all_shared_;
  ThreadRaces others_, own_;
  LaunchCourse course_;
  order::HappensBefore order_;
  std::map<std::tuple<int32_t, int32_t, Who>, std::optional<Pair>> known_;
  std::map<ThreadAccess const*, Reach> reach_;
  std::map<std::string, std::string> found_;
  std::string undecided_;
};

/// Of one side of its conditions; whether there is another one.
bool look_at(Target const& target, Launch const& launch, TakenSide side, LaunchOrder& result) {
  std::vector<LaunchFault> faults;
  std::string undecided;
  bool has_sides = false;
  for (Guards guards : {Guards::kDropped, Guards::kKept}) {
    LaunchSteps steps = steps_of(target, launch, guards, side);
    has_sides = steps.has_sides;
    faults.clear();
    undecided = steps.undecided;
    if (!undecided.empty()) break;
    LaunchProof proof(target, launch, steps);
    result.events += proof.events();
    faults = proof.faults();
    undecided = proof.undecided();
    if (faults.empty() && undecided.empty()) break;  // with the guards, less is touched
  }
  if (!undecided.empty()) result.undecided = undecided;
  result.faults.insert(result.faults.end(), faults.begin(), faults.end());
  return has_sides;
}

/// With the places that tensors get (`plan_workspace`).
Target with_places(Target target) {
  target.scopes.push_back({.name = kStackScope, .doc = {}, .shared_by = Level::kThread});
  if (!target.scope(kSharedScope))
    target.scopes.push_back({.name = kSharedScope, .doc = {}, .shared_by = Level::kBlock});
  return target;
}

}  // namespace

LaunchOrder launch_order(Target const& target, KernelIr const& kernel) {
  LaunchOrder result;
  Target const placed = with_places(target);
  for_each_function(kernel, [&](Function const& function) {
    Launches launches = launches_below(placed, function);
    if (!launches.undecided.empty()) result.undecided = launches.undecided;
    for (Launch const& launch : launches.all)
      if (look_at(placed, launch, TakenSide::kThen, result))
        look_at(placed, launch, TakenSide::kElse, result);
  });
  return result;
}

}  // namespace tw
