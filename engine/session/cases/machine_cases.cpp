// Machine, samples and primitives as values.
#include <fmt/format.h>

#include <algorithm>

#include "engine/backend/backend.h"
#include "engine/backend/target_table.h"
#include "engine/device/registry.h"
#include "engine/measure/roofs.h"
#include "engine/samples/samples.h"
#include "engine/schedule/macros/macro_set.h"
#include "engine/schedule/primitive.h"
#include "engine/session/kinds.h"
#include "engine/session/use_cases.h"
#include "engine/support/base/quantities.h"

namespace tw::session {
namespace {

std::vector<RoofView> roof_views(Roofs const& roofs, int cores) {
  std::vector<RoofView> views;
  for (ComputeRoof const& one : roofs.compute) {
    if (one.type != "f32") continue;  // what kernels mostly compute with
    if (views.empty()) views.push_back({one.name, true, one.rate.all_cores, cores});
    views.push_back({one.name + ", one core", true, one.rate.one_core, 1});
  }
  for (MemoryRoof const& memory : roofs.memory)
    views.push_back({memory.name, false, memory.load.all_cores, cores});
  return views;
}

/// Those that follow from the hardware: each unit is there once, whatever it computes with.
void take_computed(Roofs roofs, int cores, MachineView& view) {
  for (ComputeRoof const& one : roofs.compute)
    view.roofs.push_back({one.name, true, one.rate.all_cores, cores});
  for (MemoryRoof const& memory : roofs.memory)
    view.roofs.push_back({memory.name, false, memory.load.all_cores, cores});
  view.roofs_known = true;
  view.rates = std::make_shared<Roofs const>(std::move(roofs));
}

}  // namespace

Result<MachineView> machine_view(Backend const& backend, Device& device,
                                 std::filesystem::path const& cache_folder, bool measure,
                                 bool again, StopToken stop, Progress const& progress,
                                 std::string const& title) {
  Hardware const& hardware = backend.target().hardware;
  MachineView view;
  view.device = title.empty() ? kLocalDeviceName : title;
  view.attached = !is_described(title);
  view.name = view.attached ? fmt::format("{} · {}", title.empty() ? "This machine" : title,
                                          count_text(hardware.unit().count, hardware.unit().name))
                            : hardware.name + " · no device";
  view.target = backend.target().title;
  view.kind = machine_words(backend);
  view.hardware = std::make_shared<Hardware const>(hardware);
  view.threads = hardware.unit().count;
  for (MemoryLevel const& cache : hardware.caches()) {
    view.cache_bytes.push_back(cache.bytes);
    view.detail += fmt::format("{}{} {}", view.detail.empty() ? "" : ", ",
                               bytes_text(double(cache.bytes)), cache.name);
  }
  if (auto roofs = computed_roofs(hardware)) {
    take_computed(*std::move(roofs), view.threads, view);
    return view;
  }
  if (!measure) return view;
  // Those that there are count again if the new ones are not finished.
  std::filesystem::path kept = roofs_file(cache_folder, hardware), aside = kept;
  aside += ".before";
  std::error_code ignored;
  if (again) std::filesystem::rename(kept, aside, ignored);
  RoofOptions options;
  options.stop = stop;
  options.progress = progress;
  auto roofs = cached_roofs(
      device, hardware, cache_folder, [&] { return backend.roof_probes(); }, options);
  if (again && roofs) std::filesystem::remove(aside, ignored);
  if (again && !roofs) std::filesystem::rename(aside, kept, ignored);
  // Such a target's times stand alone.
  if (!roofs && roofs.error().code == "no_roofs") {
    view.no_roofs = "There are no roofs: " + roofs.error().message + ".";
    return view;
  }
  if (!roofs) return std::unexpected(roofs.error());
  view.roofs = roof_views(*roofs, hardware.unit().count);
  view.roofs_known = true;
  view.roofs_doubtful = roofs->disturbed;
  view.rates = std::make_shared<Roofs const>(*roofs);
  return view;
}

std::vector<SampleInfo> sample_list() {
  std::vector<SampleInfo> list;
  for (Sample const& sample : samples())
    list.push_back({sample.name, sample.title, sample.description});
  return list;
}

Status write_sample_file(std::string const& name, std::filesystem::path const& file) {
  return write_sample(name, file);
}

namespace {

PrimitiveView view_of(Primitive const& primitive, Target const& target) {
  PrimitiveView view{.name = primitive.name,
                     .title = primitive.title,
                     .key = primitive.key,
                     .doc = primitive.doc,
                     .rewrite = primitive.rewrite,
                     .mark = LoopMark(int(primitive.marks.value_or(ir::LoopKind::kSerial))),
                     .at_hand = primitive.at_hand,
                     .targets = primitive.targets,
                     .target_kinds = {},
                     .parameters = {}};
  for (TargetKind kind : primitive.kinds)
    view.target_kinds.push_back(kind == TargetKind::kBlock    ? "block"
                                : kind == TargetKind::kEither ? "loop or block"
                                                              : "loop");
  for (Parameter const& p : primitive.parameters) {
    std::vector<std::string> choices = choices_of(p, target);
    std::string type = p.word ? "word" : choices.empty() ? "int" : "choice";
    view.parameters.push_back(
        {p.name, p.doc, type, p.low, p.high, p.preset.value_or(0), std::move(choices), p.optional});
  }
  return view;
}

/// Without one of its presets on the target there is no dialog that could begin with it.
bool is_for(Macro const& macro, Target const& target) {
  if (!tw::is_for(macro.head, target)) return false;
  for (Parameter const& parameter : macro.head.parameters) {
    auto preset = macro.presets.find(parameter.name);
    if (preset == macro.presets.end() || parameter.word) continue;
    std::vector<std::string> choices = choices_of(parameter, target);
    if (std::ranges::find(choices, preset->second) == choices.end()) return false;
  }
  return true;
}

PrimitiveView view_of(Macro const& macro, Target const& target) {
  PrimitiveView view = view_of(macro.head, target);
  view.macro = true;
  if (std::ranges::all_of(macro.head.kinds, [](TargetKind k) { return k == TargetKind::kLoop; }))
    view.target_kinds.clear();
  for (ParameterView& parameter : view.parameters)
    if (auto preset = macro.presets.find(parameter.name); preset != macro.presets.end())
      parameter.word = preset->second;
  return view;
}

}  // namespace

std::vector<PrimitiveView> primitive_views(Target const& target, MacroSet const* macros) {
  std::vector<PrimitiveView> views;
  for (Primitive const* primitive : primitive_table())
    if (is_for(*primitive, target)) views.push_back(view_of(*primitive, target));
  if (!macros) return views;
  for (Macro const& macro : macros->all())
    if (is_for(macro, target)) views.push_back(view_of(macro, target));
  return views;
}

}  // namespace tw::session
