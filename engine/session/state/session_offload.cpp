// An accelerator beside the device in use, and a model of bytes for it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/session/model/loaded_model.h"
#include "engine/session/quantizing.h"
#include "engine/session/state/session_impl.h"
#include "engine/session/state/state_cut.h"
#include "engine/session/state/work_mark.h"
#include "engine/session/use_cases.h"
#include "engine/support/base/quantities.h"

namespace tw::session {

Status SessionImpl::run(OffloadTo const& c) {
  TRY(check_device(options_, c.device));
  auto project = std::make_shared<Project>();
  std::string source, shapes;
  {
    std::lock_guard lock(mutex_);
    if (!state_.model) return bad_input("no_model", "no model is open");
    if (state_.model->is_expression)
      return bad_input("nothing_to_cut", "a tensor expression is one kernel: it cannot be cut");
    if (state_.here.device == c.device)
      return bad_input(
          "bad_cut", fmt::format("'{}' is the device in use: choose another one first", c.device));
    *project = project_of(state_);
    source = state_.source, shapes = state_.shapes;
  }
  project->model.accelerator = c.device;
  project->cut.clear();
  return open(source, project, shapes,
              {.device_before = {}, .other_arrangement = true, .cut_by_rule = true});
}

Result<Model> SessionImpl::load_beside(std::string const& source, LoadOptions options,
                                       Project const* project, TakenUp& taken,
                                       std::string& sentence, StopToken stop,
                                       Progress const& progress) {
  std::string name = project ? project->model.accelerator : std::string();
  if (name.empty()) return load_arranged(source, options, *backend(), sentence, stop, progress);
  auto found = [&]() -> Result<Model> {
    std::string home;
    {
      std::lock_guard lock(mutex_);
      home = state_.here.device;
    }
    TRY_ASSIGN(ChosenDevice helper, open_device(options_, name, stop));
    options.helper = helper.backend.get();
    TRY_ASSIGN(Model model, load_arranged(source, options, *backend(), sentence, stop, progress));
    TRY_ASSIGN(Offload offload, offload_model(*model, *helper.backend, home, name));
    taken.beside = {name, std::move(offload.kernels), std::move(offload.cut.points)};
    return model;
  }();
  if (found || taken.offload_asked() || stop.stop_requested()) return found;
  sentence = "nothing is offloaded: " + found.error().message;
  taken.beside.device = name;  // a board that is away today is the project's tomorrow
  options.helper = nullptr;
  return load_arranged(source, options, *backend(), sentence, stop, progress);
}

namespace {

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

}  // namespace

Status SessionImpl::run(Quantize const& c) {
  QuantizeRequest request;
  Model before;
  uint64_t work = 0;
  {
    std::lock_guard lock(mutex_);
    if (!state_.model) return bad_input("no_model", "no model is open");
    if (state_.model->is_expression)
      return bad_input("nothing_to_quantize", "a tensor expression declares its types itself");
    before = state_.model;
    work = work_mark(state_);
    request.source = state_.source;
    TRY_ASSIGN(request.fixes, parse_fixes(state_.shapes));
  }
  if (c.file.empty()) return bad_input("no_file", "a file for the int8 model is needed");
  request.out = c.file;
  request.data = c.data;
  request.options.dense = c.dense;
  request.options.first = c.first;
  request.options.depthwise = c.depthwise;
  request.options.unsigned_data = c.unsigned_data;
  request.options.one_weight_step = c.one_weight_step;
  clear_error();
  errands_.start("quantize", "quantizing the model",
                 [this, request, before, work](StopToken stop, Progress const& progress) {
                   auto report = quantize_to_file(request, stop, progress);
                   if (!report) {
                     if (!stop.stop_requested()) set_error(report.error(), "quantize");
                     return publish();
                   }
                   std::string file = request.out.string();
                   auto view = std::make_shared<QuantizedView const>(quantized_view(*report, file));
                   std::string sentence;
                   auto model = load_arranged(file, {}, *backend(), sentence, stop, progress);
                   if (!model) {
                     if (!stop.stop_requested()) set_error(model.error(), "quantize");
                     return publish();
                   }
                   // Who went on meanwhile, with this or another one, goes on with that.
                   bool same = false;
                   {
                     std::lock_guard lock(mutex_);
                     same = state_.model == before && work_mark(state_) == work;
                     if (!same) state_.quantized = view;
                   }
                   if (!same) return publish();
                   take_model(*model, file, "", nullptr, {}, sentence);
                   {
                     std::lock_guard lock(mutex_);
                     state_.quantized = view;
                   }
                   publish();
                   start_modelling();
                   know_model(*model, file, stop);
                   start_measuring();
                 });
  return {};
}

}  // namespace tw::session
