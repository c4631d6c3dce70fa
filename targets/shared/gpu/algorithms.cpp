#include "targets/shared/gpu/algorithms.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/graph/algorithms.h"
#include "engine/graph/computes.h"
#include "engine/graph/shared/winograd.h"
#include "engine/ir/rewrite.h"
#include "engine/support/base/side_by_side.h"
#include "engine/te/te.h"

namespace tw::gpu {
namespace {

/// What larger tiles must save: they take memory and digits.
constexpr double kLeastGain = 0.1;
constexpr double kMicro = 1e6;

/// Times of a row of operators, each a kernel alone.
class Chain {
public:
  explicit Chain(DefaultTimes const& times) : times_(times) {}

  /// The result of the operator; the operands are those of its inputs, null where one is absent.
  TensorInfo add(char const* name, Attributes const& attributes,
                 std::vector<TensorInfo const*> const& operands) {
    Operator const& op = *find_operator(name);
    auto made = op.infer(attributes, operands);
    auto program = made ? program_of(op, attributes, operands) : std::nullopt;
    auto seconds = program ? times_.seconds(*program) : std::nullopt;
    known_ = known_ && seconds;
    seconds_ += seconds.value_or(0);
    return made ? made->front() : TensorInfo();
  }
  std::optional<double> seconds() const { return known_ ? std::optional(seconds_) : std::nullopt; }

private:
  static std::optional<ir::Program> program_of(Operator const& op, Attributes const& attributes,
                                               std::vector<TensorInfo const*> const& operands) {
    te::Kernel kernel;
    kernel.name = op.name;
    std::vector<te::Buffer> buffers;
    for (size_t i = 0; i < operands.size(); ++i) {
      buffers.push_back(operands[i] ? ir::make_buffer(op.inputs[i], operands[i]->type,
                                                      operands[i]->shape, "global")
                                    : nullptr);
      if (buffers.back()) kernel.inputs.push_back(buffers.back());
    }
    auto tensors = compute_tensors(op, attributes, plain_arrangement(buffers), buffers, op.name);
    if (!tensors) return std::nullopt;
    kernel.stages = tensors->stages;
    kernel.outputs = tensors->outputs;
    auto program = te::to_program(kernel);
    return program ? std::optional(std::move(*program)) : std::nullopt;
  }

  DefaultTimes const& times_;
  double seconds_ = 0;
  bool known_ = true;
};

/// One kind of convolution: its first node stands for it.
struct Kind {
  Node const* node;
  std::vector<TensorInfo> infos;
  bool known_weights = false;
  std::vector<std::string> names;
  std::string knob;
};

std::vector<TensorInfo const*> operands_of(Kind const& kind) {
  std::vector<TensorInfo const*> operands;
  for (size_t i = 0; i < kind.infos.size(); ++i)
    operands.push_back(kind.node->inputs[i].valid() ? &kind.infos[i] : nullptr);
  return operands;
}

std::optional<double> direct_seconds(Kind const& kind, DefaultTimes const& times) {
  Chain chain(times);
  chain.add("conv", kind.node->attributes, operands_of(kind));
  return chain.seconds();
}

std::optional<double> tiles_seconds(Kind const& kind, int64_t outputs, DefaultTimes const& times) {
  std::vector<TensorInfo const*> given = operands_of(kind);
  Attributes const of_tiles{{"outputs", outputs}};
  Attributes of_image = kind.node->attributes;
  of_image["outputs"] = outputs;
  auto tiles = ops::winograd_tiles(outputs, kind.node->attributes, given[0]->shape);
  auto of_weights = find_operator("winograd_weights")->infer(of_tiles, {&given[1], 1});
  if (!tiles || !of_weights) return std::nullopt;
  Chain chain(times);
  TensorInfo weights = of_weights->front();
  if (!kind.known_weights) weights = chain.add("winograd_weights", of_tiles, {given[1]});
  TensorInfo input = chain.add("winograd_input", of_image, {given[0]});
  TensorInfo products = chain.add("matmul", {}, {&weights, &input});
  Attributes of_result = of_tiles;
  of_result["shape"] = std::vector<int64_t>{tiles->batch, tiles->out[0], tiles->out[1]};
  std::vector<TensorInfo const*> last{&products};
  last.insert(last.end(), given.begin() + 2, given.end());
  chain.add("winograd_output", of_result, last);
  return chain.seconds();
}

/// What a rule chooses, with the reason.
struct Advice {
  std::string algorithm, reason;
};

Advice advice_for(Kind const& kind, DefaultTimes const& times) {
  Advice advice{kind.names.front(), ""};
  std::optional<double> direct, least;
  for (std::string const& name : kind.names) {
    int64_t outputs = name == "winograd_2x2" ? 2 : name == "winograd_4x4" ? 4 : 0;
    if (outputs == 0) continue;
    if (!direct) least = direct = direct_seconds(kind, times);
    auto seconds = direct ? tiles_seconds(kind, outputs, times) : std::nullopt;
    if (!seconds || *seconds > *least * (1 - kLeastGain)) continue;
    least = seconds;
    advice = {name, fmt::format("{:.1f} µs are modelled for transforms and product, {:.1f} µs for "
                                "it directly",
                                *least * kMicro, *direct * kMicro)};
  }
  return advice;
}

Kind kind_of(Graph const& graph, Node const& node) {
  Kind kind{&node,
            {},
            graph.value(node.inputs[1]).is_constant(),
            algorithms_of(graph, node),
            node.name + ".algorithm"};
  for (ValueId id : node.inputs) {
    TensorInfo info;
    if (auto known = id.valid() ? tensor_info(graph.value(id)) : std::nullopt)
      info = {known->type, known->shape, {}};
    kind.infos.push_back(info);
  }
  return kind;
}

}  // namespace

std::optional<double> DefaultTimes::seconds(ir::Program const& program) const {
  if (!model_) return std::nullopt;
  uint64_t key = ir::hash(program.body);
  {
    std::lock_guard lock(mutex_);
    if (auto known = known_.find(key); known != known_.end()) return known->second;
  }
  std::optional<double> seconds = model_(program);
  std::lock_guard lock(mutex_);
  return known_.emplace(key, seconds).first->second;
}

GraphChoices choose_algorithms(Graph const& graph, Decisions& decisions,
                               DefaultTimes const& times) {
  std::map<std::string, std::vector<NodeId>> nodes;
  std::vector<std::string> kinds;  // in the order of their first nodes
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    Node const& node = graph.nodes[i];
    if (!has_algorithms(graph, node)) continue;
    std::string name = algorithm_kind(graph, node);
    if (nodes[name].empty()) kinds.push_back(name);
    nodes[name].push_back({int32_t(i)});
  }
  std::vector<Kind> all;
  for (std::string const& name : kinds)
    all.push_back(kind_of(graph, graph.node(nodes[name].front())));
  std::vector<Advice> advices(all.size());
  side_by_side(all.size(), [&](size_t i) { advices[i] = advice_for(all[i], times); });
  GraphChoices choices;
  for (size_t i = 0; i < all.size(); ++i) {
    std::vector<NodeId> const& alike = nodes[kinds[i]];
    Kind const& kind = all[i];
    Advice const& advice = advices[i];
    std::string chosen = decisions.choose(kind.knob, kind.names, advice.algorithm);
    if (chosen == kind.names.front()) continue;
    for (NodeId id : alike) choices.algorithms[id] = chosen;
    choices.reasons.push_back(
        fmt::format("'{}'{} computed by {}: {}", kind.node->name,
                    alike.size() > 1 ? fmt::format(" and {} like it are", alike.size() - 1) : " is",
                    chosen, chosen == advice.algorithm ? advice.reason : "by choice"));
  }
  return choices;
}

}  // namespace tw::gpu
