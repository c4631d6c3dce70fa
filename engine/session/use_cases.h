/// What the command line does, each one a function with values in and out; the window's session is
/// made of the same parts.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/compile/offload.h"
#include "engine/execute/compiled_model.h"
#include "engine/records/trial_store.h"
#include "engine/session/model/model.h"
#include "engine/session/values.h"
#include "engine/support/base/error.h"
#include "engine/support/base/job.h"
#include "engine/tensor/ndarray.h"
#include "engine/tuner/tune.h"

namespace tw {
class MacroSet;
}

namespace tw::session {

/// An ONNX file or a `.te` file; a sample by "sample:NAME", an example of a tensor expression by
/// "example:NAME", or the text of one by "te:TEXT".
Result<Model> load_model(std::string const& path, LoadOptions const& options,
                         Backend const& backend, StopToken stop = {},
                         Progress const& progress = {});

/// `load_model` where the arrangement was chosen for a target that may be another one: what it does
/// not have is by rule, and `sentence` says so. Errors: those of `load_model` otherwise.
Result<Model> load_arranged(std::string const& source, LoadOptions const& options,
                            Backend const& backend, std::string& sentence, StopToken stop = {},
                            Progress const& progress = {});

/// What the target leaves open for the model's layouts and algorithms: "channel_block",
/// "NODE.algorithm"; each as this model has it.
std::vector<Knob> const& arrangement_knobs(LoadedModel const& model);
/// The same model with other choices, its own kernels too: what is not named is as by rule. Errors:
/// unknown_arrangement, those of its graph's passes.
/// `helper`: as of `LoadOptions`.
Result<Model> arranged(LoadedModel const& model, Point const& arrangement, Backend const& backend,
                       Backend const* helper = nullptr);

/// A model with the schedules that somebody made for its kernels.
struct ShapedModel {
  Model model;
  std::map<int, std::string> scripts;  ///< kernel row -> script
  bool is_cut = false;                 ///< the project has it on several devices
  std::string sentence;                ///< what one must know of where it was found; often empty
};
enum class ProjectSchedules : uint8_t { kKept, kIgnored };
/// What `load_model` takes, or a project (.twproj): its model, with the shapes that its inputs were
/// given, its own kernels, and each kernel's schedule as it stood when the project was saved, on
/// the backend's kind of devices where it stands elsewhere there. A model that is no longer there
/// is taken from the project, where that has a copy, and unpacked below `copies`. Errors: those of
/// `load_model` and `open_project`, model_missing, unknown_kernel (a schedule for what the model no
/// longer has), those of the texts of own kernels and of scripts.
Result<ShapedModel> shaped_model(std::string const& path, LoadOptions const& options,
                                 Backend const& backend, std::filesystem::path const& copies,
                                 ProjectSchedules schedules = ProjectSchedules::kKept);

ModelView model_view(LoadedModel const& model);
GraphView graph_view(LoadedModel const& model);
KernelTable kernel_table(LoadedModel const& model);

/// Inputs of the model as a person should give them.
struct ModelTensor {
  std::string name;
  DType type = DType::kF32;
  Shape shape;
  std::vector<std::string> unknown;  ///< dimensions that are not known until fixed, by name
};
std::vector<ModelTensor> model_inputs(LoadedModel const& model);
std::vector<ModelTensor> model_outputs(LoadedModel const& model);
/// What a kernel reads that it does not make.
std::vector<ModelTensor> kernel_inputs(LoadedModel const& model, int kernel);
/// What a kernel takes as its parameters (`@param`, or a model's weights).
std::vector<ModelTensor> kernel_parameters(LoadedModel const& model, int kernel);
/// Integer and truth inputs of one element, whose value decides what is computed (a mode, a rate),
/// as stored beside the model (test_data_set_0).
std::map<std::string, NDArray> stored_modes(LoadedModel const& model);
/// Such inputs that have no stored value, with the usual one: what ONNX takes where the operand is
/// left out, 1 for a count, else 0.
std::map<std::string, NDArray> usual_modes(LoadedModel const& model);
/// Seeded random tensors for every input but the modes. Errors: unknown_shape, tensor_too_large;
/// too_much_memory, for a kernel of its own.
Result<std::vector<NDArray>> random_inputs(LoadedModel const& model, uint64_t seed);

/// The same for every input of one kernel, parameters too.
Result<std::vector<NDArray>> random_inputs_of(LoadedModel const& model, int kernel, uint64_t seed);
/// A tensor expression: its first kernel is all there is to run.
bool is_expression(LoadedModel const& model);

/// Row of the kernel table by its name or number. Errors: unknown_kernel with near names.
Result<int> find_kernel(LoadedModel const& model, std::string const& name);
std::string const& kernel_name(LoadedModel const& model, int row);

/// A schedule with the name that it goes by.
struct NamedScript {
  std::string name;   ///< its file, or "plain"
  std::string text;   ///< empty: the plain nest
  bool open = false;  ///< of a kernel with sizes: they stay open
};
/// A kernel under a script (empty: the plain nest) at one of the stages of `code_stages`; only what
/// that stage needs is done. Errors: unknown_stage, those of scripts, of lowering and of code
/// generation.
Result<CodeText> lower_kernel(LoadedModel const& model, int kernel, NamedScript const& script,
                              std::string const& stage, Backend const& backend,
                              LowerOptions const& options = environment_lower_options());

/// What a simulated machine does with it, cycle by cycle. Errors: no_simulator, those of scripts,
/// of lowering and of the simulator; cancelled.
Result<Timeline> simulate_kernel(LoadedModel const& model, int kernel, NamedScript const& script,
                                 Backend const& backend, StopToken stop = {});

/// What one pass did to a kernel.
struct PassRun {
  std::string key;  ///< "program" of the first row, which is no pass
  bool ran = true;  ///< false: left out
  double milliseconds = 0;
  double verify_milliseconds = 0;            ///< 0: not verified
  int statements = 0;                        ///< after it
  int added = 0, removed = 0;                ///< lines of the kernel's text
  std::vector<std::string> gives, gives_up;  ///< names of invariants
};
/// A kernel through all passes: the program, then a row for each. Errors: those of scripts and of
/// lowering.
Result<std::vector<PassRun>> pass_runs(LoadedModel const& model, int kernel,
                                       NamedScript const& script, Backend const& backend,
                                       LowerOptions const& options = environment_lower_options());
/// A script with the steps of its macros in their place; one that uses none stays as it is. Errors:
/// those of scripts, step_refused.
Result<std::string> without_macros(LoadedModel const& model, int kernel, NamedScript const& script,
                                   Backend const& backend, MacroSet const& macros);
/// The kernel's schedule by rule, as a script.
Result<std::string> default_script(LoadedModel const& model, int kernel, Backend const& backend);
/// The script with each of the program's macros written out, so that one can edit its steps.
/// Errors: those of `lower_kernel`.
Result<std::string> script_in_primitives(LoadedModel const& model, int kernel,
                                         NamedScript const& script, Backend const& backend);

/// What a kernel's loops work on under a script, and the time that this should take.
struct KernelAnalysis {
  NestView nest;
  RooflinePoint point;  ///< modelled
  double arithmetic_ms = 0;
  std::string explanation;
};
/// Errors: unknown_roofs (`machine` was not measured), those of `lower_kernel`.
Result<KernelAnalysis> analyze_kernel(LoadedModel const& model, int kernel,
                                      std::string const& script, std::string const& script_file,
                                      MachineView const& machine, Backend const& backend);

struct CheckedStep {
  int line = 0;
  std::string text;
  bool legal = true;
  RefusalView refusal;               ///< when not legal
  std::vector<std::string> becomes;  ///< of a macro: the primitives that it came to
};
/// What a run with every access checked said.
struct CheckedRun {
  bool ran = false;
  std::string text;  ///< the wrong access, or why it did not run; empty: nothing is wrong
  bool is_wrong() const { return ran && !text.empty(); }
};
/// One piece of code with several values of its sizes.
struct SizesCheck {
  int64_t values = 0;            ///< that the sizes take together; each step was decided for all
  std::vector<std::string> ran;  ///< "n=17, T=4"
  std::string wrong;             ///< the first of them that gave a wrong result; empty: none
};
/// A verdict on further inputs.
struct JudgedInputs {
  std::string of;  ///< "signed and extreme integers"
  Comparison comparison;
};
struct ScriptCheck {
  std::vector<CheckedStep> steps;
  bool compared = false;  ///< false when a step was refused
  Comparison comparison;
  std::vector<JudgedInputs> further;  ///< where the first inputs are right
  std::string not_further;            ///< why there are no more of them; empty: there are
  /// How far the schedule's roundings are from the plain nest's, in units of the last place of the
  /// largest element, on floats with all their digits; empty: not compared.
  std::optional<double> rounding_units;
  bool is_right() const {
    for (JudgedInputs const& one : further)
      if (!one.comparison.equal) return false;
    return compared && comparison.equal;
  }
  std::optional<double> plain_ms, scheduled_ms;
  double scheduled_spread = 0;  ///< (max - min) / min of its samples
  std::optional<CheckedRun> checked;
  std::optional<SizesCheck> sizes;  ///< where the schedule has open ones
};
struct CheckOptions {
  bool measure = false;  ///< time the plain nest and the scheduled one
  bool checked = false;  ///< run the schedule once more with every access checked
  int threads = 0;       ///< of the kernel; 0: all units of the device
  MacroSet const* macros = nullptr;
  bool open = false;                          ///< the kernel's own sizes stay open
  std::map<std::string, int64_t> sizes = {};  ///< of open ones: the only value to run
  bool further = true;  ///< judge on further inputs, too, where the kernel is small enough
  /// Of `kernel_inputs`, by name: judge on these, too; what is not given proves something.
  std::map<std::string, NDArray> inputs = {};
};
/// Replays the script step by step and compares what it computes with the kernel's reference, run
/// on the device with seeded inputs; code with open sizes with several of their values. Long runs
/// say each second how long they have been.
Result<ScriptCheck> check_script(LoadedModel const& model, int kernel, std::string const& script,
                                 std::string const& script_file, Backend const& backend,
                                 Device& device, CheckOptions const& what, StopToken stop = {},
                                 Progress const& progress = {});

/// A further device of the same kind, which takes a share of the trials.
struct SharingDevice {
  std::string name;
  Device* device = nullptr;
};
struct TuneRequest {
  TuneOptions options;            ///< threads of 0: all cores of the device
  Point pinned;                   ///< knobs that stay as they are said
  std::vector<std::string> kept;  ///< knobs that stay as they are by rule, or in the script
  /// The template, where it is not the target's own: of one kernel.
  std::shared_ptr<OpenScript const> script;
  /// Of the device; null: not known, the target's own model of time says nothing then.
  std::shared_ptr<Roofs const> roofs;
  std::string device;  ///< its name; empty or "local": this machine, which compiles, too
  std::vector<SharingDevice> others;
  /// Where the trials stay, and what is known of the kernel comes from; null: nowhere.
  records::TrialStore* store = nullptr;
  std::string job;    ///< of the trials: they are found again by it
  bool team = false;  ///< those of the job count from every device of this one's kind
  std::string build;  ///< the version of the program that tries them
};
struct Tuned {
  TuneResult result;
  std::string not_stored;  ///< why trials from some point on are not in the store; empty: all are
};
/// What the template (the target's own, or `script`) leaves open for a kernel, at the schedule by
/// rule. Errors: those of it.
Result<std::vector<Knob>> knobs_of(LoadedModel const& model, int kernel,
                                   std::shared_ptr<Backend const> backend,
                                   std::shared_ptr<OpenScript const> script = {});
/// Searches the space of the target's template for a faster schedule than the one by rule. Errors:
/// unknown_knob, unknown_value, unknown_search; kernel_too_large (its answers cannot be checked);
/// nothing_ran.
Result<Tuned> tune_kernel(LoadedModel const& model, int kernel, TuneRequest const& request,
                          std::shared_ptr<Backend const> backend, Device& device,
                          Progress const& progress = {});

struct TunedKernel;
/// What a tuning of a model does now.
enum class ModelTuneStage : uint8_t { kSearching, kComparing, kNetworks };
struct ModelTuneRequest {
  TuneRequest kernels;  ///< of each; its trials and seconds are of all kernels together
  std::filesystem::path cache_folder;  ///< empty: no cache
  std::function<void(int kernel, Attempt const&)> on_attempt;
  /// Makes the trials, into the store, instead of this search alone: gets the kernels with their
  /// times by rule, says how many trials each row has.
  std::function<Result<std::map<int, int>>(std::vector<TunedKernel> const&)> elsewhere = {};
  /// The schedules that the kernels stand at, by row; what is found must be faster than these.
  /// Those that are not named stand at the one by rule.
  std::map<int, std::string> standing = {};
  /// The kernels, with their times before, once they are known.
  std::function<void(std::vector<TunedKernel> const&)> on_surveyed = {};
  /// `kernel`: the row that it is about, or -1.
  std::function<void(ModelTuneStage, int kernel)> on_stage = {};
};
struct TunedKernel {
  int kernel = 0;  ///< its row
  int calls = 0;
  /// In the network, all calls, medians: as it stood, which is by rule where nothing else is said,
  /// and with what was found; equal: nothing was.
  double rule_ms = 0, tuned_ms = 0;
  std::optional<TuneResult> result;  ///< of its last comparison; nothing: nothing was found
  int trials = 0;
  std::string left_out;  ///< why it was not searched; empty: it was
};
struct TunedModel {
  std::vector<TunedKernel> kernels;    ///< those that took most come first
  std::map<int, std::string> scripts;  ///< that are worth it in the network, too, by row
  double rule_ms = 0, tuned_ms = 0;    ///< of the network, medians of the same rounds
  TuneEnd end = TuneEnd::kTrials;
  double seconds = 0;  ///< of the search and the comparisons of kernels
  std::string not_stored;
};
/// Searches for schedules of all kernels of a model with one budget, and compares networks with
/// what was found and by rule: what is not faster there is left out. Trials of the request's job
/// that are in the store are not made again. Errors: those of `run_model`, cancelled.
Result<TunedModel> tune_model(LoadedModel const& model, ModelTuneRequest const& request,
                              std::shared_ptr<Backend const> backend, Device& device,
                              Progress const& progress = {});
/// The model with these schedules, and nothing else of a session: a project (.twproj), which every
/// front opens, at this file. `source`, `shapes`: as the model was opened. Errors: those of reading
/// the model's file and of writing.
Status write_tuned_project(LoadedModel const& model, TunedModel const& tuned,
                           std::string const& source, std::string const& shapes,
                           TuneRequest const& request, Backend const& backend,
                           std::filesystem::path const& file);

struct DiffOptions {
  std::string stage = "program";
  bool measure = false;  ///< time both in turns, after each was found right
  int threads = 0;       ///< of the kernel; 0: all units of the device
};
struct ScriptDiff {
  StateComparison states;
  CodeText code;  ///< of the second schedule at the stage, marked against the first one's
};
/// Two schedules of one kernel in code, cost and time; where `machine` has roofs, in modelled time.
/// Errors: unknown_stage, wrong_result (when one of the measured ones is), script errors.
Result<ScriptDiff> diff_scripts(LoadedModel const& model, int kernel, NamedScript const& before,
                                NamedScript const& after, DiffOptions const& options,
                                MachineView const& machine, Backend const& backend, Device& device,
                                StopToken stop = {}, Progress const& progress = {});

/// The steps of a script for one kernel, taken over to another one (of the same model or not).
/// Errors: script errors, refusals of the script on its own kernel.
Result<ReplayView> replay_on(LoadedModel const& from, int from_kernel, NamedScript const& script,
                             LoadedModel const& to, int to_kernel, Backend const& backend);

/// Kernels to begin with; each one opens as "example:NAME".
std::vector<ExpressionExample> const& expression_examples();
/// What is wrong with the text of a tensor expression; empty: it is a kernel. At most ten; bounded
/// by the length of the text, which may not exceed 256 KiB.
std::vector<ExpressionProblem> problems_in(std::string const& text);

struct RunOptions {
  int rounds = 10;
  int threads = 0;  ///< 0: all cores
  std::vector<NDArray> inputs;
  std::map<int, std::string> scripts;  ///< kernel row -> script; others run their default schedule
  /// Compiled kernels are kept below it, and taken from there; empty: nowhere.
  std::filesystem::path cache_folder;
  int kernel = -1;  ///< a row that runs alone, on one input per input of its own; -1: the model
  Cut cut = {};     ///< of the model over several devices; without places: not cut
  std::vector<CompiledModelPlacement> elsewhere = {};  ///< of the cut's places but the first
};
/// From a loaded model to one that can run.
struct Readiness {
  double seconds = 0;    ///< scheduling, compiling, linking, uploading
  int compiled = 0;      ///< kernels
  int from_cache = 0;    ///< kernels
  int broken_cache = 0;  ///< kept kernels that were damaged: removed and compiled again
};
struct RunResult {
  Readiness ready;
  std::vector<double> samples_ms;
  std::vector<double> kernel_ms;  ///< per kernel step, inside branches too; least of the samples
  std::vector<std::string> kernel_names;
  std::vector<std::string> kernel_devices;  ///< where each ran; empty: on the first device
  int copies = 0;                           ///< of values from one device to another
  std::vector<NDArray> outputs;
  std::vector<ModelTensor> infos;
  int threads = 1;
};
/// What of the model, which was opened with `helper`, an accelerator runs. Errors: those of
/// `offload`.
Result<Offload> offload_model(LoadedModel const& model, Backend const& helper,
                              std::string const& home, std::string const& there);

/// Compiles the whole model, uploads its parameters, runs and times it on the device.
Result<RunResult> run_model(LoadedModel const& model, RunOptions const& options,
                            Backend const& backend, Device& device, StopToken stop = {},
                            Progress const& progress = {});

/// Writes times, and fractions of the roof of the cores that were used, into the table.
void fill_times(KernelTable& table, LoadedModel const& model, RunResult const& run,
                MachineView const& machine);

struct VerifiedSet {
  std::string model;  ///< folder's name
  std::string set;    ///< "test_data_set_0"
  enum class Outcome { kPassed, kFailed, kSkipped } outcome = Outcome::kPassed;
  std::string reason;  ///< of a failure or a skip
  double max_abs_diff = 0, max_abs_ref = 0;
  /// Inputs that had to be known before the model could be compiled: shapes, axes, scales.
  std::vector<std::string> known;
};
/// Stored inputs but the first may be shapes and axes that the model needs before it runs.
enum class KnownInputs : uint8_t {
  kTell,  ///< their elements become constants where that settles the model
  kKeep,  ///< nothing but their shapes is known beforehand
};
struct VerifyOptions {
  int threads = 0;  ///< of the device; 0: all cores
  CodeTier tier = CodeTier::kFull;
  KnownInputs known = KnownInputs::kTell;
};
/// A folder NAME/model.onnx with test_data_set_N/{input,output}_N.pb, as ONNX's own backend tests.
std::vector<VerifiedSet> verify_folder(std::filesystem::path const& folder, Backend const& backend,
                                       Device& device, VerifyOptions const& options,
                                       StopToken stop = {});

struct SampleInfo {
  std::string name, title, description;
};
std::vector<SampleInfo> sample_list();
/// Errors: unknown_sample, file_unwritable.
Status write_sample_file(std::string const& name, std::filesystem::path const& file);

/// All primitives, made from the table.
/// `target`: its memories are the choices of parameters that name one.
/// Those of the table that are for the target, and the macros, if any, that are.
std::vector<PrimitiveView> primitive_views(Target const& target, MacroSet const* macros = nullptr);

/// Roofs of the device, from the cache folder or measured now, or none where the target knows none.
/// The view is called `title`, or this machine when that is empty.
Result<MachineView> machine_view(Backend const& backend, Device& device,
                                 std::filesystem::path const& cache_folder, bool measure,
                                 bool again, StopToken stop = {}, Progress const& progress = {},
                                 std::string const& title = "");

}  // namespace tw::session
