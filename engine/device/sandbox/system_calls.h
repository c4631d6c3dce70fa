/// Which calls of the system a process may make: those that a kernel and its worker need.
#pragma once

namespace tw {

bool can_filter_system_calls();
/// The end of a sentence; only where they cannot be filtered.
char const* why_not_filtered();

/// From now on this process and its threads compute, take private memory, load libraries from
/// memory, open files to read where that is allowed otherwise, and speak over `socket`. Every
/// other call fails with EPERM. False: errno says why.
bool filter_system_calls(int socket);

}  // namespace tw
