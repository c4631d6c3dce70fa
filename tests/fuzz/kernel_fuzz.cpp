// The text of a kernel at any stage of lowering -> kernel, and back to text.
#include "engine/ir/kernel.h"
#include "tests/fuzz/target.h"

using namespace tw;

extern "C" int LLVMFuzzerTestOneInput(uint8_t const* data, size_t size) {
  auto kernel = ir::parse_kernel(fuzz::text_of(data, size), "fuzz.kernel");
  if (!kernel) {
    fuzz::check_sentence(kernel.error());
    return 0;
  }
  ++fuzz::accepted;
  std::string text = ir::print(*kernel).text;
  auto again = ir::parse_kernel(text);
  TW_ASSERT(again && ir::equal(*kernel, *again), "a kernel survives its text");
  TW_ASSERT(ir::print(*again).text == text, "and prints the same");
  return 0;
}
