// A stream of VTA as text -> instructions -> text and bits, both back; then it runs, if it does not
// take long.
#include "targets/vta/hardware/assembly.h"
#include "targets/vta/lint/lint.h"
#include "targets/vta/simulator/events.h"
#include "targets/vta/simulator/timing.h"
#include "tests/fuzz/target.h"

using namespace tw;
using namespace tw::vta;

namespace {

/// Steps and elements that the simulators go through one by one.
bool is_short(Assembly const& assembly) {
  Configuration const& c = assembly.configuration;
  int64_t bytes = 0, steps = 0;
  for (Memory memory : {Memory::kUop, Memory::kWgt, Memory::kInp, Memory::kAcc})
    bytes += c.buffer_bytes(memory);
  for (Instruction const& instruction : assembly.stream) {
    Nest const& nest = instruction.nest;
    steps += int64_t(nest.outer) * nest.inner * (1 + std::max<int64_t>(0, nest.uops()));
    if (steps * c.macs_per_cycle() > 1'000'000) return false;
  }
  return bytes <= 1 << 20 && assembly.stream.size() < 100;
}

void run(Assembly const& assembly) {
  std::vector<std::byte> dram(4096), same = dram, again = dram;
  auto golden = run_behavioural(assembly.configuration, assembly.stream, dram);
  if (!golden) fuzz::check_sentence(golden.error());
  auto events = run_events(assembly.configuration, assembly.stream, same);
  if (!events) fuzz::check_sentence(events.error());
  TimingOptions options;
  options.timeline = true;
  auto timed = run_timed(assembly.configuration, assembly.stream, again, options);
  if (!timed) fuzz::check_sentence(timed.error());
  fuzz::accepted += golden && timed;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(uint8_t const* data, size_t size) {
  auto assembly = parse_assembly(fuzz::text_of(data, size), "fuzz.vtas");
  if (!assembly) {
    fuzz::check_sentence(assembly.error());
    return 0;
  }
  auto again = parse_assembly(to_text(*assembly));
  TW_ASSERT(again && *again == *assembly, "a stream survives its text");
  auto bytes = encode(assembly->configuration, assembly->stream);
  TW_ASSERT(bytes, "what is read can be encoded");
  auto decoded = decode(assembly->configuration, *bytes);
  TW_ASSERT(decoded && *decoded == assembly->stream, "a stream survives its bits");
  (void)lint(assembly->configuration, assembly->stream, std::vector<std::byte>(4096));
  if (is_short(*assembly)) run(*assembly);
  return 0;
}
