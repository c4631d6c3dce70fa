/// Trials out of text: our own JSON lines, and the logs of AutoTVM and of Ansor (TVM's
/// auto-scheduler). Every line says what it is; a file may mix them.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/records/trial.h"

namespace tw::records {

struct DamagedLine {
  int64_t number = 0;  ///< from 1
  std::string why;     ///< a sentence
};

struct ReadLog {
  std::vector<Trial> trials;
  int64_t damaged_count = 0;
  std::vector<DamagedLine> damaged;  ///< the first hundred of them
};

/// Damaged lines are left out, empty ones and those that start with '#' are none.
ReadLog read_log(std::string_view text);

/// One way to write a trial as a JSON object.
struct LineFormat {
  bool (*is_it)(nlohmann::json const& line);
  Result<Trial> (*read)(nlohmann::json const& line);
};

/// What `read` says of a line that it cannot read.
inline std::unexpected<Error> damaged_line(std::string why) {
  return bad_input("damaged_line", std::move(why));
}

LineFormat const& our_format();
LineFormat const& autotvm_format();
LineFormat const& ansor_format();

}  // namespace tw::records
