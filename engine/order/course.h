/// What several agents do, each one thing after the other, and what makes them wait for one
/// another: an order course. Modules of an accelerator with their tokens, threads with barriers,
/// copies with their groups and mbarriers are all written down so, and are proven by one prover.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tw::order {

/// An event begins when `counter` is at `at_least` or above.
struct Wait {
  int32_t counter = 0;
  int64_t at_least = 1;
};
/// An event adds `amount` (not negative) to `counter` when it is done.
struct Signal {
  int32_t counter = 0;
  int64_t amount = 1;
};

/// Agents run at once, at any speed; the events of each one after the other. Counters begin at 0
/// and never fall: what may happen once its waits are met stays possible, so that whoever goes
/// first, the same events happen in the end. How others are written with counters:
///   a barrier of n agents: each signals it, then waits until its k-th use has n * k signals;
///   a queue of tokens: a counter of pushes and one of pops, `Queue`;
///   copy groups that come in any order: an agent and a counter for each;
///   an mbarrier of n arrivals: a counter; its phase p is over at n * (p + 1).
class Course {
public:
  /// `name` is what messages call it.
  int32_t add_agent(std::string name);
  int32_t add_counter(std::string name);
  /// The next event of an agent; its number, counted from 0 over all agents.
  int32_t add_event(int32_t agent, std::span<Wait const> waits, std::span<Signal const> given);

  int32_t agents() const { return int32_t(events_of_.size()); }
  int32_t counters() const { return int32_t(counter_names_.size()); }
  int32_t events() const { return int32_t(agent_.size()); }
  std::string_view agent_name(int32_t agent) const { return agent_names_[size_t(agent)]; }
  std::string_view counter_name(int32_t counter) const { return counter_names_[size_t(counter)]; }

  int32_t agent(int32_t event) const { return agent_[size_t(event)]; }
  /// Its place among those of its agent.
  int32_t index(int32_t event) const { return index_[size_t(event)]; }
  std::vector<int32_t> const& events_of(int32_t agent) const { return events_of_[size_t(agent)]; }
  std::span<Wait const> waits_of(int32_t event) const {
    return {waits_.data() + waits_end_[size_t(event)],
            waits_.data() + waits_end_[size_t(event) + 1]};
  }
  std::span<Signal const> signals_of(int32_t event) const {
    return {signals_.data() + signals_end_[size_t(event)],
            signals_.data() + signals_end_[size_t(event) + 1]};
  }

private:
  std::vector<std::string> agent_names_, counter_names_;
  std::vector<std::vector<int32_t>> events_of_;
  std::vector<int32_t> agent_, index_;
  std::vector<Wait> waits_;
  std::vector<Signal> signals_;
  std::vector<size_t> waits_end_{0}, signals_end_{0};  ///< of the event before
};

/// A queue from one agent to another, first in, first out: the k-th pop takes the k-th push.
class Queue {
public:
  static constexpr int64_t kUnbounded = INT64_MAX;

  /// `capacity`: tokens that it holds; who pushes into a full queue waits for room.
  Queue(Course& course, std::string const& name, int64_t capacity = kUnbounded);

  /// For the next event that pushes (or pops), in the order in which its agent does: appends what
  /// it waits for, and to `given` what it signals.
  void push(std::vector<Wait>& waits, std::vector<Signal>& given);
  void pop(std::vector<Wait>& waits, std::vector<Signal>& given);

private:
  int32_t pushes_, pops_;
  int64_t capacity_, pushed_ = 0, popped_ = 0;
};

/// A barrier with phases in memory (PTX: mbarrier; a role waits for another one by it): when
/// `arrivals` have come its phase is over and the next one begins. An arrival counts for the phase
/// that is not over yet, whoever it was meant for: so do signals. Those who wait name a phase by
/// its parity alone, which is right where they cannot mistake it (`mistaken_phases`).
class PhaseBarrier {
public:
  PhaseBarrier(Course& course, std::string const& name, int64_t arrivals)
      : counter_(course.add_counter(name)), arrivals_(arrivals) {}

  int32_t counter() const { return counter_; }
  int64_t arrivals() const { return arrivals_; }
  Signal arrive(int64_t count = 1) const { return {counter_, count}; }
  /// Until phase number `phase` is over, from 0; -1 is over at the beginning.
  Wait wait(int64_t phase) const { return {counter_, arrivals_ * (phase + 1)}; }

private:
  int32_t counter_;
  int64_t arrivals_;
};

/// A wait whose parity may be that of another phase when the event begins.
struct MistakenPhase {
  int32_t event = 0;
  int32_t counter = 0;
  /// The next phase may be over, too: it waits for the end of the one after that. Else it is too
  /// early: its agent has not waited for the phase before, and goes on before this one is over.
  bool too_late = false;
};
/// Of all waits for `barriers`, by event. A course in which there are none is what the hardware
/// does.
std::vector<MistakenPhase> mistaken_phases(Course const& course,
                                           std::span<PhaseBarrier const> barriers);

/// Where an agent stands that cannot go on.
struct Stuck {
  int32_t event = 0;
  Wait wait;            ///< the first that is not met
  int64_t counted = 0;  ///< what its counter is at
};
/// Nobody: all events happen.
std::vector<Stuck> stuck(Course const& course);

/// "consumer waits for 2 of full, which is at 1; ..." Empty: nobody is stuck.
std::string to_sentence(std::vector<Stuck> const& all, Course const& course);

}  // namespace tw::order
