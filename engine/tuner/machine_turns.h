/// Who may use the machine that compiles, where several searches compile and one of them measures
/// there, too: what is measured must have it alone.
#pragma once

#include <condition_variable>
#include <mutex>

namespace tw {

/// From any thread.
class MachineTurns {
public:
  /// Any number at a time; who wants to measure goes first.
  class Compiling {
  public:
    explicit Compiling(MachineTurns* turns);  ///< null: nobody measures
    ~Compiling();
    Compiling(Compiling const&) = delete;

  private:
    MachineTurns* turns_;
  };
  /// One, and nobody compiles.
  class Measuring {
  public:
    explicit Measuring(MachineTurns* turns);  ///< null: it is another machine that measures
    ~Measuring();
    Measuring(Measuring const&) = delete;

  private:
    MachineTurns* turns_;
  };

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int compiling_ = 0;
  int waiting_ = 0;  ///< to measure
  bool measuring_ = false;
};

}  // namespace tw
