/// What of a trial is no plain column of a table: as text, and back. The same in every store.
#pragma once

#include "engine/records/trial.h"

namespace tw::records {

std::string knobs_text(Trial const& trial);
std::string samples_text(Trial const& trial);

/// False: it is not as we write it.
bool read_knobs(std::string const& text, Trial& trial);
bool read_samples(std::string const& text, Trial& trial);
bool read_words(int64_t outcome, int64_t origin, Trial& trial);

/// "name":"value" for "name=value": knobs as they are stored, for what was read of them as they are
/// printed.
std::string stored_knob_words(std::string const& text);

/// What rows are ordered by: infinite where there is no time.
double order_seconds(Trial const& trial);

}  // namespace tw::records
