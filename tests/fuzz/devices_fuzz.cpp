// The list of devices, as its file holds it.
#include "engine/device/registry.h"
#include "tests/fuzz/target.h"

using namespace tw;

extern "C" int LLVMFuzzerTestOneInput(uint8_t const* data, size_t size) {
  auto devices = parse_devices(fuzz::text_of(data, size));
  if (!devices) {
    fuzz::check_sentence(devices.error());
    return 0;
  }
  ++fuzz::accepted;
  auto again = parse_devices(to_text(*devices));
  TW_ASSERT(again && *again == *devices, "a list of devices survives its text");
  return 0;
}
