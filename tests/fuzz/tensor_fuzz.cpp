// The bytes of one stored tensor -> array; what was read is written and read back as the same.
#include "engine/importers/onnx/reader.h"
#include "engine/samples/onnx_writer.h"
#include "tests/fuzz/target.h"

using namespace tw;

extern "C" int LLVMFuzzerTestOneInput(uint8_t const* data, size_t size) {
  auto tensor = read_onnx_tensor(fuzz::text_of(data, size), "fuzz.pb");
  if (!tensor) {
    fuzz::check_sentence(tensor.error());
    return 0;
  }
  ++fuzz::accepted;
  auto bytes = write_onnx_tensor(*tensor, "again");
  TW_ASSERT(bytes.has_value(), "what was read can be written");
  auto again = read_onnx_tensor(*bytes);
  TW_ASSERT(again && again->hash() == tensor->hash(), "a tensor survives its file");
  return 0;
}
