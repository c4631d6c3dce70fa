// Lines of trials, ours and those of other tuners -> trials -> our lines -> the same trials.
#include "engine/records/log_reader.h"
#include "engine/records/text_forms.h"
#include "tests/fuzz/target.h"

using namespace tw;
using namespace tw::records;

extern "C" int LLVMFuzzerTestOneInput(uint8_t const* data, size_t size) {
  ReadLog log = read_log(fuzz::text_of(data, size));
  int64_t last = 0;
  for (DamagedLine const& line : log.damaged) {
    TW_ASSERT(line.number > last && !line.why.empty(), "a damaged line has a number and a reason");
    last = line.number;
  }
  TW_ASSERT(log.damaged_count >= int64_t(log.damaged.size()), "each damaged line counts");
  std::string text;
  for (Trial const& trial : log.trials) {
    TW_ASSERT(check(trial), "what is read is a trial");
    TW_ASSERT(to_csv_line(trial).ends_with("\r\n"), "a trial is a line");
    text += to_json_line(trial) + "\n";
  }
  fuzz::accepted += !log.trials.empty();
  ReadLog again = read_log(text);
  TW_ASSERT(again.damaged_count == 0 && again.trials == log.trials, "trials survive their text");
  return 0;
}
