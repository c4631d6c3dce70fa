#include "engine/ir/interpreter.h"

#include <fmt/format.h>

#include "engine/ir/launches.h"
#include "engine/ir/statement_interpreter.h"

namespace tw::ir {
namespace {

Result<std::vector<NDArray>> run_once(StatementInterpreter& machine,
                                      std::vector<Buffer> const& inputs,
                                      std::vector<Buffer> const& outputs,
                                      std::vector<SizeParam> const& sizes, Stmt const& body,
                                      std::vector<NDArray> const& arguments) {
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

/// After a race the same is run again, to see which iteration the earlier access was of.
Result<std::vector<NDArray>> run(std::vector<Buffer> const& inputs,
                                 std::vector<Buffer> const& outputs,
                                 std::vector<SizeParam> const& sizes, Stmt const& body,
                                 std::vector<NDArray> const& arguments,
                                 InterpretOptions const& options) {
  StatementInterpreter machine(options);
  auto results = run_once(machine, inputs, outputs, sizes, body, arguments);
  if (results || machine.raced_step() == 0) return results;
  StatementInterpreter again(options);
  again.watch(machine.raced_step());
  return run_once(again, inputs, outputs, sizes, body, arguments);
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
             kernel.host.sizes, with_launched_bodies(kernel), inputs, options);
}

}  // namespace tw::ir
