#include "engine/session/cases/size_cases.h"

#include <fmt/format.h>

#include "engine/schedule/trace.h"
#include "engine/session/model/kernel_reference.h"
#include "engine/session/model/open_kernel.h"
#include "engine/te/sizes.h"

namespace tw::session {
namespace {

using Values = std::vector<int64_t>;

std::string values_text(ir::Program const& program, Values const& values) {
  std::string text;
  for (size_t i = 0; i < values.size(); ++i)
    text += fmt::format("{}{}={}", i ? ", " : "", program.sizes[i].var.to<ir::Variable>().name,
                        values[i]);
  return text;
}

/// The model whose kernel has the values that a program gives to sizes of its own; itself where all
/// sizes are those of steps.
Result<Model> model_with(LoadedModel const& model, int kernel, ir::Program const& program,
                         Values const& values) {
  auto same = std::make_shared<LoadedModel>(model);
  TRY_ASSIGN(std::optional<te::Kernel> open, open_kernel(model, kernel));
  if (!open) return Model(same);
  std::map<std::string, int64_t> named;
  for (te::Size const& size : open->sizes)
    for (size_t i = 0; i < values.size(); ++i)
      if (ir::equal(program.sizes[i].var, size.range.var))
        named[size.range.var.to<ir::Variable>().name] = values[i];
  if (named.empty()) return Model(same);
  return with_size_values(same, kernel, named);
}

NDArray sizes_tensor(Values const& values) {
  NDArray sizes = NDArray::create(DType::kI64, {int64_t(values.size())}).value();
  for (size_t i = 0; i < values.size(); ++i) sizes.set_value(int64_t(i), double(values[i]));
  return sizes;
}

/// The tensors as they are with the values, and the sizes before them, as the code takes them.
ir::Program called(ir::Program const& program, Values const& values) {
  ir::Program fixed = with_sizes(program, values);
  fixed.inputs.insert(fixed.inputs.begin(),
                      ir::make_buffer("sizes", DType::kI64, {int64_t(values.size())}));
  return fixed;
}

}  // namespace

Result<SizesCheck> check_sizes(LoadedModel const& model, int kernel, Schedule const& schedule,
                               std::map<std::string, int64_t> const& only, Backend const& backend,
                               Device& device, BenchOptions const& options,
                               Progress const& progress) {
  ir::Program const& open = schedule.sized()->program;
  TRY_ASSIGN(KernelCode code, compile_open(*schedule.sized(), backend, options.call.stop));
  SizesCheck result;
  result.values = int64_t(all_size_values(open).size());
  for (Values const& values : values_to_run(open, only)) {
    TRY_ASSIGN(Model with, model_with(model, kernel, open, values));
    TRY_ASSIGN(KernelReference reference,
               kernel_reference(*with, kernel, backend, device, options.call.stop, progress));
    std::vector<NDArray> inputs = std::move(reference.inputs);
    inputs.insert(inputs.begin(), sizes_tensor(values));
    KernelBench bench(device, called(open, values), std::move(inputs));
    TRY_ASSIGN(std::vector<NDArray> outputs, bench.run(code, options));
    result.ran.push_back(values_text(open, values));
    if (te::judge(outputs, reference.expected).equal) continue;
    result.wrong = result.ran.back();
    break;
  }
  return result;
}

Result<std::string> script_showing(NamedScript const& script, MacroSet const* macros,
                                   std::map<std::string, int64_t>& values) {
  if (script.text.empty() || values.empty()) return script.text;
  TRY_ASSIGN(Script parsed, parse_script(script.text, script.name, false, macros));
  std::vector<Step> steps;
  bool changed = false;
  for (auto& [line, step] : parsed.steps) {
    Primitive const* primitive = find_primitive(step.primitive);
    bool opens = primitive && primitive->open_sizes && primitive->open_sizes->with_value;
    auto size = opens ? step.arguments.find("size") : step.arguments.end();
    auto const* name =
        size == step.arguments.end() ? nullptr : std::get_if<std::string>(&size->second);
    if (auto value = name ? values.find(*name) : values.end(); value != values.end()) {
      step.arguments["at"] = value->second;
      values.erase(value);
      changed = true;
    }
    steps.push_back(step);
  }
  return changed ? to_script(parsed.kernel, steps) : script.text;
}

}  // namespace tw::session
