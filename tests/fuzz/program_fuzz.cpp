// The text of a program -> program, and back to text.
#include "engine/ir/text.h"
#include "tests/fuzz/target.h"

using namespace tw;

extern "C" int LLVMFuzzerTestOneInput(uint8_t const* data, size_t size) {
  auto program = ir::parse_program(fuzz::text_of(data, size), "fuzz.program");
  if (!program) {
    fuzz::check_sentence(program.error());
    return 0;
  }
  ++fuzz::accepted;
  auto again = ir::parse_program(ir::to_text(*program));
  TW_ASSERT(again && ir::equal(*program, *again), "a program survives its text");
  return 0;
}
