#include <fmt/format.h>

#include "app/cli/output.h"
#include "app/cli/what_if.h"
#include "app/shared/environment.h"
#include "engine/session/model_roofline.h"
#include "engine/support/base/quantities.h"

namespace tw::cli::command_roofline {
namespace {

struct Arguments {
  std::string path;     ///< of a model whose kernels are placed below the roofs; empty: none
  std::string offload;  ///< the accelerator whose roofs they are; empty: the device's own
  bool again = false;
  std::string what_if;  ///< roofs and caches that are otherwise
};

/// Whose roofs are asked for.
struct Asked {
  std::string name;
  std::shared_ptr<Backend const> backend;
  session::MachineView machine;
};

Result<Asked> machine_asked(Context& context, Arguments const& arguments) {
  Asked asked{context.device, context.backend, {}};
  auto open = context.open_device;
  if (!arguments.offload.empty()) {
    TRY_ASSIGN(Environment environment, make_environment(arguments.offload));
    context.helper = environment.backend;
    asked = {arguments.offload, environment.backend, {}};
    open = environment.open_device;
  }
  TRY_ASSIGN(std::unique_ptr<Device> device, open());
  auto machine = session::machine_view(*asked.backend, *device, context.cache_folder, true,
                                       arguments.again, {}, progress_of(context), asked.name);
  end_progress(context);
  if (!machine) return std::unexpected(machine.error());
  if (!machine->roofs_known) return bad_input("unknown_roofs", "the machine's roofs are not known");
  asked.machine = *std::move(machine);
  return asked;
}

void print_roofs(session::MachineView const& machine) {
  fmt::print("{}\n{}{}{}{}\n", machine.name, machine.target, machine.detail.empty() ? "" : ", ",
             machine.detail,
             session::has_computed_roofs(machine) ? ", roofs from its configuration" : "");
  for (session::RoofView const& roof : machine.roofs)
    fmt::print("  {:<24} {:>13}, {}\n", roof.name, speed_text(roof.value, session::unit_of(roof)),
               count_text(roof.cores, machine.hardware ? machine.hardware->unit().name : "core"));
}

/// The operations that the layers' rates are of: "GOP/s".
std::string arithmetic_unit(session::MachineView const& machine) {
  for (session::RoofView const& roof : machine.roofs)
    if (roof.compute) return session::unit_of(roof);
  return "GFLOP/s";
}

void print_layers(std::vector<session::LayerPoint> const& layers, std::string const& unit) {
  size_t wide = 6;
  for (session::LayerPoint const& one : layers) wide = std::max(wide, one.name.size());
  fmt::print("\n{:<{}} {:>5} {:>8} {:>9} {:>8} {:>8} {:>8} {:>10} {:>8} {:>6}\n", "kernel", wide,
             "runs", "OP/byte", "time", unit, "of peak", "moved", "in turn", "of peak", "gain");
  for (session::LayerPoint const& one : layers) {
    if (!one.missing.empty()) continue;
    session::RooflinePoint const& point = one.by_rule;
    fmt::print("{:<{}} {:>5} {:>8} {:>9} {:>8} {:>8} {:>8}", one.name, wide, one.count,
               number_text(point.intensity), milliseconds_text(point.model_ms),
               number_text(point.gflops), percent_text(one.of_peak),
               point.levels.empty() ? "" : bytes_text(point.levels.back().bytes));
    if (one.serial)
      fmt::print(" {:>10} {:>8} {:>6.2f}", milliseconds_text(one.serial->model_ms),
                 percent_text(one.of_peak * one.serial->gflops / point.gflops),
                 one.serial->model_ms / point.model_ms);
    fmt::print("\n");
  }
  for (session::LayerPoint const& one : layers)
    if (!one.missing.empty())
      fmt::print("{:<{}} {:>5} {}\n", one.name, wide, one.count, one.missing);
  fmt::print("\n{}\n", session::explanation_of(layers));
}

Json to_json(session::RooflinePoint const& point) {
  Json levels = Json::array();
  for (session::RooflineLevel const& level : point.levels)
    levels.push_back({{"name", level.name},
                      {"bytes", level.bytes},
                      {"operations_per_byte", level.intensity},
                      {"time_ms", level.ms}});
  return {{"time_ms", point.model_ms},
          {"operations_per_byte", point.intensity},
          {"speed", point.gflops},
          {"levels", levels}};
}

Json to_json(std::vector<session::LayerPoint> const& layers) {
  Json list = Json::array();
  for (session::LayerPoint const& one : layers) {
    Json json = {{"kernel", one.name}, {"runs", one.count}};
    if (!one.missing.empty()) {
      json["missing"] = one.missing;
    } else {
      json["operations"] = one.operations;
      json["of_peak"] = one.of_peak;
      json["by_rule"] = to_json(one.by_rule);
      if (one.serial) json["in_turn"] = to_json(*one.serial);
    }
    list.push_back(std::move(json));
  }
  return list;
}

Json to_json(session::MachineView const& machine) {
  Json roofs = Json::array();
  for (session::RoofView const& roof : machine.roofs)
    roofs.push_back({{"name", roof.name},
                     {"kind", roof.compute ? "compute" : "bandwidth"},
                     {"value", roof.value},
                     {"unit", session::unit_of(roof)},
                     {"cores", roof.cores}});
  return {{"machine", machine.name},
          {"target", machine.target},
          {"detail", machine.detail},
          {"measured", !session::has_computed_roofs(machine)},
          {"roofs", roofs}};
}

int roofline(Context context, Arguments const& arguments) {
  if (arguments.path.empty() && !arguments.offload.empty())
    return report(
        context,
        bad_input("no_model", "--offload needs a model: --device NAME shows roofs alone").error());
  auto asked = machine_asked(context, arguments);
  if (!asked) return report(context, asked.error());
  std::string supposed;
  if (!arguments.what_if.empty()) {
    context.backend = asked->backend;
    auto there = machine_if(context, arguments.what_if, asked->machine);
    if (!there) return report(context, there.error());
    supposed = there->words;
    asked->machine = there->machine.view;
    asked->backend = there->machine.backend;
    if (!context.json) fmt::print("Hypothetical: {}\n", supposed);
  }
  if (!context.json) print_roofs(asked->machine);
  Json json = to_json(asked->machine);
  if (!supposed.empty()) json["what_if"] = supposed;
  if (!arguments.path.empty()) {
    auto model = load(context, arguments.path);
    if (!model) return report(context, model.error());
    auto layers = session::layer_points(**model, *asked->backend, *asked->machine.rates);
    if (!layers) return report(context, layers.error());
    if (!context.json) print_layers(*layers, arithmetic_unit(asked->machine));
    json["kernels"] = to_json(*layers);
  }
  if (context.json) print(json);
  return 0;
}

void add_roofline(Command app, Context& context) {
  auto command = app.add_subcommand(
      "roofline",
      "show the roofs of this machine or another: peak arithmetic, and the bandwidth of each "
      "memory level; with a model, each kernel with its default schedule, modelled");
  auto arguments = std::make_shared<Arguments>();
  add_model_options(command, context, arguments->path);
  command.get_option("MODEL").required(false);
  add_device_option(command, context);
  command
      .add_option("--offload", arguments->offload,
                  "an accelerator beside the device: its roofs, and the kernels that it runs")
      .type_name("DEVICE")
      .excludes("--device");
  add_what_if_option(command, arguments->what_if);
  command.add_flag("--again", arguments->again, "measure now, even if there are stored values");
  command.callback([&context, arguments] {
    context.run = [&context, arguments] { return roofline(context, *arguments); };
  });
}

}  // namespace

CommandRow const& row() {
  static CommandRow const row{.place = 130, .add = add_roofline};
  return row;
}

}  // namespace tw::cli::command_roofline
