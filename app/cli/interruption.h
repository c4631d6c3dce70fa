/// Ctrl-C and its like as a request to stop, so that what is half done is taken away.
#pragma once

#include <thread>

#include "engine/support/base/job.h"

namespace tw::cli {

/// While it lives, the first SIGINT, SIGTERM or SIGHUP asks to stop; a second one ends the program
/// at once, as without it. One at a time.
class Interruption {
public:
  Interruption();
  ~Interruption();
  Interruption(Interruption const&) = delete;
  Interruption& operator=(Interruption const&) = delete;

  StopToken token() const { return source_.get_token(); }
  bool came() const { return source_.stop_requested(); }
  /// Ends the program by the signal that came, so that whoever started it sees that.
  [[noreturn]] void pass_on() const;

private:
  void watch();
  std::stop_source source_;
  int ends_[2] = {-1, -1};
  int signal_ = 0;
  std::thread watcher_;
};

}  // namespace tw::cli
