#include "engine/session/facts/facts.h"

#include <algorithm>

#include "engine/hardware/hardware.h"
#include "engine/session/facts/loop_words.h"
#include "engine/session/facts/nest_values.h"
#include "engine/session/facts/peak_values.h"
#include "engine/session/kernel_times.h"
#include "engine/session/tuning.h"

namespace tw::session {
namespace {

using Value = std::optional<FactValue>;

Value words(std::string text) { return Value(std::move(text)); }
Value or_none(std::string text) { return text.empty() ? words("none") : words(std::move(text)); }
template <typename T>
Value number(T value) {
  return Value(double(value));
}
template <typename T>
Value number(std::optional<T> value) {
  return value ? Value(double(*value)) : std::nullopt;
}

KernelRow const* row_of(Snapshot const& now) {
  bool known = now.kernels && now.kernel >= 0 && size_t(now.kernel) < now.kernels->rows.size();
  return known ? &now.kernels->rows[size_t(now.kernel)] : nullptr;
}

HistoryNodeView const* node_of(Snapshot const& now) {
  return now.history ? &now.history->nodes[size_t(now.history->current)] : nullptr;
}

LoopBar const* bar_of(Snapshot const& now, int loop) {
  if (!now.nest) return nullptr;
  auto found = std::ranges::find(now.nest->bars, loop, &LoopBar::id);
  return found == now.nest->bars.end() ? nullptr : &*found;
}

/// Of the current step, where there is one.
template <typename Get>
Value of_node(Snapshot const& now, Get get) {
  HistoryNodeView const* node = node_of(now);
  return node ? get(*node) : std::nullopt;
}

Value elsewhere(HistoryNodeView const& node) {
  std::string names;
  for (ElsewhereView const& one : node.elsewhere)
    if (one.min_ms) names += (names.empty() ? "" : ", ") + one.device;
  return or_none(names);
}

std::string places(Snapshot const& now) {
  if (!now.cut) return now.machine ? now.machine->device : "none";
  std::string names;
  for (std::string const& place : now.cut->places) names += (names.empty() ? "" : ", ") + place;
  return names;
}

std::string cut_points(Snapshot const& now) {
  std::string text;
  if (now.cut)
    for (CutPointView const& point : now.cut->points)
      text += (text.empty() ? "" : ", ") + point.node + "@" + now.cut->places[size_t(point.place)];
  return text;
}

/// Of the last run of the tuner, where there was one.
template <typename Get>
Value of_tuning(Snapshot const& now, Get get) {
  TuningRun const* run = now.tuning ? now.tuning->run() : nullptr;
  return run ? get(*run) : std::nullopt;
}

/// Of the last tuning of the model; 0 where there was none.
template <typename Get>
Value of_model_tuning(Snapshot const& now, Get get) {
  return number(now.tuning && now.tuning->model ? double(get(*now.tuning->model)) : 0.0);
}

/// Of several kinds of devices that of one that goes on.
Value model_tuning_state(Snapshot const& now) {
  if (!now.tuning || !now.tuning->model) return words("none");
  ModelTuningState state = now.tuning->model->state;
  for (auto const& one : now.tuning->beside)
    if (state == ModelTuningState::kEnded) state = one->state;
  return words(std::string(name_of(state)));
}

void add_devices(std::vector<TuningDevice> const& devices, std::string& text) {
  for (TuningDevice const& one : devices)
    text += (text.empty() ? "" : ", ") + one.name + " " + std::string(name_of(one.does));
}

/// The searches that were begun together last, the one of `run()` first.
template <typename Use>
void each_of_last(TuningView const& tuning, Use use) {
  TuningRun const* last = tuning.run();
  for (auto const& run : tuning.runs)
    if (last && run->group == last->group) use(*run);
}

bool model_is_shown(TuningView const& tuning) {
  return tuning.model && (tuning.model_goes_on() || !tuning.run());
}

/// The devices of the tuning that goes on, or of the last one.
std::string tuning_devices(Snapshot const& now) {
  std::string text;
  if (!now.tuning) return text;
  if (model_is_shown(*now.tuning)) {
    add_devices(now.tuning->model->devices, text);
    for (auto const& one : now.tuning->beside) add_devices(one->devices, text);
  } else {
    each_of_last(*now.tuning, [&](TuningRun const& run) { add_devices(run.devices, text); });
  }
  return text;
}

int tuning_kinds(Snapshot const& now) {
  if (!now.tuning) return 0;
  if (model_is_shown(*now.tuning)) return 1 + int(now.tuning->beside.size());
  int kinds = 0;
  each_of_last(*now.tuning, [&](TuningRun const&) { ++kinds; });
  return kinds;
}

/// Of the kernel, one for each kind.
std::string kept_for_kinds(Snapshot const& now) {
  std::string text;
  if (!now.tuning || !now.kernels || now.kernel < 0) return text;
  for (KeptSchedule const& one : now.tuning->kept)
    if (one.kernel == now.kernels->rows[size_t(now.kernel)].name)
      text += (text.empty() ? "" : "; ") + one.machine;
  return text;
}

AblationView const* ablation_of(Snapshot const& now) {
  return now.tuning ? now.tuning->ablation.get() : nullptr;
}

Value gain_state(Snapshot const& now) {
  AblationView const* view = ablation_of(now);
  if (!view) return words("none");
  return words(view->goes_on ? "measuring" : view->error.empty() ? "ended" : view->error);
}

std::string arrangement(Snapshot const& now) {
  std::string text;
  if (now.model)
    for (ArrangementChoice const& choice : now.model->choices)
      if (choice.value != choice.by_rule)
        text += (text.empty() ? "" : " ") + choice.knob + "=" + choice.value;
  return text;
}

/// Of several that were begun together that of one that goes on.
Value tuning_state(Snapshot const& now) {
  TuningRun const* run = now.tuning ? now.tuning->run() : nullptr;
  if (!run) return words("none");
  TuningState state = run->state;
  each_of_last(*now.tuning, [&](TuningRun const& one) {
    if (state == TuningState::kEnded) state = one.state;
  });
  return words(std::string(name_of(state)));
}

/// The nearest cache that holds what one iteration of the loop touches.
Value fits_in(Snapshot const& now, LoopBar const* bar) {
  if (!bar || !now.machine) return std::nullopt;
  auto const& caches = now.machine->cache_bytes;
  for (size_t i = 0; i < caches.size(); ++i)
    if (bar->footprint <= caches[i]) return words("L" + std::to_string(i + 1));
  return words("memory");
}

/// How many times as fast as another step of the history that has a time, too.
template <typename Time>
Value gain_over(Snapshot const& now, std::string_view label, Time time) {
  HistoryNodeView const* node = node_of(now);
  if (!node || !(node->*time)) return std::nullopt;
  auto const& nodes = now.history->nodes;
  auto other = std::ranges::find(nodes, label, &HistoryNodeView::label);
  if (other == nodes.end() || !((*other).*time) || *(node->*time) <= 0) return std::nullopt;
  return number(*((*other).*time) / *(node->*time));
}

Value of_peak(Snapshot const& now) {
  HistoryNodeView const* node = node_of(now);
  RoofView const* best = peak(now);
  bool known = node && node->gflops && best && best->value > 0;
  return known ? number(*node->gflops / best->value * 100) : std::nullopt;
}

Value intensity(Snapshot const& now) {
  if (!now.roofline) return std::nullopt;
  for (RooflinePoint const& point : now.roofline->trail)
    if (point.current) return number(point.intensity);
  return std::nullopt;
}

Value percent(std::optional<double> fraction) {
  return fraction ? number(*fraction * 100) : std::nullopt;
}

constexpr char const* kStates[] = {"plain", "default", "hand", "tuned"};
constexpr char const* kVerdicts[] = {"unknown", "checking", "correct", "wrong"};

using Now = Snapshot const&;
using Chosen = ChosenLoops const&;

Fact const kFacts[] = {
    {{"model", "words", "name of the open model, or none"},
     [](Now now, Chosen) { return words(now.model ? now.model->name : "none"); }},
    {{"model.operators", "", "number of operators of the model as read"},
     [](Now now, Chosen) { return number(now.model ? now.model->operators : 0); }},
    {{"model.time", "ms", "time of the whole model, measured inside the network"},
     [](Now now, Chosen) { return now.kernels ? number(now.kernels->total_ms) : std::nullopt; }},
    {{"model.modelled_time", "ms",
      "sum of the modelled times of all kernels, on a device that is only described"},
     [](Now now, Chosen) {
       return now.kernels ? number(modelled_ms(*now.kernels)) : std::nullopt;
     }},
    {{"model.graph_options", "words", "layouts and algorithms that are not the default, or none",
      "model.arrangement"},
     [](Now now, Chosen) { return or_none(arrangement(now)); }},
    {{"model.places", "words", "devices that the model runs on, the one in use first"},
     [](Now now, Chosen) { return words(places(now)); }},
    {{"model.copies", "", "number of values copied between devices in each run"},
     [](Now now, Chosen) { return number(now.cut ? now.cut->copies : 0); }},
    {{"model.cut", "words", "nodes from which another device takes over, or none"},
     [](Now now, Chosen) { return or_none(cut_points(now)); }},
    {{"kernels", "", "number of kernels"},
     [](Now now, Chosen) { return number(now.kernels ? now.kernels->rows.size() : 0); }},
    {{"kernel", "words", "name of the selected kernel, or none"},
     [](Now now, Chosen) { return words(row_of(now) ? row_of(now)->name : "none"); }},
    {{"kernel.time", "ms", "measured time of the current step"},
     [](Now now, Chosen) { return of_node(now, [](auto& node) { return number(node.min_ms); }); }},
    {{"kernel.speed", "GFLOP/s", "measured speed of the current step"},
     [](Now now, Chosen) { return of_node(now, [](auto& node) { return number(node.gflops); }); }},
    {{"kernel.of_roof", "", "measured speed in percent of what the machine's roofs allow"},
     [](Now now, Chosen) {
       return of_node(now, [](auto& node) { return percent(node.fraction_of_roof); });
     }},
    {{"kernel.of_peak", "",
      "measured speed in percent of the peak arithmetic of the cores that the schedule uses"},
     [](Now now, Chosen) { return of_peak(now); }},
    {{"kernel.peak", "words",
      "the peak arithmetic of the cores that the schedule uses, as in 181 GFLOP/s of 1 core"},
     [](Now now, Chosen) { return words(peak_words(now)); }},
    {{"kernel.gain", "", "how many times as fast as the unscheduled loop nest, measured"},
     [](Now now, Chosen) { return gain_over(now, "plain", &HistoryNodeView::min_ms); }},
    {{"kernel.over_default", "", "how many times as fast as the default schedule, measured"},
     [](Now now, Chosen) { return gain_over(now, "default", &HistoryNodeView::min_ms); }},
    {{"kernel.modelled_gain", "",
      "how many times as fast as the unscheduled loop nest, by the time model"},
     [](Now now, Chosen) { return gain_over(now, "plain", &HistoryNodeView::model_ms); }},
    {{"kernel.bound", "words", "the modelled bottleneck: arithmetic, a memory, or latency"},
     [](Now now, Chosen) { return of_node(now, [](auto& node) { return or_none(node.bound); }); }},
    {{"kernel.intensity", "", "operations for each byte of main memory that the schedule moves"},
     [](Now now, Chosen) { return intensity(now); }},
    {{"kernel.state", "words", "plain, default, hand or tuned"},
     [](Now now, Chosen) {
       return row_of(now) ? words(kStates[size_t(row_of(now)->state)]) : std::nullopt;
     }},
    {{"state", "words", "result of the current step: unknown, checking, correct or wrong"},
     [](Now now, Chosen) {
       return of_node(now, [](auto& node) { return words(kVerdicts[size_t(node.verdict)]); });
     }},
    {{"step", "words", "script line of the current step"},
     [](Now now, Chosen) { return of_node(now, [](auto& node) { return or_none(node.step); }); }},
    {{"history.nodes", "", "number of steps in the history, including the unscheduled loop nest"},
     [](Now now, Chosen) {
       return now.history ? number(now.history->nodes.size()) : std::nullopt;
     }},
    {{"history.current", "", "the current step's number"},
     [](Now now, Chosen) { return now.history ? number(now.history->current) : std::nullopt; }},
    {{"history.note", "words", "note on the current step, or none"},
     [](Now now, Chosen) { return of_node(now, [](auto& node) { return or_none(node.note); }); }},
    {{"history.elsewhere", "words", "the other devices that measured the current step, or none"},
     [](Now now, Chosen) { return of_node(now, elsewhere); }},
    {{"device", "words", "name of the device in use"},
     [](Now now, Chosen) { return words(now.machine ? now.machine->device : "none"); }},
    {{"machine.vector_bytes", "", "bytes of the widest vector register of the device"},
     [](Now now, Chosen) {
       bool known = now.machine && now.machine->hardware;
       return known ? number(now.machine->hardware->unit().vector_bytes) : std::nullopt;
     }},
    {{"machine.vector_registers", "", "number of its vector registers"},
     [](Now now, Chosen) {
       bool known = now.machine && now.machine->hardware;
       return known ? number(now.machine->hardware->unit().vector_registers) : std::nullopt;
     }},
    {{"machine.cores", "", "number of cores that kernels may use"},
     [](Now now, Chosen) {
       bool known = now.machine && now.machine->hardware;
       return known ? number(now.machine->hardware->unit().count) : std::nullopt;
     }},
    {{"machine.l1", "", "bytes of its L1 cache"},
     [](Now now, Chosen) {
       bool known = now.machine && !now.machine->cache_bytes.empty();
       return known ? number(now.machine->cache_bytes.front()) : std::nullopt;
     }},
    {{"device.timeline", "words", "whether its kernels have a timeline: yes or no"},
     [](Now now, Chosen) { return words(now.has_timeline ? "yes" : "no"); }},
    {{"replay", "words", "result of the last replay on another kernel, or none"},
     [](Now now, Chosen) { return words(now.replay ? now.replay->summary : "none"); }},
    {{"loops", "", "number of loops of the loop nest"},
     [](Now now, Chosen) { return number(now.nest ? now.nest->bars.size() : 0); }},
    {{"loops.order", "words", "all loops as scripts name them, the outermost first"},
     [](Now now, Chosen) { return now.nest ? words(loop_order(now)) : std::nullopt; }},
    {{"loops.innermost", "words", "the last of these"},
     [](Now now, Chosen) {
       bool any = now.nest && !now.nest->bars.empty();
       return any ? words(now.nest->bars.back().reference) : std::nullopt;
     }},
    {{"loops.parallel", "", "number of parallel loops"},
     [](Now now, Chosen) { return number(loops_marked(now, LoopMark::kParallel)); }},
    {{"loops.vector", "", "number of vectorized loops"},
     [](Now now, Chosen) { return number(loops_marked(now, LoopMark::kVector)); }},
    {{"loops.unrolled", "", "number of unrolled loops"},
     [](Now now, Chosen) { return number(loops_marked(now, LoopMark::kUnroll)); }},
    {{"loops.shared", "", "number of loops around more than one stage"},
     [](Now now, Chosen) { return number(shared_loops(now)); }},
    {{"stages", "", "number of stages of the loop nest"},
     [](Now now, Chosen) { return number(now.nest ? now.nest->stages.size() : 0); }},
    {{"loop", "words", "the selected loop, or none"},
     [](Now now, Chosen chosen) { return words(reference_of(now, chosen.selected)); }},
    {{"loop.extent", "", "iterations of the selected loop"},
     [](Now now, Chosen chosen) {
       LoopBar const* bar = bar_of(now, chosen.selected);
       return bar ? number(bar->extent) : std::nullopt;
     }},
    {{"loop.mark", "words", "kind of the selected loop: serial, parallel, vector, unroll or bind"},
     [](Now now, Chosen chosen) {
       LoopBar const* bar = bar_of(now, chosen.selected);
       return bar ? words(std::string(name_of(bar->mark))) : std::nullopt;
     }},
    {{"loop.bytes", "", "distinct bytes that one iteration of the selected loop touches"},
     [](Now now, Chosen chosen) {
       LoopBar const* bar = bar_of(now, chosen.selected);
       return bar ? number(bar->footprint) : std::nullopt;
     }},
    {{"loop.fits_in", "words", "the fastest memory level that holds them: L1, L2, L3 or memory"},
     [](Now now, Chosen chosen) { return fits_in(now, bar_of(now, chosen.selected)); }},
    {{"hover", "words", "the loop highlighted by the pointer, or none"},
     [](Now now, Chosen chosen) { return words(reference_of(now, chosen.hovered)); }},
    {{"tuning.state", "words",
      "the last tuning: none, preparing, running, paused, comparing, ended"},
     [](Now now, Chosen) { return tuning_state(now); }},
    {{"tuning.runs", "", "number of tunings that are shown"},
     [](Now now, Chosen) { return number(now.tuning ? now.tuning->runs.size() : 0); }},
    {{"tuning.trials", "", "number of trials of the last tuning so far"},
     [](Now now, Chosen) {
       return of_tuning(now, [](auto& run) { return number(run.trials.size()); });
     }},
    {{"tuning.failed", "", "number of its trials without a correct result"},
     [](Now now, Chosen) {
       return of_tuning(now, [](auto& run) { return number(run.failed()); });
     }},
    {{"tuning.best", "ms", "shortest time of its trials"},
     [](Now now, Chosen) {
       return of_tuning(now, [](auto& run) {
         return run.least_ms() > 0 ? number(run.least_ms()) : std::nullopt;
       });
     }},
    {{"tuning.offered", "", "the trial that is faster than the default schedule, or 0"},
     [](Now now, Chosen) { return of_tuning(now, [](auto& run) { return number(run.best); }); }},
    {{"tuning.error", "words", "why the last tuning failed, or none"},
     [](Now now, Chosen) { return of_tuning(now, [](auto& run) { return or_none(run.error); }); }},
    {{"tuning.from", "", "the step that the last tuning searches from; 0: the target's template"},
     [](Now now, Chosen) { return of_tuning(now, [](auto& run) { return number(run.from); }); }},
    {{"tuning.kept", "", "number of its fixed knobs"},
     [](Now now, Chosen) {
       return of_tuning(now, [](auto& run) { return number(run.kept.size()); });
     }},
    {{"tuning.devices", "words", "its devices, each with what it does now, or none"},
     [](Now now, Chosen) { return or_none(tuning_devices(now)); }},
    {{"tuning.kinds", "", "number of device types that it searches on"},
     [](Now now, Chosen) { return number(tuning_kinds(now)); }},
    {{"tuning.kept_for", "words",
      "the other device types with a saved schedule of the kernel, or none"},
     [](Now now, Chosen) { return or_none(kept_for_kinds(now)); }},
    {{"tuning.kept_kernels", "", "number of schedules saved for other device types"},
     [](Now now, Chosen) { return number(now.tuning ? now.tuning->kept.size() : 0); }},
    {{"model_tuning.state", "words",
      "the model's tuning: none, timing, searching, paused, comparing, networks, ended"},
     [](Now now, Chosen) { return model_tuning_state(now); }},
    {{"model_tuning.kernels", "", "number of kernels in the model's tuning"},
     [](Now now, Chosen) {
       return of_model_tuning(now, [](auto& one) { return one.kernels.size(); });
     }},
    {{"model_tuning.trials", "", "number of its trials so far"},
     [](Now now, Chosen) { return of_model_tuning(now, [](auto& one) { return one.trials; }); }},
    {{"model_tuning.changed", "", "number of kernels that got a faster schedule from it"},
     [](Now now, Chosen) { return of_model_tuning(now, [](auto& one) { return one.changed; }); }},
    {{"model_tuning.before", "ms", "time of the network before it, or 0"},
     [](Now now, Chosen) {
       return of_model_tuning(now, [](auto& one) { return one.before_ms.value_or(0); });
     }},
    {{"model_tuning.after", "ms", "time of the network after it, or 0"},
     [](Now now, Chosen) {
       return of_model_tuning(now, [](auto& one) { return one.after_ms.value_or(0); });
     }},
    {{"ablation.state", "words", "state of the ablation: none, measuring, ended, or why it failed",
      "gain.state"},
     [](Now now, Chosen) { return gain_state(now); }},
    {{"ablation.parts", "", "number of steps or choices that are left out one by one",
      "gain.parts"},
     [](Now now, Chosen) { return number(ablation_of(now) ? ablation_of(now)->parts.size() : 0); }},
    {{"refusal", "words", "code of the refused step, or none"},
     [](Now now, Chosen) { return words(now.refusal ? now.refusal->code : "none"); }},
    {{"refusal.repairs", "", "number of repairs offered for it"},
     [](Now now, Chosen) { return number(now.refusal ? now.refusal->repairs.size() : 0); }},
    {{"error", "words", "what was wrong with the last action, or none"},
     [](Now now, Chosen) { return words(now.error ? now.error->sentence : "none"); }},
};

}  // namespace

std::span<Fact const> facts() { return kFacts; }

std::optional<FactValue> fact(std::string_view name, Snapshot const& snapshot,
                              ChosenLoops const& chosen) {
  for (Fact const& one : kFacts)
    if (one.info.name == name) return one.value(snapshot, chosen);
  return {};
}

int loop_called(Snapshot const& snapshot, std::string_view reference) {
  if (snapshot.nest)
    for (LoopBar const& bar : snapshot.nest->bars)
      if (bar.reference == reference) return bar.id;
  return -1;
}

std::string reference_of(Snapshot const& snapshot, int loop) {
  LoopBar const* bar = bar_of(snapshot, loop);
  return bar ? bar->reference : "none";
}

int row_called(Snapshot const& snapshot, std::string_view kernel) {
  if (!snapshot.kernels) return -1;
  auto const& rows = snapshot.kernels->rows;
  for (size_t i = 0; i < rows.size(); ++i)
    if (rows[i].name == kernel || std::to_string(i) == kernel) return int(i);
  return -1;
}

bool has_step(Snapshot const& snapshot, int step) {
  return snapshot.history && step >= 0 && size_t(step) < snapshot.history->nodes.size();
}

}  // namespace tw::session
