// Sets `groups` and `decisions`: which nodes become one kernel and why, by rule or as a person
// chose. Source: Chen et al. 2018 (TVM), section 3 "Operator fusion".
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/graph/computes.h"
#include "engine/graph/kernel_apart.h"
#include "engine/graph/pipeline.h"
#include "engine/graph/rematerialize.h"

namespace tw {
namespace {

constexpr size_t kMostOperators =
    32;  // in one kernel: deeper expressions read badly and compile slowly

struct Verdict {
  bool fused;
  std::string rule;
  std::string reason;
  /// Nobody can choose otherwise.
  bool fixed() const { return rule == "opaque" || rule == "full" || rule == "alone"; }
};

/// What is known of a graph beside it, while copies for single readers are added.
struct Asked {
  FusionChoices const& choices;
  std::vector<std::string> names;               ///< of each node; of a copy its original's
  std::map<std::string, Verdict> by_rule = {};  ///< of edges behind copies, before there were any
};

/// An edge whose ends are to be one kernel, although others read the value, too.
struct Shared {
  NodeId from, to;
  ValueId value;
  std::vector<NodeId> group;  ///< what makes the value
  Verdict by_rule;
};

/// What a node is to fusion. A node that only the reference can run is opaque, whatever its class.
Fusion class_of(Graph const& graph, Node const& node) {
  if (!node.op || !has_compute(*node.op)) return Fusion::kOpaque;
  for (ValueId id : node.inputs)
    if (id.valid() && !tensor_info(graph.value(id))) return Fusion::kOpaque;
  return tensor_info(graph.value(node.outputs[0])) ? node.op->fusion : Fusion::kOpaque;
}

class Fuser {
public:
  Fuser(Graph const& graph, Asked const& asked)
      : graph_(graph), asked_(asked), producers_(producers(graph)), consumers_(consumers(graph)) {
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      class_.push_back(class_of(graph, graph.nodes[i]));
      group_.push_back(int(i));
      members_.push_back({{int32_t(i)}});
    }
  }

  /// Errors: cannot_fuse.
  Status decide() {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) TRY(decide_edges_into({int32_t(i)}));
    graph_.groups = groups();
    return {};
  }
  /// Of those that a copy is needed for, the first.
  std::optional<Shared> const& shared() const { return shared_; }
  Graph take() { return std::move(graph_); }

private:
  /// The producer with the heaviest group first, so that an addition joins a convolution before a
  /// relu.
  Status decide_edges_into(NodeId to) {
    std::vector<std::pair<NodeId, ValueId>> edges;
    std::set<ValueId> seen;
    for (ValueId id : graph_.node(to).inputs)
      if (id.valid() && producers_[size_t(id.value)].valid() && seen.insert(id).second)
        edges.push_back({producers_[size_t(id.value)], id});
    std::stable_sort(edges.begin(), edges.end(), [&](auto const& a, auto const& b) {
      return weight(a.first) > weight(b.first);
    });
    for (auto const& [from, value] : edges) {
      TRY_ASSIGN(EdgeDecision decision, decided(from, to, value));
      if (decision.fused) merge(from, to);
      graph_.decisions.push_back(std::move(decision));
    }
    return {};
  }

  /// By rule, unless somebody chose.
  Result<EdgeDecision> decided(NodeId from, NodeId to, ValueId value) {
    std::string edge = asked_.names[size_t(from.value)] + ">" + asked_.names[size_t(to.value)];
    Verdict verdict = judge(from, to, value);
    auto choice = asked_.choices.find(edge);
    auto copied = asked_.by_rule.find(edge);
    Verdict rule = copied == asked_.by_rule.end() ? verdict : copied->second;
    bool chosen = choice != asked_.choices.end() && choice->second != rule.fused;
    if (chosen) {
      TRY_ASSIGN(verdict, chosen_verdict(from, to, value, verdict, rule));
    }
    return EdgeDecision{
        from,          to,           value,
        verdict.fused, verdict.rule, (verdict.fused ? "" : "not fused: ") + verdict.reason,
        edge,          chosen,       rule.fixed()};
  }

  /// Against the rule. What others read, too, waits for copies of its own.
  Result<Verdict> chosen_verdict(NodeId from, NodeId to, ValueId value, Verdict const& verdict,
                                 Verdict const& rule) {
    if (rule.fused)
      return Verdict{false, "apart",
                     "you keep them in two kernels; the default is one: " + rule.reason};
    if (verdict.fixed())
      return refused("cannot_fuse", fmt::format("{} and {} cannot be one kernel: {}", name(from),
                                                name(to), verdict.reason));
    if (is_shared(from, value)) {
      if (!shared_) shared_ = Shared{from, to, value, group_of(from), verdict};
      return Verdict{false, verdict.rule, verdict.reason};
    }
    bool copied = rule.rule != verdict.rule;
    std::string again =
        copied ? fmt::format(", in which {} is computed once more", anchor_name(from)) : "";
    return Verdict{
        true, "together",
        fmt::format("you put them into one kernel{}; the default is two: {}", again, rule.reason)};
  }

  std::vector<NodeId> group_of(NodeId id) const {
    std::vector<NodeId> nodes = members_[size_t(group_[size_t(id.value)])];
    std::ranges::sort(nodes);
    return nodes;
  }

  /// Whether something else than one node reads what `from` makes.
  bool is_shared(NodeId from, ValueId value) const {
    for (ValueId made : graph_.node(from).outputs) {
      if (!made.valid()) continue;
      std::vector<NodeId> const& readers = consumers_[size_t(made.value)];
      bool read = !readers.empty() || is_output(graph_, made);
      if (made != value && read) return true;
      if (made == value && (is_output(graph_, made) || readers.front() != readers.back()))
        return true;
    }
    return false;
  }

  int weight(NodeId id) const {
    return group_class(id) == Fusion::kComplexOutFusable ? 2
           : group_class(id) == Fusion::kInjective       ? 1
                                                         : 0;
  }

  /// The class that decides for the node's group.
  Fusion group_class(NodeId id) const {
    Fusion strongest = Fusion::kInjective;
    for (NodeId member : members_[size_t(group_[size_t(id.value)])])
      strongest = std::max(strongest, class_[size_t(member.value)]);
    return strongest;
  }

  size_t group_size(NodeId id) const { return members_[size_t(group_[size_t(id.value)])].size(); }

  std::string name(NodeId id) const { return title_of(graph_, graph_.node(id)); }

  /// Of the group's operator that decided, for sentences.
  std::string anchor_name(NodeId id) const {
    for (NodeId member : members_[size_t(group_[size_t(id.value)])])
      if (class_[size_t(member.value)] == group_class(id)) return name(member);
    return name(id);
  }

  Verdict judge(NodeId from, NodeId to, ValueId value) const {
    Fusion a = class_[size_t(from.value)], b = class_[size_t(to.value)];
    if (a == Fusion::kOpaque || b == Fusion::kOpaque) {
      NodeId alone = a == Fusion::kOpaque ? from : to;
      return {false, "opaque", fmt::format("{} is opaque and runs on its own", name(alone))};
    }
    if (graph_.node(from).algorithm == kAlone)
      return {
          false, "alone",
          fmt::format("the target computes {} in a kernel apart from what reads it", name(from))};
    if (is_output(graph_, value))
      return {false, "output",
              fmt::format("'{}' is an output of the model, so it must be in memory",
                          graph_.value(value).name)};
    std::vector<NodeId> const& readers = consumers_[size_t(value.value)];
    if (readers.front() != readers.back())  // they are in the order of the nodes
      return {false, "many_readers",
              fmt::format("{} operators read the output of {}, so it must be in memory",
                          readers.size(), name(from))};
    if (group_size(from) + group_size(to) > kMostOperators)
      return {false, "full", fmt::format("one kernel holds at most {} operators", kMostOperators)};
    return b == Fusion::kInjective ? judge_injective(from, to) : judge_heavy(from, to, b);
  }

  /// `to` is injective: it may follow injective nodes, and element by element a complex one.
  Verdict judge_injective(NodeId from, NodeId to) const {
    Fusion group = group_class(from), own = group_class(to);
    std::string classes = fmt::format("{} after {}", to_text(Fusion::kInjective), to_text(group));
    if (group == Fusion::kReduction)
      return {false, "after_reduction",
              fmt::format("{} is a reduction; the operators after it are not fused into it",
                          anchor_name(from))};
    if (group == Fusion::kComplexOutFusable) {
      if (own == Fusion::kComplexOutFusable)
        return {false, "two_complex",
                fmt::format("{} already joined {}; a kernel has at most one complex operator",
                            name(to), anchor_name(to))};
      if (!graph_.node(to).op->elementwise)
        return {
            false, "moves_elements",
            fmt::format("{} moves elements; only element-wise operators can join the output of {}",
                        name(to), anchor_name(from))};
      if (!same_size(from, to))
        return {false, "grows",
                fmt::format("{} computes a larger tensor than {}", name(to), anchor_name(from))};
      if (widens_bytes(to))
        return {
            false, "widens_bytes",
            fmt::format("{} makes wider numbers of bytes; the bytes take less memory", name(to))};
      return {true, "epilogue",
              fmt::format("{} joins {}: {}", name(to), anchor_name(from), classes)};
    }
    if (own == Fusion::kComplexOutFusable && !same_size(from, to))
      return {false, "grows",
              fmt::format("{} computes a larger tensor than {}", name(to), name(from))};
    return {true, "injective_chain", fmt::format("{} joins {}: {}", name(to), name(from), classes)};
  }

  /// `to` is a reduction or complex: only a reduction that reads each element once takes what
  /// stands before it.
  Verdict judge_heavy(NodeId from, NodeId to, Fusion b) const {
    if (b == Fusion::kComplexOutFusable)
      return {false, "before_complex",
              fmt::format("{} is {}: it is fused with operators after it, not before it", name(to),
                          to_text(b))};
    Operator const* op = graph_.node(to).op;
    if (int64_t times = op->rereads ? op->rereads(graph_.node(to).attributes) : 1; times > 1)
      return {
          false, "reads_again",
          fmt::format("{} reads each element of {} up to {} times", name(to), name(from), times)};
    if (group_class(from) != Fusion::kInjective)
      return {false, "not_injective",
              fmt::format("{} is a reduction and {} is {}", name(to), anchor_name(from),
                          to_text(group_class(from)))};
    return {true, "before_reduction",
            fmt::format("{} absorbs {}: {} before {}", name(to), name(from),
                        to_text(Fusion::kInjective), to_text(b))};
  }

  /// What a kernel writes is better read as bytes, and made wider by the next one.
  bool widens_bytes(NodeId id) const {
    Node const& node = graph_.node(id);
    auto from = graph_.value(node.inputs[0]).type.dtype,
         to = graph_.value(node.outputs[0]).type.dtype;
    return from && to && is_integer(*from) && size_of(*from) == 1 && size_of(*to) > 1;
  }

  bool same_size(NodeId from, NodeId to) const {
    return graph_.value(graph_.node(from).outputs[0]).shape() ==
           graph_.value(graph_.node(to).outputs[0]).shape();
  }

  void merge(NodeId from, NodeId to) {
    int gone = group_[size_t(from.value)], kept = group_[size_t(to.value)];
    for (NodeId member : members_[size_t(gone)]) {
      group_[size_t(member.value)] = kept;
      members_[size_t(kept)].push_back(member);
    }
    members_[size_t(gone)].clear();
  }

  /// Ordered by their last node: a value inside a group is read inside it only, so this can run.
  std::vector<Group> groups() {
    std::vector<Group> result;
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      std::vector<NodeId>& members = members_[size_t(group_[i])];
      std::sort(members.begin(), members.end());
      NodeId self{int32_t(i)};
      if (members.back() != self) continue;
      Group group{members, members.back(), group_class(self)};
      for (NodeId member : members)
        if (class_[size_t(member.value)] == group.fusion && group.anchor == members.back())
          group.anchor = member;
      result.push_back(group);
    }
    return result;
  }

  Graph graph_;
  Asked const& asked_;
  std::vector<NodeId> producers_;
  std::vector<std::vector<NodeId>> consumers_;
  std::optional<Shared> shared_;
  std::vector<Fusion> class_;
  std::vector<int> group_;                    ///< of each node
  std::vector<std::vector<NodeId>> members_;  ///< of each group
};

/// Each round makes one edge's value its reader's own: there are as many as edges are chosen.
Result<Graph> fused(Graph graph, FusionChoices const& choices) {
  Asked asked{choices, {}};
  for (Node const& node : graph.nodes) asked.names.push_back(node.name);
  for (;;) {
    Fuser fuser(graph, asked);
    TRY(fuser.decide());
    if (!fuser.shared()) return fuser.take();
    Shared const& shared = *fuser.shared();
    Rematerialized again = rematerialized(graph, shared.group, shared.to, shared.value);
    asked.by_rule[asked.names[size_t(shared.from.value)] + ">" +
                  asked.names[size_t(shared.to.value)]] = shared.by_rule;
    std::vector<std::string> names;
    for (NodeId origin : again.origin) names.push_back(asked.names[size_t(origin.value)]);
    asked.names = std::move(names);
    graph = std::move(again.graph);
  }
}

}  // namespace

GraphPass fuse_operators() {
  return {"fuse_operators", "groups nodes that become one kernel, with the reason",
          "last: it groups the nodes that are left",
          [](Graph const& graph, PassChoices const& choices, PassCounts& counts) -> Result<Graph> {
            TRY_ASSIGN(Graph grouped, fused(graph, choices.fusion));
            if (!grouped.groups.empty()) counts["kernels"] += std::ssize(grouped.groups);
            return grouped;
          }};
}

}  // namespace tw
