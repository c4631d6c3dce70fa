// The text of a library of VTA -> call programs, back to text, and into streams: what a device gets
// from whoever asks it.
#include "targets/vta/stream/jit.h"
#include "tests/fuzz/target.h"

using namespace tw;
using namespace tw::vta;

extern "C" int LLVMFuzzerTestOneInput(uint8_t const* data, size_t size) {
  auto programs = parse_call_programs(fuzz::text_of(data, size));
  if (!programs) {
    fuzz::check_sentence(programs.error());
    return 0;
  }
  ++fuzz::accepted;
  std::string text;
  for (CallProgram const& program : *programs) text += to_text(program);
  TW_ASSERT(parse_call_programs(text) == *programs, "a library survives its text");
  for (CallProgram const& program : *programs) {
    Addresses addresses{std::vector<uint64_t>(program.tensors.size(), 1 << 20), 4096};
    auto batches =
        make_batches(program, addresses, {.most_instructions = 4096, .most_uops = 65536});
    if (!batches) fuzz::check_sentence(batches.error());
  }
  return 0;
}
