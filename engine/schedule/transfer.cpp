#include "engine/schedule/transfer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/ir/stmt.h"
#include "engine/schedule/correspondence.h"
#include "engine/schedule/names.h"
#include "engine/schedule/trace.h"
#include "engine/schedule/validate.h"

namespace tw {
namespace {

/// A step in the other kernel's names, with what had to change.
struct Translated {
  Step step;
  std::vector<std::string> changes;
};

std::optional<int64_t> extent_of(ir::Program const& program, std::string const& reference) {
  auto site = find_loop(program, reference);
  return site ? ir::as_int(site->loop->extent) : std::nullopt;
}

/// Names that the step itself would give are made from the other kernel's loops again.
bool is_made_name(Step const& step, std::string const& name) {
  return std::ranges::any_of(step.targets, [&](std::string const& target) {
    size_t dot = target.find('.');
    std::string loop = dot == std::string::npos ? target : target.substr(dot + 1);
    return name.starts_with(target + ".") || name.starts_with(loop + ".");
  });
}

class Replay {
public:
  Replay(Schedule const& from, Schedule target)
      : from_(from),
        here_(from.origin()),
        there_(std::move(target)),
        parts_(here_.program(), there_.program()) {}

  Transfer run() {
    Transfer result{there_, {}, parts_.words()};
    for (TakenStep const& taken : from_.trace()) {
      auto after = here_.apply(taken.step);
      result.steps.push_back(one(taken.step));
      if (!after) break;  // it was taken once, so this cannot be; nothing after it has a meaning
      here_ = std::move(*after);
      if (result.steps.back().outcome == TransferOutcome::kRefused)
        parts_.pass_over(here_.program());
      else
        parts_.follow(here_.program(), there_.program(), here_.trace().back().step.gives,
                      there_.trace().back().step.gives);
    }
    result.schedule = there_;
    return result;
  }

private:
  TransferredStep one(Step const& step) {
    TransferredStep line{to_text(step), "", TransferOutcome::kRefused, ""};
    auto translated = translate(step);
    if (!translated) {
      line.reason = translated.error();
      return line;
    }
    add_factor_rules(step, *translated);
    auto next = there_.apply(translated->step);
    if (!next && next.error().code == "name_taken" && !translated->step.gives.empty()) {
      translated->changes.push_back(
          fmt::format("its loops were not named {}: that name is already used",
                      fmt::join(translated->step.gives, ", ")));
      translated->step.gives.clear();
      next = there_.apply(translated->step);
    }
    line.to = to_text(translated->step);
    if (!next) {
      line.reason = next.error().message;
      return line;
    }
    there_ = std::move(*next);
    line.outcome =
        translated->changes.empty() ? TransferOutcome::kApplied : TransferOutcome::kChanged;
    line.reason = fmt::format("{}", fmt::join(translated->changes, "; "));
    return line;
  }

  std::expected<Translated, std::string> translate(Step const& step) {
    Translated result{{step.primitive, {}, step.arguments, {}}, {}};
    Primitive const& primitive = *find_primitive(step.primitive);
    std::vector<std::string> left_out;
    std::optional<ir::BlockId> block;
    for (size_t i = 0; i < step.targets.size(); ++i) {
      bool of_block = is_block_target(here_.program(), primitive, i, step.targets[i]);
      auto name = of_block ? block_name(step.targets[i], block) : loop_name(step.targets[i]);
      if (name)
        result.step.targets.push_back(*name);
      else if (primitive.targets < 0)
        left_out.push_back(step.targets[i]);
      else
        return std::unexpected(name.error());
    }
    if (primitive.targets < 0 && result.step.targets.size() < 2)
      return std::unexpected(
          fmt::format("fewer than two of its loops have a match in {}", there_.origin().name));
    if (!left_out.empty())
      result.changes.push_back(fmt::format("{} left out: no match", fmt::join(left_out, ", ")));
    if (auto named = step.arguments.find("tensor"); named != step.arguments.end() && block) {
      auto const& word = std::get<std::string>(named->second);
      auto tensor = parts_.tensor(here_.program(), there_.program(), *block, word);
      if (!tensor)
        return std::unexpected(
            fmt::format("no tensor of {} corresponds to {}", there_.origin().name, word));
      result.step.arguments["tensor"] = *tensor;
    }
    if (std::ranges::none_of(step.gives,
                             [&](std::string const& name) { return is_made_name(step, name); }))
      result.step.gives = step.gives;
    return result;
  }

  std::expected<std::string, std::string> block_name(std::string const& name,
                                                     std::optional<ir::BlockId>& first) {
    auto site = find_block(here_.program(), name);
    auto match = site ? parts_.block(site->block->id) : std::nullopt;
    if (match)
      for (ir::BlockSite const& other : ir::blocks_of(there_.program().body))
        if (other.block->id == *match) {
          if (!first) first = site->block->id;
          return other.block->name;
        }
    return std::unexpected(
        fmt::format("no block of {} corresponds to {}", there_.origin().name, name));
  }

  std::expected<std::string, std::string> loop_name(std::string const& name) {
    auto site = find_loop(here_.program(), name);
    auto match = site ? parts_.loop(site->loop->id) : std::nullopt;
    if (match)
      for (ir::LoopSite const& other : ir::loops_of(there_.program().body))
        if (other.loop->id == *match) return reference_of(there_.program(), *match);
    return std::unexpected(
        fmt::format("no loop of {} corresponds to {}", there_.origin().name, name));
  }

  /// For each number that counts iterations of a target: not more than there are; what does not
  /// divide is said.
  void add_factor_rules(Step const& step, Translated& translated) {
    for (Parameter const& parameter : find_primitive(step.primitive)->parameters) {
      std::string const& argument = parameter.name;
      auto found = translated.step.arguments.find(argument);
      if (!parameter.counts || found == translated.step.arguments.end() ||
          *parameter.counts >= translated.step.targets.size())
        continue;
      size_t target = *parameter.counts;
      auto* factor = std::get_if<int64_t>(&found->second);
      std::string const& loop = translated.step.targets[target];
      auto here = extent_of(here_.program(), step.targets[target]),
           there = extent_of(there_.program(), loop);
      if (!factor || !here || !there || *factor < 1) continue;
      if (*factor > *there) {
        translated.changes.push_back(
            fmt::format("{} {} became {}, all iterations of {}", argument, *factor, *there, loop));
        *factor = *there;
      } else if (*there % *factor != 0 && *here % *factor == 0) {
        translated.changes.push_back(
            fmt::format("{} {} does not divide the {} iterations of {}: the remainder is guarded",
                        argument, *factor, *there, loop));
      }
    }
  }

  Schedule const& from_;
  Schedule here_;
  Schedule there_;
  Correspondence parts_;
};

}  // namespace

Transfer transfer(Schedule const& from, Schedule target) {
  return Replay(from, std::move(target)).run();
}

}  // namespace tw
