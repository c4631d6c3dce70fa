#include "targets/vta/stream/token_pairs.h"

#include <fmt/format.h>

#include <deque>

namespace tw::vta {
namespace {

using Partner = int32_t TokenPartners::*;

/// Queues by the module that pushes and whether to its next one: load, compute, store.
struct Queue {
  std::deque<int32_t> waiting;  ///< calls whose token nobody has taken yet
  Partner push, pop;
};

class Matcher {
public:
  explicit Matcher(std::span<Call const> calls) : calls_(calls), partners_(calls.size()) {
    for (int upper = 0; upper < 2; ++upper) {
      up_[upper] = {{}, &TokenPartners::push_next, &TokenPartners::pop_prev};
      down_[upper] = {{}, &TokenPartners::push_prev, &TokenPartners::pop_next};
    }
  }

  Result<std::vector<TokenPartners>> all() && {
    for (size_t i = 0; i < calls_.size(); ++i) TRY(one(int32_t(i)));
    return std::move(partners_);
  }

private:
  Status one(int32_t index) {
    Tokens const& tokens = calls_[size_t(index)].tokens;
    int module = int(module_of(calls_[size_t(index)]));
    if ((module == 0 && (tokens.pop_prev || tokens.push_prev)) ||
        (module == 2 && (tokens.pop_next || tokens.push_next)))
      return bad_input("bad_kernel",
                       fmt::format("call {} has a token on a side where the {} module has no "
                                   "neighbour",
                                   index, to_text(Module(module))));
    if (tokens.pop_prev) TRY(pop(up_[module - 1], index, module - 1));
    if (tokens.pop_next) TRY(pop(down_[module], index, module + 1));
    if (tokens.push_prev) down_[module - 1].waiting.push_back(index);
    if (tokens.push_next) up_[module].waiting.push_back(index);
    return {};
  }

  Status pop(Queue& queue, int32_t index, int from) {
    if (queue.waiting.empty())
      return bad_input("bad_kernel",
                       fmt::format("call {} waits for a token of the {} module, and no call before "
                                   "it pushes one",
                                   index, to_text(Module(from))));
    int32_t push = queue.waiting.front();
    queue.waiting.pop_front();
    partners_[size_t(index)].*queue.pop = push;
    partners_[size_t(push)].*queue.push = index;
    return {};
  }

  std::span<Call const> calls_;
  std::vector<TokenPartners> partners_;
  std::array<Queue, 2> up_, down_;  ///< between load and compute, between compute and store
};

}  // namespace

Result<std::vector<TokenPartners>> token_partners(std::span<Call const> calls) {
  return Matcher(calls).all();
}

}  // namespace tw::vta
