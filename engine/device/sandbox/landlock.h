/// Rules of the system for the files that this process may open (Landlock, Linux 5.13).
#pragma once

namespace tw {

bool can_sandbox_files();

/// From now on nothing is read but the machine's load and uptime, nothing is written anywhere, and
/// no network is used. False: errno says why.
bool sandbox_files();

}  // namespace tw
