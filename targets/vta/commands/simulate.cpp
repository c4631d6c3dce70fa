#include <fmt/format.h>

#include <algorithm>

#include "engine/hardware/timeline_text.h"
#include "engine/support/base/quantities.h"
#include "engine/support/files.h"
#include "engine/support/sha256.h"
#include "targets/vta/commands/shared/memory_image.h"
#include "targets/vta/commands/shared/stream_file.h"
#include "targets/vta/commands/shared/watch.h"
#include "targets/vta/prover/verdict.h"
#include "targets/vta/simulator/events.h"
#include "targets/vta/simulator/timing.h"
#include "targets/vta/simulator/tokens.h"

namespace tw::vta::vta_command_simulate {
namespace {

using Bytes = std::vector<std::byte>;

/// What the three simulators made of one stream, each in a memory of its own.
struct Runs {
  Machine behavioural, events;
  TimedRun timed;
  std::vector<std::string> digests;  ///< of main memory, in that order
  Bytes memory;                      ///< as the first one leaves it
  bool agree() const { return digests[0] == digests[1] && digests[0] == digests[2]; }
};

using WatchMaker = std::function<Watch(char const* simulator)>;

std::string digest_of(Bytes const& memory) {
  return sha256({reinterpret_cast<char const*>(memory.data()), memory.size()}).substr(0, 16);
}

Result<Runs> run_all(Assembly const& assembly, Bytes const& memory, uint64_t seed, bool timeline,
                     WatchMaker const& watch) {
  Configuration const& c = assembly.configuration;
  Stream const& stream = assembly.stream;
  std::vector<Bytes> memories(3, memory);
  TRY_ASSIGN(Machine behavioural, run_behavioural(c, stream, memories[0], watch("in order")));
  TRY_ASSIGN(EventRun events, run_events(c, stream, memories[1],
                                         {.seed = seed, .before_each = watch("event-driven")}));
  TimingOptions options;
  options.timeline = timeline;
  options.before_each = watch("timed");
  TRY_ASSIGN(TimedRun timed, run_timed(c, stream, memories[2], options));
  Runs runs{std::move(behavioural), std::move(events.machine), std::move(timed), {}, {}};
  for (Bytes const& one : memories) runs.digests.push_back(digest_of(one));
  runs.memory = std::move(memories[0]);
  return runs;
}

struct Share {
  char const* part;
  char const* what;
  double cycles;
};
std::vector<Share> shares_of(TimedRun const& run) {
  BusyCycles const& busy = run.busy;
  return {{"compute", "products", busy.gemm},
          {"compute", "resets", busy.reset},
          {"compute", "sums (ALU)", busy.alu},
          {"compute", "its own loads", busy.compute_load},
          {"compute", "waits for data", busy.stall_data},
          {"compute", "waits for a free buffer", busy.stall_buffer},
          {"compute", "waits for the port", busy.stall_dram},
          {"load", "loads", busy.load},
          {"store", "stores", busy.store},
          {"port", "moves data", busy.dram}};
}

std::string tokens_text(TimedRun const& run) {
  std::string text;
  for (size_t q = 0; q < run.tokens_left.size(); ++q)
    if (run.tokens_left[q] > 0)
      text += fmt::format("{} left over in {}\n", count_text(run.tokens_left[q], "token"),
                          to_text(TokenQueue(q)));
  return text;
}

std::string to_text(Runs const& runs, Assembly const& assembly) {
  TimedRun const& run = runs.timed;
  std::string text =
      fmt::format("{} on {}: {} cycles, {} of them the launch, {} at {} MHz\n",
                  count_text(int64_t(assembly.stream.size()), "instruction"),
                  assembly.configuration.key(), run.cycles, TimingConstants().launch_cycles,
                  milliseconds_text(run.milliseconds), assembly.configuration.clock_mhz);
  text += runs.agree() ? fmt::format("main memory is the same after all three simulators: {}\n",
                                     runs.digests[0])
                       : fmt::format(
                             "main memory differs: behavioural {}, event-driven {}, timed {}: "
                             "`tw vta prove` tells what nothing orders\n",
                             runs.digests[0], runs.digests[1], runs.digests[2]);
  text += tokens_text(run) +
          fmt::format("\n{:<9} {:<24} {:>12} {:>7}\n", "part", "does", "cycles", "of all");
  for (Share const& share : shares_of(run))
    text += fmt::format("{:<9} {:<24} {:>12.0f} {:>7}\n", share.part, share.what, share.cycles,
                        percent_text(share.cycles / double(std::max<int64_t>(1, run.cycles))));
  return text;
}

Json to_json(Counters const& counters) {
  return {{"gemm_uops", counters.gemm_uops},   {"alu_uops", counters.alu_uops},
          {"reset_uops", counters.reset_uops}, {"uop_bytes", counters.uop_bytes},
          {"inp_bytes", counters.inp_bytes},   {"wgt_bytes", counters.wgt_bytes},
          {"acc_bytes", counters.acc_bytes},   {"out_bytes", counters.out_bytes}};
}

Json to_json(Runs const& runs, Assembly const& assembly) {
  Json shares = Json::array(), left = Json::object();
  for (Share const& share : shares_of(runs.timed))
    shares.push_back({{"part", share.part}, {"does", share.what}, {"cycles", share.cycles}});
  for (size_t q = 0; q < runs.timed.tokens_left.size(); ++q)
    left[std::string(to_text(TokenQueue(q)))] = runs.timed.tokens_left[q];
  return {
      {"instructions", assembly.stream.size()},
      {"design", assembly.configuration.key()},
      {"cycles", runs.timed.cycles},
      {"launch_cycles", TimingConstants().launch_cycles},
      {"ms", runs.timed.milliseconds},
      {"agree", runs.agree()},
      {"memory",
       {{"behavioural", runs.digests[0]}, {"events", runs.digests[1]}, {"timed", runs.digests[2]}}},
      {"parts", shares},
      {"tokens_left", left},
      {"moved", to_json(runs.behavioural.counters())}};
}

Status write_files(CommandArguments const& arguments, Assembly const& assembly, Bytes& memory,
                   TimedRun const& run) {
  std::string out = arguments.text("--out"), chrome = arguments.text("--chrome");
  if (out.empty() && chrome.empty()) return {};
  Timeline timeline = run.timeline;
  TRY_ASSIGN(ProofResult proof, prove(assembly.configuration, assembly.stream, memory));
  tell_verdict(timeline, proof, assembly.stream);
  if (!out.empty()) TRY(write_output(out, tw::to_text(timeline)));
  if (!chrome.empty()) TRY(write_output(chrome, to_chrome_trace(timeline)));
  return {};
}

Result<CommandOutcome> run(CommandArguments const& arguments, StopToken stop,
                           Progress const& progress) {
  TRY_ASSIGN(Assembly assembly, read_stream(arguments, StreamNeeds::kProgram));
  TRY_ASSIGN(Bytes memory, memory_before(arguments, assembly));
  bool timeline = arguments.has("--out") || arguments.has("--chrome");
  auto watch = [&](char const* simulator) {
    return Watch(fmt::format("instructions, {}", simulator), assembly.stream, stop, progress);
  };
  TRY_ASSIGN(Runs runs,
             run_all(assembly, memory, uint64_t(arguments.number("--seed", 1)), timeline, watch));
  TRY(write_files(arguments, assembly, memory, runs.timed));
  if (!runs.agree() && arguments.has("--memory-out"))
    return bad_input("memory_differs",
                     "main memory is written where all three simulators leave the same: `tw vta "
                     "prove` tells what nothing orders");
  TRY(write_memory(arguments, runs.memory));
  return CommandOutcome{
      .text = to_text(runs, assembly), .json = to_json(runs, assembly), .failed = !runs.agree()};
}

std::vector<CommandParameter> parameters() {
  std::vector<CommandParameter> all = stream_parameters();
  auto number = [&](char const* name, char const* doc) {
    all.push_back({.name = name,
                   .type = "N",
                   .doc = doc,
                   .kind = ParameterKind::kNumber,
                   .low = 0,
                   .high = INT64_MAX});
  };
  number("--seed", "of the times that the event-driven simulator makes up (default: 1)");
  for (CommandParameter& one : memory_parameters()) all.push_back(std::move(one));
  all.push_back({.name = "--out",
                 .type = "FILE",
                 .doc = "write what every part did, cycle by cycle, to this file, for the window"});
  all.push_back({.name = "--chrome",
                 .type = "FILE",
                 .doc = "write it as a Chrome trace, which Perfetto opens"});
  return all;
}

}  // namespace

TargetCommand const& row() {
  static TargetCommand const command{
      .place = 70,
      .name = "simulate",
      .doc =
          "run a stream on the three simulators, compare what they leave in main memory, and "
          "show how many cycles each module works or waits",
      .parameters = parameters(),
      .run = run,
  };
  return command;
}

}  // namespace tw::vta::vta_command_simulate
