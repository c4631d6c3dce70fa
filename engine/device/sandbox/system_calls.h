/// Which calls of the system a process may make: those that a kernel and its worker need.
#pragma once

#include <sys/types.h>

namespace tw {

bool can_filter_system_calls();
/// The end of a sentence; only where they cannot be filtered.
char const* why_not_filtered();

/// Where a process may speak and whom it may end.
struct Partners {
  int socket = -1;         ///< to the client
  int driver_socket = -1;  ///< to the process that owns the driver; -1: there is none
  pid_t driver = -1;
};

/// From now on this process and its threads compute, take private memory, load libraries from
/// memory, open files to read where that is allowed otherwise, and speak to their partners. Every
/// other call fails with EPERM. False: errno says why.
bool filter_system_calls(Partners const& partners);

/// The same for a process that owns a driver: it may also open files in any way that is allowed
/// otherwise, give orders to devices, share memory, and start processes, but for name spaces,
/// sockets, signals to others, tracing, and changes of whose and how open a file is.
bool filter_driver_calls(int socket);

}  // namespace tw
