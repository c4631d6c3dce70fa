/// A lowered kernel as a host function in C that starts its nests on a device.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/ir/text.h"
#include "engine/support/base/error.h"

namespace tw::launches {

struct LaunchedText {
  std::string symbol;
  std::string host, device;
  std::vector<int32_t> source_line;            ///< per line of `device`: line of `lowered`, or 0
  std::map<std::string, std::string> helpers;  ///< what the device's functions call, by name
};

/// Each nest is a device function; a parallel one has a thread for each iteration. Nests take turns
/// on two streams, and one that touches what another stream's nest writes, or the other way round,
/// waits for an event behind that one. Errors: those of `c_source::print_c`.
Result<LaunchedText> cut_into_launches(ir::KernelIr const& kernel,
                                       ir::PrintedProgram const& lowered);

}  // namespace tw::launches
