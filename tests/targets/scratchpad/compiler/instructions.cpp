#include "tests/targets/scratchpad/compiler/instructions.h"

#include "engine/ir/rewrite.h"
#include "tests/targets/scratchpad/scratchpad.h"

namespace tw::scratchpad {
namespace {

using namespace ir;

Buffer in_the_pad(char const* name) { return make_buffer(name, DType::kF32, {kUnit, kUnit}, kPad); }

Stmt loop(int32_t id, Expr const& counter, Expr extent, Stmt body) {
  return make<For>(LoopId{id}, counter, std::move(extent), LoopKind::kSerial, std::move(body));
}

/// A serial loop, and what stands below it when that is one statement.
For const* serial(Stmt const& s) {
  auto const* node = s.as<For>();
  return node && node->loop_kind == LoopKind::kSerial ? node : nullptr;
}

bool uses(std::vector<Expr> const& indices, For const& over) {
  for (Expr const& index : indices)
    if (uses_variable(index, over.name())) return true;
  return false;
}

Operand elements(Buffer const& buffer, std::vector<Expr> const& indices,
                 std::initializer_list<For const*> over) {
  Operand operand{load(buffer, indices), {}};
  for (For const* one : over) operand.axes.push_back({one->var, one->extent});
  return operand;
}

/// for i in N: T[.., i] = S[.., i]; null where it is none.
Stmt as_copy(Stmt const& s) {
  auto const* over = serial(s);
  auto const* store = over ? over->body.as<Store>() : nullptr;
  auto const* source = store ? store->value.as<Load>() : nullptr;
  if (!source || !uses(store->indices, *over) || store->buffer->name == source->buffer->name)
    return nullptr;
  std::vector<Operand> operands{{over->extent, {}},
                                elements(store->buffer, store->indices, {over}),
                                elements(source->buffer, source->indices, {over})};
  return make_from<IntrinsicCall>(s->origin, copy_instruction(store->buffer->type),
                                  std::move(operands));
}

/// for i in 4: for j in 4: for k in 4: C[i, j] = C[i, j] + A[i, k] * B[k, j]; null where it is
/// none.
Stmt as_product(Stmt const& s) {
  auto const* i = serial(s);
  auto const* j = i ? serial(i->body) : nullptr;
  auto const* k = j ? serial(j->body) : nullptr;
  auto const* store = k ? k->body.as<Store>() : nullptr;
  if (!store) return nullptr;
  for (For const* one : {i, j, k})
    if (!is_int(one->extent, kUnit)) return nullptr;
  auto const* sum = store->value.as<Binary>();
  auto const* old = sum && sum->op == BinaryOp::kAdd ? sum->a.as<Load>() : nullptr;
  auto const* term = sum ? sum->b.as<Binary>() : nullptr;
  auto const* a = term && term->op == BinaryOp::kMul ? term->a.as<Load>() : nullptr;
  auto const* b = term ? term->b.as<Load>() : nullptr;
  if (!old || !a || !b || !equal(sum->a, load(store->buffer, store->indices))) return nullptr;
  for (Buffer const& one : {store->buffer, a->buffer, b->buffer})
    if (one->scope != kPad || one->type != DType::kF32) return nullptr;
  if (uses(store->indices, *k) || uses(a->indices, *j) || uses(b->indices, *i)) return nullptr;
  std::vector<Operand> operands{elements(store->buffer, store->indices, {i, j}),
                                elements(a->buffer, a->indices, {i, k}),
                                elements(b->buffer, b->indices, {k, j})};
  return make_from<IntrinsicCall>(s->origin, product_instruction(), std::move(operands));
}

class Using : public Rewriter {
public:
  Expr visit(Expr const& e) override { return e; }
  Stmt visit(Stmt const& s) override {
    if (Stmt product = as_product(s)) return product;
    if (Stmt copy = as_copy(s)) return copy;
    return rebuild(s);
  }
};

Result<KernelIr> run(KernelIr const& kernel, PassContext const&) {
  return rewrite_functions(kernel, [](Function const& function) -> Result<Function> {
    Function next = function;
    next.body = Using().visit(function.body);
    return next;
  });
}

}  // namespace

Intrinsic copy_instruction(DType type) {
  Expr n = var("n"), at = var("i");
  auto run_of = [&](char const* name) {
    return std::make_shared<BufferNode const>(BufferNode{name, type, {n}, ""});
  };
  Buffer to = run_of("to"), from = run_of("from");
  return declare({.name = "copy_" + std::string(to_text(type)),
                  .doc = "a run of elements, from one memory to another",
                  .params = {scalar_param("n"), tensor_param(ParamKind::kWrite, to),
                             tensor_param(ParamKind::kRead, from)},
                  .behaviour = loop(0, at, n, make<Store>(to, std::vector{at}, load(from, {at})))})
      .value();
}

Intrinsic product_instruction() {
  Expr i = var("i"), j = var("j"), k = var("k"), four = int_imm(kUnit);
  Buffer c = in_the_pad("c"), a = in_the_pad("a"), b = in_the_pad("b");
  Expr term = binary(BinaryOp::kMul, load(a, {i, k}), load(b, {k, j}));
  Stmt store = make<Store>(c, std::vector{i, j}, binary(BinaryOp::kAdd, load(c, {i, j}), term));
  return declare({.name = "mma",
                  .doc = "the matrix unit: a product of 4 x 4 elements is added",
                  .params = {tensor_param(ParamKind::kUpdate, c), tensor_param(ParamKind::kRead, a),
                             tensor_param(ParamKind::kRead, b)},
                  .behaviour = loop(0, i, four, loop(1, j, four, loop(2, k, four, store)))})
      .value();
}

Pass use_instructions() {
  return {.name = "use_instructions",
          .title = "Calls the machine's instructions where a nest does what they do",
          .why = "after tensors shrank: what is left of a nest is what an instruction works on",
          .run = run,
          .contract = {.needs = {Invariant::kNoBlocks, Invariant::kScalarCode}}};
}

}  // namespace tw::scratchpad
