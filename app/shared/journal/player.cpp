#include "app/shared/journal/player.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "app/shared/journal/forms.h"
#include "app/shared/journal/resume.h"

namespace tw::journal {
namespace {

using Value = session::FactValue;
using Clock = std::chrono::steady_clock;

constexpr double kPatience = 180;  // seconds: a model's kernels are measured one after the other

}  // namespace

void Player::begin() {
  Line& line = journal_.lines[at_];
  std::string why = why_not(line);
  skips_ = !why.empty();
  if (skips_) {
    std::string text = std::visit([](auto const& what) { return to_text(what); }, line.what);
    played_.skipped.push_back({line.number, text, why});
  } else if (auto const* action = std::get_if<Action>(&line.what)) {
    Action done = *action;
    at_home(done);
    began_ = Clock::now();
    before_ = stage_.snapshot();
    status_ = stage_.perform(done);
  }
}

Status Player::finish() {
  Status status;
  Line const& line = journal_.lines[at_];
  auto const* expect = std::get_if<Expect>(&line.what);
  if (!skips_ && !expect)
    elapsed_ = std::chrono::duration<double, std::milli>(Clock::now() - began_).count();
  if (!skips_) status = expect ? check(*expect) : judge_action();
  if (status && !skips_) ++(expect ? played_.expectations : played_.actions);
  ++at_;
  return status;
}

Place Player::place() const { return {journal_.file, journal_.lines[at_].number, 0, {}}; }

/// Why the line needs a window that is not there; empty: it does not.
std::string Player::why_not(Line const& line) {
  if (stage_.has_window()) return {};
  if (lost_at_ > 0)
    return fmt::format("only a window knows the state of the session after line {}", lost_at_);
  if (auto const* expect = std::get_if<Expect>(&line.what)) {
    if (expect->fact == "error" && left_out_ > 0)
      return fmt::format("line {} was skipped", left_out_);
    bool known = expect->fact == "elapsed" || is_of_session(expect->fact);
    return known ? "" : "only a window knows this fact";
  }
  Form const* form = form_of(std::get<Action>(line.what));
  Who who = form ? form->info.who : Who::kWindow;
  left_out_ = who == Who::kSession ? 0 : line.number;
  if (who == Who::kBoth) lost_at_ = line.number;
  return who == Who::kSession ? "" : "only a window can do this";
}

/// Among the expectations that follow the action.
bool Player::error_is_expected(size_t from) const {
  for (size_t i = from; i < journal_.lines.size(); ++i) {
    auto const* expect = std::get_if<Expect>(&journal_.lines[i].what);
    if (!expect) return false;
    if (expect->fact == "error") return true;
  }
  return false;
}

Status Player::judge_action() const {
  if (error_is_expected(at_ + 1)) return {};
  if (!status_) return refused("action_failed", to_sentence(status_.error()), place());
  auto error = stage_.snapshot().error;
  if (std::string said = stage_.said(); !said.empty())
    return refused("action_failed", said, place());
  bool fresh = error && (!before_.error || before_.error->sentence != error->sentence);
  if (fresh) return refused("action_failed", error->sentence, place());
  return {};
}

/// Where the journal lies is where its models and projects are.
void Player::at_home(Action& action) const {
  if (auto* open = action.as<session::OpenModel>()) make_absolute(open->path);
  if (auto* open = action.as<OpenProject>()) {
    make_absolute(open->project);
    make_absolute(open->model);
  }
  auto* resume = action.as<ResumeWork>();
  if (resume && !resume->source.starts_with("sample:")) make_absolute(resume->source);
  if (auto* save = action.as<SaveProject>()) make_absolute(save->project);
  if (auto* save = action.as<SaveProjectWithModel>()) make_absolute(save->project);
}

void Player::make_absolute(std::string& path) const {
  if (journal_.file.empty() || path.empty() || std::filesystem::path(path).is_absolute()) return;
  path = (std::filesystem::absolute(journal_.file).parent_path() / path).string();
}

Error Player::still_busy(double seconds) const {
  session::Snapshot now = stage_.snapshot();
  std::string what = now.job ? now.job->what : "drawing";
  return environment_failed(
             "still_busy", "still busy after " + std::to_string(int(seconds)) + " seconds: " + what,
             place())
      .error();
}

Status Player::check(Expect const& expect) const {
  std::optional<Value> value =
      expect.fact == "elapsed" ? Value(elapsed_) : stage_.fact(expect.fact);
  if (value && holds(expect, *value)) return {};
  std::string unit;
  for (FactInfo const& fact : facts())
    if (fact.name == expect.fact) unit = fact.unit;
  return refused("expectation_failed",
                 "'" + to_text(expect) + "' does not hold: " + words_of(value, unit), place());
}

bool holds(Expect const& expect, Value const& value) {
  if (auto const* text = std::get_if<std::string>(&value)) {
    if (expect.compare == Compare::kContains) return text->find(expect.text) != std::string::npos;
    return (*text == expect.text) == (expect.compare == Compare::kIs);
  }
  double seen = std::get<double>(value);
  bool same = std::abs(seen - expect.number) <= 1e-9 * std::abs(expect.number);
  switch (expect.compare) {
    case Compare::kLess:
      return seen < expect.number && !same;
    case Compare::kAtMost:
      return seen < expect.number || same;
    case Compare::kMore:
      return seen > expect.number && !same;
    case Compare::kAtLeast:
      return seen > expect.number || same;
    default:
      return same == (expect.compare == Compare::kIs);
  }
}

std::string words_of(std::optional<Value> const& value, std::string const& unit) {
  if (!value) return "its value is not known";
  if (auto const* text = std::get_if<std::string>(&*value)) return "it is '" + *text + "'";
  double number = std::get<double>(*value);
  std::string shown =
      number == std::round(number) ? fmt::format("{:.0f}", number) : fmt::format("{:.4g}", number);
  return "it is " + shown + (unit.empty() || unit == "words" ? "" : " " + unit);
}

Result<Played> play(Journal const& journal, Stage& stage) {
  Player player(journal, stage);
  while (!player.at_end()) {
    bool action = std::holds_alternative<Action>(journal.lines[player.at()].what);
    player.begin();
    if (action && !player.skips() && !stage.settle(kPatience))
      return std::unexpected(player.still_busy(kPatience));
    TRY(player.finish());
  }
  return player.played();
}

}  // namespace tw::journal
