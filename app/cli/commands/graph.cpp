#include <fmt/format.h>

#include "app/cli/output.h"
#include "engine/session/views/graph_picture.h"
#include "engine/support/base/quantities.h"
#include "engine/support/files.h"

namespace tw::cli::command_graph {
namespace {

int graph(Context const& context, std::string const& path, std::string const& out, bool before) {
  auto model = load(context, path);
  if (!model) return report(context, model.error());
  session::GraphView view = session::graph_view(**model);
  if (!out.empty()) {
    Status written =
        write_output(out, session::graph_svg(view, session::kernel_table(**model), {before}));
    if (!written) return report(context, written.error());
  }
  if (context.json) {
    Json edges = Json::array();
    for (auto const& edge : view.edges)
      edges.push_back({{"from", edge.from},
                       {"to", edge.to},
                       {"value", edge.value},
                       {"shape", edge.shape},
                       {"fused", edge.fused},
                       {"rule", edge.rule},
                       {"reason", edge.reason}});
    Json nodes = Json::array();
    for (auto const& node : view.nodes)
      nodes.push_back({{"id", node.id},
                       {"name", node.name},
                       {"op", node.op},
                       {"group", node.group},
                       {"shape", node.shape},
                       {"reason", node.reason}});
    print({{"nodes", nodes}, {"edges", edges}, {"picture", out}});
    return 0;
  }
  if (!out.empty())
    return fmt::print("{}: {} from {}\n", out, count_text(int64_t(view.groups.size()), "kernel"),
                      count_text(int64_t(view.nodes_before.size()), "operator")),
           0;
  if (view.edges.empty())
    fmt::print("{} and no edge between operators\n",
               count_text(int64_t(session::kernel_table(**model).rows.size()), "kernel"));
  for (auto const& edge : view.edges)
    fmt::print("{:<10} {:<28} {}\n", edge.fused ? "fused" : "not fused", edge.value,
               edge.rule.empty() ? "an input of the model" : edge.rule + ": " + edge.reason);
  return 0;
}

void add_graph(Command app, Context& context) {
  auto command = app.add_subcommand(
      "graph", "print the graph after fusion, with the reason for every edge; --out draws it");
  auto path = std::make_shared<std::string>();
  auto out = std::make_shared<std::string>();
  auto before = std::make_shared<bool>(false);
  add_model_options(command, context, *path);
  command.add_option("--out", *out, "write it as an SVG picture").type_name("FILE.svg");
  command.add_flag("--before", *before, "the graph as imported, before fusion");
  command.callback([&context, path, out, before] {
    context.run = [&context, path, out, before] { return graph(context, *path, *out, *before); };
  });
}

}  // namespace

CommandRow const& row() {
  static CommandRow const row{.place = 30, .add = add_graph};
  return row;
}

}  // namespace tw::cli::command_graph
