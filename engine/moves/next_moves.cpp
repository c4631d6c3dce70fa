#include "engine/moves/next_moves.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/moves/idea.h"
#include "engine/schedule/names.h"
#include "engine/schedule/trace.h"
#include "engine/support/base/quantities.h"

namespace tw::moves {
namespace {

/// Modelled times that differ by less say nothing.
constexpr double kSame = 1.005;

struct Candidate {
  Idea const* idea = nullptr;
  Offer offer;
  analysis::TimeModel model;
};

bool names(Step const& step, std::string const& of) {
  auto is = [&](std::string const& word) { return word == of || word.starts_with(of + "."); };
  if (std::ranges::any_of(step.targets, is)) return true;
  auto tensor = step.arguments.find("tensor");
  auto const* word =
      tensor == step.arguments.end() ? nullptr : std::get_if<std::string>(&tensor->second);
  return word && *word == of;
}

bool concerns(Offer const& offer, std::string const& of) {
  if (of.empty() || offer.about == of) return true;
  return std::ranges::any_of(offer.draft.steps(), [&](Step const& one) { return names(one, of); });
}

std::string text_of(std::vector<Step> const& steps) {
  std::string text;
  for (Step const& step : steps) text += to_text(step) + ";";
  return text;
}

/// All that could be carried out, with what it would take.
std::vector<Candidate> candidates(Scene const& scene, Model const& model,
                                  MovesWanted const& wanted) {
  std::vector<Candidate> all;
  std::set<std::string> seen;
  for (Idea const* idea : idea_table())
    idea->offer(scene, [&](Offer offer) {
      if (wanted.stop.stop_requested() || !offer.draft.possible() || offer.draft.steps().empty())
        return;
      if (!concerns(offer, wanted.of) || !seen.insert(text_of(offer.draft.steps())).second) return;
      analysis::TimeModel after = model(offer.draft.schedule().program());
      if (after.seconds > 0) all.push_back({idea, std::move(offer), std::move(after)});
    });
  return all;
}

/// `is_better` is no order where many are nearly the same: by rounds, each beginning with the
/// fastest that is left.
void sort_best_first(std::vector<Candidate>& all) {
  std::ranges::stable_sort(all, {}, [](Candidate const& one) { return one.model.seconds; });
  for (auto first = all.begin(); first != all.end();) {
    auto last = std::find_if(first, all.end(), [&](Candidate const& one) {
      return one.model.seconds > kSame * first->model.seconds;
    });
    std::stable_sort(first, last, [](Candidate const& a, Candidate const& b) {
      return a.offer.draft.steps().size() < b.offer.draft.steps().size();
    });
    first = last;
  }
}

/// Empty: all steps are legal; else the code of the refusal.
std::string proved(Schedule schedule, std::vector<Step> const& steps, Effort effort) {
  for (Step const& step : steps) {
    auto next = std::move(schedule).apply(step, effort);
    if (!next) return next.error().code;
    schedule = *std::move(next);
  }
  return {};
}

}  // namespace

Result<NextMoves> next_moves(Schedule const& schedule, Hardware const& hardware, Model const& model,
                             MovesWanted const& wanted) {
  NextMoves found;
  found.now = model(schedule.program());
  if (found.now.seconds <= 0)
    return refused("no_time_model",
                   "moves are ranked by a model of time, and this target has none for the kernel");
  Scene scene{schedule, hardware, nests_of(schedule.program())};
  std::vector<Candidate> all = candidates(scene, model, wanted);
  found.tried = int(all.size());
  sort_best_first(all);
  std::map<std::pair<Idea const*, std::string>, size_t> variants;
  for (Candidate& one : all) {
    if (found.moves.size() == wanted.most || wanted.stop.stop_requested()) break;
    size_t& of_its_kind = variants[{one.idea, one.offer.about}];
    if (of_its_kind == wanted.variants) continue;
    std::string code = proved(schedule, one.offer.draft.steps(), wanted.effort);
    if (!code.empty()) {
      ++found.refused[code];
      continue;
    }
    ++of_its_kind;
    double gain = found.now.seconds / one.model.seconds;
    found.moves.push_back({one.idea->name, one.offer.about, one.offer.effect,
                           one.offer.draft.steps(), std::move(one.model), gain});
    if (wanted.on_move) wanted.on_move(found.moves.back());
  }
  return found;
}

std::string binding_sentence(NextMoves const& moves) {
  bool arithmetic = moves.now.bound == "arithmetic";
  std::string what = arithmetic ? "Arithmetic" : "Traffic of " + moves.now.bound;
  std::string now = fmt::format("{} binds: {} as modelled", what, duration_text(moves.now.seconds));
  if (moves.moves.empty() || moves.moves.front().gain < kSame)
    return now + "; no move that is known here would make it faster";
  NextMove const& best = moves.moves.front();
  return fmt::format("{}; {} would make it {} ({:.2g} times as fast)", now, best.effect,
                     duration_text(best.model.seconds), best.gain);
}

}  // namespace tw::moves
