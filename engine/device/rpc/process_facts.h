/// What the system says of a process: what it takes, and which processes came of it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace tw {

struct ProcessFacts {
  int64_t memory_bytes = 0;  ///< its own: resident, swapped, tables of pages, files of memory
  int threads = 0;
  std::set<uint64_t> hidden;  ///< files of memory that are mapped, and open no more
};

/// All zero for one that is not there.
ProcessFacts facts_of(pid_t process);

/// Of every process that can be seen: parent -> children.
std::multimap<pid_t, pid_t> children_by_parent();
/// `process` and all that came of it.
std::vector<pid_t> family_of(pid_t process, std::multimap<pid_t, pid_t> const& children);

/// Of all threads of a process so far; 0 where the system does not tell.
double processor_seconds(pid_t process);
/// With all that came of it and still runs.
double family_seconds(pid_t process);

}  // namespace tw
