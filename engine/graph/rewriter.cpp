#include "engine/graph/rewriter.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/graph/control.h"

namespace tw {

ValueNames::ValueNames(Graph const& graph) {
  for (Value const& value : graph.values) names_.insert(value.name);
}

std::string ValueNames::unused(std::string const& wanted) {
  std::string name = wanted;
  for (int i = 1; !names_.insert(name).second; ++i) name = fmt::format("{}_{}", wanted, i);
  return name;
}

GraphRewriter::GraphRewriter(Graph const& graph)
    : graph_(graph),
      came_(graph.nodes),
      first_makers_(producers(graph)),
      open_(graph.nodes.begin(), graph.nodes.end()),
      uses_(graph.values.size(), 0),
      makers_(graph.values.size(), -1) {
  graph_.nodes.clear();
  for (size_t i = 0; i < graph.values.size(); ++i) stands_.push_back({int32_t(i)});
  for (Node const& node : came_)
    for (ValueId id : node.inputs)
      if (id.valid()) ++uses_[size_t(id.value)];
  for (ValueId id : graph.outputs) ++uses_[size_t(id.value)];
}

std::optional<Node> GraphRewriter::take() {
  forget_last();
  if (open_.empty()) return std::nullopt;
  Node node = std::move(open_.front());
  open_.pop_front();
  for (ValueId& input : node.inputs)
    while (input.valid() && stands_[size_t(input.value)] != input)
      input = stands_[size_t(input.value)];
  last_inputs_ = node.inputs;
  kept_ = false;
  return node;
}

/// What the node taken last reads, if nothing was kept in its place.
void GraphRewriter::forget_last() {
  if (!kept_)
    for (ValueId id : last_inputs_)
      if (id.valid()) --uses_[size_t(id.value)];
  kept_ = true;
}

void GraphRewriter::splice_next(Splice const& what) {
  std::vector<Node> nodes = splice(graph_, what, names().taken());
  size_t values = graph_.values.size();
  uses_.resize(values, 0);
  makers_.resize(values, -1);
  for (size_t i = stands_.size(); i < values; ++i) stands_.push_back({int32_t(i)});
  for (Node const& node : nodes)
    for (ValueId id : node.inputs)
      if (id.valid()) ++uses_[size_t(id.value)];
  open_.insert(open_.begin(), nodes.begin(), nodes.end());
}

void GraphRewriter::keep(Node node) {
  kept_ = true;
  for (ValueId id : node.outputs)
    if (id.valid()) makers_[size_t(id.value)] = int32_t(graph_.nodes.size());
  graph_.nodes.push_back(std::move(node));
}

void GraphRewriter::replace(ValueId from, ValueId by) {
  stands_[size_t(from.value)] = by;
  std::ranges::replace(graph_.outputs, from, by);
  uses_[size_t(by.value)] += std::exchange(uses_[size_t(from.value)], 0);
}

void GraphRewriter::make_instead(ValueId from, ValueId to) {
  std::ranges::replace(maker(from)->outputs, from, to);
  makers_[size_t(to.value)] = std::exchange(makers_[size_t(from.value)], -1);
}

Node const* GraphRewriter::maker(ValueId id) const {
  int32_t at = id.valid() ? makers_[size_t(id.value)] : -1;
  return at < 0 ? nullptr : &graph_.nodes[size_t(at)];
}

Node* GraphRewriter::maker(ValueId id) { return const_cast<Node*>(std::as_const(*this).maker(id)); }

PatternView GraphRewriter::kept() const {
  return {graph_, [this](ValueId id) { return maker(id); },
          [this](ValueId id) { return is_read_once(id); }};
}

PatternView GraphRewriter::first() const {
  return {graph_, [this](ValueId id) { return first_maker(id); },
          [this](ValueId id) { return is_read_once(id); }};
}

Node const* GraphRewriter::first_maker(ValueId id) const {
  bool came = id.valid() && size_t(id.value) < first_makers_.size();
  NodeId made = came ? first_makers_[size_t(id.value)] : NodeId();
  return made.valid() ? &came_[size_t(made.value)] : nullptr;
}

ValueId GraphRewriter::add_value(Value value) {
  value.name = names().unused(value.name);
  ValueId id = graph_.add_value(std::move(value));
  stands_.push_back(id);
  uses_.push_back(0);
  makers_.push_back(-1);
  return id;
}

ValueId GraphRewriter::add_constant(std::string const& name, NDArray const& elements) {
  return add_value({name, tensor_type(elements.type(), elements.shape()), elements});
}

Node GraphRewriter::node(char const* op, Attributes attributes, std::vector<ValueId> inputs,
                         ValueId output) const {
  Node node;
  node.op = find_operator(op);
  node.type = op;
  node.name = graph_.value(output).name;
  node.attributes = std::move(attributes);
  node.inputs = std::move(inputs);
  node.outputs = {output};
  return node;
}

ValueNames& GraphRewriter::names() {
  if (!names_) names_.emplace(graph_);
  return *names_;
}

int64_t GraphRewriter::drop_unread() {
  std::set<ValueId> read(graph_.outputs.begin(), graph_.outputs.end());
  std::vector<Node> kept;
  for (auto node = graph_.nodes.rbegin(); node != graph_.nodes.rend(); ++node) {
    auto is_read = [&](ValueId output) { return output.valid() && read.contains(output); };
    if (std::ranges::none_of(node->outputs, is_read)) continue;
    read.insert(node->inputs.begin(), node->inputs.end());
    kept.push_back(std::move(*node));
  }
  std::ranges::reverse(kept);
  int64_t dropped = std::ssize(graph_.nodes) - std::ssize(kept);
  graph_.nodes = std::move(kept);
  std::ranges::fill(makers_, -1);
  for (size_t i = 0; i < graph_.nodes.size(); ++i)
    for (ValueId id : graph_.nodes[i].outputs)
      if (id.valid()) makers_[size_t(id.value)] = int32_t(i);
  for (size_t i = 0; i < graph_.values.size(); ++i)
    if (!read.contains({int32_t(i)})) graph_.values[i].constant = {};
  return dropped;
}

Graph GraphRewriter::finish() { return std::move(graph_); }

}  // namespace tw
