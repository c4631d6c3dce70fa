#include "engine/session/views/gain_views.h"

#include <fmt/format.h>

#include <cmath>

#include "engine/support/base/quantities.h"

namespace tw::session {

std::vector<AblatedPart> parts_of(std::vector<SetBack> const& knobs) {
  std::vector<AblatedPart> parts;
  for (SetBack const& one : knobs) {
    AblatedPart& part = parts.emplace_back(AblatedPart{.name = one.knob});
    part.detail = one.rule.empty() ? one.tuned + ", not in the default schedule"
                                   : fmt::format("{}, default {}", one.tuned, one.rule);
    part.loss = one.loss;
    part.sentence = one.sentence;
  }
  return parts;
}

std::vector<AblatedPart> parts_of(std::vector<LeftOut> const& steps) {
  std::vector<AblatedPart> parts;
  for (LeftOut const& one : steps) {
    AblatedPart& part = parts.emplace_back(AblatedPart{.name = one.step});
    if (one.others > 0)
      part.detail = fmt::format("with {} that {} it", count_text(one.others, "step"),
                                one.others == 1 ? "needs" : "need");
    part.loss = one.loss;
    part.sentence = one.sentence;
  }
  return parts;
}

void fill_shares(std::vector<AblatedPart>& parts) {
  auto weight = [](AblatedPart const& part) {
    return part.loss && *part.loss > 0 ? std::log1p(*part.loss) : 0;
  };
  double all = 0;
  for (AblatedPart const& part : parts) all += weight(part);
  for (AblatedPart& part : parts) part.share = all > 0 ? weight(part) / all : 0;
}

}  // namespace tw::session
