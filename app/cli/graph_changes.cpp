#include "app/cli/graph_changes.h"

#include <fmt/format.h>

#include <algorithm>

namespace tw::cli {
namespace {

using session::NodeChange;

Json to_json(session::GraphDifference const& view) {
  Json nodes = Json::array();
  for (session::NodeDifference const& one : view.nodes) {
    if (one.change == NodeChange::kSame) continue;
    nodes.push_back({{"change", session::name_of(one.change)},
                     {"node", one.name},
                     {"operator", one.operation},
                     {"what", one.what},
                     {"before", one.before},
                     {"after", one.after}});
  }
  Json counts;
  for (NodeChange change : {NodeChange::kAdded, NodeChange::kRemoved, NodeChange::kChanged,
                            NodeChange::kMoved, NodeChange::kSame})
    counts[std::string(session::name_of(change))] = view.count(change);
  return {{"before", view.before},
          {"after", view.after},
          {"summary", view.summary},
          {"counts", counts},
          {"nodes", nodes}};
}

void print_text(session::GraphDifference const& view) {
  constexpr char kSigns[] = {' ', '+', '-', '!', '^'};
  fmt::print("{} against {}: {}\n", view.after, view.before, view.summary);
  size_t wide = 4, operations = 8;
  for (session::NodeDifference const& one : view.nodes) {
    if (one.change == NodeChange::kSame) continue;
    wide = std::max(wide, one.name.size());
    operations = std::max(operations, one.operation.size());
  }
  if (view.count(NodeChange::kSame) == int(view.nodes.size())) return;
  fmt::print("\n+ added, - removed, ! changed, ^ reads what other nodes make\n");
  for (session::NodeDifference const& one : view.nodes)
    if (one.change != NodeChange::kSame)
      fmt::print("{} {:<{}} {:<{}} {}\n", kSigns[size_t(one.change)], one.name, wide, one.operation,
                 operations, one.what);
}

}  // namespace

int print_graph_difference(Context const& context, std::string const& before,
                           std::string const& after) {
  auto first = load(context, before);
  if (!first) return report(context, first.error());
  session::GraphDifference view;
  if (after.empty()) {
    view = session::difference_by_passes(**first);
  } else {
    auto second = load(context, after);
    if (!second) return report(context, second.error());
    view = session::difference_of(**first, **second);
  }
  if (context.json)
    print(to_json(view));
  else
    print_text(view);
  return 0;
}

}  // namespace tw::cli
