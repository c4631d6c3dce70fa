#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/support/base/quantities.h"
#include "targets/vta/commands/shared/memory_image.h"
#include "targets/vta/commands/shared/stream_file.h"
#include "targets/vta/commands/shared/watch.h"
#include "targets/vta/simulator/timed_machine.h"

namespace tw::vta::vta_command_step {
namespace {

constexpr Module kAllModules[] = {Module::kLoad, Module::kCompute, Module::kStore};

/// Of "load -> compute" what is typed without quotes: "load->compute".
std::string without_blanks(std::string_view text) {
  std::string word(text);
  std::erase(word, ' ');
  return word;
}

/// Where to stop: what comes first of all that is said.
struct Breakpoint {
  double cycle = -1;                    ///< the first change from then on; < 0: not by it
  int32_t instruction = -1;             ///< begins; < 0: not by it
  std::optional<TokenQueue> push, pop;  ///< of a token
  int64_t times = 1;                    ///< so many tokens
};

/// Errors: unknown_queue.
Result<std::optional<TokenQueue>> queue_of(CommandArguments const& arguments,
                                           std::string const& option) {
  if (!arguments.has(option)) return std::optional<TokenQueue>();
  std::string typed = without_blanks(arguments.text(option));
  std::vector<std::string> words;
  for (int q = 0; q < kTokenQueues; ++q) {
    words.push_back(without_blanks(to_text(TokenQueue(q))));
    if (words.back() == typed) return TokenQueue(q);
  }
  return bad_input("unknown_queue", fmt::format("{} takes one of {}, not '{}'", option,
                                                fmt::join(words, ", "), arguments.text(option)));
}

Result<Breakpoint> breakpoint_of(CommandArguments const& arguments, size_t instructions) {
  Breakpoint stop;
  stop.cycle = double(arguments.number("--cycle", -1));
  stop.instruction = int32_t(arguments.number("--instruction", -1));
  TRY_ASSIGN(stop.push, queue_of(arguments, "--push"));
  TRY_ASSIGN(stop.pop, queue_of(arguments, "--pop"));
  stop.times = arguments.number("--times", 1);
  if (arguments.has("--times") && !stop.push && !stop.pop)
    return bad_input("unused_option", "--times counts pushes or pops: it needs --push or --pop");
  if (stop.instruction >= int32_t(instructions))
    return bad_input("no_such_instruction",
                     fmt::format("there is no instruction {}: the stream has {}", stop.instruction,
                                 instructions));
  return stop;
}

/// What goes on from `begin` until something changes.
struct State {
  double begin = 0;
  int64_t step = 0;  ///< changes before it
  bool stopped = false;
  TimedMachine machine;
  std::vector<std::byte> memory;
};

bool stops(Breakpoint const& stop, State const& state, Stream const& stream) {
  ModuleQueues const& queues = state.machine.queues();
  if (stop.cycle >= 0 && state.machine.cycle() > stop.cycle) return true;
  if (stop.push && queues.pushed(*stop.push) >= stop.times) return true;
  if (stop.pop && queues.popped(*stop.pop) >= stop.times) return true;
  if (stop.instruction < 0) return false;
  Module module = module_of(stream[size_t(stop.instruction)]);
  return state.machine.running(module) && queues.held(module) >= stop.instruction;
}

/// Up to the breakpoint, or `steps` changes; to the end where neither comes.
Result<State> run_until(Assembly const& assembly, std::span<std::byte const> before,
                        Breakpoint const* stop, int64_t steps, Watch const& watch) {
  TimingOptions options;
  options.before_each = watch;
  TRY_ASSIGN(TimedMachine machine,
             TimedMachine::create(assembly.configuration, assembly.stream, options));
  State state{.machine = std::move(machine), .memory = {before.begin(), before.end()}};
  while (!state.stopped && !state.machine.done()) {
    state.begin = state.machine.cycle();
    TRY(state.machine.step(state.memory));
    ++state.step;
    state.stopped = stop ? stops(*stop, state, assembly.stream) : state.step >= steps;
  }
  if (state.machine.done()) state.begin = state.machine.cycle();
  return state;
}

/// "runs", "waits for a token of load -> compute", "has nothing to do".
std::string doing(TimedMachine const& machine, Module module) {
  if (machine.queues().held(module) < 0) return "has nothing to do";
  if (machine.running(module)) return "runs";
  auto missing = machine.queues().missing(module);
  return missing ? fmt::format("waits for a token of {}", to_text(*missing)) : "is about to run";
}

CommandOutcome outcome_of(State const& state, Assembly const& assembly) {
  CommandOutcome outcome;
  ModuleQueues const& queues = state.machine.queues();
  outcome.json = {{"cycle", state.begin},     {"until", state.machine.cycle()},
                  {"step", state.step},       {"done", state.machine.done()},
                  {"modules", Json::array()}, {"tokens", Json::array()}};
  outcome.text =
      fmt::format("cycle {:.0f}, after {}{}\n", std::floor(state.begin),
                  count_text(state.step, "change"), state.machine.done() ? ": all is done" : "");
  for (Module module : kAllModules) {
    int32_t held = queues.held(module);
    std::string line = held < 0 ? "" : to_line(assembly.stream[size_t(held)]);
    std::string what = doing(state.machine, module);
    outcome.text += fmt::format("  {:<8} {}{}\n", to_text(module), what,
                                held < 0 ? "" : fmt::format(": {}  {}", held, line));
    outcome.json["modules"].push_back(
        {{"module", to_text(module)}, {"does", what}, {"instruction", held}, {"line", line}});
  }
  if (queues.next_fetched() >= 0)
    outcome.text += fmt::format("  {:<8} next is {}\n", "fetch", queues.next_fetched());
  for (int q = 0; q < kTokenQueues; ++q) {
    TokenQueue queue{uint8_t(q)};
    outcome.text += fmt::format("  {:<18} {:>4} waiting, {} pushed, {} popped\n", to_text(queue),
                                queues.waiting(queue), queues.pushed(queue), queues.popped(queue));
    outcome.json["tokens"].push_back({{"queue", to_text(queue)},
                                      {"waiting", queues.waiting(queue)},
                                      {"pushed", queues.pushed(queue)},
                                      {"popped", queues.popped(queue)}});
  }
  return outcome;
}

/// What was asked for and did not come, up to the end; empty: it came, or nothing was asked for.
std::string unmet(Breakpoint const& stop, State const& state) {
  ModuleQueues const& queues = state.machine.queues();
  std::string text;
  auto told = [&](char const* what, TokenQueue queue, int64_t times) {
    text += fmt::format("{} was {} {}, not {}\n", to_text(queue), what, count_text(times, "time"),
                        count_text(stop.times, "time"));
  };
  if (state.stopped) return text;
  if (stop.push) told("pushed to", *stop.push, queues.pushed(*stop.push));
  if (stop.pop) told("popped from", *stop.pop, queues.popped(*stop.pop));
  if (stop.cycle >= 0)
    text += fmt::format("the stream ends in cycle {:.0f}, not after {:.0f}\n",
                        std::floor(state.machine.cycle()), stop.cycle);
  return text;
}

Result<CommandOutcome> run(CommandArguments const& arguments, StopToken token,
                           Progress const& progress) {
  TRY_ASSIGN(Assembly assembly, read_stream(arguments, StreamNeeds::kProgram));
  TRY_ASSIGN(Breakpoint stop, breakpoint_of(arguments, assembly.stream.size()));
  TRY_ASSIGN(std::vector<std::byte> memory, memory_before(arguments, assembly));
  Watch watch("instructions", assembly.stream, token, progress);
  TRY_ASSIGN(State state, run_until(assembly, memory, &stop, 0, watch));
  std::string missed = unmet(stop, state);
  // The same run again is the same: back is forward from the start.
  int64_t back = std::min(arguments.number("--back", 0), state.step - 1);
  if (back > 0) {
    TRY_ASSIGN(state, run_until(assembly, memory, nullptr, state.step - back, watch));
  }
  TRY(write_memory(arguments, state.memory));
  CommandOutcome outcome = outcome_of(state, assembly);
  outcome.text = missed + outcome.text;
  outcome.json["met"] = missed.empty();
  outcome.failed = !missed.empty();
  return outcome;
}

std::vector<CommandParameter> parameters() {
  std::vector<CommandParameter> all = stream_parameters();
  auto number = [&](char const* name, char const* doc, int64_t low) {
    all.push_back({.name = name,
                   .type = "N",
                   .doc = doc,
                   .kind = ParameterKind::kNumber,
                   .low = low,
                   .high = int64_t(1) << 40});
  };
  number("--cycle", "stop at this cycle, launch not counted", 0);
  number("--instruction", "stop where this instruction begins", 0);
  for (char const* name : {"--push", "--pop"})
    all.push_back({.name = name,
                   .type = "QUEUE",
                   .doc = fmt::format("stop at a {} of this queue: load->compute, compute->load, "
                                      "compute->store or store->compute",
                                      name + 2)});
  number("--times", "not at the first push or pop, but at this one (default: 1)", 1);
  number("--back", "then go so many changes back", 0);
  for (CommandParameter& one : memory_parameters()) all.push_back(std::move(one));
  return all;
}

}  // namespace

TargetCommand const& row() {
  static TargetCommand const command{
      .place = 75,
      .name = "step",
      .doc =
          "run a stream on the timing model up to a cycle, an instruction or a token, or to its "
          "end, step back, and show what each module does or waits for there",
      .parameters = parameters(),
      .run = run,
  };
  return command;
}

}  // namespace tw::vta::vta_command_step
