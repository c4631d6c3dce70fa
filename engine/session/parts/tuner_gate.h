/// One tuning at a time: whether it runs, is asked to pause, and rests.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>

#include "engine/session/state/guarded.h"
#include "engine/support/base/job.h"

namespace tw::session {

class TunerGate {
public:
  /// False: another one runs.
  bool begin(bool of_model);
  void end();
  bool runs() const;
  bool tunes_model() const;

  /// Of runs, from 1 in the session.
  int next_number();

  /// How many searches go on beside each other; each ends for itself. Who waits for a pause waits
  /// for the others alone.
  void begin_searches(size_t count);
  void end_search();

  void pause();
  void resume();
  /// Of a model: what was found is still compared. False: that was asked before, or it is of a
  /// kernel.
  bool have_enough();
  StopToken enough() const;

  /// On a search's thread, which goes on when this returns; `show` is told when it pauses, and when
  /// it goes on.
  void wait_while_paused(std::function<void(bool paused)> const& show, StopToken stop);
  /// Until it is over or paused; false after `seconds`.
  bool wait_until_it_rests(double seconds) const;

private:
  struct Tuner {
    bool runs = false;
    bool pause_wanted = false;
    bool of_model = false;
    int searching = 1;  ///< kinds of devices
    int waiting = 0;    ///< of those, as it is paused
    std::stop_source enough = {};
  };
  Guarded<Tuner> tuner_;
  Guarded<int> last_number_;
};

}  // namespace tw::session
