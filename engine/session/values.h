/// The values that any front shows: plain, immutable, without engine types that would need
/// following. A snapshot is a handful of shared pointers to these.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tw {
struct Hardware;
struct Roofs;
}  // namespace tw

namespace tw::session {

struct TuningView;  // tuning.h

// ---- model -------------------------------------------------------------------------------

/// An input some of whose dimensions the model leaves open.
struct FreeInput {
  std::string name;
  std::vector<std::string> dims;  ///< a number, the name of an open dimension, or "?"
  bool rank_known = true;         ///< false: not even how many there are
};

/// What the target leaves open for the model's layouts and algorithms.
struct ArrangementChoice {
  std::string knob;                 ///< "channel_block", "conv_5.algorithm"
  std::vector<std::string> values;  ///< that it may have
  std::string value, by_rule;
};

struct ModelView {
  std::string name;     ///< "resnet18.onnx"
  std::string path;     ///< empty for a sample
  std::string summary;  ///< "70 operators, 23 kernels"
  int operators = 0;
  int kernels = 0;
  int opaque = 0;                      ///< nodes that nothing can run
  std::vector<std::string> notes;      ///< one sentence each: what was not understood and why
  std::vector<FreeInput> free_inputs;  ///< nothing that depends on these can be compiled yet
  std::string shapes;                  ///< with which it was opened: "x=1x3x48x192; y=2"
  std::vector<ArrangementChoice> choices;
};

enum class PatternClass : uint8_t { kInjective, kReduction, kComplex, kOpaque };

struct GraphNodeView {
  int id = 0;
  std::string name;    ///< name in the model
  std::string op;      ///< "conv2d"
  std::string detail;  ///< "3x3 /2"
  PatternClass pattern = PatternClass::kInjective;
  int group = -1;      ///< fused kernel it belongs to; -1 = none (folded, opaque or before fusion)
  std::string shape;   ///< of its first output, "64x56x56"
  std::string reason;  ///< for opaque nodes: why
};
struct GraphEdgeView {
  int from = -1;  ///< node id, -1 = model input
  int to = -1;    ///< node id, -1 = model output
  std::string value;
  std::string shape;
  int64_t bytes = 0;
  bool fused = false;
  std::string reason;  ///< why fused or not, one or two sentences
  std::string rule;    ///< name of the rule that decided
};
struct GraphGroupView {
  int id = 0;
  int kernel = -1;  ///< row of the kernel table (equal kernels share a row)
  std::string name;
  std::vector<int> nodes;
  double time_share = 0;  ///< 0..1 of the modelled or measured time of the model
  int outer = -1;         ///< of one in a branch or a loop: the model's own group that it runs in
};
struct GraphView {
  std::vector<GraphNodeView> nodes;
  std::vector<GraphEdgeView> edges;
  std::vector<GraphGroupView> groups;
  std::vector<GraphNodeView> nodes_before;  ///< before simplification, folding and fusion
  std::vector<GraphEdgeView> edges_before;
  int64_t arena_bytes = 0;  ///< planned memory of intermediate tensors
  int64_t unplanned_bytes = 0;
};

/// A place where the model goes on at another device.
struct CutPointView {
  int group = -1;  ///< the first that runs there
  int place = 0;
  std::string node;  ///< as a command names it
};
/// The model over several devices: what runs where, and what has to go from one to another.
struct CutView {
  std::vector<std::string> places;     ///< names of devices; the first is the one in use
  std::vector<int> place_of;           ///< of each group of the graph, by its id
  std::vector<CutPointView> points;    ///< in the order of the plan
  int copies = 0;                      ///< of values, in each run
  int64_t copied_bytes = 0;            ///< in each run
  std::optional<double> ms, whole_ms;  ///< measured: of the model so cut, and on the first alone
};

/// What a kernel could reach at best on a machine: its arithmetic at the rate of the cores used, or
/// its data moved once from where it lies between two runs.
struct KernelRoofView {
  double ms = 0;            ///< the least time that the roofs allow
  bool arithmetic = true;   ///< that bounds it; else its data
  bool moves_data = false;  ///< hardly any arithmetic: its speed is said in GB/s
  std::string level;        ///< the nearest that holds its data: "L2"
  double bytes = 0;         ///< distinct ones, of inputs and outputs
  double value = 0;         ///< the speed at the roof, in `unit`
  std::string unit;         ///< "GFLOP/s" or "GB/s"
  int cores = 1;            ///< that share the kernel
  std::string words;        ///< "476 GFLOP/s of 2 cores", "118 GB/s of L2, 1 core"
};

enum class KernelState : uint8_t { kPlain, kDefault, kHand, kTuned };

struct KernelRow {
  std::string name;       ///< "conv2d_64x56x56"
  std::string operators;  ///< "pad conv2d bias_add relu"
  std::string shape;      ///< "64·56·56  3×3"
  int count = 1;          ///< how often the model runs it
  int64_t flops = 0;      ///< of floats, or of integers where it computes those alone
  bool integers = false;  ///< that is what `flops` counts
  int64_t bytes = 0;
  KernelState state = KernelState::kPlain;
  /// Measured, one run of one instance, with the schedule that the model runs it with: by rule
  /// while the plain nest is looked at, else the one made by hand.
  std::optional<double> time_ms;
  /// The same by the target's model, on a device that is only described.
  std::optional<double> model_ms = {};
  bool disturbed = false;                  ///< measured while others used the processors
  std::string device;                      ///< that the time is of, where it is not the one in use
  std::optional<double> fraction_of_roof;  ///< measured speed over the attainable one
  std::optional<KernelRoofView> roof;
  std::string own_text;     ///< of a kernel that the user wrote: its tensor expression; else empty
  std::string helper = {};  ///< an accelerator that can run it and is part of the cut; else empty
  std::string stays_because = {};  ///< why the accelerator does not; empty: none was asked
};
struct KernelTable {
  std::vector<KernelRow> rows;
  std::optional<double> total_ms;  ///< of the whole model, measured inside the network
};

// ---- one kernel --------------------------------------------------------------------------

enum class LoopMark : uint8_t { kSerial, kParallel, kVector, kUnroll, kBind };
/// Who runs the iterations of a bound loop; kTurns: virtual threads, one processor in turns.
enum class BoundTo : uint8_t { kNothing, kBlocks, kThreads, kTurns };
enum class AxisKind : uint8_t { kSpatial, kReduce, kOrdered, kOpaque, kMixed };

struct LoopBar {
  int id = -1;            ///< stable loop id
  std::string name;       ///< "o.0"
  std::string reference;  ///< what a script calls it: "conv2d.o.0"
  int stage = 0;          ///< index into NestView::stages
  int depth = 0;
  int64_t extent = 1;
  int hue = 0;    ///< index of the original axis in its stage
  int level = 0;  ///< 0 outer, 1 inner part of a split, 2 ...
  AxisKind kind = AxisKind::kSpatial;
  LoopMark mark = LoopMark::kSerial;
  std::string role;             ///< "out_channel"
  int64_t footprint = 0;        ///< distinct bytes that one iteration of its body touches
  bool footprint_exact = true;  ///< false: an upper bound
  double reuse = 1;             ///< bytes that all its iterations ask for, for each distinct one
  std::vector<int64_t> fits;  ///< for each cache: the largest split factor whose data fits; 0: none
  bool guarded = false;       ///< a remainder guard depends on it
  std::string consequence;    ///< "8 tasks", "16 lanes"; of a serial loop its words "unroll_by=4"
  std::string axis;           ///< of blocks or threads: "threadIdx.x"; empty: it is not bound
  BoundTo bound = BoundTo::kNothing;
};
struct StageCard {
  std::string name;  ///< block name
  std::string op;
  std::string summary;  ///< "9 loops · nontemporal=1"
  std::string output;   ///< "Y f32[1,64,56,56]"
  std::string memory;   ///< where that lies: "shared"; empty: in main memory
  std::string call;     ///< the instruction that it is a call of; empty: it is none
};
/// A memory besides main memory, with the tensors that live there.
struct MemoryCard {
  std::string name;
  std::string doc;
  int64_t bytes = 0;                 ///< of one instance; 0: no bound of its own
  int64_t used = 0;                  ///< of one instance, by the tensors together
  std::vector<std::string> tensors;  ///< "A_cache 2 KB"
};
/// Between the bars: where all threads of a block meet; without `doc`, a stage without a bar.
struct BarrierLine {
  std::string name;  ///< "sync_threads", "A_cache"
  std::string doc;
  int loop = -1;   ///< the innermost around it; -1: none
  int before = 0;  ///< the bar that comes next; as many as there are bars: none
};
/// A tensor that the nest reads or writes, by the names of its blocks.
struct TensorCard {
  std::string name;
  std::string dtype;           ///< "f32"
  std::vector<int64_t> shape;  ///< empty too where it is not constant
  std::string memory;          ///< empty: main memory
  int64_t bytes = 0;           ///< 0: not known
  std::vector<std::string> readers, writers;
};
struct NestView {
  uint64_t program_hash = 0;
  std::vector<StageCard> stages;
  std::vector<TensorCard> tensors;  ///< in the order in which the program comes by them
  std::vector<LoopBar> bars;        ///< in program order, outer before inner
  std::vector<MemoryCard> memories;
  std::vector<BarrierLine> barriers;  ///< in program order
};

/// One text with links: a program after some pass, LLVM IR, assembly, expression.
enum class LineChange : uint8_t { kSame, kAdded, kRemoved, kMovedUp, kMovedDown, kGap };
struct CodeLine {
  std::string text;
  int loop = -1;           ///< loop that this line opens
  std::vector<int> loops;  ///< loops that it belongs to, outermost first
  int stage = -1;
  LineChange change = LineChange::kSame;
  int source_line = 0;  ///< of a target's listing: 1-based line of the lowered program, 0 = none
  std::string call;     ///< the instruction that it calls; empty: none
  bool barrier = false;
};
/// What a stage of a kernel is.
enum class CodeKind : uint8_t { kExpression, kProgram, kPass, kListing, kRemarks };
/// What a target makes of the last pass: its code, and what it remarks about that.
constexpr bool is_of_target(CodeKind kind) { return kind >= CodeKind::kListing; }
struct CodeText {
  uint64_t program_hash = 0;
  std::string stage;  ///< key as given to `code`, of a `CodeStage`
  CodeKind kind = CodeKind::kProgram;
  std::string title;  ///< "after pass 4 of 11, vectorize"
  std::vector<CodeLine> lines;
  std::string failure;  ///< a sentence instead of lines
};
/// Two texts beside each other: as many lines in both, gaps where the other one has lines of its
/// own.
struct CodePair {
  CodeText before, after;
};
/// "expression", "program", a pass, or a listing that the target makes: "assembly".
struct CodeStage {
  std::string key;
  std::string title;
  std::string why;  ///< why the pass stands where it stands, or what one sees there
  CodeKind kind = CodeKind::kPass;
};

// ---- history, measurement, roofline --------------------------------------------------------

enum class Verdict : uint8_t { kUnknown, kChecking, kCorrect, kWrong };

/// What another device than the one in use said about a state.
struct ElsewhereView {
  std::string device;   ///< "board"; with its machine where another one had the name
  std::string machine;  ///< "EPYC 9354, 2 threads"
  std::optional<double> min_ms;
  double spread = 0;
  int samples = 0;
  std::optional<double> gflops;
  Verdict verdict = Verdict::kUnknown;
  std::string failure;
};
struct HistoryNodeView {
  int id = 0;
  int parent = -1;
  std::string label;  ///< "split" (primitive), "plain", "default"
  std::string step;   ///< the script line
  bool measuring = false;
  std::optional<double> min_ms;  ///< on the device in use, as all that follows
  double spread = 0;             ///< (max - min) / min of the kept samples
  int samples = 0;               ///< how many those are; 0: not known
  std::optional<double> gflops;
  std::optional<double> speed;             ///< in the unit of the kernel's roof
  std::optional<double> fraction_of_roof;  ///< empty also where the roof is doubtful
  bool disturbed =
      false;  ///< measured while others used the processors; once more when it is quiet
  std::optional<double> model_ms;  ///< modelled time of one run; empty: not there yet
  std::optional<double> model_gflops;
  std::string bound;  ///< what the model says is slowest: "arithmetic", "L2"
  Verdict verdict = Verdict::kUnknown;
  std::string verdict_text;
  std::string failure;  ///< crash, time-out: a sentence
  std::string note;
  std::vector<ElsewhereView> elsewhere;  ///< in the order of the devices' names
};
struct HistoryView {
  std::string device;                  ///< that the nodes' times are of: "local"
  std::optional<KernelRoofView> roof;  ///< of the kernel; empty: the roofs are not known
  std::string unit = "GFLOP/s";        ///< of speeds
  std::vector<HistoryNodeView> nodes;
  int current = 0;
  bool can_undo = false;
  bool can_redo = false;
};

struct RoofView {
  std::string name;  ///< "FMA f32", "L1", "L2", "L3", "DRAM"
  bool compute = false;
  double value = 0;  ///< GFLOP/s or GB/s
  int cores = 1;     ///< that reach it together
};
/// What a kernel moves into a memory level, by the loops of its schedule.
struct RooflineLevel {
  std::string name;      ///< as the roof's
  double intensity = 0;  ///< FLOP per byte
  double bytes = 0;
  double ms = 0;  ///< at the level's bandwidth; 0 where the data stays nearer from run to run
};
struct RooflinePoint {
  int history_node = -1;
  std::string label;
  double intensity = 0;  ///< FLOP per byte of main memory, that this schedule moves
  double gflops = 0;
  bool measured = true;  ///< false: modelled, drawn hollow
  bool current = false;
  std::vector<RooflineLevel> levels;  ///< from the nearest to main memory
  double model_ms = 0;                ///< modelled time of one run
};
struct RooflineView {
  std::vector<RoofView> roofs;
  std::string unit = "GFLOP/s";      ///< of arithmetic
  std::vector<RooflinePoint> trail;  ///< root to current
  std::string explanation;           ///< what bounds the kernel, a sentence
  bool doubtful = false;             ///< the roofs were measured while others ran
};

/// One state of a kernel, beside another one.
struct ComparedState {
  int history_node = -1;  ///< -1: made from a script file
  std::string name;       ///< "unroll", or the script's file
  std::string device;     ///< that it was measured on, where that is not the one in use
  std::string script;
  std::shared_ptr<NestView const> nest;
};
enum class Better : uint8_t { kLess, kMore, kNeither };
struct ComparedValue {
  std::string name;  ///< "modelled time", "bytes from L2"
  std::string unit;  ///< "ms", "GFLOP/s", "B", "%"; empty: a count
  std::optional<double> before, after;
  Better better = Better::kLess;
  /// Below 1 it became less. Empty where one is missing, and where the ratio would say nothing.
  std::optional<double> after_over_before() const {
    if (!before || !after || *before <= 0 || unit == "%") return std::nullopt;
    return *after / *before;
  }
};
/// What two states of one kernel cost, and where they stand under the roofs.
struct StateComparison {
  ComparedState before, after;
  std::vector<ComparedValue> values;
  RooflineView roofline;    ///< its trail has the two states; the second one is the current one
  std::string summary;      ///< "2.1x faster by measurement; ..."
  CodeText script_changes;  ///< the second script against the first one
};

struct MachineView {
  std::string device;                ///< as it was chosen: "local", "board"
  bool attached = true;              ///< else it is only described: nothing runs on it
  std::string name;                  ///< "This machine · 2 cores"
  std::string target;                ///< what code is made for, as the target says it
  std::string kind;                  ///< with the hardware's name, as devices of a tuning have it
  std::string detail;                ///< "48 KB L1, 1 MB L2, 32 MB L3"
  std::vector<int64_t> cache_bytes;  ///< of the levels above memory, the nearest first
  bool roofs_known = false;
  std::string no_roofs;  ///< why there are none, a sentence; empty: there are, or they are measured
  /// Measured while others used the processors, or reached by a kernel that was faster.
  bool roofs_doubtful = false;
  std::vector<RoofView> roofs;
  std::shared_ptr<Roofs const> rates;  ///< the same for the engine's models; null: not known
  std::shared_ptr<Hardware const> hardware;
  int threads = 1;  ///< that kernels run with
};

// ---- moves -------------------------------------------------------------------------------

/// What a primitive asks for; a dialog, a help page and a script line are made from it.
struct ParameterView {
  std::string name;
  std::string doc;
  std::string type;  ///< "int", "choice", "loops"
  int64_t low = 0, high = 0, preset = 0;
  std::vector<std::string> choices;
  bool optional = false;
  std::string word = {};  ///< where nothing is given, of one that is no number
};
struct PrimitiveView {
  std::string name;   ///< "split"
  std::string title;  ///< "Split a loop"
  std::string key;    ///< "S"
  std::string doc;
  std::string rewrite;                    ///< before --> after
  LoopMark mark = LoopMark::kSerial;      ///< the kind that its loop gets, where it gives one
  bool at_hand = false;                   ///< used often: it stands beside the loops
  int targets = 1;                        ///< how many loops it names; -1 = any number
  std::vector<std::string> target_kinds;  ///< "block", "loop", "loop or block"; empty: loops
  std::vector<ParameterView> parameters;
  bool macro = false;  ///< a script with parameters, no primitive
};

struct Iteration {
  std::vector<std::pair<std::string, int64_t>> loops;  ///< all loop values, outermost first
};
struct ConflictView {
  Iteration first, second;
  std::string element;  ///< "Y[0,0,0,0]"
  std::string buffer;
  std::vector<int64_t> index;
  std::vector<int64_t> shape;
  std::string differs;  ///< the loop in which they differ
  bool second_writes = true;
};
struct RepairView {
  std::string step;    ///< script line(s) that would be legal
  std::string effect;  ///< "8 tasks"
};
struct RefusalView {
  std::string step;           ///< the script line that was refused
  std::string code;           ///< "reduction_carried"
  std::string title;          ///< "c cannot run in parallel"
  std::string message;        ///< sentences
  std::string condition;      ///< the condition that failed, in words
  std::vector<int> culprits;  ///< loop ids
  std::optional<ConflictView> conflict;
  std::vector<RepairView> repairs;
  bool undecided = false;
};

// ---- kernels of one's own, schedules taken over ----------------------------------------------

/// What is wrong with a tensor expression, and where.
struct ExpressionProblem {
  int line = 0;    ///< from 1; 0: with the whole text
  int column = 0;  ///< from 1; 0: with the whole line
  std::string message;
};
struct ExpressionExample {
  std::string name;   ///< "matmul"
  std::string title;  ///< "Matrix product"
  std::string text;
};

enum class ReplayOutcome : uint8_t { kApplied, kChanged, kRefused };
struct ReplayedStep {
  std::string from;  ///< the line as taken on the first kernel
  std::string to;    ///< as taken or tried on the other one; may be empty
  ReplayOutcome outcome = ReplayOutcome::kApplied;
  std::string reason;  ///< what was changed, or why it was refused
};
/// A schedule taken over to another kernel.
struct ReplayView {
  std::string from_kernel, to_kernel;
  std::vector<ReplayedStep> steps;
  std::vector<std::string> matches;  ///< which loop plays the part of which, a line each
  std::string summary;               ///< "5 steps applied, 1 changed, 2 refused"
  std::string script;                ///< of the steps that the other kernel took
};

struct JobView {
  std::string what;
  int64_t done = 0, total = 0;
  bool cancellable = true;
  std::string kind;  ///< "open", "measure", "export"
};

/// What a command or a job could not do.
struct ErrorView {
  std::string code;      ///< stable: "device_lost"
  std::string sentence;  ///< for a person
  std::string job;       ///< the kind of the job that failed, as in JobView; empty: a command
};

/// A model that was written as a folder, and what its own test said there.
struct ExportView {
  std::string folder, target;
  int kernels = 0;
  int shaped = 0;    ///< of the kernels: with a schedule that was given, not the backend's own
  std::string note;  ///< a sentence on what its parameters hold; often empty
  int64_t library_bytes = 0, parameter_bytes = 0, runtime_bytes = 0;
  bool tested = false;
  std::string not_tested_because;
  std::string emulator;  ///< what the test ran under; empty: this machine itself
  std::string compared_with;
  int threads = 1;
  double largest_difference = 0, largest_value = 0, least_ms = 0, median_ms = 0;
  std::string summary;  ///< one paragraph for people
};

/// A model of bytes that was made of one of floats, and is open now.
struct QuantizedView {
  std::string file;
  int quantized = 0, kept = 0;  ///< nodes in bytes, and in floats
  std::string summary;          ///< one paragraph for people
};

/// At most twenty pointers and a version.
struct Snapshot {
  uint64_t version = 0;
  std::shared_ptr<ModelView const> model;  ///< null: no model, show the start page
  std::shared_ptr<GraphView const> graph;
  std::shared_ptr<CutView const> cut;  ///< null: the whole model runs on the device in use
  std::shared_ptr<KernelTable const> kernels;
  int kernel = -1;                       ///< current row of the table
  std::shared_ptr<NestView const> nest;  ///< of the current kernel and step
  std::shared_ptr<HistoryView const> history;
  std::shared_ptr<RooflineView const> roofline;
  std::shared_ptr<std::vector<CodeStage> const> code_stages;
  std::shared_ptr<MachineView const> machine;
  bool has_timeline =
      false;  ///< `Session::timeline` answers: the target has a simulator or a model
  bool has_launches = false;  ///< `launches` answers: kernels are launched as blocks of threads
  std::shared_ptr<RefusalView const> refusal;  ///< of the last command; null when it was legal
  std::shared_ptr<ErrorView const> error;    ///< of the last command or job; null when it went well
  std::shared_ptr<ReplayView const> replay;  ///< the last one; null when there was none
  std::shared_ptr<JobView const> job;        ///< null: idle
  std::shared_ptr<TuningView const> tuning;  ///< null: nothing was tuned
  std::shared_ptr<ExportView const> exported;      ///< the last export of this model; null: none
  std::shared_ptr<QuantizedView const> quantized;  ///< null: this model was not made here
};

}  // namespace tw::session
