// Makes a model of bytes of the open one of floats, and opens it.
#include <fmt/format.h>
#include <cmath>

#include "engine/session/commands/command_row.h"
#include "engine/session/quantizing.h"
#include "engine/session/state/work_mark.h"
#include "engine/session/use_cases.h"
#include "engine/support/base/quantities.h"

namespace tw::session::command_quantize {

QuantizedView quantized_view(QuantizeReport const& report, std::string const& file) {
  QuantizedView view{.file = file, .quantized = 0, .kept = 0, .summary = {}};
  for (QuantizedNode const& node : report.quantized.nodes)
    ++(node.is_quantized ? view.quantized : view.kept);
  view.summary =
      fmt::format("{} in int8, {} in float32, in {}. Calibrated on {}.",
                  count_text(view.quantized, "operator"), view.kept, file, report.calibrated_on);
  for (OutputNoise const& output : report.quantized.outputs)
    if (std::isfinite(output.decibels))
      view.summary += fmt::format(" Output {} against float32: {:.1f} dB signal to noise, on {}.",
                                  output.name, output.decibels, report.compared_on);
  return view;
}

Result<QuantizeRequest> request_of(State const& state, Quantize const& c) {
  if (!state.model) return bad_input("no_model", "no model is open");
  if (state.model->is_expression)
    return bad_input("nothing_to_quantize", "a tensor expression declares its types itself");
  if (c.file.empty()) return bad_input("no_file", "a file for the int8 model is needed");
  QuantizeRequest request;
  request.source = state.source;
  TRY_ASSIGN(request.fixes, parse_fixes(state.shapes));
  request.out = c.file;
  request.data = c.data;
  request.options.dense = c.dense;
  request.options.first = c.first;
  request.options.depthwise = c.depthwise;
  request.options.unsigned_data = c.unsigned_data;
  request.options.one_weight_step = c.one_weight_step;
  return request;
}

/// Who went on meanwhile, with this or another model, goes on with that.
Status quantize(Parts& parts, State const& before, QuantizeRequest const& request, StopToken stop,
                Progress const& progress) {
  TRY_ASSIGN(QuantizeReport report, quantize_to_file(request, stop, progress));
  std::string file = request.out.string();
  auto view = std::make_shared<QuantizedView const>(quantized_view(report, file));
  std::string sentence;
  TRY_ASSIGN(Model model,
             load_arranged(file, {}, *parts.cell.read()->backend, sentence, stop, progress));
  auto same = [&](State const& now) {
    return now.model == before.model && work_mark(now) == work_mark(before);
  };
  if (!same(*parts.cell.read())) {
    parts.cell.commit([&](State& now) { now.quantized = view; });
    return {};
  }
  Model taken = parts.opening.take({.model = model, .source = file, .by_rule = sentence});
  parts.cell.commit([&](State& now) { now.quantized = view; });
  parts.showing.publish();
  if (taken) parts.opening.begin_work(taken, file, stop);
  return {};
}

Status run(Parts& parts, Quantize const& c) {
  StateCell::Pointer state = parts.cell.read();
  TRY_ASSIGN(QuantizeRequest request, request_of(*state, c));
  parts.queues.errands.start("quantize", "quantizing the model",
                             [&parts, state, request](StopToken stop, Progress const& progress) {
                               Status done = quantize(parts, *state, request, stop, progress);
                               if (!done && !stop.stop_requested())
                                 parts.set_error(done.error(), "quantize");
                               parts.showing.publish();
                             });
  return {};
}

CommandRow const& row() {
  static CommandRow const row = command_row(run);
  return row;
}

}  // namespace tw::session::command_quantize
