#include <fmt/format.h>

#include "app/cli/output.h"
#include "app/cli/suggestion.h"
#include "engine/support/error_table.h"

namespace tw::cli::command_errors {
namespace {

Json to_json(ErrorRow const& row, ErrorArea const& area) {
  return {{"code", row.code},
          {"exits", row.exits},
          {"area", area.title},
          {"meaning", row.meaning},
          {"remedy", row.remedy}};
}

int list(Context const& context) {
  Json rows = Json::array();
  for (ErrorArea const& area : error_areas()) {
    if (!context.json) fmt::print("{}{}:\n", rows.empty() ? "" : "\n", area.title);
    for (ErrorRow const& row : area.rows) {
      rows.push_back(to_json(row, area));
      if (!context.json) fmt::print("  {:<24} {}\n", row.code, row.meaning);
    }
  }
  if (context.json) print(rows);
  return 0;
}

int refuse(Context const& context, std::string const& code) {
  std::vector<std::string> known;
  for (ErrorArea const& area : error_areas())
    for (ErrorRow const& row : area.rows) known.push_back(row.code);
  std::string near = nearest(code, known);
  std::string what =
      fmt::format("there is no error code '{}'; {}", code,
                  near.empty() ? "`tw errors` lists them" : fmt::format("did you mean {}?", near));
  return report(context, Error{"unknown_error", what, {}, Fault::kBadInput});
}

int explain(Context const& context, std::string const& code) {
  for (ErrorArea const& area : error_areas())
    for (ErrorRow const& row : area.rows) {
      if (row.code != code) continue;
      if (context.json)
        print(to_json(row, area));
      else
        fmt::print("{} ({}; exit {})\n  {}\n  {}\n", code, area.title, exits_text(row), row.meaning,
                   row.remedy);
      return 0;
    }
  return refuse(context, code);
}

void add_errors(Command app, Context& context) {
  auto command =
      app.add_subcommand("errors", "explain an error code: what it means, and what to do about it");
  auto code = std::make_shared<std::string>();
  command.add_option("CODE", *code, "only this code, as --json or a refused step names it");
  command.callback([&context, code] {
    context.needs_target = false;
    context.run = [&context, code] {
      return code->empty() ? list(context) : explain(context, *code);
    };
  });
}

}  // namespace

CommandRow const& row() {
  static CommandRow const row{.place = 167, .add = add_errors};
  return row;
}

}  // namespace tw::cli::command_errors
