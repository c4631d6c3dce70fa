#include "engine/moves/next_moves.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/moves/idea.h"
#include "engine/moves/launch.h"
#include "engine/schedule/names.h"
#include "engine/schedule/trace.h"
#include "engine/support/base/quantities.h"
#include "engine/support/base/side_by_side.h"

namespace tw::moves {
namespace {

/// Costs that differ by less say nothing; modelled times, where there is a cost to tell.
constexpr double kSame = 1.005, kAsFast = 1.02;
/// Of what is hidden behind what takes longest, the part that is felt.
constexpr double kFelt = 0.2;

struct Candidate {
  Idea const* idea = nullptr;
  Offer offer;
  analysis::TimeModel model;
  double cost = 0;
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
  if (of.empty() || offer.about == of || offer.tensor == of) return true;
  return std::ranges::any_of(offer.draft.steps(), [&](Step const& one) { return names(one, of); });
}

std::string text_of(std::vector<Step> const& steps) {
  std::string text;
  for (Step const& step : steps) text += to_text(step) + ";";
  return text;
}

std::vector<Offer> offers_of(Idea const& idea, Scene const& scene, MovesWanted const& wanted) {
  std::vector<Offer> offers;
  idea.offer(scene, [&](Offer offer) {
    bool taken = !wanted.stop.stop_requested() && offer.draft.possible() &&
                 !offer.draft.steps().empty() && concerns(offer, wanted.of);
    if (taken) offers.push_back(std::move(offer));
  });
  return offers;
}

/// Those that suit what the schedule is for.
std::vector<Idea const*> ideas_for(Target const& target) {
  Machines others = has_blocks(target) ? Machines::kVectors : Machines::kBlocks;
  std::vector<Idea const*> ideas;
  for (Idea const* idea : idea_table())
    if (idea->machines != others) ideas.push_back(idea);
  return ideas;
}

/// All that could be carried out, with what it would take.
std::vector<Candidate> candidates(Scene const& scene, Model const& model,
                                  MovesWanted const& wanted) {
  std::vector<Idea const*> ideas = ideas_for(scene.schedule.target());
  std::vector<std::vector<Offer>> offers(ideas.size());
  side_by_side(
      ideas.size(), [&](size_t i) { offers[i] = offers_of(*ideas[i], scene, wanted); },
      wanted.stop);
  std::vector<Candidate> all;
  std::set<std::string> seen;
  for (size_t i = 0; i < ideas.size(); ++i)
    for (Offer& offer : offers[i])
      if (seen.insert(text_of(offer.draft.steps())).second)
        all.push_back({ideas[i], std::move(offer), {}, 0});
  side_by_side(
      all.size(),
      [&](size_t i) {
        all[i].model = model(all[i].offer.draft.schedule().program());
        all[i].cost = cost_of(all[i].model);
      },
      wanted.stop);
  std::erase_if(all, [](Candidate const& one) { return one.cost <= 0; });
  return all;
}

/// By modelled time; of those that are as fast, as far as a model can say, by cost, and of those
/// that cost the same the shorter one.
void sort_best_first(std::vector<Candidate>& all) {
  auto rounds = [](auto first, auto last, double same, auto value, auto sort) {
    std::stable_sort(first, last,
                     [&](auto const& a, auto const& b) { return value(a) < value(b); });
    while (first != last) {
      auto end = std::find_if(first, last,
                              [&](auto const& one) { return value(one) > same * value(*first); });
      sort(first, end);
      first = end;
    }
  };
  auto seconds = [](Candidate const& one) { return one.model.seconds; };
  auto by_length = [](auto first, auto last) {
    std::stable_sort(first, last, [](Candidate const& a, Candidate const& b) {
      return a.offer.draft.steps().size() < b.offer.draft.steps().size();
    });
  };
  rounds(all.begin(), all.end(), kAsFast, seconds, [&](auto first, auto last) {
    rounds(
        first, last, kSame, [](Candidate const& one) { return one.cost; }, by_length);
  });
}

/// Empty: all steps are legal; else the code of the refusal.
std::string proved(Schedule schedule, std::vector<Step> const& steps, ProofBudget budget) {
  for (Step const& step : steps) {
    auto next = std::move(schedule).apply(step, budget);
    if (!next) return next.error().code;
    schedule = *std::move(next);
  }
  return {};
}

}  // namespace

double cost_of(analysis::TimeModel const& model) {
  double all = model.arithmetic_seconds;
  for (analysis::LevelTraffic const& level : model.levels) all += level.seconds;
  return model.seconds + kFelt * std::max(0.0, all - model.seconds);
}

Result<NextMoves> next_moves(Schedule const& schedule, Hardware const& hardware, Model const& model,
                             MovesWanted const& wanted) {
  NextMoves found{.of = wanted.of, .now = {}, .moves = {}, .refused = {}};
  found.now = model(schedule.program());
  if (found.now.seconds <= 0)
    return refused(
        "no_time_model",
        "suggestions are ranked by a time model, and this target has none for the kernel");
  Scene scene{schedule, hardware, nests_of(schedule.program())};
  std::vector<Candidate> all = candidates(scene, model, wanted);
  found.tried = int(all.size());
  sort_best_first(all);
  size_t most_variants = wanted.variants ? wanted.variants : wanted.of.empty() ? 2 : 6;
  std::map<std::pair<Idea const*, std::string>, size_t> variants;
  for (Candidate& one : all) {
    if (found.moves.size() == wanted.most || wanted.stop.stop_requested()) break;
    size_t& of_its_kind = variants[{one.idea, one.offer.about}];
    if (of_its_kind == most_variants) continue;
    std::string code = proved(schedule, one.offer.draft.steps(), wanted.budget);
    if (!code.empty()) {
      ++found.refused[code];
      continue;
    }
    ++of_its_kind;
    double gain = found.now.seconds / one.model.seconds;
    found.moves.push_back({one.idea->name, one.offer.about, one.offer.tensor, one.offer.effect,
                           one.offer.draft.steps(), std::move(one.model), gain});
    if (wanted.on_move) wanted.on_move(found.moves.back());
  }
  return found;
}

std::string binding_sentence(NextMoves const& moves) {
  bool traffic = std::ranges::any_of(moves.now.levels, [&](analysis::LevelTraffic const& level) {
    return level.name == moves.now.bound;
  });
  std::string what = traffic ? "traffic of " + moves.now.bound : moves.now.bound;
  std::string now =
      fmt::format("Bottleneck: {} ({} modelled)", what, duration_text(moves.now.seconds));
  if (moves.moves.empty() || moves.moves.front().gain < kSame)
    return fmt::format("{}; no known step{} would make it faster", now,
                       moves.of.empty() ? "" : " of " + moves.of);
  NextMove const& best = moves.moves.front();
  return fmt::format("{}; {} would make it {} ({} times as fast)", now, best.effect,
                     duration_text(best.model.seconds), number_text(best.gain));
}

}  // namespace tw::moves
