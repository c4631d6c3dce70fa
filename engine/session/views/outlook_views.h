/// Where a line would lead, as values.
#pragma once

#include "engine/backend/backend.h"
#include "engine/schedule/schedule.h"
#include "engine/session/outlook.h"

namespace tw::session {

/// What an outlook is made with, besides the schedules.
struct OutlookBase {
  Backend const* backend = nullptr;
  std::shared_ptr<Roofs const> rates;  ///< null: nothing is modelled
  std::vector<int64_t> cache_bytes;
  double flops = 0;  ///< of the kernel
};

/// Of a line whose steps were taken one after the other.
Outlook outlook_of(std::string const& line, ir::Program const& now, ir::Program const& next,
                   OutlookBase const& base);

}  // namespace tw::session
