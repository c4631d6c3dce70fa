#include "engine/tuner/space.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "engine/compile/modelled_time.h"
#include "engine/schedule/legality/whole_program.h"

namespace tw {
namespace {

constexpr int kProvenFirst = 8;  // points at which proofs and trust must agree

bool is_number(std::string const& word) {
  int64_t value = 0;
  auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size();
}

/// Values that stand beside the one taken, of a number; all others, of a word.
std::vector<int> other_values(Knob const& knob) {
  std::vector<int> others;
  bool numbers = std::ranges::all_of(knob.values, is_number);
  for (int i = 0; i < int(knob.values.size()); ++i)
    if (i != knob.taken && (!numbers || std::abs(i - knob.taken) == 1 || i == knob.preset))
      others.push_back(i);
  return others;
}

}  // namespace

Space::Space(ir::Program program, std::shared_ptr<Backend const> backend, Point pinned,
             std::shared_ptr<Roofs const> roofs, int threads,
             std::shared_ptr<OpenScript const> script)
    : program_(std::move(program)),
      backend_(std::move(backend)),
      pinned_(std::move(pinned)),
      roofs_(std::move(roofs)),
      threads_(threads),
      script_(std::move(script)) {
  if (needs_no_proofs()) *trusts_ = true;
}

bool Space::needs_no_proofs() const {
  Rng rng(1);
  for (int i = 0; i < kProvenFirst; ++i) {
    auto proven = i == 0 ? by_rule() : random(rng);
    if (!proven) return false;
    if (proven->rejection) continue;
    Decisions trusting(with_pinned(proven->point), {}, threads_, ProofBudget::kTrusted);
    auto trusted = made(trusting);
    if (!trusted || trusted->schedule.script() != proven->schedule.script()) return false;
  }
  return true;
}

Point Space::with_pinned(Point point) const {
  for (auto const& [name, value] : pinned_) point[name] = value;
  return point;
}

Result<Candidate> Space::made(Decisions& decisions) const {
  Result<Schedule> schedule = script_ ? script_->run(program_, backend_->shared_target(), decisions)
                                      : backend_->templated(program_, decisions);
  if (!schedule) return std::unexpected(schedule.error());
  if (decisions.budget() == ProofBudget::kTrusted && !decisions.rejection() &&
      !holds_as_a_whole(program_, schedule->program(), backend_->target())) {
    // Some step would be refused: with proofs the template gets that refusal, and goes on from it.
    Decisions proving(decisions.point(), {}, threads_);
    return made(proving);
  }
  return Candidate{decisions.point(), decisions.knobs(), std::move(*schedule),
                   decisions.rejection(), std::nullopt};
}

Result<Candidate> Space::by_rule() const {
  Decisions decisions(pinned_, {}, threads_);
  TRY_ASSIGN(Candidate rule, made(decisions));
  if (script_ && rule.rejection) return bad_input("not_legal", rule.rejection->sentence);
  for (auto const& [name, value] : pinned_) {
    auto knob = std::ranges::find(rule.knobs, name, &Knob::name);
    if (knob == rule.knobs.end())
      return bad_input("unknown_knob", fmt::format("the template has no knob '{}'", name));
    if (knob->value() != value)
      return bad_input("unknown_value", fmt::format("the knob '{}' takes {}, not '{}'", name,
                                                    fmt::join(knob->values, ", "), value));
  }
  return rule;
}

Result<Candidate> Space::baseline() const {
  if (!script_) return by_rule();
  TRY_ASSIGN(Schedule by_default, backend_->default_schedule(program_));
  return Candidate{{}, {}, std::move(by_default), {}, {}};
}

Result<Candidate> Space::at(Point point) const {
  Decisions decisions(with_pinned(std::move(point)), {}, threads_, budget());
  return made(decisions);
}

Result<Candidate> Space::proven(Candidate const& candidate) const {
  Decisions decisions(with_pinned(candidate.point), {}, threads_);
  TRY_ASSIGN(Candidate made, this->made(decisions));
  if (made.rejection || made.schedule.script() != candidate.schedule.script()) {
    *trusts_ = false;
    return refused("not_legal", fmt::format("a step of {} could not be proven to be legal",
                                            point_text(candidate.point)));
  }
  made.predicted_seconds = candidate.predicted_seconds;
  return made;
}

Result<Candidate> Space::first_at(Point point) const {
  Decisions decisions(
      with_pinned(std::move(point)), [](Knob const&) { return 0; }, threads_, budget());
  return made(decisions);
}

Result<Candidate> Space::random(Rng& rng) const {
  // The template may be run more than once, and answers the same then.
  std::map<std::string, int> drawn;
  Decisions decisions(
      pinned_,
      [&](Knob const& knob) {
        auto [known, is_new] = drawn.try_emplace(knob.name, 0);
        if (is_new) known->second = int(rng.below(int64_t(knob.values.size())));
        return known->second;
      },
      threads_, budget());
  return made(decisions);
}

Result<Candidate> Space::mutated(Candidate const& from, Rng& rng) const {
  std::vector<Knob const*> free;
  for (Knob const& knob : from.knobs)
    if (knob.values.size() > 1 && !pinned_.contains(knob.name)) free.push_back(&knob);
  if (free.empty()) return at(from.point);
  Knob const& knob = *free[size_t(rng.below(int64_t(free.size())))];
  int64_t other = rng.below(int64_t(knob.values.size()) - 1);
  Point point = from.point;
  point[knob.name] = knob.values[size_t(other + (other >= knob.taken))];
  return at(std::move(point));
}

std::vector<Point> Space::neighbours(Candidate const& of) const {
  std::vector<Point> points;
  for (Knob const& knob : of.knobs) {
    if (pinned_.contains(knob.name)) continue;
    for (int other : other_values(knob)) {
      Point point = of.point;
      point[knob.name] = knob.values[size_t(other)];
      points.push_back(std::move(point));
    }
  }
  return points;
}

Result<double> Space::size() const {
  TRY_ASSIGN(Candidate rule, by_rule());
  double size = 1;
  for (Knob const& knob : rule.knobs)
    if (!pinned_.contains(knob.name)) size *= double(knob.values.size());
  return size;
}

std::optional<analysis::TimeModel> Space::modelled(Candidate const& candidate) const {
  if (!roofs_) return {};
  return modelled_time(candidate.schedule.program(), *backend_, *roofs_);
}

}  // namespace tw
