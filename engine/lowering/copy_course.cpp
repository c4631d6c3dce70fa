#include "engine/lowering/copy_course.h"

#include <algorithm>
#include <set>
#include <utility>

#include "engine/ir/expr_evaluator.h"
#include "engine/ir/intrinsic.h"
#include "engine/ir/rewrite.h"
#include "engine/target/axis_of.h"

namespace tw {

using namespace ir;

bool starts_copy(Stmt const& s) {
  auto const* call = s.as<IntrinsicCall>();
  return call && call->intrinsic->completion == Completion::kStarted;
}

bool is_commit(Stmt const& s) {
  auto const* call = s.as<IntrinsicCall>();
  return call && call->intrinsic->completion == Completion::kCommits;
}

bool holds(Stmt const& root, bool (*is_one)(Stmt const&)) {
  bool found = false;
  walk(root, [&](Stmt const& s) { return found = found || is_one(s), !found; });
  return found;
}

/// It starts copies and does nothing else.
bool copies_only(Stmt const& root) {
  bool only = true;
  walk(root, [&](Stmt const& s) {
    bool inner = s.as<For>() || s.as<Seq>() || s.as<If>();
    only = only && (inner || starts_copy(s));
    return only;
  });
  return only && holds(root, starts_copy);
}

namespace {

constexpr int64_t kMostPoints = 1 << 20;
/// Iterations of a loop that tells no element: the third one is like all later ones.
constexpr int64_t kEnoughIterations = 3;

/// Elements of tensors that copies touch, as sorted numbers.
using Elements = std::vector<int64_t>;

bool meet(Elements const& a, Elements const& b) {
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();)
    if (a[i] == b[j])
      return true;
    else
      ++(a[i] < b[j] ? i : j);
  return false;
}

/// What a statement without commits touches in one iteration of the loops that hold commits.
struct Effect {
  Elements reads, writes;
  bool known = true;
  bool twice = false;  ///< a copy's element is written twice
  bool disturbs(Effect const& copy) const {
    return meet(writes, copy.writes) || meet(reads, copy.writes) || meet(writes, copy.reads);
  }
};

/// Finds what statements touch, point by point.
class Touching {
public:
  /// The threads' loops stand around `body`: each of their points is taken.
  Touching(Target const& target, Stmt const& body, std::vector<For const*> const& threads)
      : target_(target), threads_(threads.size()) {
    std::set<std::string> written;
    walk_writes(body, [&](Touched const& at) { written.insert(at.buffer->name); });
    walk(body, [&](Stmt const& s) {
      if (!starts_copy(s)) return true;
      auto note = [&](Touched const& at) {
        if (written.contains(at.buffer->name))
          tensors_.try_emplace(at.buffer->name, tensors_.size());
      };
      walk_writes(s, note);
      walk_reads(s, note);
      return true;
    });
    for (For const* loop : threads) loops_.push_back(loop);
  }

  /// With counters of the loops around at `values`.
  Effect of(Stmt const& s, std::map<std::string, int64_t> const& values) {
    effect_ = {};
    starting_ = copies_only(s);
    Substitution by;
    for (auto const& [name, value] : values) by[name] = int_imm(value);
    Stmt fixed = substitute(s, by);
    visit(fixed);
    if (starting_) {
      std::ranges::sort(effect_.writes);
      effect_.twice = std::ranges::adjacent_find(effect_.writes) != effect_.writes.end();
    }
    for (Elements* list : {&effect_.reads, &effect_.writes}) {
      std::ranges::sort(*list);
      list->erase(std::unique(list->begin(), list->end()), list->end());
    }
    return std::move(effect_);
  }

  /// Whether `name` tells what is touched, or whether it is, anywhere in the statement.
  bool tells(Stmt const& s, std::string const& name) const {
    bool told = false;
    auto look = [&](Touched const& at) {
      if (!tensors_.contains(at.buffer->name)) return;
      for (Expr const& index : at.indices) told = told || uses_variable(index, name);
    };
    walk_writes(s, look);
    walk_reads(s, look);
    walk(s, [&](Stmt const& part) {
      auto const* node = part.as<If>();
      told = told || (node && uses_variable(node->condition, name));
      if (auto const* let = part.as<Let>()) told = told || uses_variable(let->value, name);
      return !told;
    });
    return told;
  }

private:
  void visit(Stmt const& s) {
    if (auto const* loop = s.as<For>()) {
      loops_.push_back(loop);
      visit(loop->body);
      loops_.pop_back();
    } else if (auto const* node = s.as<If>()) {
      conditions_.push_back(node->condition);
      visit(node->then_body);
      conditions_.pop_back();
      // What stands on the other side may happen, too: the wait is only sooner than it could be.
      if (node->else_body) visit(node->else_body);
    } else if (auto const* list = s.as<Seq>()) {
      for (Stmt const& child : list->stmts) visit(child);
    } else if (auto const* alloc = s.as<Alloc>()) {
      visit(alloc->body);
    } else if (s.as<Let>()) {
      effect_.known = false;
    } else {
      walk_writes(s, [&](Touched const& at) { put(at, effect_.writes); });
      walk_reads(s, [&](Touched const& at) { put(at, effect_.reads); });
    }
  }

  void put(Touched const& at, Elements& into) {
    auto tensor = tensors_.find(at.buffer->name);
    if (tensor == tensors_.end() || !effect_.known) return;
    std::vector<std::pair<std::string, int64_t>> running;
    int64_t points = 1;
    auto run = [&](std::string const& name, Expr const& to) {
      bool used =
          std::ranges::any_of(at.indices, [&](Expr const& e) { return uses_variable(e, name); }) ||
          std::ranges::any_of(conditions_, [&](Expr const& e) { return uses_variable(e, name); });
      int64_t extent = as_int(to).value_or(-1);
      bool tells = used || starting_ || (is_private(*at.buffer) && running.size() < threads_);
      if (!tells && extent > 0) return;
      running.emplace_back(name, extent);
      points = extent >= 0 ? std::min(points * extent, kMostPoints + 1) : kMostPoints + 1;
    };
    for (For const* loop : loops_) run(loop->name(), loop->extent);
    for (OperandAxis const& axis : at.axes) run(axis.name(), axis.extent);
    auto shape = constant_shape(*at.buffer);
    effect_.known = shape && (points_ += points) <= kMostPoints;
    if (effect_.known) enumerate(at, *shape, int64_t(tensor->second), running, points, into);
  }

  /// Each thread has an instance of its own.
  bool is_private(BufferNode const& tensor) const {
    MemoryScope const* memory = target_.scope(tensor.scope);
    return memory && memory->shared_by <= Level::kThread;
  }

  void enumerate(Touched const& at, std::vector<int64_t> const& shape, int64_t tensor,
                 std::vector<std::pair<std::string, int64_t>> const& running, int64_t points,
                 Elements& into) {
    ExprEvaluator evaluator;
    std::vector<int> slots;
    std::vector<Compiled> indices, conditions;
    for (auto const& [name, extent] : running) slots.push_back(evaluator.slot(name));
    for (Expr const& e : at.indices) indices.push_back(evaluator.compile(e));
    for (Expr const& e : conditions_) conditions.push_back(evaluator.compile(e));
    for (std::vector<Expr> const* list : {&at.indices, &std::as_const(conditions_)})
      for (Expr const& e : *list) effect_.known = effect_.known && is_told(e, running);
    for (int64_t point = 0; point < points && effect_.known; ++point) {
      int64_t rest = point;
      for (size_t i = slots.size(); i-- > 0; rest /= running[i].second)
        evaluator.set(slots[i], rest % running[i].second);
      if (!std::ranges::all_of(conditions,
                               [&](Compiled c) { return evaluator.integer(c, 0) != 0; }))
        continue;
      int64_t element = 0;
      for (size_t i = 0; is_private(*at.buffer) && i < threads_; ++i)
        element = element * running[i].second + evaluator.state().variables[size_t(slots[i])].i;
      for (size_t d = 0; d < indices.size(); ++d)
        element = element * shape[d] + evaluator.integer(indices[d], 0);
      into.push_back((tensor << 48) + element);
    }
  }

  /// By the counters that run alone, and by no data.
  static bool is_told(Expr const& e, std::vector<std::pair<std::string, int64_t>> const& running) {
    bool told = true;
    walk(e, [&](Expr const& part) {
      auto const* used = part.as<Variable>();
      bool runs = used && std::ranges::any_of(
                              running, [&](auto const& one) { return one.first == used->name; });
      told = told && !part.as<Load>() && (!used || runs);
      return told;
    });
    return told;
  }

  Target const& target_;
  size_t threads_;  ///< the first of the loops
  std::map<std::string, size_t> tensors_;
  std::vector<For const*> loops_;
  std::vector<Expr> conditions_;
  Effect effect_;
  bool starting_ = false;
  int64_t points_ = 0;
};

/// What happens, one after the other: a statement, or the end of a group (null).
struct Event {
  StmtNode const* site = nullptr;
  size_t effect = 0;
  bool starts = false;
};

/// Runs through the loops that hold commits.
class Course {
public:
  Course(Target const& target, Stmt const& body, std::vector<For const*> const& threads)
      : target_(target), touching_(target, body, threads) {
    run(body);
  }

  bool known() const { return known_; }
  std::vector<Event> const& events() const { return events_; }
  Effect const& effect(Event const& event) const { return effects_[event.effect]; }

private:
  void run(Stmt const& s) {
    if (!known_ || events_.size() > size_t(kMostPoints)) {
      known_ = false;
    } else if (is_commit(s)) {
      events_.push_back({});
    } else if (!holds(s, is_commit)) {
      run_leaf(s);
    } else if (auto const* list = s.as<Seq>()) {
      for (Stmt const& child : list->stmts) run(child);
    } else if (auto const* loop = s.as<For>()) {
      run_loop(*loop);
    } else if (auto const* alloc = s.as<Alloc>()) {
      run(alloc->body);
    } else {
      known_ = false;
    }
  }

  void run_loop(For const& loop) {
    auto extent = as_int(loop.extent);
    ThreadAxis const* axis = axis_of(target_, loop);
    bool plain = loop.loop_kind == LoopKind::kSerial || loop.loop_kind == LoopKind::kUnroll;
    if (!extent || (!plain && !axis)) {
      known_ = false;
      return;
    }
    bool told = touching_.tells(loop.body, loop.name());
    int64_t enough = axis ? 1 : kEnoughIterations;
    if (axis && told) known_ = false;  // blocks that use other elements than one another
    for (int64_t i = 0; i < (told ? *extent : std::min(*extent, enough)) && known_; ++i) {
      values_[loop.name()] = i;
      run(loop.body);
    }
    values_.erase(loop.name());
  }

  void run_leaf(Stmt const& s) {
    std::vector<int64_t> key;
    for (auto const& [name, value] : values_)
      if (touching_.tells(s, name)) key.push_back(value);
    auto [at, is_new] = seen_.try_emplace({s.get(), key}, effects_.size());
    if (is_new) {
      effects_.push_back(touching_.of(s, values_));
      known_ = known_ && effects_.back().known && !effects_.back().twice;
    }
    Effect const& effect = effects_[at->second];
    if (!effect.reads.empty() || !effect.writes.empty())
      events_.push_back({s.get(), at->second, holds(s, starts_copy)});
  }

  Target const& target_;
  Touching touching_;
  std::map<std::string, int64_t> values_;
  std::map<std::pair<StmtNode const*, std::vector<int64_t>>, size_t> seen_;
  std::vector<Effect> effects_;
  std::vector<Event> events_;
  bool known_ = true;
};

/// Whether no statement comes too early for a copy, and none is under way at the end. `needed`
/// learns what would have to be waited for where there is no wait at all.
bool suffice(Course const& course, Waits const& waits, Waits* needed = nullptr) {
  std::vector<std::vector<Effect const*>> groups;  // under way
  std::vector<Effect const*> open;
  for (Event const& event : course.events()) {
    if (!event.site) {
      groups.push_back(std::move(open));
      open.clear();
      continue;
    }
    Effect const& effect = course.effect(event);
    if (auto wait = waits.find(event.site); wait != waits.end()) {
      int64_t done = std::max<int64_t>(int64_t(groups.size()) - wait->second, 0);
      groups.erase(groups.begin(), groups.begin() + done);
    }
    auto disturbed = [&](std::vector<Effect const*> const& group) {
      return std::ranges::any_of(group, [&](Effect const* copy) { return effect.disturbs(*copy); });
    };
    if (disturbed(open)) return false;
    for (size_t i = groups.size(); i-- > 0;) {
      if (!disturbed(groups[i])) continue;
      if (!needed) return false;
      int64_t after = int64_t(groups.size() - i) - 1;
      auto [at, is_new] = needed->try_emplace(event.site, after);
      at->second = std::min(at->second, after);
      break;
    }
    if (event.starts) open.push_back(&effect);
  }
  return needed || waits.contains(nullptr) || groups.empty();
}

}  // namespace

std::optional<Waits> latest_waits(Target const& target, Stmt const& body,
                                  std::vector<For const*> const& threads) {
  Course const course(target, body, threads);
  Waits waits;
  if (!course.known() || !suffice(course, {}, &waits)) return std::nullopt;
  waits[nullptr] = 0;
  if (!suffice(course, waits)) return std::nullopt;
  std::vector<StmtNode const*> sites{nullptr};
  for (Event const& event : course.events())
    if (waits.contains(event.site) && std::ranges::find(sites, event.site) == sites.end())
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
