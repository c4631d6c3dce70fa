#include "engine/session/model/loaded_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/backend/backend.h"
#include "engine/compile/offload.h"
#include "engine/graph/control.h"
#include "engine/importers/importer.h"
#include "engine/ir/interpreter.h"
#include "engine/ir/text.h"
#include "engine/samples/samples.h"
#include "engine/session/model/fusion_knobs.h"
#include "engine/session/model/graph_options.h"
#include "engine/session/views/graph_views.h"
#include "engine/support/base/quantities.h"
#include "engine/support/base/random.h"
#include "engine/support/files.h"
#include "engine/te/inputs.h"
#include "engine/te/sizes.h"

namespace tw::session {
namespace {

constexpr int64_t kMostInterpretedFlops = 20'000'000;  // some seconds of interpreter

int64_t bytes_of(std::vector<ir::Buffer> const& buffers) {
  int64_t bytes = 0;
  for (ir::Buffer const& buffer : buffers)
    bytes += element_count(ir::constant_shape(*buffer).value_or(Shape{})).value_or(0) *
             size_of(buffer->type);
  return bytes;
}

KernelTask task_of(te::Kernel kernel) {
  KernelTask task;
  task.name = kernel.name;
  for (te::Stage const& stage : kernel.stages)
    task.operators.push_back(stage.op.empty() ? stage.output->name : stage.op);
  task.shape = tw::to_text(ir::constant_shape(*kernel.outputs.front()).value_or(Shape{}));
  task.flops = te::flops(kernel);
  task.bytes = bytes_of(kernel.inputs) + bytes_of(kernel.outputs);
  task.hash = te::structure_hash(kernel);
  task.kernel = std::move(kernel);
  return task;
}

/// `path` may be empty: the text is all there is.
Result<Model> expression_model(std::string text, std::string const& path,
                               std::map<std::string, int64_t> const& sizes) {
  TRY_ASSIGN(te::Kernel kernel, te::parse_kernel(text, path));
  if (!sizes.empty()) {
    TRY_ASSIGN(kernel, te::showing(std::move(kernel), sizes));
    text = te::to_text(kernel);
  }
  auto model = std::make_shared<LoadedModel>();
  model->name = path.empty() ? kernel.name : std::filesystem::path(path).filename().string();
  model->path = path;
  model->is_expression = true;
  model->own[0] = std::move(text);
  model->plan.kernels.push_back(task_of(te::shown(kernel)));
  return model;
}

/// Empty: no tensor expression.
std::optional<Result<Model>> load_expression(std::string const& path,
                                             std::map<std::string, int64_t> const& sizes) {
  auto from = [&](Result<std::string> text, std::string const& file) -> Result<Model> {
    if (!text) return std::unexpected(text.error());
    return expression_model(std::move(*text), file, sizes);
  };
  if (path.starts_with("te:")) return expression_model(path.substr(3), "", sizes);
  if (path.starts_with("example:")) {
    for (ExpressionExample const& example : expression_examples())
      if (example.name == path.substr(8)) return expression_model(example.text, "", sizes);
    return bad_input("unknown_example", fmt::format("there is no example '{}'", path.substr(8)));
  }
  if (path.ends_with(".te")) return from(read_text(path, 1 << 22), path);
  return std::nullopt;
}

/// Of a model whose shapes are all its own: a fix may only say again what they are.
Status check_fixes(Graph const& graph, std::map<std::string, Shape> const& fixes) {
  for (auto const& [name, shape] : fixes) {
    auto input = std::ranges::find_if(graph.inputs,
                                      [&](ValueId id) { return graph.value(id).name == name; });
    if (input == graph.inputs.end())
      return bad_input("unknown_input", fmt::format("the model has no input '{}' to set", name));
    if (graph.value(*input).shape() != shape)
      return bad_input("wrong_shapes",
                       fmt::format("the input '{}' is {}, but {} was given", name,
                                   tw::to_text(graph.value(*input).type), tw::to_text(shape)));
  }
  return {};
}

PassDone pass_done(GraphStage const& stage) {
  PassDone done{stage.name, stage.title, 0, stage.counts};
  for_each_node(stage.graph, [&](Node const&) { ++done.operators; });
  return done;
}

/// An accelerator that computes with floats takes over nearly all of a model: what the processor
/// beside it would choose for itself it does not get.
bool leads(Backend const* helper) { return helper && helper->target().computes_with(DType::kF32); }

Status build(LoadedModel& model, Point const& given, Backend const& processor,
             Progress const& progress, Backend const* beside = nullptr) {
  Backend const& backend = leads(beside) ? *beside : processor;
  Backend const* helper = leads(beside) ? nullptr : beside;
  if (progress) progress({"fusing operators", 1, 3});
  Point const arrangement = graph_options_called(given);
  Decisions decisions(arrangement);
  LayoutChooser choose = [&](Graph const& graph) -> Result<GraphChoices> {
    TRY_ASSIGN(GraphChoices own, backend.choose_layouts(graph, decisions));
    if (!helper) return own;
    Decisions by_rule;
    TRY_ASSIGN(GraphChoices others, helper->choose_layouts(graph, by_rule));
    return joined(std::move(own), std::move(others));
  };
  TRY_ASSIGN(FusionChoices fusion, fusion_choices(arrangement));
  TRY_ASSIGN(std::vector<GraphStage> stages,
             run_graph_passes(model.before, PassChoices(choose, fusion), backend.graph_passes()));
  for (GraphStage const& stage : stages) model.passes.push_back(pass_done(stage));
  model.after = std::move(stages.back().graph);
  model.knobs = decisions.knobs();
  std::ranges::copy(fusion_knobs(model.after, fusion), std::back_inserter(model.knobs));
  TRY(check_arrangement(arrangement, model.knobs));
  if (progress) progress({"generating kernels", 2, 3});
  TRY_ASSIGN(model.plan, make_plan(model.after));
  return {};
}

ModelTensor tensor_of(Value const& value) {
  ModelTensor info{value.name, value.type.dtype.value_or(DType::kF32), {}, {}};
  if (auto shape = value.shape()) {
    info.shape = *shape;
  } else if (value.type.dims) {
    for (ir::Expr const& extent : *value.type.dims)
      info.unknown.push_back(extent ? ir::to_text(extent) : "?");
  } else {
    info.unknown.push_back("rank");
  }
  return info;
}

ModelTensor tensor_of(ir::BufferNode const& buffer) {
  return {buffer.name, buffer.type, ir::constant_shape(buffer).value_or(Shape{}), {}};
}

}  // namespace

Status check_arrangement(Point const& arrangement, std::vector<Knob> const& knobs) {
  std::vector<std::string> names;
  for (Knob const& knob : knobs) names.push_back(knob.name);
  for (auto const& [name, value] : arrangement) {
    auto knob = std::ranges::find(knobs, name, &Knob::name);
    if (knob == knobs.end() && is_fusion_knob(name))
      return bad_input("unknown_arrangement",
                       fmt::format("the model has no edge that '{}' could be about", name));
    if (knob == knobs.end())
      return bad_input(
          "unknown_arrangement",
          fmt::format("the model has no choice '{}'{}", name,
                      names.empty() ? "; it has none"
                                    : fmt::format("; it has {}", fmt::join(names, ", "))));
    if (std::ranges::find(knob->values, value) == knob->values.end())
      return bad_input("unknown_arrangement",
                       fmt::format("{} cannot be '{}': it is one of {}", name, value,
                                   fmt::join(knob->values, ", ")));
  }
  return {};
}

std::string computes_text(KernelTask const& task) { return fmt::format("{:016x}", task.hash); }

Result<Model> load_model(std::string const& path, LoadOptions const& options,
                         Backend const& backend, StopToken stop, Progress const& progress) {
  if (auto expression = load_expression(path, options.sizes)) {
    if (!options.fixes.empty() && *expression)
      return bad_input("bad_fix", "a tensor expression gives all its shapes, so none can be set");
    if (*expression) TRY(check_arrangement(options.arrangement, {}));
    return std::move(*expression);
  }
  if (!options.sizes.empty())
    return bad_input("no_such_size", fmt::format("only tensor expressions have sizes: {} is none",
                                                 options.sizes.begin()->first));
  if (progress) progress({"reading the model", 0, 3});
  auto model = std::make_shared<LoadedModel>();
  if (path.starts_with("sample:")) {
    TRY_ASSIGN(model->before, open_sample(path.substr(7)));
    TRY(check_fixes(model->before, options.fixes));
    model->name = path.substr(7);
  } else {
    TRY_ASSIGN(model->before, open_model(path, {options.fixes, options.known}));
    model->name = std::filesystem::path(path).filename().string();
    // A test folder's file is always called model.onnx: the folder says more.
    if (model->name == "model.onnx")
      model->name = std::filesystem::absolute(path).parent_path().filename().string();
    model->path = path;
  }
  if (stop.stop_requested()) return refused("cancelled", "cancelled");
  TRY(build(*model, options.arrangement, backend, progress, options.helper));
  return model;
}

Result<Model> load_arranged(std::string const& source, LoadOptions const& options,
                            Backend const& backend, std::string& sentence, StopToken stop,
                            Progress const& progress) {
  auto model = load_model(source, options, backend, stop, progress);
  bool elsewhere = !model && (model.error().code == "unknown_arrangement" ||
                              model.error().code == "cannot_fuse");
  if (!elsewhere) return model;
  LoadOptions by_rule = options;
  by_rule.arrangement.clear();
  sentence += fmt::format("{}layouts, algorithms and fusion are the default here: {}",
                          sentence.empty() ? "" : "; ", model.error().message);
  return load_model(source, by_rule, backend, stop, progress);
}

Result<Model> arranged(LoadedModel const& model, Point const& arrangement, Backend const& backend,
                       Backend const* helper) {
  auto other = std::make_shared<LoadedModel>();
  other->name = model.name;
  other->path = model.path;
  other->before = model.before;
  TRY(build(*other, arrangement, backend, {}, helper));
  Model model_with_own = other;
  for (auto const& [row, text] : model.own) {
    TRY_ASSIGN(model_with_own, with_own_kernel(model_with_own, text));
  }
  return model_with_own;
}

std::vector<Knob> const& arrangement_knobs(LoadedModel const& model) { return model.knobs; }

Point arrangement_of(LoadedModel const& model) {
  Point point;
  for (Knob const& knob : model.knobs)
    if (knob.taken != knob.preset) point[knob.name] = knob.value();
  return point;
}

Result<std::map<std::string, Shape>> parse_fixes(std::string const& shapes) {
  std::map<std::string, Shape> fixes;
  for (size_t at = 0; at < shapes.size();) {
    size_t end = std::min(shapes.find(';', at), shapes.size());
    std::string one = shapes.substr(at, end - at);
    at = end + 1;
    size_t first = one.find_first_not_of(' ');
    if (first == std::string::npos) continue;
    size_t equals = one.rfind('=');
    auto bad = [&] {
      return bad_input("bad_shapes",
                       fmt::format("a shape is given as in x=1x3x48x192, not as '{}'", one));
    };
    if (equals == std::string::npos || equals <= first) return bad();
    auto shape = parse_shape(one.substr(equals + 1, one.find_last_not_of(' ') - equals));
    if (!shape) return bad();
    fixes[one.substr(first, equals - first)] = *shape;
  }
  return fixes;
}

Result<Model> with_size_values(Model const& model, int row,
                               std::map<std::string, int64_t> const& values) {
  TRY_ASSIGN(te::Kernel kernel, te::parse_kernel(model->own.at(row)));
  TRY_ASSIGN(kernel, te::showing(std::move(kernel), values));
  return with_own_kernel(model, te::to_text(kernel), row);
}

Result<Model> with_own_kernel(Model const& model, std::string const& text, int row) {
  TRY_ASSIGN(te::Kernel parsed, te::parse_kernel(text));
  te::Kernel kernel = te::shown(parsed);
  for (size_t i = 0; i < model->plan.kernels.size(); ++i)
    if (model->plan.kernels[i].name == kernel.name && int(i) != row)
      return bad_input(
          "name_taken",
          fmt::format("there is already a kernel {}; give this one another name", kernel.name));
  auto next = std::make_shared<LoadedModel>(*model);
  bool alone = model->is_expression && row == 0;
  if (alone) {
    next->name = kernel.name;  // it is no longer what its file holds
    next->path.clear();
  } else if (!next->base) {
    next->base = model;
  }
  KernelTask task = task_of(std::move(kernel));
  if (!alone) task.count = 0;
  if (row < 0) {
    row = int(next->plan.kernels.size());
    next->plan.kernels.push_back(std::move(task));
  } else {
    next->plan.kernels[size_t(row)] = std::move(task);
  }
  next->own[row] = text;
  return next;
}

ModelView model_view(LoadedModel const& model) {
  ModelView view;
  view.name = model.name;
  view.path = model.path;
  view.kernels = int(model.plan.kernels.size());
  for (Knob const& knob : model.knobs)
    view.choices.push_back(
        {knob.name, knob.values, knob.value(), knob.values[size_t(knob.preset)]});
  std::set<std::string> told;
  for (Graph const* graph : {&model.before, &model.after})
    for (std::string const& note : graph->notes)
      if (told.insert(note).second) view.notes.push_back(note);
  for_each_node(model.before, [&](Node const& node) {
    ++view.operators;
    if (!node.is_opaque()) return;
    ++view.opaque;
    view.notes.push_back(fmt::format("{} ({}): {}", node.name, node.type, node.reason));
  });
  for (ModelTensor const& input : model_inputs(model)) {
    if (input.unknown.empty()) continue;
    bool rank_known = input.unknown != std::vector<std::string>{"rank"};
    view.free_inputs.push_back({input.name, input.unknown, rank_known});
  }
  int runs = 0;
  for_each_step(model.after, model.plan, [&](Graph const&, PlanStep const& step) {
    runs += step.kind == StepKind::kKernel;
  });
  view.summary = model.is_expression
                     ? "a tensor expression of " +
                           count_text(int64_t(model.kernel(0).kernel.stages.size()), "stage")
                     : fmt::format("{}, {} in {}", count_text(view.operators, "operator"),
                                   count_text(view.kernels, "kernel"), count_text(runs, "run"));
  if (size_t beside = model.own.size() - model.is_expression; beside > 0)
    view.summary += fmt::format(", {} of your own", count_text(int64_t(beside), "kernel"));
  if (view.opaque > 0) view.summary += fmt::format(", {} not supported", view.opaque);
  return view;
}

GraphView graph_view(LoadedModel const& model) {
  GraphView view;
  GraphParts after = graph_parts(model.after), before = graph_parts(model.before);
  view.nodes = std::move(after.nodes);
  view.edges = std::move(after.edges);
  view.nodes_before = std::move(before.nodes);
  view.edges_before = std::move(before.edges);
  view.arena_bytes = model.plan.memory.arena_bytes;
  view.unplanned_bytes = model.plan.memory.unplanned_bytes;
  for_each_step(model.after, model.plan, [&](Graph const&, PlanStep const& step) {
    for (BodyPlan const& body : step.bodies) {
      view.arena_bytes += body.memory.arena_bytes;
      view.unplanned_bytes += body.memory.unplanned_bytes;
    }
  });
  view.groups = group_views(model.after, model.plan);
  return view;
}

KernelTable kernel_table(LoadedModel const& model) {
  KernelTable table;
  for (KernelTask const& task : model.plan.kernels)
    table.rows.push_back({.name = task.name,
                          .operators = fmt::format("{}", fmt::join(task.operators, " ")),
                          .shape = task.shape,
                          .count = task.count,
                          .flops = task.flops,
                          .integers = te::computes_integers(task.kernel),
                          .bytes = task.bytes,
                          .state = KernelState::kDefault,
                          .time_ms = {},
                          .disturbed = false,
                          .device = {},
                          .fraction_of_roof = {},
                          .roof = {},
                          .own_text = {}});
  for (auto const& [row, text] : model.own) table.rows[size_t(row)].own_text = text;
  return table;
}

std::vector<ModelTensor> model_inputs(LoadedModel const& model) {
  std::vector<ModelTensor> list;
  if (model.is_expression)
    for (ir::Buffer const& buffer : model.kernel(0).kernel.inputs)
      list.push_back(tensor_of(*buffer));
  for (ValueId id : model.before.inputs) list.push_back(tensor_of(model.before.value(id)));
  return list;
}

std::vector<ModelTensor> model_outputs(LoadedModel const& model) {
  std::vector<ModelTensor> list;
  if (model.is_expression)
    for (ir::Buffer const& buffer : model.kernel(0).kernel.outputs)
      list.push_back(tensor_of(*buffer));
  for (ValueId id : model.after.outputs) list.push_back(tensor_of(model.after.value(id)));
  return list;
}

std::vector<ModelTensor> kernel_inputs(LoadedModel const& model, int kernel) {
  std::vector<ModelTensor> list;
  for (ir::Buffer const& buffer : model.kernel(kernel).kernel.inputs)
    list.push_back(tensor_of(*buffer));
  return list;
}

std::vector<ModelTensor> kernel_parameters(LoadedModel const& model, int kernel) {
  std::vector<ModelTensor> list;
  for (ir::Buffer const& buffer : model.kernel(kernel).kernel.inputs)
    if (buffer->scope == ir::kParameterScope) list.push_back(tensor_of(*buffer));
  return list;
}

Result<std::vector<NDArray>> random_inputs_of(LoadedModel const& model, int kernel, uint64_t seed) {
  return te::proving_inputs(model.kernel(kernel).kernel, seed);
}

bool is_expression(LoadedModel const& model) { return model.is_expression; }

Result<int> find_kernel(LoadedModel const& model, std::string const& name) {
  if (model.plan.kernels.empty())
    return bad_input("no_kernel", "the model has no kernels: nothing in it can be compiled");
  if (name.empty()) return 0;
  std::vector<std::string> near;
  for (size_t i = 0; i < model.plan.kernels.size(); ++i) {
    if (model.plan.kernels[i].name == name || std::to_string(i) == name) return int(i);
    if (model.plan.kernels[i].name.find(name) != std::string::npos)
      near.push_back(model.plan.kernels[i].name);
  }
  if (near.size() > 8) near.resize(8);
  std::string hint = near.empty() ? "'kernels' lists them"
                                  : fmt::format("did you mean {}?", fmt::join(near, " or "));
  return bad_input("unknown_kernel", fmt::format("there is no kernel '{}'; {}", name, hint));
}

std::string const& kernel_name(LoadedModel const& model, int row) { return model.kernel(row).name; }

Result<ir::Program> plain_program(LoadedModel const& model, int kernel) {
  return te::to_program(model.kernel(kernel).kernel);
}

Result<std::optional<std::vector<NDArray>>> reference_outputs(LoadedModel const& model, int kernel,
                                                              std::vector<NDArray> const& inputs,
                                                              StopToken stop) {
  using Outputs = std::optional<std::vector<NDArray>>;
  if (model.own.contains(kernel)) {
    if (model.kernel(kernel).flops > kMostInterpretedFlops) return Outputs();
    TRY_ASSIGN(ir::Program program, plain_program(model, kernel));
    TRY_ASSIGN(std::vector<NDArray> outputs, ir::interpret(program, inputs, {.stop = stop}));
    return Outputs(std::move(outputs));
  }
  Outputs outputs;
  Status failed;
  for_each_step(model.after, model.plan, [&](Graph const& graph, PlanStep const& step) {
    if (step.kernel != kernel || outputs || !failed) return;
    std::vector<NDArray> given;
    for (size_t i = 0; i < step.inputs.size(); ++i) {
      auto info = stored_info(graph.value(step.inputs[i]));
      given.push_back(info ? inputs[i].reshaped(info->shape) : inputs[i]);
    }
    auto made = reference_of(graph, step, given, {.stop = stop});
    if (made)
      outputs = std::move(*made);
    else
      failed = std::unexpected(made.error());
  });
  TRY(std::move(failed));
  return outputs;
}

}  // namespace tw::session
