#include <fmt/format.h>

#include "app/cli/output.h"
#include "engine/session/kernel_rows.h"
#include "engine/support/base/quantities.h"

namespace tw::cli::command_kernels {
namespace {

struct Arguments {
  std::string path;
  bool timed = false, by_default = false, reversed = false;
  std::string sort = "model", words = {};
};

std::string work_text(session::KernelRow const& row) {
  if (row.flops == 0) return "-";
  return number_text(double(row.flops) / 1e6) + (row.integers ? " MOP" : " MFLOP");
}

std::string time_text(session::KernelRow const& row) {
  return row.time_ms ? milliseconds_text(*row.time_ms) : "-";
}

/// Fills in times measured inside the network; whether others used the processors.
Result<bool> measure(Context const& context, session::ShapedModel const& shaped,
                     session::KernelTable& table, int threads) {
  session::LoadedModel const& model = *shaped.model;
  TRY_ASSIGN(std::unique_ptr<Device> device, context.open_device());
  bool disturbed = is_disturbed(context, *device);
  TRY_ASSIGN(session::MachineView machine,
             session::machine_view(*context.backend, *device, context.cache_folder, true, false, {},
                                   {}, context.device));
  TRY_ASSIGN(std::vector<NDArray> inputs, session::random_inputs(model, 1));
  session::RunOptions options{.rounds = 5,
                              .threads = threads,
                              .inputs = std::move(inputs),
                              .scripts = shaped.scripts,
                              .cache_folder = context.cache_folder};
  TRY_ASSIGN(session::RunResult run, session::run_model(model, options, *context.backend, *device));
  session::fill_times(table, model, run, machine);
  return disturbed;
}

Json row_json(session::KernelTable const& table, session::KernelRow const& row) {
  Json json = {{"name", row.name},
               {"operators", row.operators},
               {"shape", row.shape},
               {"count", row.count},
               {"flops", row.integers ? 0 : row.flops},
               {"operations", row.flops},
               {"bytes", row.bytes},
               {"state", session::state_word(row.state)}};
  if (row.time_ms) json["time_ms"] = *row.time_ms;
  if (auto share = session::share_of(table, row)) json["share"] = share->share;
  if (row.fraction_of_roof) json["fraction_of_roof"] = *row.fraction_of_roof;
  if (row.roof)
    json["roof"] = {{"time_ms", row.roof->ms},    {"bound", session::bound_word(row)},
                    {"data_in", row.roof->level}, {"cores", row.roof->cores},
                    {"speed", row.roof->value},   {"unit", row.roof->unit}};
  return json;
}

void print_row(session::KernelTable const& table, session::KernelRow const& row, bool timed) {
  auto share = session::share_of(table, row);
  std::string time =
      timed ? fmt::format(" {:>9} {:>8} {:>8} {:<26}", time_text(row),
                          share ? session::share_text(*share) : "-",
                          row.fraction_of_roof ? percent_text(*row.fraction_of_roof) : "-",
                          row.roof ? row.roof->words : "-")
            : "";
  fmt::print("{:<28} {:>2}  {:>12} {:>10}{}  {}  {}\n", row.name, row.count, work_text(row),
             bytes_text(double(row.bytes)), time, row.operators, row.shape);
}

int kernels(Context const& context, Arguments const& arguments) {
  using session::ProjectSchedules;
  auto key = session::kernel_key(arguments.sort);
  if (!key) return report(context, key.error());
  auto model =
      load_shaped(context, arguments.path,
                  arguments.by_default ? ProjectSchedules::kIgnored : ProjectSchedules::kKept);
  if (!model) return report(context, model.error());
  session::KernelTable table = session::kernel_table(*model->model);
  Result<bool> disturbed = false;
  if (arguments.timed) disturbed = measure(context, *model, table, context.threads);
  if (!disturbed) return report(context, disturbed.error());
  std::vector<int> rows = session::chosen_rows(table, {*key, arguments.reversed}, arguments.words);
  if (context.json) {
    Json list = Json::array();
    for (int row : rows) list.push_back(row_json(table, table.rows[size_t(row)]));
    return print(list), 0;
  }
  fmt::print("{:<28} {:>2}  {:>12} {:>10}{}  operators\n", "kernel", "x", "computes", "moves",
             arguments.timed
                 ? fmt::format(" {:>9} {:>8} {:>8} {:<26}", "time", "of model", "of roof", "roof")
                 : "");
  for (int row : rows) print_row(table, table.rows[size_t(row)], arguments.timed);
  if (table.total_ms) fmt::print("whole model: {}\n", milliseconds_text(*table.total_ms));
  say_disturbed(context, *disturbed);
  return 0;
}

void add_kernels(Command app, Context& context) {
  auto command = app.add_subcommand(
      "kernels",
      "list the fused kernels: operators, shapes, work; --time adds their times in the network");
  auto arguments = std::make_shared<Arguments>();
  add_shaped_options(command, context, arguments->path, arguments->by_default);
  command.add_flag("--time", arguments->timed, "run the model and time every kernel inside it");
  std::string columns;
  for (session::KernelKeyInfo const& one : session::kernel_keys())
    columns += (columns.empty() ? "" : ", ") + one.name;
  command.add_option("--sort", arguments->sort, "sort by one of " + columns).type_name("COLUMN");
  command.add_flag("--reverse", arguments->reversed, "reverse the order");
  command
      .add_option("--filter", arguments->words,
                  "only kernels with all these words; op:conv2d, state:hand and bound:DRAM search "
                  "only that field")
      .type_name("WORDS");
  add_device_option(command, context);
  add_threads_option(command, context);
  command.callback([&context, arguments] {
    context.run = [&context, arguments] { return kernels(context, *arguments); };
  });
}

}  // namespace

CommandRow const& row() {
  static CommandRow const row{.place = 40, .add = add_kernels};
  return row;
}

}  // namespace tw::cli::command_kernels
