#include <fmt/format.h>

#include "app/cli/inspection.h"
#include "app/cli/offload_listing.h"
#include "app/shared/environment.h"
#include "engine/device/registry.h"
#include "engine/session/cases/offload_cases.h"
#include "engine/support/base/quantities.h"

namespace tw::cli::command_inspect {
namespace {

Json to_json(session::ModelTensor const& info) {
  return {{"name", info.name},
          {"type", to_text(info.type)},
          {"shape", info.shape},
          {"unknown", info.unknown}};
}

std::string line_of(session::ModelTensor const& info, bool is_input) {
  std::string shape = !info.unknown.empty() ? fmt::format("{}", fmt::join(info.unknown, "x"))
                      : info.shape.empty()  ? "scalar"
                                            : to_text(info.shape);
  std::string note = info.unknown.empty() ? ""
                     : is_input ? fmt::format("  (unknown; --shape {}=SHAPE sets it)", info.name)
                                : "  (known only when the model runs)";
  return fmt::format("  {:<24} {} {}{}\n", info.name, to_text(info.type), shape, note);
}

/// Where a model is cut that an accelerator runs a part of. No device is asked.
struct CutAsked {
  std::string there;
  Offload found;
  session::CutCopies copies;
};

/// `there`: the accelerator; it is described, or a device that somebody has added.
Result<CutAsked> cut_of(session::LoadedModel const& model, Backend const& helper,
                        std::string const& there) {
  CutAsked cut{there, {}, {}};
  TRY_ASSIGN(cut.found, session::offload_model(model, helper, kLocalDeviceName, there));
  TRY_ASSIGN(cut.copies, session::copies_of(model, cut.found.cut));
  return cut;
}

void print_cut(CutAsked const& cut) {
  print_offloaded(cut.found, kLocalDeviceName, cut.there);
  fmt::print("{} copied between devices in each run, {}\n", count_text(cut.copies.values, "value"),
             bytes_text(double(cut.copies.bytes)));
}

Json to_json(CutAsked const& cut) {
  Json json = offload_json(cut.found, kLocalDeviceName, cut.there);
  json["copies"] = cut.copies.values;
  json["copied_bytes"] = cut.copies.bytes;
  return json;
}

int inspect_cut(Context& context, std::string const& path, std::string const& there) {
  auto environment = make_environment(there);
  if (!environment) return report(context, environment.error());
  context.helper = environment->backend;
  auto model = load(context, path);
  if (!model) return report(context, model.error());
  auto cut = cut_of(**model, *context.helper, there);
  if (!cut) return report(context, cut.error());
  if (context.json)
    print(to_json(*cut));
  else
    print_cut(*cut);
  return 0;
}

int inspect(Context const& context, std::string const& path, InspectionArguments const& arguments) {
  auto model = load(context, path);
  if (!model) return report(context, model.error());
  if (arguments.is_asked()) return print_inspection(context, **model, arguments);
  session::ModelView view = session::model_view(**model);
  auto inputs = session::model_inputs(**model), outputs = session::model_outputs(**model);
  session::GraphView graph = session::graph_view(**model);
  std::map<std::string, int> counts;
  for (auto const& node : graph.nodes_before) ++counts[node.op];
  if (context.json) {
    Json in = Json::array(), out = Json::array();
    for (auto const& info : inputs) in.push_back(to_json(info));
    for (auto const& info : outputs) out.push_back(to_json(info));
    print({{"name", view.name},
           {"operators", view.operators},
           {"kernels", view.kernels},
           {"opaque", view.opaque},
           {"inputs", in},
           {"outputs", out},
           {"operator_counts", counts},
           {"notes", view.notes},
           {"arena_bytes", graph.arena_bytes},
           {"unplanned_bytes", graph.unplanned_bytes}});
    return 0;
  }
  fmt::print("{}: {}\n\ninputs\n", view.name, view.summary);
  for (auto const& info : inputs) fmt::print("{}", line_of(info, true));
  fmt::print("outputs\n");
  for (auto const& info : outputs) fmt::print("{}", line_of(info, false));
  fmt::print("operators\n");
  for (auto const& [op, count] : counts) fmt::print("  {:<24} {}\n", op, count);
  fmt::print("memory of intermediate tensors: {} planned, {} without sharing\n",
             bytes_text(double(graph.arena_bytes)), bytes_text(double(graph.unplanned_bytes)));
  for (std::string const& note : view.notes) fmt::print("note: {}\n", note);
  return 0;
}

void add_inspect(Command app, Context& context) {
  auto command = app.add_subcommand(
      "inspect",
      "show a model's inputs, outputs and operators, and what is not supported; or one "
      "operator, kernel or tensor with its attributes, values and cost");
  auto path = std::make_shared<std::string>();
  auto arguments = std::make_shared<InspectionArguments>();
  add_model_options(command, context, *path);
  auto node = command.add_option("--node", arguments->node,
                                 "an operator after fusion, by its name or as #12; where there "
                                 "is none of that name, as the file has it");
  auto kernel = command.add_option("--kernel", arguments->kernel, "a fused kernel");
  auto tensor = command.add_option("--tensor", arguments->tensor,
                                   "a tensor; of a weight also statistics of its values");
  for (Option option : {node, kernel, tensor}) option.type_name("NAME");
  node.excludes(kernel).excludes(tensor);
  kernel.excludes(tensor);
  auto offload = std::make_shared<std::string>();
  command
      .add_option("--offload", *offload,
                  "an accelerator beside this machine: which kernels it would run, why the others "
                  "stay, and what is copied in each run")
      .type_name("DEVICE")
      .excludes(node)
      .excludes(kernel)
      .excludes(tensor);
  command.add_flag("--imported", arguments->imported, "the operator as the file has it")
      .needs(node);
  command.callback([&context, path, arguments, offload] {
    context.run = [&context, path, arguments, offload] {
      return offload->empty() ? inspect(context, *path, *arguments)
                              : inspect_cut(context, *path, *offload);
    };
  });
}

}  // namespace

CommandRow const& row() {
  static CommandRow const row{.place = 20, .add = add_inspect};
  return row;
}

}  // namespace tw::cli::command_inspect
