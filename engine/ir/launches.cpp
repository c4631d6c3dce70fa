#include "engine/ir/launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/ir/intrinsic.h"
#include "engine/ir/kernel.h"
#include "engine/ir/rewrite.h"

namespace tw::ir {
namespace {

IntrinsicCall const* launch(Stmt const& s) {
  auto const* call = s.as<IntrinsicCall>();
  return call && !call->intrinsic->function.empty() ? call : nullptr;
}

/// All elements of a tensor, whose extents may be known at run time only.
Operand whole(Buffer const& buffer) {
  Operand operand;
  std::vector<Expr> indices;
  for (size_t d = 0; d < buffer->shape.size(); ++d) {
    indices.push_back(var(fmt::format("{}.{}", buffer->name, d)));
    operand.axes.push_back({indices.back(), buffer->shape[d]});
  }
  operand.value = load(buffer, std::move(indices));
  return operand;
}

/// What stands in place of a launch.
Stmt launched_body(Function const& function, IntrinsicCall const& call) {
  Substitution sizes;
  size_t at = 0;
  for (SizeParam const& size : function.sizes)
    sizes[size.var.to<Variable>().name] = call.operands[at++].value;
  Stmt body = substitute(function.body, sizes);
  for (Buffer const& param : function.params)
    body = replace_buffer(body, param->name, call.operands[at++].value.to<Load>().buffer);
  return body;
}

Status verify_launch(KernelIr const& kernel, IntrinsicCall const& call) {
  IntrinsicNode const& intrinsic = *call.intrinsic;
  auto wrong = [&](std::string const& what) {
    return bad_input("invalid_kernel",
                     fmt::format("{} launches {}, {}", intrinsic.name, intrinsic.function, what));
  };
  Function const* function = device_function(kernel, intrinsic.function);
  if (!function) return wrong("which is no device function of the kernel");
  size_t sizes = function->sizes.size();
  if (intrinsic.params.size() != sizes + function->params.size())
    return wrong("which takes other operands");
  for (size_t i = 0; i < intrinsic.params.size(); ++i) {
    Buffer const& given = intrinsic.params[i].buffer;
    bool fits = i < sizes ? !given : given && equal(given, function->params[i - sizes]);
    if (!fits) return wrong(fmt::format("which takes another operand {}", i + 1));
  }
  return {};
}

}  // namespace

Function const* device_function(KernelIr const& kernel, std::string_view name) {
  auto found = std::ranges::find(kernel.device, name, &Function::name);
  return found == kernel.device.end() ? nullptr : &*found;
}

Stmt launch_of(Function const& function) {
  std::set<std::string> written;
  walk_writes(function.body, [&](Touched const& at) { written.insert(at.buffer->name); });
  IntrinsicNode node{.name = function.name, .doc = {}, .params = {}};
  node.function = function.name;
  std::vector<Operand> operands;
  for (SizeParam const& size : function.sizes) {
    node.params.push_back({ParamKind::kScalar, size.var, nullptr});
    operands.push_back({size.var, {}});
  }
  for (Buffer const& param : function.params) {
    bool writes = written.contains(param->name);
    node.params.push_back(tensor_param(writes ? ParamKind::kUpdate : ParamKind::kRead, param));
    operands.push_back(whole(param));
  }
  return make_from<IntrinsicCall>(function.body->origin,
                                  std::make_shared<IntrinsicNode const>(std::move(node)),
                                  std::move(operands));
}

Status verify_launches(KernelIr const& kernel) {
  std::set<std::string_view> names;
  for (Function const& function : kernel.device)
    if (!names.insert(function.name).second)
      return bad_input("invalid_kernel",
                       fmt::format("there are two device functions named '{}'", function.name));
  Status status;
  for_each_function(kernel, [&](Function const& function) {
    walk(function.body, [&](Stmt const& s) {
      IntrinsicCall const* call = launch(s);
      if (!status || !call) return bool(status);
      if (&function != &kernel.host)
        status = bad_input("invalid_kernel", fmt::format("the device function {} launches {}",
                                                         function.name, call->intrinsic->function));
      else
        status = verify_launch(kernel, *call);
      return bool(status);
    });
  });
  return status;
}

Stmt with_launched_bodies(KernelIr const& kernel) {
  if (kernel.device.empty()) return kernel.host.body;
  return rewrite_stmts(kernel.host.body, [&](Stmt const& s) -> Stmt {
    IntrinsicCall const* call = launch(s);
    if (!call) return nullptr;
    return launched_body(*device_function(kernel, call->intrinsic->function), *call);
  });
}

}  // namespace tw::ir
