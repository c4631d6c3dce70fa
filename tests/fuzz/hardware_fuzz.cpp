// The JSON of a machine's description and of its measured roofs.
#include "engine/device/hardware_text.h"
#include "tests/fuzz/target.h"

using namespace tw;

extern "C" int LLVMFuzzerTestOneInput(uint8_t const* data, size_t size) {
  std::string_view text = fuzz::text_of(data, size);
  if (auto hardware = parse_hardware(text)) {
    ++fuzz::accepted;
    std::string once = to_json_text(*hardware);
    auto again = parse_hardware(once);
    TW_ASSERT(again && to_json_text(*again) == once, "a machine survives its text");
  } else {
    fuzz::check_sentence(hardware.error());
  }
  if (auto roofs = parse_roofs(text)) {
    ++fuzz::accepted;
    std::string once = to_json_text(*roofs);
    auto again = parse_roofs(once);
    TW_ASSERT(again && to_json_text(*again) == once, "roofs survive their text");
  } else {
    fuzz::check_sentence(roofs.error());
  }
  return 0;
}
