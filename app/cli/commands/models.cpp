#include <fmt/format.h>

#include "app/cli/output.h"

namespace tw::cli::command_models {
namespace {

int list(Context const& context) {
  Json rows = Json::array();
  for (auto const& sample : session::sample_list()) {
    rows.push_back(
        {{"name", sample.name}, {"title", sample.title}, {"description", sample.description}});
    if (!context.json) fmt::print("{:<16} {}\n", sample.name, sample.description);
  }
  if (context.json) print(rows);
  return 0;
}

int write(Context const& context, std::string const& name, std::string const& file) {
  Status status = session::write_sample_file(name, file);
  if (!status) return report(context, status.error());
  if (context.json)
    print({{"written", file}});
  else
    fmt::print("{}: written\n", file);
  return 0;
}

void add_models(Command app, Context& context) {
  auto command = app.add_subcommand("models", "list or write the built-in sample models");
  command.require_subcommand(1);
  auto listing = command.add_subcommand("list", "list the samples");
  listing.callback([&context] { context.run = [&context] { return list(context); }; });
  auto writing = command.add_subcommand("write", "write a sample as an ONNX file");
  auto name = std::make_shared<std::string>();
  auto file = std::make_shared<std::string>();
  writing.add_option("NAME", *name, "the sample").required();
  writing.add_option("FILE", *file, "the file to write").required();
  writing.callback([&context, name, file] {
    context.run = [&context, name, file] { return write(context, *name, *file); };
  });
}

}  // namespace

CommandRow const& row() {
  static CommandRow const row{.place = 10, .add = add_models};
  return row;
}

}  // namespace tw::cli::command_models
