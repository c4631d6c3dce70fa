/// Tells the client where a kernel crashed, before the process dies of it.
#pragma once

namespace tw {

/// From now on a fatal signal during a step writes a crash frame to `socket` and then ends the
/// process by that signal. The handlers and what they read belong to the process: call once.
void report_crashes_to(int socket);

/// The step that runs now, and the kernel of it, whose name must stay where it is; -1 when none
/// does (then a crash is not the kernel's and is not reported).
void note_running_step(int step, char const* kernel);

}  // namespace tw
