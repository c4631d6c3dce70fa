#include "engine/lowering/async_copy_footprint.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/arith/linear.h"
#include "engine/arith/simplify.h"
#include "engine/ir/accesses.h"
#include "engine/ir/expr_evaluator.h"
#include "engine/ir/intrinsic.h"
#include "engine/lowering/index_period.h"

namespace tw {

using namespace ir;

namespace {

constexpr int64_t kMostPoints = 1 << 20;
constexpr int kElementBits = 48;  // of an element's number; its tensor's stands above

bool meet(Elements const& a, Elements const& b) {
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();)
    if (a[i] == b[j])
      return true;
    else
      ++(a[i] < b[j] ? i : j);
  return false;
}

bool holds_some_of(Elements const& elements, int64_t tensor) {
  auto first = std::ranges::lower_bound(elements, tensor << kElementBits);
  return first != elements.end() && *first >> kElementBits == tensor;
}

bool is_by_data(Expr const& e) {
  bool by_data = false;
  walk(e, [&](Expr const& part) { return by_data = by_data || part.as<Load>(), !by_data; });
  return by_data;
}

/// No: it is outside of the tensor, where nothing is touched.
bool evaluate(std::vector<Compiled> const& indices, std::vector<int64_t> const& shape,
              ExprEvaluator& evaluator, std::vector<int64_t>& place) {
  for (size_t d = 0; d < indices.size(); ++d) {
    place[d] = evaluator.integer(indices[d], 0);
    if (place[d] < 0 || place[d] >= shape[d]) return false;
  }
  return true;
}

/// By the counters that run alone.
bool is_told(Expr const& e, std::vector<std::pair<std::string, int64_t>> const& running) {
  bool told = true;
  walk(e, [&](Expr const& part) {
    auto const* used = part.as<Variable>();
    bool runs = used && std::ranges::any_of(
                            running, [&](auto const& one) { return one.first == used->name; });
    told = told && (!used || runs);
    return told;
  });
  return told;
}

}  // namespace

bool ElementBox::meets(ElementBox const& other) const {
  if (tensor != other.tensor) return false;
  for (size_t d = 0; d < places.size(); ++d)
    if (places[d].high < other.places[d].low || other.places[d].high < places[d].low) return false;
  return true;
}

namespace {

bool meet(std::vector<ElementBox> const& a, std::vector<ElementBox> const& b) {
  return std::ranges::any_of(a, [&](ElementBox const& one) {
    return std::ranges::any_of(b, [&](ElementBox const& other) { return one.meets(other); });
  });
}

}  // namespace

bool Effect::disturbs(Effect const& copy) const {
  if (released >= 0) {
    auto of_it = [&](ElementBox const& part) { return part.tensor == released; };
    return holds_some_of(copy.writes, released) || holds_some_of(copy.reads, released) ||
           std::ranges::any_of(copy.read_parts, of_it) ||
           std::ranges::any_of(copy.written_parts, of_it) ||
           std::ranges::any_of(copy.updated_parts, of_it);
  }
  return meet(writes, copy.writes) || meet(reads, copy.writes) || meet(writes, copy.reads) ||
         meet(written_parts, copy.written_parts) || meet(read_parts, copy.written_parts) ||
         meet(written_parts, copy.read_parts) || meet(written_parts, copy.updated_parts) ||
         meet(read_parts, copy.updated_parts) || meet(updated_parts, copy.written_parts) ||
         meet(updated_parts, copy.read_parts);
}

Touching::Touching(Target const& target, AsyncQueue const& queue, Stmt const& body,
                   LoopsAround const& around)
    : target_(target),
      queue_(queue),
      in_parts_(!queue.name.empty()),
      threads_(around.threads.size()) {
  std::set<std::string> written;
  walk_writes(body, [&](Touched const& at) { written.insert(at.buffer->name); });
  walk(body, [&](Stmt const& s) {
    if (!queue.starts(s)) return true;
    auto note = [&](Touched const& at) {
      if (written.contains(at.buffer->name)) tensors_.try_emplace(at.buffer->name, tensors_.size());
    };
    walk_writes(s, [&](Touched const& at) { filled_.insert(at.buffer->name); });
    walk_writes(s, note);
    walk_reads(s, note);
    return true;
  });
  for (For const* loop : around.threads) loops_.push_back(loop);
  for (For const* loop : around.threads) run(loop->var, loop->extent);
}

int64_t Touching::number_of(std::string const& tensor) const {
  auto found = tensors_.find(tensor);
  return found == tensors_.end() ? -1 : int64_t(found->second);
}

Effect Touching::of(Stmt const& s, std::map<std::string, int64_t> const& values) {
  effect_ = {};
  starting_ = queue_.starts_only(s);
  Substitution by;
  for (auto const& [name, value] : values) by[name] = int_imm(value);
  Stmt fixed = substitute(s, by);
  if (in_parts_) {
    visit_parts(fixed);
    effect_.clashes = meet(effect_.updated_parts, effect_.read_parts) ||
                      meet(effect_.updated_parts, effect_.written_parts) ||
                      (starting_ && meet(effect_.written_parts, effect_.read_parts));
    return std::move(effect_);
  }
  visit(fixed);
  if (starting_) {
    std::ranges::sort(effect_.writes);
    effect_.clashes = std::ranges::adjacent_find(effect_.writes) != effect_.writes.end();
  }
  for (Elements* list : {&effect_.reads, &effect_.writes}) {
    std::ranges::sort(*list);
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  effect_.clashes = effect_.clashes || (starting_ && meet(effect_.reads, effect_.writes));
  return std::move(effect_);
}

/// Calls `f` for each expression that what is touched, or whether it is, depends on.
template <typename F>
void Touching::each_telling(Stmt const& s, F const& f) const {
  auto look = [&](Touched const& at) {
    if (!tensors_.contains(at.buffer->name)) return;
    for (Expr const& index : at.indices) f(index);
  };
  walk_writes(s, look);
  walk_reads(s, look);
  walk(s, [&](Stmt const& part) {
    if (auto const* node = part.as<If>()) f(node->condition);
    if (auto const* let = part.as<Let>()) f(let->value);
    return true;
  });
  walk_exprs(s, [&](Expr const& e) {
    if (Expr condition = choice_of(e)) f(condition);
    return true;
  });
}

bool Touching::tells(Stmt const& s, std::string const& name) const {
  bool told = false;
  each_telling(s, [&](Expr const& e) { told = told || uses_variable(e, name); });
  return told;
}

int64_t Touching::period(Stmt const& s, std::string const& name) const {
  int64_t all = 1;
  each_telling(s, [&](Expr const& e) { all = common_period(all, period_of(e, name)); });
  return all;
}

/// The condition that tells which side of a choice is read, where one reads a tensor of copies.
Expr Touching::choice_of(Expr const& e) const {
  if (auto const* choice = e.as<Select>())
    return reads(choice->a) || reads(choice->b) ? choice->condition : Expr();
  auto const* both = e.as<Binary>();
  bool lazy = both && (both->op == BinaryOp::kAnd || both->op == BinaryOp::kOr);
  return lazy && reads(both->b) ? both->a : Expr();
}

bool Touching::reads(Expr const& root) const {
  bool found = false;
  walk_reads(root, [&](Touched const& at) { found = found || tensors_.contains(at.buffer->name); });
  return found;
}

/// What is done where data choose may be done, and is held to be.
template <typename F>
void Touching::where(Expr const& condition, F const& f) {
  if (is_by_data(condition)) return f();
  conditions_.push_back(condition);
  f();
  conditions_.pop_back();
}

void Touching::visit(Stmt const& s) {
  if (auto const* loop = s.as<For>()) {
    loops_.push_back(loop);
    visit(loop->body);
    loops_.pop_back();
  } else if (auto const* node = s.as<If>()) {
    look(node->condition);
    where(node->condition, [&] { visit(node->then_body); });
    if (node->else_body) where(opposite(node->condition), [&] { visit(node->else_body); });
  } else if (auto const* list = s.as<Seq>()) {
    for (Stmt const& child : list->stmts) visit(child);
  } else if (auto const* alloc = s.as<Alloc>()) {
    visit(alloc->body);
  } else if (s.as<Let>()) {
    effect_.known = false;
  } else if (auto const* store = s.as<Store>()) {
    put({store->buffer, store->indices, {}}, effect_.writes);
    for (Expr const& index : store->indices) look(index);
    look(store->value);
  } else if (starts_copy(s) && !queue_.starts(s)) {
    // What others start touches far more often than it touches different elements.
    walk_writes(s, [&](Touched const& at) { put_box(at, effect_.writes); });
    walk_reads(s, [&](Touched const& at) { put_box(at, effect_.reads); });
  } else {
    walk_writes(s, [&](Touched const& at) { put(at, effect_.writes); });
    walk_reads(s, [&](Touched const& at) { put_read(at); });
  }
}

/// What an expression reads: of a choice, only the side that is chosen.
void Touching::look(Expr const& root) {
  walk(root, [&](Expr const& e) {
    if (auto const* read = e.as<Load>()) put_read({read->buffer, read->indices, {}});
    if (auto const* choice = e.as<Select>()) {
      look(choice->condition);
      where(choice->condition, [&] { look(choice->a); });
      where(opposite(choice->condition), [&] { look(choice->b); });
      return false;
    }
    auto const* both = e.as<Binary>();
    if (!both || (both->op != BinaryOp::kAnd && both->op != BinaryOp::kOr)) return true;
    look(both->a);
    where(both->op == BinaryOp::kAnd ? both->a : opposite(both->a), [&] { look(both->b); });
    return false;
  });
}

/// Others may read what a copy reads.
void Touching::put_read(Touched const& at) {
  if (starting_ || filled_.contains(at.buffer->name)) put(at, effect_.reads);
}

/// All elements of the box that an access may reach.
void Touching::put_box(Touched const& at, Elements& into) {
  std::vector<ElementBox> parts;
  for (For const* loop : loops_) run(loop->var, loop->extent);
  put_part(at, parts);
  auto shape = constant_shape(*at.buffer);
  if (parts.empty() || !shape || is_private(*at.buffer)) {
    if (!parts.empty()) put(at, into);
    return;
  }
  int64_t count = 1;
  for (arith::Interval const& one : parts[0].places)
    count = std::min(count * (one.high - one.low + 1), kMostPoints + 1);
  effect_.known = effect_.known && (points_ += count) <= kMostPoints;
  for (int64_t i = 0; i < count && effect_.known; ++i) {
    int64_t rest = i, element = 0, scale = 1;
    for (size_t d = shape->size(); d-- > 0; scale *= (*shape)[d]) {
      arith::Interval const& one = parts[0].places[d];
      int64_t extent = one.high - one.low + 1, place = one.low + rest % extent;
      rest /= extent;
      effect_.known = effect_.known && place >= 0 && place < (*shape)[d];
      element += place * scale;
    }
    into.push_back((parts[0].tensor << kElementBits) + element);
  }
}

/// Conditions are held to hold.
void Touching::visit_parts(Stmt const& root) {
  walk(root, [&](Stmt const& s) {
    if (auto const* loop = s.as<For>()) run(loop->var, loop->extent);
    effect_.known = effect_.known && !s.as<Let>();
    if (queue_.starts(s)) put_started(s.to<IntrinsicCall>());
    return true;
  });
  Stmt others =
      rewrite_stmts(root, [&](Stmt const& s) { return queue_.starts(s) ? seq({}) : Stmt(); });
  walk_writes(others, [&](Touched const& at) { put_part(at, effect_.written_parts); });
  walk_reads(others, [&](Touched const& at) {
    if (filled_.contains(at.buffer->name)) put_part(at, effect_.read_parts);
  });
}

void Touching::put_started(IntrinsicCall const& call) {
  for (size_t i = 0; i < call.operands.size(); ++i) {
    auto const* element = call.operands[i].value.as<Load>();
    if (!element) continue;
    ParamKind kind = call.intrinsic->params[i].kind;
    put_part({element->buffer, element->indices, call.operands[i].axes},
             kind == ParamKind::kUpdate ? effect_.updated_parts
             : kind == ParamKind::kRead ? effect_.read_parts
                                        : effect_.written_parts);
  }
}

void Touching::put_part(Touched const& at, std::vector<ElementBox>& into) {
  auto tensor = tensors_.find(at.buffer->name);
  if (tensor == tensors_.end()) return;
  for (OperandAxis const& axis : at.axes) run(axis.var, axis.extent);
  ElementBox part{int64_t(tensor->second), {}};
  for (size_t d = 0; d < at.indices.size(); ++d) {
    auto extent = as_int(at.buffer->shape[d]);
    auto places = is_by_data(at.indices[d])
                      ? std::nullopt
                      : arith::bounds(arith::simplify(at.indices[d], running_), running_);
    effect_.known = effect_.known && (places || extent);
    if (!effect_.known) return;
    part.places.push_back(places ? *places : arith::Interval{0, *extent - 1});
  }
  into.push_back(std::move(part));
}

/// Names may come again elsewhere with another extent: as far as any of them.
void Touching::run(Expr const& counter, Expr const& extent) {
  std::string const& name = counter.to<Variable>().name;
  auto count = as_int(extent);
  if (!count) return running_.erase(name);
  auto before = running_.find(name);
  running_.set(name, {0, std::max(*count - 1, before ? before->high : 0)});
}

void Touching::put(Touched const& at, Elements& into) {
  auto tensor = tensors_.find(at.buffer->name);
  auto shape = constant_shape(*at.buffer);
  effect_.known = effect_.known && (shape || tensor == tensors_.end());
  if (tensor == tensors_.end() || !effect_.known) return;
  std::vector<Expr> indices = at.indices;
  Running running;
  int64_t points = 1;
  auto run = [&](std::string const& name, int64_t extent) {
    auto uses = [&](Expr const& e) { return uses_variable(e, name); };
    bool used = std::ranges::any_of(indices, uses) || std::ranges::any_of(conditions_, uses);
    bool tells = used || starting_ || (is_private(*at.buffer) && running.size() < threads_);
    if (!tells && extent > 0) return;
    running.emplace_back(name, extent);
    points = extent >= 0 ? std::min(points * extent, kMostPoints + 1) : kMostPoints + 1;
  };
  for (For const* loop : loops_) run(loop->name(), as_int(loop->extent).value_or(-1));
  for (OperandAxis const& axis : at.axes) run(axis.name(), as_int(axis.extent).value_or(-1));
  for (size_t d = 0; d < indices.size(); ++d)
    if (is_by_data(indices[d])) {                   // any place along the dimension
      std::string name = fmt::format("any {}", d);  // no name of a program's
      indices[d] = var(name);
      run(name, (*shape)[d]);
    }
  effect_.known = (points_ += points) <= kMostPoints;
  if (effect_.known)
    enumerate(*at.buffer, indices, *shape, int64_t(tensor->second), running, points, into);
}

/// Each thread has an instance of its own.
bool Touching::is_private(BufferNode const& tensor) const {
  MemoryScope const* memory = target_.scope(tensor.scope);
  return memory && memory->shared_by <= Level::kThread;
}

void Touching::enumerate(BufferNode const& buffer, std::vector<Expr> const& at,
                         std::vector<int64_t> const& shape, int64_t tensor, Running const& running,
                         int64_t points, Elements& into) {
  ExprEvaluator evaluator;
  std::vector<int> slots;
  std::vector<Compiled> indices, conditions;
  for (auto const& [name, extent] : running) slots.push_back(evaluator.slot(name));
  for (Expr const& e : at) indices.push_back(evaluator.compile(e));
  for (Expr const& e : conditions_) conditions.push_back(evaluator.compile(e));
  for (std::vector<Expr> const* list : {&at, &std::as_const(conditions_)})
    for (Expr const& e : *list) effect_.known = effect_.known && is_told(e, running);
  std::vector<int64_t> place(indices.size());
  for (int64_t point = 0; point < points && effect_.known; ++point) {
    int64_t rest = point;
    for (size_t i = slots.size(); i-- > 0; rest /= running[i].second)
      evaluator.set(slots[i], rest % running[i].second);
    if (!std::ranges::all_of(conditions, [&](Compiled c) { return evaluator.integer(c, 0) != 0; }))
      continue;
    if (!evaluate(indices, shape, evaluator, place)) continue;
    int64_t element = 0;
    for (size_t i = 0; is_private(buffer) && i < threads_; ++i)
      element = element * running[i].second + evaluator.state().variables[size_t(slots[i])].i;
    for (size_t d = 0; d < indices.size(); ++d) element = element * shape[d] + place[d];
    into.push_back((tensor << kElementBits) + element);
  }
}

}  // namespace tw
