#include "engine/session/model/inspection.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/compile/tasks.h"
#include "engine/session/model/inspected_places.h"
#include "engine/session/views/attribute_words.h"
#include "engine/session/views/value_statistics.h"
#include "engine/support/base/quantities.h"

namespace tw::session {
namespace {

using NodePlace = GraphPlaces::NodePlace;

std::unexpected<Error> unknown(Inspected const& what) {
  if (what.kind == InspectedKind::kKernel)
    return bad_input("unknown_kernel", fmt::format("there is no kernel '{}'", what.name));
  if (what.kind == InspectedKind::kTensor)
    return bad_input("unknown_tensor", fmt::format("the model has no tensor '{}'", what.name));
  return bad_input(
      "unknown_node",
      fmt::format("the graph {}fusion has no node '{}'",
                  what.kind == InspectedKind::kImported ? "before " : "after ", what.name));
}

int row_of(LoadedModel const& model, std::string const& kernel) {
  auto row = std::ranges::find(model.plan.kernels, kernel, &KernelTask::name);
  return row == model.plan.kernels.end() ? -1 : int(row - model.plan.kernels.begin());
}

double all_operations(LoadedModel const& model) {
  double all = 0;
  for (KernelTask const& task : model.plan.kernels) all += double(task.flops) * task.count;
  return all;
}

int64_t buffer_bytes(std::vector<te::Buffer> const& buffers) {
  int64_t bytes = 0;
  for (te::Buffer const& buffer : buffers)
    if (auto shape = ir::constant_shape(*buffer))
      bytes += element_count(*shape).value_or(0) * size_of(buffer->type);
  return bytes;
}

/// `runs`: of the kernel that it is part of, in one run of the model.
InspectedCost cost_of(LoadedModel const& model, te::Kernel const& kernel, int64_t operations,
                      int runs) {
  InspectedCost cost{operations,
                     te::computes_integers(kernel),
                     buffer_bytes(kernel.inputs),
                     buffer_bytes(kernel.outputs),
                     runs,
                     0};
  if (double all = all_operations(model); all > 0)
    cost.work_share = std::min(1.0, double(operations) * runs / all);
  return cost;
}

InspectedTensor tensor_of(std::string operand, std::string name, Value const& value) {
  InspectedTensor view{
      std::move(operand), std::move(name), "?", "", "", 0, value.is_constant(), true};
  view.known = !view.name.empty();
  if (value.is_constant()) view.type = tw::to_text(value.constant.type());
  if (value.type.dtype) view.type = tw::to_text(*value.type.dtype);
  if (value.type.kind != ValueKind::kTensor)
    view.type =
        (value.type.kind == ValueKind::kSequence ? "sequence of " : "optional ") + view.type;
  auto shape = value.shape();
  view.shape = shape ? tw::to_text(*shape) : shape_text(value.type);
  view.layout = tw::to_text(value.layout);
  view.bytes = value.type.kind == ValueKind::kTensor ? bytes_of(value) : 0;
  return view;
}

std::string operand_name(std::vector<std::string> const& names, size_t i) {
  return names.empty() ? "" : names[std::min(i, names.size() - 1)];
}

/// The largest weight: its values say most.
std::string telling_weight(std::vector<InspectedTensor> const& tensors) {
  InspectedTensor const* best = nullptr;
  for (InspectedTensor const& tensor : tensors)
    if (tensor.weight && tensor.known && (!best || tensor.bytes > best->bytes)) best = &tensor;
  return best ? best->name : "";
}

void add_tensors(NodePlace const& place, InspectorView& view) {
  Node const& node = place.node();
  auto add = [&](ValueId id, std::string operand, std::vector<InspectedTensor>& list) {
    if (!id.valid()) return;
    Value const& value = place.graph().value(id);
    std::string name = value.name.empty() ? "" : place.in->prefix + value.name;
    list.push_back(tensor_of(std::move(operand), std::move(name), value));
  };
  for (size_t i = 0; i < node.inputs.size(); ++i)
    add(node.inputs[i], node.op ? operand_name(node.op->inputs, i) : "", view.inputs);
  for (ValueId id : node.outputs) add(id, "", view.outputs);
  view.values_of = telling_weight(view.inputs);
}

InspectedLink kernel_link(LoadedModel const& model, int row) {
  KernelTask const& task = model.kernel(row);
  return {{InspectedKind::kKernel, task.name},
          task.count == 1 ? "runs once" : fmt::format("runs {} times", task.count),
          {}};
}

/// The row of the kernel that the node is part of; -1: it is in none.
int row_of_node(LoadedModel const& model, NodePlace const& place) {
  for (GraphGroupView const& group : group_views(model.after, model.plan))
    if (std::ranges::find(group.nodes, place.number()) != group.nodes.end()) return group.kernel;
  return -1;
}

/// What an imported operator is after all passes: whatever stands for it.
void add_became(ModelPlaces const& places, NodePlace const& place, InspectorView& view) {
  std::string name = place.node().name;
  for (NodePlace const& later : places.after.nodes())
    if (std::ranges::find(later.node().origins, name) != later.node().origins.end())
      view.became.push_back(places.after.link_to(later));
}

void add_compute(LoadedModel const& model, NodePlace const& place, int runs, InspectorView& view) {
  auto kernel = kernel_of(place.graph(), place.id);
  if (!kernel) {
    view.no_compute_because = to_sentence(kernel.error());
    return;
  }
  view.compute = te::to_text(kernel->task.kernel);
  view.cost = cost_of(model, kernel->task.kernel, kernel->task.flops, runs);
}

InspectorView operator_view(LoadedModel const& model, ModelPlaces const& places,
                            NodePlace const& place, GraphPlaces const& graph) {
  Node const& node = place.node();
  InspectorView view;
  view.title = graph.name_of(place).empty() ? graph.reference_of(place) : graph.name_of(place);
  InspectedLink self = graph.link_to(place);
  view.what = self.detail;
  view.pattern = self.pattern;
  view.doc = node.op ? node.op->doc : "";
  view.reason = node.reason;
  if (node.op && node.op->computes.size() > 1)
    view.algorithm = node.algorithm.empty() ? node.op->computes.front().name : node.algorithm;
  if (graph.kind() == InspectedKind::kOperator) {
    view.origins = node.origins;
    view.kernel = row_of_node(model, place);
    if (view.kernel >= 0) view.kernels.push_back(kernel_link(model, view.kernel));
  } else {
    add_became(places, place, view);
  }
  view.attributes = attribute_views(place.graph(), node);
  add_tensors(place, view);
  add_compute(model, place, view.kernel >= 0 ? model.kernel(view.kernel).count : 1, view);
  return view;
}

/// What a kernel's tensors are in the model, where it runs first.
struct FirstRun {
  std::optional<PlacedGraph> in;
  PlanStep const* step = nullptr;
};

FirstRun first_run(LoadedModel const& model, int row) {
  FirstRun run;
  for_each_step(model.after, model.plan, [&](Graph const& graph, PlanStep const& step) {
    if (run.step || step.kind != StepKind::kKernel || step.kernel != row) return;
    run.step = &step;
    for (PlacedGraph const& placed : placed_graphs(model.after))
      if (placed.graph == &graph) run.in = placed;
  });
  return run;
}

void add_kernel_tensors(FirstRun const& run, std::vector<te::Buffer> const& buffers,
                        std::vector<ValueId> const* ids, std::vector<InspectedTensor>& list) {
  for (size_t i = 0; i < buffers.size(); ++i) {
    te::Buffer const& buffer = buffers[i];
    if (run.in && ids && i < ids->size() && (*ids)[i].valid()) {
      Value const& value = run.in->graph->value((*ids)[i]);
      list.push_back(
          tensor_of(buffer->name, value.name.empty() ? "" : run.in->prefix + value.name, value));
      continue;
    }
    auto shape = ir::constant_shape(*buffer);
    list.push_back({buffer->name, "", std::string(tw::to_text(buffer->type)),
                    shape ? tw::to_text(*shape) : "?", tw::to_text(Layout()),
                    buffer_bytes({buffer}), buffer->scope == ir::kParameterScope, false});
  }
}

InspectorView kernel_view(LoadedModel const& model, ModelPlaces const& places, int row) {
  KernelTask const& task = model.kernel(row);
  FirstRun run = first_run(model, row);
  InspectorView view;
  view.title = task.name;
  view.what = model.is_expression && row == 0 ? "Tensor expression"
              : model.own.contains(row)       ? "A kernel of your own"
                                              : "Kernel";
  view.kernel = row;
  if (run.in) {
    Group const& group = run.in->graph->groups[size_t(run.step->group)];
    for (NodeId id : group.nodes)
      if (auto place = places.after.node(run.in->first_node + id.value))
        view.operators.push_back(places.after.link_to(*place));
    view.pattern = pattern_of(run.in->graph->node(group.anchor));
  }
  add_kernel_tensors(run, task.kernel.inputs, run.step ? &run.step->inputs : nullptr, view.inputs);
  add_kernel_tensors(run, task.kernel.outputs, run.step ? &run.step->outputs : nullptr,
                     view.outputs);
  view.values_of = telling_weight(view.inputs);
  auto own = model.own.find(row);
  view.compute = own == model.own.end() ? te::to_text(task.kernel) : own->second;
  view.cost = cost_of(model, task.kernel, task.flops, task.count);
  return view;
}

std::string role_of(Graph const& graph, ValueId id) {
  bool made = producers(graph)[size_t(id.value)].valid();
  if (graph.value(id).is_constant()) return made ? "Constant" : "Weight";
  if (is_output(graph, id)) return "Output of the model";
  return made ? "Tensor between operators" : "Input of the model";
}

InspectorView tensor_view(ModelPlaces::Tensor const& tensor, std::string const& name) {
  GraphPlaces::ValuePlace const& at = tensor.at;
  InspectorView view;
  view.title = name;
  view.what = role_of(at.graph(), at.id);
  view.tensor = tensor_of("", name, at.value());
  if (auto shape = at.value().shape()) view.elements = element_count(*shape).value_or(0);
  NodeId maker = producers(at.graph())[size_t(at.id.value)];
  if (maker.valid()) view.made_by.push_back(tensor.places->link_to({at.in, maker}));
  std::vector<NodeId> readers = consumers(at.graph())[size_t(at.id.value)];
  readers.erase(std::ranges::unique(readers).begin(), readers.end());
  for (NodeId reader : readers) view.read_by.push_back(tensor.places->link_to({at.in, reader}));
  if (view.tensor->weight) view.values_of = name;
  return view;
}

struct Word {
  InspectedKind kind;
  std::string_view word;
};
constexpr Word kWords[] = {{InspectedKind::kOperator, "operator"},
                           {InspectedKind::kImported, "imported"},
                           {InspectedKind::kKernel, "kernel"},
                           {InspectedKind::kTensor, "tensor"}};

}  // namespace

std::string_view word_of(InspectedKind kind) { return kWords[size_t(kind)].word; }

std::optional<InspectedKind> inspected_kind(std::string_view word) {
  auto row = std::ranges::find(kWords, word, &Word::word);
  if (row == std::end(kWords)) return std::nullopt;
  return row->kind;
}

std::span<InspectedKind const> inspected_kinds() {
  using enum InspectedKind;
  static constexpr InspectedKind kAll[] = {kOperator, kImported, kKernel, kTensor};
  return kAll;
}

Status check_inspected(LoadedModel const& model, Inspected const& what) {
  if (what.kind == InspectedKind::kKernel)
    return row_of(model, what.name) < 0 ? Status(unknown(what)) : Status();
  ModelPlaces places(model);
  bool there = what.kind == InspectedKind::kTensor
                   ? places.tensor(what.name).has_value()
                   : places.of(what.kind).node(what.name).has_value();
  return there ? Status() : Status(unknown(what));
}

Result<InspectorView> inspector_view(LoadedModel const& model, Inspected const& what) {
  ModelPlaces places(model);
  InspectorView view;
  if (what.kind == InspectedKind::kKernel) {
    int row = row_of(model, what.name);
    if (row < 0) return unknown(what);
    view = kernel_view(model, places, row);
  } else if (what.kind == InspectedKind::kTensor) {
    auto tensor = places.tensor(what.name);
    if (!tensor) return unknown(what);
    view = tensor_view(*tensor, what.name);
  } else {
    auto place = places.of(what.kind).node(what.name);
    if (!place) return unknown(what);
    view = operator_view(model, places, *place, places.of(what.kind));
  }
  view.of = what;
  return view;
}

Result<ValueStatistics> tensor_statistics(LoadedModel const& model, std::string const& tensor,
                                          StopToken stop) {
  ModelPlaces places(model);
  auto found = places.tensor(tensor);
  if (!found) return unknown({InspectedKind::kTensor, tensor});
  Value const& value = found->at.value();
  if (!value.is_constant())
    return bad_input("not_constant",
                     fmt::format("the values of '{}' are known only when the model runs", tensor));
  NDArray plain = value.constant;
  auto shape = value.shape();
  if (!value.layout.is_plain() && shape) {
    TRY_ASSIGN(plain, from_layout(value.constant, value.layout, *shape));
  }
  ValueStatistics statistics = statistics_of(plain, stop);
  statistics.tensor = tensor;
  return statistics;
}

}  // namespace tw::session
