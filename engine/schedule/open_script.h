/// A script that leaves arguments open: a template of schedules that a person writes.
///     o.0, o.1 = split(conv2d.o, factor=?)       any that fits
///     y.0, y.1 = split(conv2d.y, factor=?7)      the same, 7 where nothing else is said
///     reverse_compute_at(relu, conv2d.o.0)
///     pack(conv2d, tensor=W, layout=?{BA8b,BA16b})   one of these, by rule the first
#pragma once

#include "engine/schedule/decisions.h"
#include "engine/schedule/trace.h"

namespace tw {

class OpenScript {
public:
  /// Errors: those of scripts; open_word (a word may be left open only with a list), bad_choice.
  static Result<OpenScript> parse(std::string_view text, std::string const& file);
  /// Every number of a script open, as it is by rule: where a hand stopped.
  static OpenScript all_open(std::vector<TakenStep> const& trace);

  /// How many arguments are open.
  size_t open() const { return opens_.size(); }
  /// One knob for each open argument, "conv2d.o.factor". A point at which a step is refused is
  /// rejected, as "not legal", with the refusal and its line.
  Schedule run(ir::Program const& program, std::shared_ptr<Target const> target,
               Decisions& decisions) const;

private:
  struct Open {
    size_t step = 0;  ///< of the script
    std::string argument, knob;
    std::string preset;                ///< empty: none was given
    std::vector<std::string> choices;  ///< empty: what fits
  };
  Status add(size_t step, int line, std::string const& argument, std::string words);
  void choose(Open const& open, Schedule const& schedule, Decisions& decisions, Step& step) const;

  Script script_;
  std::string file_;
  std::vector<Open> opens_;
};

}  // namespace tw
