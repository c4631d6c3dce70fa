#include "targets/vta/simulator/tokens.h"

#include <fmt/format.h>

namespace tw::vta {
namespace {

/// Without neighbour there is no queue: `check_tokens` refuses the flag.
QueueList queues_of(Module module, bool prev, bool next, TokenQueue load, TokenQueue compute_prev,
                    TokenQueue compute_next, TokenQueue store) {
  QueueList list;
  auto add = [&](TokenQueue queue) { list.queues[size_t(list.count++)] = queue; };
  if (prev && module == Module::kCompute) add(compute_prev);
  if (prev && module == Module::kStore) add(store);
  if (next && module == Module::kLoad) add(load);
  if (next && module == Module::kCompute) add(compute_next);
  return list;
}

}  // namespace

std::string_view to_text(TokenQueue queue) {
  constexpr std::string_view kTexts[] = {"load -> compute", "compute -> load", "compute -> store",
                                         "store -> compute"};
  return kTexts[size_t(queue)];
}

Module source_of(TokenQueue queue) {
  constexpr Module kSources[] = {Module::kLoad, Module::kCompute, Module::kCompute, Module::kStore};
  return kSources[size_t(queue)];
}

Module sink_of(TokenQueue queue) {
  constexpr Module kSinks[] = {Module::kCompute, Module::kLoad, Module::kStore, Module::kCompute};
  return kSinks[size_t(queue)];
}

QueueList pops_of(Instruction const& instruction) {
  return queues_of(module_of(instruction), instruction.tokens.pop_prev, instruction.tokens.pop_next,
                   TokenQueue::kComputeToLoad, TokenQueue::kLoadToCompute,
                   TokenQueue::kStoreToCompute, TokenQueue::kComputeToStore);
}

QueueList pushes_of(Instruction const& instruction) {
  return queues_of(module_of(instruction), instruction.tokens.push_prev,
                   instruction.tokens.push_next, TokenQueue::kLoadToCompute,
                   TokenQueue::kComputeToLoad, TokenQueue::kComputeToStore,
                   TokenQueue::kStoreToCompute);
}

Status check_tokens(Instruction const& instruction) {
  Module module = module_of(instruction);
  auto refuse = [&](char const* flag) {
    return bad_input(
        "impossible_instruction",
        fmt::format("{} is set, but {} has no neighbour there", flag, to_text(module)));
  };
  Tokens const& tokens = instruction.tokens;
  if (module == Module::kLoad && tokens.pop_prev) return refuse("pop_prev");
  if (module == Module::kLoad && tokens.push_prev) return refuse("push_prev");
  if (module == Module::kStore && tokens.pop_next) return refuse("pop_next");
  if (module == Module::kStore && tokens.push_next) return refuse("push_next");
  return {};
}

}  // namespace tw::vta
