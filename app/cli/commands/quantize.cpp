#include <fmt/format.h>

#include <cmath>

#include "app/cli/interruption.h"
#include "app/cli/output.h"
#include "engine/session/quantizing.h"

namespace tw::cli::command_quantize {
namespace {

std::string step_text(std::optional<int> exponent) {
  return exponent ? fmt::format("2^{}", *exponent) : "";
}

/// "2^-9..-6" where channels have several.
std::string weights_text(QuantizedNode const& node) {
  bool several = node.weights && node.finest_weights && *node.finest_weights < *node.weights;
  return several ? fmt::format("2^{}..{}", *node.finest_weights, *node.weights)
                 : step_text(node.weights);
}

std::string noise_text(std::optional<double> decibels) {
  if (!decibels) return "";
  return std::isinf(*decibels) ? "no difference" : fmt::format("{:.1f} dB", *decibels);
}

Json number_json(std::optional<double> const& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json();
}

Json exponent_json(std::optional<int> const& value) { return value ? Json(*value) : Json(); }

Json to_json(session::QuantizeReport const& report, std::string const& out) {
  Json nodes = Json::array(), outputs = Json::array();
  for (QuantizedNode const& node : report.quantized.nodes)
    nodes.push_back({{"name", node.name},
                     {"operator", node.title},
                     {"quantized", node.is_quantized},
                     {"reason", node.reason},
                     {"data_exponent", exponent_json(node.data)},
                     {"weights_exponent", exponent_json(node.weights)},
                     {"finest_weights_exponent", exponent_json(node.finest_weights)},
                     {"result_exponent", exponent_json(node.result)},
                     {"signal_to_noise_db", number_json(node.decibels)}});
  for (OutputNoise const& output : report.quantized.outputs)
    outputs.push_back(
        {{"name", output.name}, {"signal_to_noise_db", number_json(output.decibels)}});
  return {{"one_weight_step_because", report.one_step_because},
          {"calibrated_on", report.calibrated_on},
          {"compared_on", report.compared_on},
          {"nodes", nodes},
          {"outputs", outputs},
          {"written", out.empty() ? Json() : Json(out)}};
}

void print_text(session::QuantizeReport const& report, std::string const& out) {
  fmt::print("calibrated on {}; compared with float32 on {}\n\n", report.calibrated_on,
             report.compared_on);
  if (!report.one_step_because.empty())
    fmt::print("one scale for all weights of a convolution: {}\n\n", report.one_step_because);
  size_t width = 4;
  for (QuantizedNode const& node : report.quantized.nodes)
    width = std::max(width, node.name.size());
  fmt::print("{:<{}}  {:<16} {:<6} {:>6} {:>9} {:>6} {:>13}  {}\n", "node", width, "operator", "in",
             "data", "weights", "result", "signal/noise", "");
  for (QuantizedNode const& node : report.quantized.nodes)
    fmt::print("{:<{}}  {:<16} {:<6} {:>6} {:>9} {:>6} {:>13}  {}\n", node.name, width, node.title,
               node.is_quantized ? "bytes" : "floats", step_text(node.data), weights_text(node),
               step_text(node.result), noise_text(node.decibels), node.reason);
  fmt::print("\n");
  for (OutputNoise const& output : report.quantized.outputs)
    fmt::print("output {}: signal to noise {}\n", output.name, noise_text(output.decibels));
  if (!out.empty()) fmt::print("{}: written\n", out);
}

int quantize(Context const& context, session::QuantizeRequest request) {
  auto options = load_options(context);
  if (!options) return report(context, options.error());
  request.fixes = options->fixes;
  Interruption interruption;
  auto result = session::quantize_to_file(request, interruption.token(), progress_of(context));
  end_progress(context);
  if (!result && interruption.came()) interruption.pass_on();
  if (!result) return report(context, result.error());
  std::string out = request.out.string();
  if (context.json)
    print(to_json(*result, out));
  else
    print_text(*result, out);
  return 0;
}

void add_quantize(Command app, Context& context) {
  auto command = app.add_subcommand("quantize", "quantize to int8 and report accuracy loss");
  auto request = std::make_shared<session::QuantizeRequest>();
  auto out = std::make_shared<std::string>(), data = std::make_shared<std::string>();
  command.add_option("MODEL", request->source, "a model file, or sample:NAME").required();
  command.add_option("--out", *out, "the ONNX file to write; without it there is only the report")
      .type_name("FILE");
  command
      .add_option("--data", *data,
                  "a folder of calibration inputs: input_0.pb, ..., or folders with them; "
                  "without it inputs are random")
      .type_name("DIR");
  command.add_option("--seed", request->seed, "of random inputs").type_name("N");
  command.add_option("--runs", request->runs, "how many random inputs calibrate").type_name("N");
  command.add_option("--weight-bits", request->options.weight_bits, "of weights: 2 to 8")
      .type_name("N");
  command.add_option("--keep", request->options.keep, "a node that stays in float32")
      .type_name("NODE")
      .repeatable();
  command.add_flag("--tests", request->with_tests,
                   "beside the file a folder test_data_set_0 with inputs, and outputs as integers "
                   "make them: tw verify reads it beside a model.onnx");
  command.add_flag("--first", request->options.first, "convolutions of the model's input, too");
  command.add_flag("--dense", request->options.dense, "dense layers, too");
  command.add_flag("--depthwise", request->options.depthwise,
                   "depthwise convolutions, too, with equalized channels where that is better");
  command.add_flag("--unsigned", request->options.unsigned_data,
                   "data that is never negative as u8, with finer scales: for processors");
  command.add_flag(
      "--one-weight-step", request->options.one_weight_step,
      "one scale for all weights of a convolution, instead of one for each of its output channels");
  command.add_option("--shape", context.fixes, "set an input's shape: NAME=1x3x224x224")
      .type_name("NAME=SHAPE")
      .repeatable();
  command.callback([&context, request, out, data] {
    context.needs_target = false;
    request->out = *out;
    request->data = *data;
    context.run = [&context, request] { return quantize(context, *request); };
  });
}

}  // namespace

CommandRow const& row() {
  static CommandRow const row{.place = 35, .add = add_quantize};
  return row;
}

}  // namespace tw::cli::command_quantize
