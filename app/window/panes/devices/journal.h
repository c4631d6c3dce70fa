// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What a journal's lines do with devices.
#pragma once

#include <string>

namespace tw::journal {

struct SelectDevice {
  std::string device;
};
struct AddDevice {
  std::string device, address;
  double timeout_seconds = 0;           ///< that a call may take at least; 0: as everywhere
  std::string certificate, token_file;  ///< may be empty
};
struct RemoveDevice {
  std::string device;
};
/// Asks every device what it is.
struct CheckDevices {};
/// Which server's queue of a team is shown; "none": none is.
struct AttachTeam {
  std::string address;
};
/// Shows the queue of the team, as its server has it now.
struct ShowTeam {};

}  // namespace tw::journal
