#include "engine/ir/statement_interpreter.h"

#include <fmt/format.h>

#include <limits>
#include <numeric>
#include <utility>

#include "engine/ir/fields.h"
#include "engine/ir/stmt.h"
#include "engine/ir/text.h"

namespace tw::ir {

StatementInterpreter::StatementInterpreter(InterpretOptions const& options)
    : options_(options), rng_(options.shuffle_seed) {}

Status StatementInterpreter::bind_sizes(std::vector<SizeParam> const& sizes) {
  if (sizes.size() != options_.sizes.size())
    return bad_input("missing_size", fmt::format("the kernel has {} sizes, but {} were given",
                                                 sizes.size(), options_.sizes.size()));
  for (size_t i = 0; i < sizes.size(); ++i) {
    int64_t value = options_.sizes[i];
    if (value < sizes[i].low || value > sizes[i].high)
      return bad_input("size_out_of_range",
                       fmt::format("the size {} must be from {} to {}, not {}",
                                   to_text(sizes[i].var), sizes[i].low, sizes[i].high, value));
    evaluator_.set(evaluator_.slot(sizes[i].var.to<Variable>().name), value);
  }
  return {};
}

Result<Shape> StatementInterpreter::shape_of(BufferNode const& buffer) {
  Shape shape;
  for (Expr const& extent : buffer.shape)
    shape.push_back(evaluator_.integer(evaluator_.compile(extent), 0));
  if (evaluator_.failed()) return std::unexpected(evaluator_.error());
  return shape;
}

Result<NDArray> StatementInterpreter::fresh(BufferNode const& buffer) {
  TRY_ASSIGN(Shape shape, shape_of(buffer));
  TRY_ASSIGN(NDArray array, NDArray::create(buffer.type, shape));
  races_.forget(array);
  owners_.erase(array.data());
  roles_.forget(array);
  double poison = is_float(buffer.type) ? std::numeric_limits<double>::quiet_NaN() : 85;
  if (buffer.type == DType::kF32)
    std::fill_n(static_cast<float*>(array.data()), array.size(), float(poison));
  else
    for (int64_t i = 0; i < array.size(); ++i) array.set_value(i, poison);
  return array;
}

void StatementInterpreter::bind(BufferNode const& buffer, NDArray array) {
  evaluator_.bind(buffer.name, std::move(array));
}

Status StatementInterpreter::run(Stmt const& body) {
  CodePtr code = compile(body);
  if (options_.sharing) {
    evaluator_.observe(this);
    Thread main{evaluator_.state()};
    run_together(*code, {&main});
    check_landed(main);
  } else {
    execute(*code);
  }
  if (evaluator_.failed()) return std::unexpected(evaluator_.error());
  return {};
}

void StatementInterpreter::fail(std::string code, std::string message) {
  evaluator_.fail(Error{std::move(code), std::move(message), {}, Fault::kRefused});
}

void StatementInterpreter::execute(Code const& code) {
  if (evaluator_.failed()) return;
  dispatch(*code.source, [&](auto const& node) { execute(node, code); });
}

void StatementInterpreter::execute(Seq const&, Code const& code) {
  for (CodePtr const& child : code.children) execute(*child);
}

void StatementInterpreter::execute(Let const&, Code const& code) {
  evaluator_.set_from(code.slot, code.exprs[0]);
  execute(*code.children[0]);
}

void StatementInterpreter::execute(Alloc const& node, Code const& code) {
  auto array = fresh(*node.buffer);
  if (!array) return evaluator_.fail(array.error());
  NDArray const tensor = *array;
  evaluator_.bind(code.buffer, std::move(*array));
  execute(*code.children[0]);
  check_released(*node.buffer, tensor);
}

void StatementInterpreter::execute(For const& node, Code const& code) {
  int64_t extent = evaluator_.integer(code.exprs[0], 0);
  bool free_order = code.loop_kind != LoopKind::kSerial && code.loop_kind != LoopKind::kUnroll;
  at_once_ += free_order;
  around_.emplace_back(&node.name(), code.slot);
  iterate(code, extent, free_order && options_.shuffle_seed != 0);
  around_.pop_back();
  at_once_ -= free_order;
}

void StatementInterpreter::iterate(Code const& code, int64_t extent, bool free_order) {
  auto run = [&](int64_t i) {
    evaluator_.set(code.slot, i);
    if (options_.registers && code.loop_kind == LoopKind::kParallel) return run_elsewhere(code);
    execute(*code.children[0]);
  };
  if (free_order) {
    for (int64_t i : order_of(extent, true))
      if (!evaluator_.failed()) run(i);
    return;
  }
  for (int64_t i = 0; i < extent && !evaluator_.failed(); ++i) run(i);
}

/// Whoever runs an iteration has registers of its own; afterwards any of them may be the one that
/// goes on.
void StatementInterpreter::run_elsewhere(Code const& iteration) {
  std::map<std::string, int64_t>& held = current_ ? current_->registers : registers_;
  std::map<std::string, int64_t> before = std::exchange(held, {});
  execute(*iteration.children[0]);
  for (auto const& [name, value] : held)
    if (auto there = before.find(name); there != before.end() && there->second != value)
      before.erase(there);
  held = std::move(before);
}

std::vector<int64_t> StatementInterpreter::order_of(int64_t extent, bool free_order) {
  std::vector<int64_t> order(size_t(std::max<int64_t>(extent, 0)));
  std::iota(order.begin(), order.end(), 0);
  if (free_order && options_.shuffle_seed != 0)
    for (size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[size_t(rng_.below(int64_t(i)))]);
  return order;
}

bool StatementInterpreter::enter_block(Code const& code, bool& first) {
  first = true;
  if (!count_step()) return false;
  if (code.predicate.valid() && !evaluator_.integer(code.predicate, 0)) return false;
  for (size_t i = 0; i < code.iter_slots.size(); ++i) {
    int64_t value = evaluator_.integer(code.exprs[i], 0);
    int64_t extent = evaluator_.integer(code.iter_extents[i], 0);
    if (value < 0 || value >= extent) {
      auto const& block = code.source.to<Block>();
      fail("iterator_out_of_range",
           fmt::format("block {}: iterator {} is {}, out of range 0..{}", block.name,
                       block.iters[i].name(), value, extent - 1));
      return false;
    }
    evaluator_.set(code.iter_slots[i], value);
    if (code.iter_kinds[i] == IterKind::kReduce && value != 0) first = false;
  }
  return true;
}

void StatementInterpreter::execute(Block const&, Code const& code) {
  bool first = true;
  if (!enter_block(code, first)) return;
  if (first && code.children.size() > 1) execute(*code.children[1]);
  execute(*code.children[0]);
}

void StatementInterpreter::execute(Store const&, Code const& code) {
  if (!count_step()) return;
  // All lanes are computed before the first is written, as a vector instruction does.
  size_t rank = code.exprs.size() - 1;
  int64_t offsets[4096];
  Scalar values[4096];
  for (int lane = 0; lane < code.lanes; ++lane) {
    if (mask_ && !evaluator_.integer(*mask_, lane)) {
      offsets[lane] = -1;
      continue;
    }
    offsets[lane] = evaluator_.offset(code.buffer, {code.exprs.data(), rank}, lane);
    values[lane] = evaluator_.value(code.exprs[rank], lane);
    if (evaluator_.failed()) return;
  }
  for (int lane = 0; lane < code.lanes; ++lane)
    if (offsets[lane] >= 0) evaluator_.write(code.buffer, offsets[lane], values[lane]);
}

void StatementInterpreter::execute(If const&, Code const& code) {
  if (code.lanes > 1) {  // a mask over the stores below
    Compiled const* outer = std::exchange(mask_, &code.exprs[0]);
    execute(*code.children[0]);
    mask_ = outer;
  } else if (evaluator_.integer(code.exprs[0], 0)) {
    execute(*code.children[0]);
  } else if (code.children.size() > 1) {
    execute(*code.children[1]);
  }
}

bool StatementInterpreter::count_step() {
  if (++steps_ > options_.max_steps) {
    evaluator_.fail(
        Error{"too_many_steps",
              fmt::format("the interpreter stopped after {} statements: the kernel is too large to "
                          "interpret",
                          options_.max_steps),
              {},
              Fault::kEnvironment});
    return false;
  }
  if (steps_ == watched_step_) watched_ = iteration_text();
  if ((steps_ & 0xFFFF) == 0 && options_.stop.stop_requested()) {
    evaluator_.fail(Error{"cancelled", "cancelled", {}, Fault::kEnvironment});
    return false;
  }
  return true;
}

/// "bx=0 tx=3 k=1"
std::string StatementInterpreter::iteration_text() {
  std::string text;
  for (auto const& [name, slot] : around_)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", *name,
                        evaluator_.state().variables[size_t(slot)].i);
  return text.empty() ? "the only one" : text;
}

}  // namespace tw::ir
