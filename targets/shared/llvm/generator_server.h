/// The process that generates code for another one.
#pragma once

namespace tw {

/// Answers requests of the socket, one after the other, until its other end is gone. A fatal error
/// of LLVM is an answer, the last one. Returns the process's exit code.
int serve_generator(int socket);

}  // namespace tw
