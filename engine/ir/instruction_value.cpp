#include "engine/ir/instruction_value.h"

#include <fmt/format.h>

#include "engine/ir/interpreter.h"
#include "engine/ir/rewrite.h"
#include "engine/tensor/integers.h"

namespace tw::ir {
namespace {

/// for each element: to[...] = from[...]
Stmt copy_of(Buffer const& from, Buffer const& to) {
  std::vector<Expr> at;
  for (size_t d = 0; d < to->shape.size(); ++d) at.push_back(var(fmt::format("copied.{}", d)));
  Stmt body = make<Store>(to, at, load(from, at));
  for (size_t d = at.size(); d-- > 0;)
    body = make<For>(LoopId{}, at[d], to->shape[d], LoopKind::kSerial, body);
  return body;
}

Expr number_of(NDArray const& array) {
  DType type = array.type();
  return is_float(type) ? float_imm(array.value_at(0), type) : int_imm(integer_at(array, 0), type);
}

}  // namespace

ValueParams value_params(IntrinsicNode const& intrinsic) {
  ValueParams params;
  int written = 0;
  for (IntrinsicParam const& param : intrinsic.params) {
    if (!param.writes()) params.operands.push_back(&param);
    if (!param.writes()) continue;
    params.result = ++written == 1 ? &param : nullptr;
    if (param.reads()) params.operands.insert(params.operands.begin(), &param);
  }
  if (written != 1) params.result = nullptr;
  return params;
}

int lanes_of(IntrinsicParam const& param) {
  int64_t lanes = 1;
  if (param.buffer)
    for (Expr const& extent : param.buffer->shape) lanes *= as_int(extent).value_or(1);
  return int(lanes);
}

Result<NDArray> instruction_value(IntrinsicNode const& intrinsic,
                                  std::vector<NDArray> const& operands) {
  ValueParams params = value_params(intrinsic);
  Substitution numbers;
  std::vector<NDArray> inputs;
  KernelIr kernel;
  std::vector<Stmt> body;
  for (size_t i = 0; i < operands.size(); ++i) {
    IntrinsicParam const& param = *params.operands[i];
    if (!param.buffer) {
      numbers[param.name()] = number_of(operands[i]);
      continue;
    }
    BufferNode node = *param.buffer;
    if (param.writes()) node.name += ".old";
    kernel.host.params.push_back(std::make_shared<BufferNode const>(std::move(node)));
    inputs.push_back(operands[i]);
    if (param.writes()) body.push_back(copy_of(kernel.host.params.back(), param.buffer));
  }
  kernel.host.params.push_back(params.result->buffer);
  body.push_back(substitute(intrinsic.behaviour, numbers));
  kernel.host.body = seq(std::move(body));
  TRY_ASSIGN(std::vector<NDArray> results, interpret(kernel, inputs.size(), inputs));
  return results[0];
}

}  // namespace tw::ir
