#include "engine/session/parts/tuner_gate.h"

namespace tw::session {

bool TunerGate::begin(bool of_model) {
  return tuner_.with([&](Tuner& tuner) {
    if (tuner.runs) return false;
    tuner = {.runs = true, .of_model = of_model};
    return true;
  });
}

void TunerGate::end() {
  tuner_.with([](Tuner& tuner) {
    tuner.runs = false;
    tuner.waiting = 0;
  });
}

bool TunerGate::runs() const {
  return tuner_.look([](Tuner const& tuner) { return tuner.runs; });
}

bool TunerGate::tunes_model() const {
  return tuner_.look([](Tuner const& tuner) { return tuner.runs && tuner.of_model; });
}

int TunerGate::next_number() {
  return last_number_.with([](int& last) { return ++last; });
}

void TunerGate::begin_searches(size_t count) {
  tuner_.with([&](Tuner& tuner) { tuner.searching = int(count); });
}

void TunerGate::end_search() {
  tuner_.with([](Tuner& tuner) { --tuner.searching; });
}

void TunerGate::pause() {
  tuner_.with([](Tuner& tuner) { tuner.pause_wanted = tuner.runs; });
}

void TunerGate::resume() {
  tuner_.with([](Tuner& tuner) { tuner.pause_wanted = false; });
}

bool TunerGate::have_enough() {
  return tuner_.with([](Tuner& tuner) {
    if (!tuner.of_model || tuner.enough.stop_requested()) return false;
    tuner.pause_wanted = false;
    return tuner.enough.request_stop();
  });
}

StopToken TunerGate::enough() const {
  return tuner_.look([](Tuner const& tuner) { return StopToken(tuner.enough.get_token()); });
}

void TunerGate::wait_while_paused(std::function<void(bool paused)> const& show, StopToken stop) {
  if (!tuner_.look([](Tuner const& tuner) { return tuner.pause_wanted; })) return;
  show(true);
  tuner_.with([](Tuner& tuner) { ++tuner.waiting; });  // who waits for a pause sees it then
  tuner_.wait(stop, [](Tuner const& tuner) { return !tuner.pause_wanted; });
  tuner_.with([](Tuner& tuner) { --tuner.waiting; });
  show(false);
}

bool TunerGate::wait_until_it_rests(double seconds) const {
  return tuner_.wait_for(seconds, [](Tuner const& tuner) {
    bool rests = tuner.pause_wanted && tuner.waiting > 0 && tuner.waiting == tuner.searching;
    return !tuner.runs || rests;
  });
}

}  // namespace tw::session
