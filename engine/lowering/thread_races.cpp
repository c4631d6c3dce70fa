#include "engine/lowering/thread_races.h"

#include <algorithm>
#include <set>

#include "engine/arith/linear_rows.h"
#include "engine/ir/accesses.h"
#include "engine/ir/expr_evaluator.h"
#include "engine/ir/intrinsic.h"
#include "engine/ir/speculation.h"

namespace tw {

using namespace ir;

namespace {

/// Compared one by one, where an answer may take long; and before anything else is asked.
constexpr int64_t kMostPoints = 1 << 20, kFewPoints = 1 << 8;

std::set<std::string> variables_of(ThreadAccess const& access) {
  std::set<std::string> names;
  auto look = [&](Expr const& e) {
    walk(e, [&](Expr const& part) {
      if (auto const* used = part.as<Variable>()) names.insert(used->name);
      return true;
    });
  };
  for (Expr const& index : access.indices) look(index);
  for (Expr const& condition : access.place.conditions) look(condition);
  return names;
}

bool is_one_of(std::vector<std::string> const& names, std::string const& name) {
  return std::ranges::find(names, name) != names.end();
}

bool told_by_data(ThreadAccess const& access) {
  return std::ranges::any_of(access.indices, reads_tensor);
}

/// As if the dimensions that a tensor tells in one of the two were none.
ThreadAccess without_data(ThreadAccess access, ThreadAccess const& other) {
  for (size_t d = access.indices.size(); d-- > 0;)
    if (reads_tensor(access.indices[d]) || reads_tensor(other.indices[d]))
      access.indices.erase(access.indices.begin() + int64_t(d));
  return access;
}

}  // namespace

/// Which loops tell iterations apart.
struct ThreadRaces::Question {
  std::vector<std::string> equal;  ///< variables of loops whose iteration is the same
  std::string carries;             ///< of the one whose iteration is later; empty: there is none
  Order order = Order::kSameIteration;
};

ThreadRaces::ThreadRaces(Target const& target, Threads threads)
    : target_(target), threads_(std::move(threads)) {}

namespace {

/// Goes through statements, with what stands around each.
class Collecting {
public:
  Collecting(Target const& target, AccessPlace place) : target_(target), place_(std::move(place)) {}

  std::vector<ThreadAccess> found;

  void visit(Stmt const& s) {
    if (auto const* loop = s.as<For>()) {
      place_.loops.push_back(loop);
      visit(loop->body);
      place_.loops.pop_back();
    } else if (auto const* node = s.as<If>()) {
      visit_side(node->then_body, node->condition);
      if (node->else_body) visit_side(node->else_body, opposite(node->condition));
    } else if (auto const* list = s.as<Seq>()) {
      for (Stmt const& one : list->stmts) visit(one);
    } else if (auto const* alloc = s.as<Alloc>()) {
      visit(alloc->body);
    } else if (auto const* store = s.as<Store>()) {
      put({store->buffer, store->indices, {}}, true);
      for (Expr const& index : store->indices) visit(index);
      visit(store->value);
    } else {
      walk_writes(s, [&](Touched const& at) { put(at, true); });
      walk_reads(s, [&](Touched const& at) { put(at, false); });
    }
  }

private:
  /// A side of a selection is read where it is chosen.
  void visit(Expr const& e) {
    walk(e, [&](Expr const& part) {
      if (auto const* choice = part.as<Select>()) {
        visit(choice->condition);
        visit_side(choice->a, choice->condition);
        visit_side(choice->b, opposite(choice->condition));
        return false;
      }
      if (auto const* read = part.as<Load>()) put({read->buffer, read->indices, {}}, false);
      return true;
    });
  }

  void visit_side(auto const& side, Expr const& condition) {
    place_.conditions.push_back(condition);
    visit(side);
    place_.conditions.pop_back();
  }

  void put(Touched const& at, bool writes) {
    MemoryScope const* memory = target_.scope(at.buffer->scope);
    if (memory && memory->shared_by == Level::kThread) return;
    ThreadAccess access{at.buffer->name, at.indices, writes, place_, at.axes};
    access.by_data = std::erase_if(access.place.conditions, reads_tensor) > 0;  // they may hold
    found.push_back(std::move(access));
  }

  Target const& target_;
  AccessPlace place_;
};

}  // namespace

std::vector<ThreadAccess> ThreadRaces::accesses(Stmt const& s, AccessPlace const& around) const {
  Collecting collecting(target_, around);
  collecting.visit(s);
  return std::move(collecting.found);
}

namespace {

/// As if all iterations of a loop were one: its counter runs beside the operand's axes.
void run_beside(ThreadAccess& access, For const& loop) {
  Expr counter = var(loop.name() + " landing");  // no name of a program's
  for (Expr& index : access.indices) index = substitute(index, {{loop.name(), counter}});
  access.axes.push_back({counter, loop.extent});
}

}  // namespace

std::vector<ThreadAccess> ThreadRaces::landing(Stmt const& launch, std::string const& queue,
                                               AccessPlace const& around) const {
  std::vector<ThreadAccess> found;
  if (auto const* loop = launch.as<For>()) {
    found = landing(loop->body, queue, around);
    for (ThreadAccess& access : found) run_beside(access, *loop);
    return found;
  }
  auto add = [&](Stmt const& s) {
    for (ThreadAccess& access : landing(s, queue, around)) found.push_back(std::move(access));
  };
  if (auto const* call = launch.as<IntrinsicCall>()) {
    bool starts =
        call->intrinsic->completion == Completion::kStarted && call->intrinsic->queue == queue;
    return starts ? accesses(launch, {around.loops, {}}) : found;
  }
  if (auto const* list = launch.as<Seq>())
    for (Stmt const& one : list->stmts) add(one);
  if (auto const* node = launch.as<If>()) {
    add(node->then_body);
    if (node->else_body) add(node->else_body);
  }
  if (auto const* alloc = launch.as<Alloc>()) add(alloc->body);
  return found;
}

/// Threads first, then the loops and axes that tell the access's element or its iteration. Empty
/// where there are too many points, or some cannot be told.
ThreadRaces::Points ThreadRaces::points_of(ThreadAccess const& access, Question const& question,
                                           int64_t most) const {
  std::set<std::string> used = variables_of(access);
  Points points{{threads_.begin(), threads_.end()}, 1};
  for (For const* loop : access.place.loops) {
    bool tells = used.contains(loop->name()) || question.carries == loop->name() ||
                 is_one_of(question.equal, loop->name());
    if (tells) points.running.emplace_back(loop->name(), as_int(loop->extent).value_or(0));
  }
  for (OperandAxis const& axis : access.axes)
    points.running.emplace_back(axis.name(), as_int(axis.extent).value_or(0));
  for (auto const& [name, extent] : points.running) {
    used.erase(name);
    points.count = extent > 0 ? points.count * extent : most + 1;
    if (points.count > most) return {};
  }
  return used.empty() ? points : Points();
}

bool ThreadRaces::collect(ThreadAccess const& access, Question const& question, int64_t most,
                          Touchers& into) const {
  Points points = points_of(access, question, most);
  if (points.count == 0) return false;
  ExprEvaluator evaluator;
  std::vector<int> slots;
  std::vector<Compiled> indices, conditions;
  for (auto const& [name, extent] : points.running) slots.push_back(evaluator.slot(name));
  for (Expr const& e : access.indices) indices.push_back(evaluator.compile(e));
  for (Expr const& e : access.place.conditions) conditions.push_back(evaluator.compile(e));
  std::vector<int64_t> values(slots.size());
  for (int64_t point = 0; point < points.count; ++point) {
    int64_t rest = point;
    for (size_t i = slots.size(); i-- > 0; rest /= points.running[i].second)
      evaluator.set(slots[i], values[i] = rest % points.running[i].second);
    auto holds = [&](Compiled condition) { return evaluator.integer(condition, 0) != 0; };
    if (!std::ranges::all_of(conditions, holds)) continue;
    std::vector<int64_t> key;
    for (Compiled index : indices) key.push_back(evaluator.integer(index, 0));
    Toucher one;
    for (size_t i = 0; i < slots.size(); ++i) {
      auto const& [name, extent] = points.running[i];
      if (i < threads_.size()) one.thread = one.thread * extent + values[i];
      if (name == question.carries) one.iteration = values[i];
      if (is_one_of(question.equal, name)) key.push_back(values[i]);
    }
    std::vector<Toucher>& touchers = into[std::move(key)];
    if (touchers.empty() || touchers.back() != one) touchers.push_back(one);
  }
  return true;
}

std::optional<bool> ThreadRaces::meet_at_points(ThreadAccess const& first,
                                                ThreadAccess const& second,
                                                Question const& question, int64_t most) const {
  Touchers one, other;
  if (!collect(first, question, most, one) || !collect(second, question, most, other))
    return std::nullopt;
  for (auto const& [key, touchers] : one) {
    auto found = other.find(key);
    if (found == other.end()) continue;
    for (Toucher const& a : touchers)
      for (Toucher const& b : found->second)
        if (a.thread != b.thread && (question.carries.empty() || comes(a, b, question.order)))
          return true;
  }
  return false;
}

/// An access in a system of linear conditions.
struct ThreadRaces::Side {
  std::vector<std::optional<LinearRow>> indices;
  LinearRow thread;            ///< its number
  std::optional<int> carried;  ///< the iteration of the loop that carries
  bool exact = true;           ///< all its conditions are in the system
};

/// `equal`: variables of the loops that have one iteration in both accesses.
ThreadRaces::Side ThreadRaces::side_of(ThreadAccess const& access, Question const& question,
                                       std::map<std::string, int>& equal,
                                       IntegerSystem& system) const {
  Threads running = threads_;
  for (For const* loop : access.place.loops)
    running.emplace_back(loop->name(), as_int(loop->extent).value_or(kLargestRow));
  for (OperandAxis const& axis : access.axes)
    running.emplace_back(axis.name(), as_int(axis.extent).value_or(kLargestRow));
  arith::Ranges ranges;
  for (auto const& [name, extent] : running) ranges.set(name, {0, extent - 1});
  LinearRows rows(std::move(ranges));
  Side side;
  for (size_t i = 0; i < running.size(); ++i) {
    auto const& [name, extent] = running[i];
    bool shared = is_one_of(question.equal, name);
    auto known = shared ? equal.find(name) : equal.end();
    int variable = known != equal.end() ? known->second : system.variable(0, extent - 1);
    if (shared) equal[name] = variable;
    rows.set(name, variable);
    if (name == question.carries) side.carried = variable;
    if (i >= threads_.size()) continue;
    for (auto& term : side.thread.terms) term.second *= extent;
    side.thread.terms.push_back({variable, 1});
  }
  for (Expr const& index : access.indices) side.indices.push_back(rows.row_of(index, system));
  for (Expr const& condition : access.place.conditions)
    side.exact = rows.add_guard(condition, system) && side.exact;
  return side;
}

std::optional<bool> ThreadRaces::meet_by_rows(ThreadAccess const& first, ThreadAccess const& second,
                                              Question const& question) const {
  IntegerSystem system;
  std::map<std::string, int> equal;
  Side one = side_of(first, question, equal, system),
       other = side_of(second, question, equal, system);
  bool exact = one.exact && other.exact;
  for (size_t d = 0; d < one.indices.size(); ++d) {
    if (!one.indices[d] || !other.indices[d]) {
      exact = false;
      continue;
    }
    LinearRow same = *one.indices[d];
    same.add(*other.indices[d], -1);
    system.zero.push_back(std::move(same));
  }
  if (one.carried && other.carried) {
    LinearRow later{{{*other.carried, 1}, {*one.carried, -1}}, -1};
    bool next = question.order == Order::kNextIteration;
    (next ? system.zero : system.not_negative).push_back(std::move(later));
  }
  bool certain = true;
  for (int64_t sign : {1, -1}) {  // the second thread has a greater number, or a smaller one
    IntegerSystem apart = system;
    LinearRow& differs = apart.not_negative.emplace_back(LinearRow{{}, -1});
    differs.add(other.thread, sign);
    differs.add(one.thread, -sign);
    Solvable answer = IntegerSets(ProofBudget::kWork).solve(apart).solvable;
    if (answer == Solvable::kYes && exact) return true;
    certain = certain && answer == Solvable::kNo;
  }
  return certain ? std::optional(false) : std::nullopt;
}

std::optional<bool> ThreadRaces::surely_meet(ThreadAccess const& first, ThreadAccess const& second,
                                             size_t common, Order order) {
  if (first.tensor != second.tensor || (!first.writes && !second.writes)) return false;
  auto perhaps = [](std::optional<bool> answer) { return answer == false ? answer : std::nullopt; };
  if (told_by_data(first) || told_by_data(second))
    return perhaps(
        surely_meet(without_data(first, second), without_data(second, first), common, order));
  std::set<std::string> used = variables_of(first), more = variables_of(second);
  used.insert(more.begin(), more.end());
  Question question{.equal = {}, .carries = {}, .order = order};
  for (size_t i = 0; i < common; ++i)
    if (used.contains(first.place.loops[i]->name()))
      question.equal.push_back(first.place.loops[i]->name());
  if (order != Order::kSameIteration && used.contains(first.place.loops[common]->name()))
    question.carries = first.place.loops[common]->name();
  auto answer = meet_at_points(first, second, question, kFewPoints);
  if (!answer) answer = meet_by_rows(first, second, question);
  if (!answer) answer = meet_at_points(first, second, question, kMostPoints);
  return first.by_data || second.by_data ? perhaps(answer) : answer;
}

}  // namespace tw
