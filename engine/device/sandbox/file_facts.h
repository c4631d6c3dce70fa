/// The C library asks for the facts of an open file by a call that takes paths, too. No filter sees
/// a path, so the call is answered here, and for open files only.
#pragma once

#include <seccomp.h>

namespace tw {

/// Adds the rule to a filter that is not loaded yet. From then on SIGSYS belongs to this.
bool answer_facts_of_open_files(scmp_filter_ctx filter);

}  // namespace tw
