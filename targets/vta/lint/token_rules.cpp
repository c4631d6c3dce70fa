#include "targets/vta/lint/token_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "targets/vta/prover/hazards.h"

namespace tw::vta {
namespace {

constexpr int kChiselTokens = 255;  ///< that its counters of eight bits hold

void find_depth(Configuration const& configuration, TokenOrder const& order, TokenQueue queue,
                std::vector<LintFinding>& findings) {
  int most = std::min(kChiselTokens, configuration.token_queue);
  auto crowd = first_crowd(order, queue, most);
  if (!crowd) return;
  std::string why =
      most == kChiselTokens
          ? "the Chisel design counts to 255 and loses the rest, the other ones have longer queues "
            "or none"
          : "this configuration's queue holds no more, others hold 255 and more";
  findings.push_back(
      {crowd->instruction, "token_depth",
       fmt::format("{} tokens can wait in {}: {}", crowd->waiting, to_text(queue), why)});
}

/// The k-th pop takes the k-th push, wherever both stand.
void find_order(TokenOrder const& order, TokenQueue queue, std::vector<LintFinding>& findings) {
  std::vector<int32_t> const& pushers = order.pushers[size_t(queue)];
  std::vector<int32_t> const& poppers = order.poppers[size_t(queue)];
  for (size_t k = 0; k < poppers.size() && k < pushers.size(); ++k)
    if (pushers[k] > poppers[k])
      findings.push_back({poppers[k], "later_token",
                          fmt::format("it waits for instruction {}, which comes after it: the "
                                      "OpenCL kernel has no tokens and runs instructions in order",
                                      pushers[k])});
  if (poppers.size() < pushers.size())
    findings.push_back({pushers[poppers.size()], "left_over_token",
                        fmt::format("its token is never popped ({}): the next run of a design with "
                                    "queues finds it there, the OpenCL kernel has none",
                                    to_text(queue))});
}

/// The first one that never begins.
int64_t first_stuck(TokenOrder const& order) {
  for (int32_t i = 0; i < order.events.size(); ++i)
    if (!order.events.happens(i)) return i;
  return -1;
}

}  // namespace

void find_tokens(Configuration const& configuration, TokenOrder const& order,
                 std::vector<LintFinding>& findings) {
  for (int q = 0; q < kTokenQueues; ++q) {
    find_depth(configuration, order, TokenQueue(q), findings);
    find_order(order, TokenQueue(q), findings);
  }
  if (!order.deadlock.empty())
    findings.push_back({first_stuck(order), "deadlock",
                        order.deadlock + ": only the OpenCL kernel, which knows no tokens, ends"});
}

}  // namespace tw::vta
