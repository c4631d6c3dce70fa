#include "engine/ir/interpreter.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "engine/ir/compiled_expr.h"
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
      return bad_input("missing_size", fmt::format("the kernel has {} sizes, {} were given",
                                                   sizes.size(), options_.sizes.size()));
    for (size_t i = 0; i < sizes.size(); ++i) {
      int64_t value = options_.sizes[i];
      if (value < sizes[i].low || value > sizes[i].high)
        return bad_input("size_out_of_range",
                         fmt::format("the size {} must be from {} to {}, not {}",
                                     to_text(sizes[i].var), sizes[i].low, sizes[i].high, value));
      frame_.set(frame_.slot(sizes[i].var.as<Variable>()->name), value);
    }
    return {};
  }

  Result<Shape> shape_of(BufferNode const& buffer) {
    Shape shape;
    for (Expr const& extent : buffer.shape)
      shape.push_back(frame_.integer(frame_.compile(extent), 0));
    if (frame_.failed()) return std::unexpected(frame_.error());
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

  void bind(BufferNode const& buffer, NDArray array) { frame_.bind(buffer.name, std::move(array)); }

  Status run(Stmt const& body) {
    auto code = compile(body);
    execute(*code);
    if (frame_.failed()) return std::unexpected(frame_.error());
    return {};
  }

private:
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
  };
  using CodePtr = std::unique_ptr<Code>;

  CodePtr compile(Stmt const& s) {
    auto code = std::make_unique<Code>();
    code->source = s;
    switch (s->kind) {
      case NodeKind::kFor: {
        auto const* node = s.as<For>();
        code->exprs.push_back(frame_.compile(node->extent));
        code->slot = frame_.slot(node->name());
        code->loop_kind = node->loop_kind;
        code->children.push_back(compile(node->body));
        break;
      }
      case NodeKind::kBlock:
        compile_block(*s.as<Block>(), *code);
        break;
      case NodeKind::kStore: {
        auto const* node = s.as<Store>();
        code->buffer = frame_.buffer_slot(node->buffer->name);
        for (Expr const& index : node->indices) code->exprs.push_back(frame_.compile(index));
        code->exprs.push_back(frame_.compile(node->value));
        code->lanes = std::max(node->value.lanes(), Load::lanes_of(node->indices));
        break;
      }
      case NodeKind::kPrefetch:  // nothing that a program could notice
        break;
      case NodeKind::kSeq:
        for (Stmt const& child : s.as<Seq>()->stmts) code->children.push_back(compile(child));
        break;
      case NodeKind::kIf: {
        auto const* node = s.as<If>();
        code->exprs.push_back(frame_.compile(node->condition));
        code->lanes = node->condition.lanes();
        code->children.push_back(compile(node->then_body));
        if (node->else_body) code->children.push_back(compile(node->else_body));
        break;
      }
      case NodeKind::kLet: {
        auto const* node = s.as<Let>();
        code->exprs.push_back(frame_.compile(node->value));
        code->slot = frame_.slot(node->var.as<Variable>()->name);
        code->children.push_back(compile(node->body));
        break;
      }
      default: {
        auto const* node = s.as<Alloc>();
        code->buffer = frame_.buffer_slot(node->buffer->name);
        code->children.push_back(compile(node->body));
      }
    }
    return code;
  }

  void compile_block(Block const& node, Code& code) {
    for (IterVar const& iter : node.iters) {
      code.exprs.push_back(frame_.compile(iter.binding));
      code.iter_extents.push_back(frame_.compile(iter.extent));
      code.iter_slots.push_back(frame_.slot(iter.name()));
      code.iter_kinds.push_back(iter.kind);
    }
    if (node.predicate) code.predicate = frame_.compile(node.predicate);
    code.children.push_back(compile(node.body));
    if (node.init) code.children.push_back(compile(node.init));
  }

  void execute(Code const& code) {
    if (frame_.failed()) return;
    switch (code.source->kind) {
      case NodeKind::kFor:
        return loop(code);
      case NodeKind::kBlock:
        return block(code);
      case NodeKind::kStore:
        return store(code);
      case NodeKind::kPrefetch:
        return;
      case NodeKind::kSeq:
        for (CodePtr const& child : code.children) execute(*child);
        return;
      case NodeKind::kIf:
        return condition(code);
      case NodeKind::kLet: {
        frame_.set_from(code.slot, code.exprs[0]);
        return execute(*code.children[0]);
      }
      default: {
        auto array = fresh(*code.source.as<Alloc>()->buffer);
        if (!array) return frame_.fail(array.error());
        frame_.bind(code.buffer, std::move(*array));
        return execute(*code.children[0]);
      }
    }
  }

  void loop(Code const& code) {
    int64_t extent = frame_.integer(code.exprs[0], 0);
    bool free_order = code.loop_kind == LoopKind::kParallel ||
                      code.loop_kind == LoopKind::kVector || code.loop_kind == LoopKind::kBind;
    if (free_order && options_.shuffle_seed != 0) return shuffled(code, extent);
    for (int64_t i = 0; i < extent && !frame_.failed(); ++i) {
      frame_.set(code.slot, i);
      execute(*code.children[0]);
    }
  }

  void shuffled(Code const& code, int64_t extent) {
    std::vector<int64_t> order(size_t(std::max<int64_t>(extent, 0)));
    std::iota(order.begin(), order.end(), 0);
    for (size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[size_t(rng_.below(int64_t(i)))]);
    for (int64_t i : order) {
      if (frame_.failed()) return;
      frame_.set(code.slot, i);
      execute(*code.children[0]);
    }
  }

  void block(Code const& code) {
    if (!count_step()) return;
    if (code.predicate.valid() && !frame_.integer(code.predicate, 0)) return;
    bool first = true;
    for (size_t i = 0; i < code.iter_slots.size(); ++i) {
      int64_t value = frame_.integer(code.exprs[i], 0);
      int64_t extent = frame_.integer(code.iter_extents[i], 0);
      if (value < 0 || value >= extent)
        return frame_.fail(
            Error{"iterator_out_of_range",
                  fmt::format("block {}: iterator {} is {}, outside of 0..{}",
                              code.source.as<Block>()->name,
                              code.source.as<Block>()->iters[i].name(), value, extent - 1),
                  {},
                  Fault::kRefused});
      frame_.set(code.iter_slots[i], value);
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
      if (mask_ && !frame_.integer(*mask_, lane)) {
        offsets[lane] = -1;
        continue;
      }
      offsets[lane] = frame_.offset(code.buffer, {code.exprs.data(), rank}, lane);
      values[lane] = frame_.value(code.exprs[rank], lane);
      if (frame_.failed()) return;
    }
    for (int lane = 0; lane < code.lanes; ++lane)
      if (offsets[lane] >= 0) frame_.write(code.buffer, offsets[lane], values[lane]);
  }

  void condition(Code const& code) {
    if (code.lanes > 1) {  // a mask over the stores below
      Compiled const* outer = std::exchange(mask_, &code.exprs[0]);
      execute(*code.children[0]);
      mask_ = outer;
    } else if (frame_.integer(code.exprs[0], 0)) {
      execute(*code.children[0]);
    } else if (code.children.size() > 1) {
      execute(*code.children[1]);
    }
  }

  bool count_step() {
    if (++steps_ > options_.max_steps) {
      frame_.fail(
          Error{"too_many_steps",
                fmt::format("the interpreter gave up after {} statements", options_.max_steps),
                {},
                Fault::kEnvironment});
      return false;
    }
    if ((steps_ & 0xFFFF) == 0 && options_.stop.stop_requested()) {
      frame_.fail(Error{"cancelled", "cancelled", {}, Fault::kEnvironment});
      return false;
    }
    return true;
  }

  InterpretOptions const& options_;
  Rng rng_;
  Frame frame_;
  Compiled const* mask_ = nullptr;
  int64_t steps_ = 0;
};

Result<std::vector<NDArray>> run(std::vector<Buffer> const& inputs,
                                 std::vector<Buffer> const& outputs,
                                 std::vector<SizeParam> const& sizes, Stmt const& body,
                                 std::vector<NDArray> const& arguments,
                                 InterpretOptions const& options) {
  Machine machine(options);
  TRY(machine.bind_sizes(sizes));
  if (arguments.size() != inputs.size())
    return bad_input("missing_input", fmt::format("the kernel takes {} tensors, {} were given",
                                                  inputs.size(), arguments.size()));
  for (size_t i = 0; i < inputs.size(); ++i) {
    TRY_ASSIGN(Shape shape, machine.shape_of(*inputs[i]));
    if (arguments[i].type() != inputs[i]->type ||
        element_count(shape).value_or(-1) != arguments[i].size())
      return bad_input(
          "shape_mismatch",
          fmt::format("input {} must be {} {}, not {} {}", inputs[i]->name,
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
