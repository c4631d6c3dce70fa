#include <fmt/format.h>

#include "app/cli/output.h"

namespace tw::cli {
namespace {

int primitives(Context const& context, std::string const& only) {
  Json rows = Json::array();
  bool found = only.empty();
  for (session::PrimitiveView const& primitive : session::primitive_views(*any_target())) {
    if (!only.empty() && primitive.name != only) continue;
    found = true;
    Json parameters = Json::array();
    for (auto const& p : primitive.parameters)
      parameters.push_back({{"name", p.name},
                            {"type", p.type},
                            {"doc", p.doc},
                            {"low", p.low},
                            {"high", p.high},
                            {"choices", p.choices}});
    rows.push_back({{"name", primitive.name},
                    {"key", primitive.key},
                    {"doc", primitive.doc},
                    {"rewrite", primitive.rewrite},
                    {"parameters", parameters}});
    if (context.json) continue;
    fmt::print("{} (key {})\n  {}\n", primitive.name, primitive.key, primitive.doc);
    if (!primitive.rewrite.empty()) fmt::print("  {}\n", primitive.rewrite);
    for (auto const& p : primitive.parameters) fmt::print("  {}: {}\n", p.name, p.doc);
    fmt::print("\n");
  }
  if (!found)
    return report(context, Error{"unknown_primitive",
                                 fmt::format("there is no primitive '{}'", only),
                                 {},
                                 Fault::kBadInput});
  if (context.json) print(rows);
  return 0;
}

void add_help(CLI::App& app, Context& context) {
  auto* command =
      app.add_subcommand("primitives", "list the schedule primitives that a script can use");
  auto name = std::make_shared<std::string>();
  command->add_option("NAME", *name, "only this primitive");
  command->callback([&context, name] {
    context.needs_target = false;
    context.run = [&context, name] { return primitives(context, *name); };
  });
}

}  // namespace

CommandRow const& command_help() {
  static CommandRow const row{.place = 160, .add = add_help};
  return row;
}

}  // namespace tw::cli
