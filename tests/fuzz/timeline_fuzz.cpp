// Text of a timeline -> the timeline -> its text, which reads back the same; its trace.
#include "engine/hardware/timeline_text.h"
#include "tests/fuzz/target.h"

using namespace tw;

extern "C" int LLVMFuzzerTestOneInput(uint8_t const* data, size_t size) {
  auto timeline = parse_timeline(fuzz::text_of(data, size));
  if (!timeline) return fuzz::check_sentence(timeline.error()), 0;
  ++fuzz::accepted;
  std::string text = to_text(*timeline);
  auto again = parse_timeline(text);
  TW_ASSERT(again && to_text(*again) == text, "a timeline survives its text");
  TW_ASSERT(to_chrome_trace(*timeline).ends_with("]}\n"), "its trace is whole");
  return 0;
}
