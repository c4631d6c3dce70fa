/// What the logs of AutoTVM and Ansor have in common: the list [costs, error number, seconds in
/// all, time stamp], and numbers of errors (class MeasureErrorNo in TVM 0.8's
/// python/tvm/autotvm/measure/measure.py and python/tvm/auto_scheduler/measure.py).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/records/trial.h"

namespace tw::records {

/// Fills in outcome, samples, failure and date. A failed one is written there with a time of 1e9
/// or 1e10 seconds, which is dropped.
Status read_tvm_result(nlohmann::json const& result, Trial& trial);

/// What both say of where it ran: TVM's text of the target, "llvm -mcpu=skylake-avx512".
void set_tvm_target(std::string const& target, Trial& trial);

/// Of what names a task there, so that its trials stand together.
uint64_t hash_of_text(std::string const& text);

}  // namespace tw::records
