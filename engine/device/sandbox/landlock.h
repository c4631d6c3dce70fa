/// Rules of the system for the files that this process may open (Landlock, Linux 5.13).
#pragma once

#include <string>
#include <vector>

namespace tw {

/// Paths of what is not there do not matter; of a folder all is meant that lies in it.
struct FileRules {
  std::vector<std::string> readable;
  std::vector<std::string> programs;  ///< readable, and may be started
  std::vector<std::string> writable;  ///< folders where files are made, changed and removed
  std::vector<std::string> devices;   ///< read, written, given orders
  /// Whether only the filter of system calls says which other process gets a signal.
  bool signals = false;
};

bool can_sandbox_files();

/// From now on nothing else is read, nothing else is written, and no network is used. False: errno
/// says why.
bool sandbox_files(FileRules const& rules);

}  // namespace tw
