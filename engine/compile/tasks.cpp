#include "engine/compile/tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/graph/rounding.h"
#include "engine/ir/rewrite.h"

namespace tw {
namespace {

std::unexpected<Error> no_kernel(std::string message, Node const& node) {
  return refused("no_kernel", std::move(message), {{}, 0, 0, node.name});
}

constexpr int64_t kMostStageBytes = int64_t(1) << 32;  // a padding may claim anything

using BufferMap = std::map<std::string, te::Buffer>;

/// An operand may have the name of a tensor that the operator makes: it stays.
ir::Expr with_buffers(ir::Expr const& body, BufferMap const& by,
                      std::vector<te::Buffer> const& operands) {
  return ir::rewrite(body, [&](ir::Expr const& e) -> ir::Expr {
    auto const* read = e.as<ir::Load>();
    bool own = read && std::ranges::find(operands, read->buffer) == operands.end();
    auto found = own ? by.find(read->buffer->name) : by.end();
    return found == by.end() ? ir::Expr() : ir::load(found->second, read->indices);
  });
}

te::Kernel without_unread(te::Kernel kernel);
te::Kernel with_axes(te::Kernel kernel);

class Assembler {
public:
  Assembler(Graph const& graph, Group const& group) : graph_(graph), group_(group) {}

  Result<GroupKernel> assemble() {
    for (NodeId id : group_.nodes) TRY(add(ordered(graph_.node(id))));
    te::Kernel& kernel = result_.task.kernel;
    for (ValueId output : graph_.node(group_.nodes.back()).outputs)
      if (output.valid()) {
        result_.outputs.push_back(output);
        kernel.outputs.push_back(buffers_.at(output));
      }
    kernel = inline_elementwise(with_axes(without_unread(kernel)));
    describe();
    TRY(te::verify(kernel));
    return std::move(result_);
  }

private:
  std::string unique(std::string const& wish) {
    std::string name = wish;
    for (int i = 1; !names_.insert(name).second; ++i) name = fmt::format("{}_{}", wish, i);
    return name;
  }

  /// What the group makes comes first: x + conv and conv + x are one kernel.
  Node ordered(Node node) const {
    if (node.op && node.op->commutative && node.inputs.size() == 2 &&
        !buffers_.count(node.inputs[0]) && buffers_.count(node.inputs[1]))
      std::swap(node.inputs[0], node.inputs[1]);
    return node;
  }

  Result<te::Buffer> operand(Node const& node, size_t i) {
    ValueId id = node.inputs[i];
    if (!id.valid()) return te::Buffer();
    if (auto found = buffers_.find(id); found != buffers_.end()) return found->second;
    auto info = stored_info(graph_.value(id));
    if (!info)
      return no_kernel(fmt::format("the shape of '{}' is not known", graph_.value(id).name), node);
    for (int64_t extent : info->shape)
      if (extent < 1)
        return no_kernel(fmt::format("'{}' has no elements", graph_.value(id).name), node);
    std::vector<std::string> const& wishes = node.op->inputs;
    std::string wish = wishes.empty() ? "X" : wishes[std::min(i, wishes.size() - 1)];
    te::Buffer buffer =
        ir::make_buffer(unique(wish), info->type, info->shape,
                        graph_.value(id).is_constant() ? ir::kParameterScope : "global");
    buffers_[id] = buffer;
    result_.task.kernel.inputs.push_back(buffer);
    result_.inputs.push_back(id);
    return buffer;
  }

  Status check(Node const& node) {
    if (!node.op)
      return no_kernel(node.control ? node.type + " runs graphs of its own" : node.reason, node);
    if (!has_compute(*node.op))
      return no_kernel(fmt::format("{} has no tensor expression", node.type), node);
    auto info = tensor_info(graph_.value(node.outputs[0]));
    if (!info) return no_kernel("its shape is not known", node);
    for (int64_t extent : info->shape)
      if (extent < 1) return no_kernel("its result has no elements", node);
    return {};
  }

  Status add(Node const& node) {
    TRY(check(node));
    std::vector<te::Buffer> operands;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      TRY_ASSIGN(te::Buffer buffer, operand(node, i));
      operands.push_back(buffer);
    }
    TRY_ASSIGN(Tensors tensors,
               compute_rounding_once(*node.op, node.attributes, arrangement_of(graph_, node),
                                     operands, title_of(graph_, node)));
    BufferMap renamed = rename(tensors.stages);
    for (te::Stage stage : tensors.stages) {
      if (element_count(*ir::constant_shape(*stage.output)).value_or(kMostStageBytes) >
          kMostStageBytes / size_of(stage.output->type))
        return no_kernel("an intermediate tensor would take more than 4 GiB", node);
      result_.task.operators.push_back(stage.op);
      stage.body = with_buffers(stage.body, renamed, operands);
      if (auto by = renamed.find(stage.output->name); by != renamed.end())
        stage.output = by->second;
      result_.task.kernel.stages.push_back(std::move(stage));
    }
    for (size_t i = 0; i < node.outputs.size() && i < tensors.outputs.size(); ++i) {
      auto by = renamed.find(tensors.outputs[i]->name);
      buffers_[node.outputs[i]] = by == renamed.end() ? tensors.outputs[i] : by->second;
    }
    return {};
  }

  /// Tensors whose names are taken get others. All at once: the stages of a recurrence read what
  /// is made after them.
  BufferMap rename(std::vector<te::Stage> const& stages) {
    BufferMap renamed;
    for (te::Stage const& stage : stages) {
      std::string name = unique(stage.output->name);
      if (name == stage.output->name) continue;
      auto buffer = std::make_shared<ir::BufferNode>(*stage.output);
      buffer->name = name;
      renamed[stage.output->name] = buffer;
    }
    return renamed;
  }

  void describe() {
    KernelTask& task = result_.task;
    Node const& anchor = graph_.node(group_.anchor);
    Shape out = *graph_.value(result_.outputs[0]).shape();
    if (out.size() > 1 && out[0] == 1) out.erase(out.begin());  // a batch of one says nothing
    std::string detail = detail_of(anchor);
    task.shape = to_text(out) + (detail.empty() ? "" : " " + detail);
    task.name = title_of(graph_, anchor) + "_" + to_text(out);
    for (char c : detail.empty() ? detail : "_" + detail)
      task.name += c == ' ' ? '_' : c == '/' ? 's' : c;
    for (NodeId id : group_.nodes)
      if (id != group_.anchor && graph_.node(id).type != "relu")
        task.name += "_" + graph_.node(id).type;
    task.kernel.name = task.name;
    task.flops = te::flops(task.kernel);
    task.hash = te::structure_hash(task.kernel);
    for (auto const* list : {&task.kernel.inputs, &task.kernel.outputs})
      for (te::Buffer const& buffer : *list)
        task.bytes +=
            element_count(*ir::constant_shape(*buffer)).value_or(0) * size_of(buffer->type);
  }

  Graph const& graph_;
  Group const& group_;
  GroupKernel result_;
  std::map<ValueId, te::Buffer> buffers_;
  std::set<std::string> names_;
};

bool is_output_of(te::Kernel const& kernel, te::Buffer const& buffer) {
  for (te::Buffer const& output : kernel.outputs)
    if (output->name == buffer->name) return true;
  return false;
}

/// Without stages of which nothing comes to an output: values that no node of the model reads. Of
/// a recurrence all stages stay.
te::Kernel without_unread(te::Kernel kernel) {
  std::set<std::string> wanted;
  for (te::Buffer const& output : kernel.outputs) wanted.insert(output->name);
  std::vector<te::Stage> kept;
  for (size_t i = kernel.stages.size(); i-- > 0;) {
    te::Stage const& stage = kernel.stages[i];
    if (!stage.ordered() && !wanted.contains(stage.output->name)) continue;
    ir::walk(stage.body, [&](ir::Expr const& e) {
      if (auto const* read = e.as<ir::Load>()) wanted.insert(read->buffer->name);
      return true;
    });
    kept.insert(kept.begin(), stage);
  }
  kernel.stages = std::move(kept);
  return kernel;
}

/// A loop of one round over each single number: schedules are of loops.
te::Kernel with_axes(te::Kernel kernel) {
  BufferMap lists;
  for (te::Stage& stage : kernel.stages) {
    if (stage.axes.empty()) {
      std::string name = "one";
      while (std::ranges::find(stage.reduce, name, &te::Axis::name) != stage.reduce.end())
        name += "_";
      stage.axes = {{name, 1, ""}};
      lists[stage.output->name] =
          ir::make_buffer(stage.output->name, stage.output->type, {1}, stage.output->scope);
      stage.output = lists[stage.output->name];
    }
    stage.body = ir::rewrite(stage.body, [&](ir::Expr const& e) -> ir::Expr {
      auto const* read = e.as<ir::Load>();
      auto found = read ? lists.find(read->buffer->name) : lists.end();
      return found == lists.end() ? ir::Expr() : ir::load(found->second, {ir::int_imm(0)});
    });
  }
  for (te::Buffer& output : kernel.outputs)
    if (auto found = lists.find(output->name); found != lists.end()) output = found->second;
  return kernel;
}

int reads(te::Stage const& stage, std::string const& name) {
  int count = 0;
  ir::walk(stage.body, [&](ir::Expr const& e) {
    auto const* read = e.as<ir::Load>();
    count += read && read->buffer->name == name;
    return true;
  });
  return count;
}

/// The stage that alone reads `kernel.stages[i]`, once and element by element; -1 if there is none.
int only_reader(te::Kernel const& kernel, size_t i) {
  te::Stage const& stage = kernel.stages[i];
  if (stage.combiner != te::Combiner::kNone || stage.ordered() ||
      is_output_of(kernel, stage.output))
    return -1;
  int reader = -1, total = 0;
  for (size_t k = i + 1; k < kernel.stages.size(); ++k)
    if (int count = reads(kernel.stages[k], stage.output->name)) {
      total += count;
      reader = int(k);
    }
  bool simple = total == 1 && kernel.stages[size_t(reader)].combiner == te::Combiner::kNone &&
                !kernel.stages[size_t(reader)].ordered();
  return simple ? reader : -1;
}

ir::Expr inlined(te::Stage const& stage, ir::Expr const& body) {
  return ir::rewrite(body, [&](ir::Expr const& e) -> ir::Expr {
    auto const* read = e.as<ir::Load>();
    if (!read || read->buffer->name != stage.output->name) return {};
    ir::Substitution by;
    for (size_t a = 0; a < stage.axes.size(); ++a) by[stage.axes[a].name] = read->indices[a];
    return ir::substitute(stage.body, by);
  });
}

}  // namespace

te::Kernel inline_elementwise(te::Kernel const& kernel) {
  te::Kernel result = kernel;
  for (size_t i = 0; i < result.stages.size();) {
    int reader = only_reader(result, i);
    if (reader < 0) {
      ++i;
      continue;
    }
    te::Stage& into = result.stages[size_t(reader)];
    into.body = inlined(result.stages[i], into.body);
    result.stages.erase(result.stages.begin() + int64_t(i));
  }
  return result;
}

Result<GroupKernel> kernel_of(Graph const& graph, Group const& group) {
  return Assembler(graph, group).assemble();
}

Result<GroupKernel> kernel_of(Graph const& graph, NodeId node) {
  Group group{{node}, node, Fusion::kOpaque};
  return kernel_of(graph, group);
}

}  // namespace tw
