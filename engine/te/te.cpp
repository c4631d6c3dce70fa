#include "engine/te/te.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "engine/arith/linear.h"
#include "engine/arith/simplify.h"
#include "engine/ir/identity_element.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/text.h"
#include "engine/support/base/hash.h"
#include "engine/te/bounds.h"
#include "engine/te/sizes.h"

namespace tw::te {
namespace {

std::unexpected<Error> invalid(std::string message) {
  return bad_input("invalid_kernel", std::move(message));
}

/// What a stage may read: tensors made before it, and of its own recurrence what is made then.
struct Visible {
  std::set<std::string> buffers;
  /// Of each tensor of the recurrence, the latest step that may be read: 0 this one, -1 the last.
  std::map<std::string, int64_t> steps;
};

/// The step that `index` reads is this one plus at most `latest`.
bool is_made(Stage const& stage, Expr const& index, int64_t latest) {
  arith::Ranges ranges;
  for (auto const* list : {&stage.axes, &stage.reduce})
    for (Axis const& axis : *list) ranges.set(axis.name, {0, axis.extent - 1});
  Expr ahead = arith::to_expr(arith::to_linear(index - stage.axes.front().var()));
  auto bounds = arith::bounds(ahead, ranges);
  return bounds && bounds->high <= latest;
}

Status verify_read(Stage const& stage, ir::Load const& read, Visible const& visible) {
  std::string const &name = stage.output->name, &from = read.buffer->name;
  auto step = visible.steps.find(from);
  if (step == visible.steps.end() && !visible.buffers.count(from))
    return invalid(fmt::format("stage {} reads '{}', which no earlier stage computes", name, from));
  if (read.indices.size() != read.buffer->shape.size())
    return invalid(fmt::format("stage {} reads '{}' with {} indices, but it has {} dimensions",
                               name, from, read.indices.size(), read.buffer->shape.size()));
  if (step != visible.steps.end() && !is_made(stage, read.indices.front(), step->second))
    return invalid(fmt::format("stage {} reads '{}' at step {}, which may not be computed yet",
                               name, from, ir::to_text(read.indices.front())));
  return {};
}

Status verify_body(Stage const& stage, std::set<std::string> const& names, Visible const& visible) {
  Status status;
  ir::walk(stage.body, [&](Expr const& e) {
    if (!status) return false;
    if (auto const* v = e.as<ir::Variable>(); v && !names.count(v->name))
      status = invalid(
          fmt::format("stage {}: '{}' is not one of its axes", stage.output->name, v->name));
    if (auto const* read = e.as<ir::Load>()) status = verify_read(stage, *read, visible);
    return status.has_value();
  });
  return status;
}

Status verify_stage(Stage const& stage, Visible const& visible) {
  std::set<std::string> names;
  for (auto const* list : {&stage.axes, &stage.reduce})
    for (Axis const& axis : *list) {
      if (axis.extent < 1)
        return invalid(
            fmt::format("stage {}: axis {} has no elements", stage.output->name, axis.name));
      if (!names.insert(axis.name).second)
        return invalid(
            fmt::format("stage {}: two axes are named {}", stage.output->name, axis.name));
    }
  for (std::string const& name : names)
    if (names.count("v" + name))
      return invalid(
          fmt::format("stage {}: rename axis v{}: its name is needed for the iterator of {}",
                      stage.output->name, name, name));
  if ((stage.combiner == Combiner::kNone) != stage.reduce.empty())
    return invalid(
        fmt::format("stage {}: a reduction needs axes to reduce over", stage.output->name));
  if (stage.combiner != Combiner::kNone && stage.body.type() == DType::kBool)
    return invalid(
        fmt::format("stage {}: a reduction needs numbers, not bools", stage.output->name));
  if (stage.ordered() && stage.axes.empty())
    return invalid(fmt::format("stage {}: a recurrence needs a first axis", stage.output->name));
  auto shape = ir::constant_shape(*stage.output);
  for (size_t i = 0; shape && i < stage.axes.size(); ++i)
    if (shape->size() != stage.axes.size() || (*shape)[i] != stage.axes[i].extent)
      return invalid(
          fmt::format("stage {}: the tensor's shape differs from its axes", stage.output->name));
  if (stage.body.type() != stage.output->type)
    return invalid(fmt::format("stage {}: the tensor has type {}, but the expression has type {}",
                               stage.output->name, to_text(stage.output->type),
                               to_text(stage.body.type())));
  TRY(verify_body(stage, names, visible));
  return verify_bounds(stage);
}

ir::BinaryOp operation(Combiner combiner) {
  switch (combiner) {
    case Combiner::kSum:
      return ir::BinaryOp::kAdd;
    case Combiner::kProd:
      return ir::BinaryOp::kMul;
    case Combiner::kMax:
      return ir::BinaryOp::kMax;
    default:
      return ir::BinaryOp::kMin;
  }
}

/// Stages [first, end) are one recurrence.
Status verify_recurrence(Kernel const& kernel, size_t first, size_t end,
                         std::set<std::string>& buffers) {
  Visible visible{buffers, {}};
  for (size_t i = first; i < end; ++i) {
    Stage const& stage = kernel.stages[i];
    if (stage.ordered()) visible.steps[stage.output->name] = -1;
    if (!buffers.insert(stage.output->name).second)
      return invalid(fmt::format("two tensors are named '{}'", stage.output->name));
  }
  for (size_t i = first; i < end; ++i) {
    Stage const &stage = kernel.stages[i], &begin = kernel.stages[first];
    TRY(verify_stage(stage, visible));
    if (i > first && (stage.axes.front().name != begin.axes.front().name ||
                      stage.axes.front().extent != begin.axes.front().extent))
      return invalid(fmt::format("stage {} joins a recurrence over a different axis than {} in {}",
                                 stage.output->name, begin.axes.front().name,
                                 begin.axes.front().extent));
    visible.steps[stage.output->name] = 0;
  }
  return {};
}

/// The nest of one stage, without its first axis' loop where the recurrence has it.
ir::Stmt nest(Stage const& stage, ir::Program& program, bool inside) {
  std::vector<ir::IterVar> iters;
  ir::Substitution to_iters;
  std::vector<Expr> indices;
  std::vector<Axis const*> order;
  auto add = [&](Axis const& axis, ir::IterKind kind) {
    Expr iter = ir::var("v" + axis.name);
    iters.push_back({iter, extent_of(axis), kind, axis.var(), axis.role});
    to_iters[axis.name] = iter;
    order.push_back(&axis);
  };
  for (Axis const& axis : stage.axes) {
    add(axis, stage.ordered() && &axis == &stage.axes.front() ? ir::IterKind::kOrdered
                                                              : ir::IterKind::kSpatial);
    indices.push_back(iters.back().var);
  }
  for (Axis const& axis : stage.reduce) add(axis, ir::IterKind::kReduce);
  Expr value = ir::substitute(stage.body, to_iters);
  ir::Stmt init;
  if (stage.combiner != Combiner::kNone) {
    init = ir::make<ir::Store>(stage.output, indices,
                               ir::neutral(operation(stage.combiner), stage.output->type));
    value = ir::binary(operation(stage.combiner), ir::load(stage.output, indices), value);
  }
  std::vector<ir::LoopId> ids;
  size_t outermost = inside ? 1 : 0;
  for (size_t i = 0; i < order.size(); ++i)
    ids.push_back(i < outermost ? ir::LoopId() : program.fresh_loop());
  ir::Stmt body =
      ir::make<ir::Block>(program.fresh_block(), stage.output->name, stage.op, std::move(iters),
                          Expr(), init, ir::make<ir::Store>(stage.output, indices, value));
  for (size_t i = order.size(); i > outermost; --i)
    body = ir::make<ir::For>(ids[i - 1], order[i - 1]->var(), extent_of(*order[i - 1]),
                             ir::LoopKind::kSerial, body);
  return body;
}

/// One ordered loop around the nests of a recurrence; a single stage keeps its perfect nest.
ir::Stmt recurrence(Kernel const& kernel, size_t first, size_t end, ir::Program& program) {
  if (end == first + 1) return nest(kernel.stages[first], program, false);
  Axis const& axis = kernel.stages[first].axes.front();
  ir::LoopId id = program.fresh_loop();
  std::vector<ir::Stmt> nests;
  for (size_t i = first; i < end; ++i) nests.push_back(nest(kernel.stages[i], program, true));
  return ir::make<ir::For>(id, axis.var(), extent_of(axis), ir::LoopKind::kSerial,
                           ir::seq(std::move(nests)));
}

bool is_output(Kernel const& kernel, Buffer const& buffer) {
  for (Buffer const& output : kernel.outputs)
    if (output->name == buffer->name) return true;
  return false;
}

}  // namespace

std::vector<Axis> axes(std::vector<std::string> const& names, std::vector<int64_t> const& extents,
                       std::vector<std::string> const& roles) {
  TW_ASSERT(names.size() == extents.size(), "one name per extent");
  std::vector<Axis> list;
  for (size_t i = 0; i < names.size(); ++i)
    list.push_back({names[i], extents[i], i < roles.size() ? roles[i] : ""});
  return list;
}

std::vector<Expr> vars(std::vector<Axis> const& list) {
  std::vector<Expr> result;
  for (Axis const& axis : list) result.push_back(axis.var());
  return result;
}

Stage compute(std::string name, std::vector<Axis> list, Expr body, std::string op) {
  return reduce(std::move(name), std::move(list), Combiner::kNone, {}, std::move(body),
                std::move(op));
}

Stage reduce(std::string name, std::vector<Axis> list, Combiner combiner, std::vector<Axis> over,
             Expr body, std::string op) {
  ir::BufferNode node{std::move(name), body.type(), {}};
  for (Axis const& axis : list) node.shape.push_back(extent_of(axis));
  auto output = std::make_shared<ir::BufferNode const>(std::move(node));
  return {output,      std::move(list), std::move(over), combiner,
          Scan::kNone, std::move(body), std::move(op)};
}

size_t end_of_scan(Kernel const& kernel, size_t first) {
  size_t end = first + 1;
  while (end < kernel.stages.size() && kernel.stages[first].ordered() &&
         kernel.stages[end].scan == Scan::kJoins)
    ++end;
  return end;
}

Status verify(Kernel const& kernel) {
  if (!kernel.sizes.empty()) return verify_sizes(kernel);
  std::set<std::string> buffers;
  for (Buffer const& input : kernel.inputs)
    if (!buffers.insert(input->name).second)
      return invalid(fmt::format("two tensors are named '{}'", input->name));
  for (size_t i = 0; i < kernel.stages.size(); i = end_of_scan(kernel, i)) {
    if (kernel.stages[i].scan == Scan::kJoins)
      return invalid(fmt::format("stage {} joins no recurrence", kernel.stages[i].output->name));
    TRY(verify_recurrence(kernel, i, end_of_scan(kernel, i), buffers));
  }
  if (kernel.stages.empty() || kernel.outputs.empty())
    return invalid("a kernel needs at least one stage and one output");
  for (Buffer const& output : kernel.outputs) {
    bool found = false;
    for (Stage const& stage : kernel.stages) found |= stage.output->name == output->name;
    if (!found) return invalid(fmt::format("no stage computes the output '{}'", output->name));
  }
  return {};
}

Result<ir::Program> to_program(Kernel const& kernel) { return to_open_program(shown(kernel)); }

Result<ir::Program> to_open_program(Kernel const& kernel) {
  TRY(verify(kernel));
  ir::Program program;
  program.sizes = ranges_of(kernel);
  program.name = kernel.name;
  program.inputs = kernel.inputs;
  program.outputs = kernel.outputs;
  std::vector<ir::Stmt> nests;
  for (size_t i = 0; i < kernel.stages.size(); i = end_of_scan(kernel, i))
    nests.push_back(recurrence(kernel, i, end_of_scan(kernel, i), program));
  ir::Stmt body = ir::seq(std::move(nests));
  for (size_t i = kernel.stages.size(); i > 0; --i)
    if (!is_output(kernel, kernel.stages[i - 1].output))
      body = ir::make<ir::Alloc>(kernel.stages[i - 1].output, body);
  program.body = body;
  TRY(ir::verify(program));
  return program;
}

bool equal(Kernel const& a, Kernel const& b) { return to_text(a) == to_text(b); }

uint64_t structure_hash(Kernel const& kernel) {
  Kernel anonymous = kernel;
  anonymous.name = "kernel";
  return Hasher().text(to_text(anonymous)).finish();
}

}  // namespace tw::te
