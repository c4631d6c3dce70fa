/// Trials as text that other programs read: JSON lines, which come back whole (log_reader.h), and
/// CSV for a spreadsheet, which does not.
#pragma once

#include <string>

#include "engine/records/trial.h"

namespace tw::records {

/// One line, without its end. Bytes that are no UTF-8 are replaced: JSON has none.
std::string to_json_line(Trial const& trial);

/// RFC 4180, with the line's end; knobs are JSON, samples are separated by spaces.
std::string csv_head();
std::string to_csv_line(Trial const& trial);

}  // namespace tw::records
