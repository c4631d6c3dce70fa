#include "engine/ir/interpreter.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "engine/ir/expr_evaluator.h"
#include "engine/ir/fields.h"
#include "engine/ir/text.h"
#include "engine/support/base/random.h"

namespace tw::ir {
namespace {

/// Executes statements of one function. The first failure stops it.
class Machine {
public:
  Machine(InterpretOptions const& options) : options_(options), rng_(options.shuffle_seed) {}

  Status bind_sizes(std::vector<SizeParam> const& sizes) {
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

  Result<Shape> shape_of(BufferNode const& buffer) {
    Shape shape;
    for (Expr const& extent : buffer.shape)
      shape.push_back(evaluator_.integer(evaluator_.compile(extent), 0));
    if (evaluator_.failed()) return std::unexpected(evaluator_.error());
    return shape;
  }

  Result<NDArray> fresh(BufferNode const& buffer) {
    TRY_ASSIGN(Shape shape, shape_of(buffer));
    TRY_ASSIGN(NDArray array, NDArray::create(buffer.type, shape));
    double poison = is_float(buffer.type) ? std::numeric_limits<double>::quiet_NaN() : 85;
    if (buffer.type == DType::kF32)
      std::fill_n(static_cast<float*>(array.data()), array.size(), float(poison));
    else
      for (int64_t i = 0; i < array.size(); ++i) array.set_value(i, poison);
    return array;
  }

  void bind(BufferNode const& buffer, NDArray array) {
    evaluator_.bind(buffer.name, std::move(array));
  }

  Status run(Stmt const& body) {
    auto code = compile(body);
    execute(*code);
    if (evaluator_.failed()) return std::unexpected(evaluator_.error());
    return {};
  }

private:
  struct Callee;
  /// A statement with its expressions resolved to slots.
  struct Code {
    Stmt source;
    int slot = -1;
    LoopKind loop_kind = LoopKind::kSerial;
    std::vector<Compiled> exprs;  // extent | indices then value | condition | value
    std::vector<int> iter_slots;
    std::vector<Compiled> iter_extents;
    std::vector<IterKind> iter_kinds;
    Compiled predicate;
    int buffer = -1;
    int lanes = 1;
    std::vector<std::unique_ptr<Code>> children;
    std::unique_ptr<Callee> callee;
  };
  using CodePtr = std::unique_ptr<Code>;
  /// An operand of a call: a number, or a tensor's elements as the axes run.
  struct Passed {
    int formal = -1;                       // slot of the parameter in the callee
    int buffer = -1;                       // of the tensor that is handed over
    std::vector<int> axes;                 // slots
    std::vector<Compiled> extents, exprs;  // of the axes; indices, or the number
  };
  /// What a call runs. It sees its operands only.
  struct Callee {
    std::unique_ptr<Machine> machine;
    CodePtr body;
    std::vector<Passed> passed;
  };

  CodePtr compile(Stmt const& s) {
    auto code = std::make_unique<Code>();
    code->source = s;
    dispatch(*s, [&](auto const& node) { compile(node, *code); });
    return code;
  }

  void compile(For const& node, Code& code) {
    code.exprs.push_back(evaluator_.compile(node.extent));
    code.slot = evaluator_.slot(node.name());
    code.loop_kind = node.loop_kind;
    code.children.push_back(compile(node.body));
  }

  void compile(Store const& node, Code& code) {
    code.buffer = evaluator_.buffer_slot(node.buffer->name);
    for (Expr const& index : node.indices) code.exprs.push_back(evaluator_.compile(index));
    code.exprs.push_back(evaluator_.compile(node.value));
    code.lanes = std::max(node.value.lanes(), Load::lanes_of(node.indices));
  }

  void compile(Seq const& node, Code& code) {
    for (Stmt const& child : node.stmts) code.children.push_back(compile(child));
  }

  void compile(If const& node, Code& code) {
    code.exprs.push_back(evaluator_.compile(node.condition));
    code.lanes = node.condition.lanes();
    code.children.push_back(compile(node.then_body));
    if (node.else_body) code.children.push_back(compile(node.else_body));
  }

  void compile(Let const& node, Code& code) {
    code.exprs.push_back(evaluator_.compile(node.value));
    code.slot = evaluator_.slot(node.var.to<Variable>().name);
    code.children.push_back(compile(node.body));
  }

  void compile(Alloc const& node, Code& code) {
    code.buffer = evaluator_.buffer_slot(node.buffer->name);
    code.children.push_back(compile(node.body));
  }

  void compile(HintNode auto const&, Code&) {}  // nothing that a program could notice

  void compile(IntrinsicCall const& node, Code& code) {
    IntrinsicNode const& intrinsic = *node.intrinsic;
    code.callee = std::make_unique<Callee>();
    code.callee->machine = std::make_unique<Machine>(options_);
    Machine& inner = *code.callee->machine;
    if (intrinsic.behaviour) code.callee->body = inner.compile(intrinsic.behaviour);
    for (size_t i = 0; i < intrinsic.params.size(); ++i) {
      IntrinsicParam const& param = intrinsic.params[i];
      Passed passed;
      for (OperandAxis const& axis : node.operands[i].axes) {
        passed.extents.push_back(evaluator_.compile(axis.extent));
        passed.axes.push_back(evaluator_.slot(axis.name()));
      }
      if (param.buffer) {
        auto const& element = node.operands[i].value.to<Load>();
        passed.buffer = evaluator_.buffer_slot(element.buffer->name);
        for (Expr const& index : element.indices) passed.exprs.push_back(evaluator_.compile(index));
        passed.formal = inner.evaluator_.buffer_slot(param.name());
      } else {
        passed.exprs.push_back(evaluator_.compile(node.operands[i].value));
        passed.formal = inner.evaluator_.slot(param.name());
      }
      code.callee->passed.push_back(std::move(passed));
    }
  }

  void compile(Block const& node, Code& code) {
    for (IterVar const& iter : node.iters) {
      code.exprs.push_back(evaluator_.compile(iter.binding));
      code.iter_extents.push_back(evaluator_.compile(iter.extent));
      code.iter_slots.push_back(evaluator_.slot(iter.name()));
      code.iter_kinds.push_back(iter.kind);
    }
    if (node.predicate) code.predicate = evaluator_.compile(node.predicate);
    code.children.push_back(compile(node.body));
    if (node.init) code.children.push_back(compile(node.init));
  }

  void execute(Code const& code) {
    if (evaluator_.failed()) return;
    dispatch(*code.source, [&](auto const& node) { execute(node, code); });
  }

  void execute(For const&, Code const& code) { loop(code); }
  void execute(Block const&, Code const& code) { block(code); }
  void execute(Store const&, Code const& code) { store(code); }
  void execute(If const&, Code const& code) { condition(code); }
  void execute(HintNode auto const&, Code const&) {}
  void execute(Seq const&, Code const& code) {
    for (CodePtr const& child : code.children) execute(*child);
  }
  void execute(Let const&, Code const& code) {
    evaluator_.set_from(code.slot, code.exprs[0]);
    execute(*code.children[0]);
  }
  void execute(Alloc const& node, Code const& code) {
    auto array = fresh(*node.buffer);
    if (!array) return evaluator_.fail(array.error());
    evaluator_.bind(code.buffer, std::move(*array));
    execute(*code.children[0]);
  }

  /// The behaviour runs on tensors of its own: copies of what it reads, and of what it writes
  /// afterwards. So an access outside of an operand shows, and an element not written is poison.
  void execute(IntrinsicCall const& node, Code const& code) {
    if (!count_step()) return;
    IntrinsicNode const& intrinsic = *node.intrinsic;
    if (mask_) return refuse_call(intrinsic, "its call is under a mask");
    if (intrinsic.barrier && together_ > 0)
      return refuse_call(intrinsic,
                         "a barrier is inside a loop whose iterations run together, but the "
                         "interpreter runs them one after the other");
    Machine& inner = *code.callee->machine;
    std::vector<NDArray> arrays;
    for (size_t i = 0; i < intrinsic.params.size() && !evaluator_.failed(); ++i)
      arrays.push_back(hand_over(intrinsic.params[i], code.callee->passed[i], inner));
    if (!evaluator_.failed() && code.callee->body) inner.execute(*code.callee->body);
    if (inner.evaluator_.failed()) evaluator_.fail(inner.evaluator_.error());
    for (size_t i = 0; i < intrinsic.params.size() && !evaluator_.failed(); ++i)
      if (intrinsic.params[i].writes()) take_back(code.callee->passed[i], arrays[i]);
  }

  void refuse_call(IntrinsicNode const& intrinsic, char const* why) {
    evaluator_.fail(Error{"call_not_interpreted",
                          fmt::format("{} cannot be interpreted: {}", intrinsic.name, why),
                          {},
                          Fault::kRefused});
  }

  NDArray hand_over(IntrinsicParam const& param, Passed const& passed, Machine& inner) {
    if (!param.buffer) {
      inner.evaluator_.set_value(passed.formal, evaluator_.value(passed.exprs[0], 0));
      return {};
    }
    auto array = inner.fresh(*param.buffer);
    if (!array) return evaluator_.fail(array.error()), NDArray();
    for (size_t d = 0; d < passed.extents.size(); ++d)
      if (int64_t extent = evaluator_.integer(passed.extents[d], 0); extent != array->shape()[d])
        evaluator_.fail(Error{"operand_mismatch",
                              fmt::format("dimension {} of {} is {}, but {} are passed", d,
                                          param.name(), array->shape()[d], extent),
                              {},
                              Fault::kRefused});
    inner.evaluator_.bind(passed.formal, *array);
    if (param.reads())
      for_elements(passed, *array, [&](int64_t at, int64_t from) {
        inner.evaluator_.write(passed.formal, at, evaluator_.read(passed.buffer, from));
      });
    return *array;
  }

  void take_back(Passed const& passed, NDArray const& array) {
    int temporary = evaluator_.buffer_slot(" operand");  // no name that a program could have
    evaluator_.bind(temporary, array);
    for_elements(passed, array, [&](int64_t at, int64_t to) {
      evaluator_.write(passed.buffer, to, evaluator_.read(temporary, at));
    });
  }

  /// Calls `f(element of the operand, element of the tensor)`.
  template <typename F>
  void for_elements(Passed const& passed, NDArray const& array, F const& f) {
    for (int64_t at = 0; at < array.size() && !evaluator_.failed(); ++at) {
      int64_t rest = at;
      for (size_t d = passed.axes.size(); d-- > 0;) {
        evaluator_.set(passed.axes[d], rest % array.shape()[d]);
        rest /= array.shape()[d];
      }
      int64_t place = evaluator_.offset(passed.buffer, passed.exprs, 0);
      if (!evaluator_.failed()) f(at, place);
    }
  }

  void loop(Code const& code) {
    int64_t extent = evaluator_.integer(code.exprs[0], 0);
    bool free_order = code.loop_kind == LoopKind::kParallel ||
                      code.loop_kind == LoopKind::kVector || code.loop_kind == LoopKind::kBind;
    together_ += free_order;
    run_iterations(code, extent, free_order);
    together_ -= free_order;
  }

  void run_iterations(Code const& code, int64_t extent, bool free_order) {
    if (free_order && options_.shuffle_seed != 0) return shuffled(code, extent);
    for (int64_t i = 0; i < extent && !evaluator_.failed(); ++i) {
      evaluator_.set(code.slot, i);
      execute(*code.children[0]);
    }
  }

  void shuffled(Code const& code, int64_t extent) {
    std::vector<int64_t> order(size_t(std::max<int64_t>(extent, 0)));
    std::iota(order.begin(), order.end(), 0);
    for (size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[size_t(rng_.below(int64_t(i)))]);
    for (int64_t i : order) {
      if (evaluator_.failed()) return;
      evaluator_.set(code.slot, i);
      execute(*code.children[0]);
    }
  }

  void block(Code const& code) {
    if (!count_step()) return;
    if (code.predicate.valid() && !evaluator_.integer(code.predicate, 0)) return;
    bool first = true;
    for (size_t i = 0; i < code.iter_slots.size(); ++i) {
      int64_t value = evaluator_.integer(code.exprs[i], 0);
      int64_t extent = evaluator_.integer(code.iter_extents[i], 0);
      if (value < 0 || value >= extent)
        return evaluator_.fail(
            Error{"iterator_out_of_range",
                  fmt::format("block {}: iterator {} is {}, out of range 0..{}",
                              code.source.to<Block>().name, code.source.to<Block>().iters[i].name(),
                              value, extent - 1),
                  {},
                  Fault::kRefused});
      evaluator_.set(code.iter_slots[i], value);
      if (code.iter_kinds[i] == IterKind::kReduce && value != 0) first = false;
    }
    if (first && code.children.size() > 1) execute(*code.children[1]);
    execute(*code.children[0]);
  }

  void store(Code const& code) {
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

  void condition(Code const& code) {
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

  bool count_step() {
    if (++steps_ > options_.max_steps) {
      evaluator_.fail(Error{
          "too_many_steps",
          fmt::format(
              "the interpreter stopped after {} statements: the kernel is too large to interpret",
              options_.max_steps),
          {},
          Fault::kEnvironment});
      return false;
    }
    if ((steps_ & 0xFFFF) == 0 && options_.stop.stop_requested()) {
      evaluator_.fail(Error{"cancelled", "cancelled", {}, Fault::kEnvironment});
      return false;
    }
    return true;
  }

  InterpretOptions const& options_;
  Rng rng_;
  ExprEvaluator evaluator_;
  Compiled const* mask_ = nullptr;
  int64_t steps_ = 0;
  int together_ = 0;  // loops around whose iterations run together
};

Result<std::vector<NDArray>> run(std::vector<Buffer> const& inputs,
                                 std::vector<Buffer> const& outputs,
                                 std::vector<SizeParam> const& sizes, Stmt const& body,
                                 std::vector<NDArray> const& arguments,
                                 InterpretOptions const& options) {
  Machine machine(options);
  TRY(machine.bind_sizes(sizes));
  if (arguments.size() != inputs.size())
    return bad_input("missing_input", fmt::format("the kernel takes {} tensors, but {} were given",
                                                  inputs.size(), arguments.size()));
  for (size_t i = 0; i < inputs.size(); ++i) {
    TRY_ASSIGN(Shape shape, machine.shape_of(*inputs[i]));
    if (arguments[i].type() != inputs[i]->type ||
        element_count(shape).value_or(-1) != arguments[i].size())
      return bad_input(
          "shape_mismatch",
          fmt::format("the input {} must be {} {}, not {} {}", inputs[i]->name,
                      tw::to_text(inputs[i]->type), tw::to_text(shape),
                      tw::to_text(arguments[i].type()), tw::to_text(arguments[i].shape())));
    machine.bind(*inputs[i], arguments[i]);
  }
  std::vector<NDArray> results;
  for (Buffer const& output : outputs) {
    TRY_ASSIGN(NDArray array, machine.fresh(*output));
    machine.bind(*output, array);
    results.push_back(array);
  }
  TRY(machine.run(body));
  return results;
}

}  // namespace

Result<std::vector<NDArray>> interpret(Program const& program, std::vector<NDArray> const& inputs,
                                       InterpretOptions const& options) {
  return run(program.inputs, program.outputs, program.sizes, program.body, inputs, options);
}

Result<std::vector<NDArray>> interpret(KernelIr const& kernel, size_t input_count,
                                       std::vector<NDArray> const& inputs,
                                       InterpretOptions const& options) {
  auto middle = kernel.host.params.begin() + std::ptrdiff_t(input_count);
  return run({kernel.host.params.begin(), middle}, {middle, kernel.host.params.end()},
             kernel.host.sizes, kernel.host.body, inputs, options);
}

}  // namespace tw::ir
