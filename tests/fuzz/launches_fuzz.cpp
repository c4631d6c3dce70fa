// A record of a kernel's launches, as a device reads it out of a library, and the numbers in it.
#include "targets/shared/launch_record/launch_record.h"
#include "tests/fuzz/target.h"

using namespace tw;

extern "C" int LLVMFuzzerTestOneInput(uint8_t const* data, size_t size) {
  auto record = launch_record::parse_record(fuzz::text_of(data, size));
  if (!record) {
    fuzz::check_sentence(record.error());
    return 0;
  }
  ++fuzz::accepted;
  auto again = launch_record::parse_record(launch_record::to_text(*record));
  TW_ASSERT(again && *again == *record, "a record survives its text");
  for (int64_t size_value : {int64_t(0), int64_t(7), INT64_MAX, INT64_MIN}) {
    std::vector<int64_t> sizes(size_t(record->sizes), size_value);
    for (launch_record::Launch const& launch : record->launches)
      for (launch_record::Number const& number : launch.grid)
        if (auto value = launch_record::value_of(number, sizes); !value)
          fuzz::check_sentence(value.error());
  }
  return 0;
}
