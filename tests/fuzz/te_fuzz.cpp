// The text of a tensor expression -> kernel -> program, and both back to text.
#include "engine/ir/text.h"
#include "engine/te/sizes.h"
#include "tests/fuzz/target.h"

using namespace tw;

extern "C" int LLVMFuzzerTestOneInput(uint8_t const* data, size_t size) {
  auto kernel = te::parse_kernel(fuzz::text_of(data, size), "fuzz.te");
  if (!kernel) {
    fuzz::check_sentence(kernel.error());
    return 0;
  }
  auto again = te::parse_kernel(te::to_text(*kernel));
  TW_ASSERT(again && te::equal(*kernel, *again), "a kernel survives its text");
  (void)te::flops(*kernel);
  (void)te::structure_hash(*kernel);
  auto program = te::to_program(*kernel);
  if (!program) {
    fuzz::check_sentence(program.error());
    return 0;
  }
  ++fuzz::accepted;
  auto same = ir::parse_program(ir::to_text(*program));
  TW_ASSERT(same && ir::equal(*program, *same), "a kernel's program survives its text");
  ir::Program open = te::to_open_program(*kernel).value();
  auto still = ir::parse_program(ir::to_text(open));
  TW_ASSERT(still && ir::equal(open, *still), "a program with its sizes open survives its text");
  return 0;
}
