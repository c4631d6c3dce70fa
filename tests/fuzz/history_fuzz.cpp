// A saved history (JSON) -> history -> JSON, of the small kernel below.
#include <nlohmann/json.hpp>

#include "engine/history/history.h"
#include "engine/te/te.h"
#include "tests/fuzz/target.h"

using namespace tw;

namespace {

Schedule plain_schedule() {
  auto kernel = te::parse_kernel(
      "tilewright te 1\nkernel matmul(A: f32[5, 6], B: f32[6, 7]) -> C\n"
      "  C[i in 5, j in 7] = sum[k in 6] A[i, k] * B[k, j]\n");
  return Schedule(te::to_program(kernel.value()).value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(uint8_t const* data, size_t size) {
  static Schedule const plain = plain_schedule();
  auto json = nlohmann::ordered_json::parse(fuzz::text_of(data, size), nullptr, false);
  if (json.is_discarded()) return 0;
  auto history = History::from_json(json, plain);
  if (!history) {
    fuzz::check_sentence(history.error());
    return 0;
  }
  ++fuzz::accepted;
  std::string text = history->to_json().dump();
  auto again = History::from_json(nlohmann::ordered_json::parse(text), plain);
  TW_ASSERT(again && again->to_json().dump() == text, "a history survives its file");
  return 0;
}
