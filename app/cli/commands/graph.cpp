#include <fmt/format.h>

#include "app/cli/output.h"
#include "engine/session/cases/graph_pass_views.h"
#include "engine/session/views/graph_picture.h"
#include "engine/support/base/quantities.h"
#include "engine/support/files.h"

namespace tw::cli::command_graph {
namespace {

/// "4 transposes removed, 12 kernels"
std::string counts_text(std::map<std::string, int64_t> const& counts) {
  std::string text;
  for (auto const& [what, count] : counts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
  return text;
}

int graph_passes(Context const& context, std::string const& path) {
  auto model = load(context, path);
  if (!model) return report(context, model.error());
  std::vector<session::GraphPassView> const passes = session::graph_pass_views(**model);
  if (passes.empty() && !context.json)
    fmt::print("a tensor expression has no graph, so no pass ran over one\n");
  Json rows = Json::array();
  for (session::GraphPassView const& pass : passes) {
    rows.push_back({{"name", pass.name},
                    {"title", pass.title},
                    {"operators", pass.operators},
                    {"counts", pass.counts}});
    if (!context.json)
      fmt::print("{:<20} {:>6} operators  {}\n", pass.name, pass.operators,
                 pass.counts.empty() ? pass.title : counts_text(pass.counts));
  }
  if (context.json) print({{"passes", rows}});
  return 0;
}

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
  auto passes = std::make_shared<bool>(false);
  add_model_options(command, context, *path);
  command.add_option("--out", *out, "write it as an SVG picture").type_name("FILE.svg");
  command.add_flag("--before", *before, "the graph as imported, before fusion");
  command.add_flag("--passes", *passes, "what each pass over the graph did, in numbers");
  command.callback([&context, path, out, before, passes] {
    context.run = [&context, path, out, before, passes] {
      return *passes ? graph_passes(context, *path) : graph(context, *path, *out, *before);
    };
  });
}

}  // namespace

CommandRow const& row() {
  static CommandRow const row{.place = 30, .add = add_graph};
  return row;
}

}  // namespace tw::cli::command_graph
