#include "targets/vta/simulator/module_queues.h"

#include <fmt/format.h>

#include "engine/support/base/quantities.h"
#include "targets/vta/hardware/assembly.h"
#include "targets/vta/simulator/checks.h"

namespace tw::vta {

ModuleQueues::ModuleQueues(Configuration const& configuration, std::span<Instruction const> stream)
    : stream_(stream),
      command_queue_(configuration.command_queue),
      token_queue_(configuration.token_queue),
      tokens_stall_(configuration.tokens_stall) {
  modules_.reserve(stream.size());
  for (size_t i = 0; i < stream.size(); ++i) {
    modules_.push_back(uint8_t(module_of(stream[i])));
    of_[modules_.back()].push_back(int32_t(i));
  }
}

Result<ModuleQueues> ModuleQueues::create(Configuration const& configuration,
                                          std::span<Instruction const> stream, TokenRoom room) {
  TRY(validate(configuration));
  TRY(check_end(configuration, stream));
  for (size_t i = 0; i < stream.size(); ++i) {
    Status legal = check_fields(configuration, stream[i]);
    if (legal) legal = check_tokens(stream[i]);
    if (!legal)
      return std::unexpected(at_instruction(configuration, stream[i], int64_t(i), legal.error()));
  }
  ModuleQueues queues(configuration, stream);
  if (room == TokenRoom::kUnbounded) queues.token_queue_ = INT64_MAX;
  return queues;
}

int32_t ModuleQueues::next_fetched() const {
  return size_t(fetched_) < stream_.size() ? fetched_ : -1;
}

bool ModuleQueues::has_room() const {
  size_t module = modules_[size_t(fetched_)];
  return handed_[module] - taken_[module] < command_queue_;
}

void ModuleQueues::hand_out() { ++handed_[modules_[size_t(fetched_++)]]; }

bool ModuleQueues::take(Module module) {
  auto m = size_t(module);
  if (held_[m] >= 0 || taken_[m] == handed_[m]) return false;
  held_[m] = of_[m][size_t(taken_[m]++)];
  return true;
}

std::optional<TokenQueue> ModuleQueues::missing(Module module) const {
  Instruction const& instruction = stream_[size_t(held(module))];
  if (!instruction.tokens.pop_prev && !instruction.tokens.pop_next) return std::nullopt;
  for (TokenQueue queue : pops_of(instruction))
    if (waiting(queue) == 0) return queue;
  return std::nullopt;
}

void ModuleQueues::pop(Module module) {
  for (TokenQueue queue : pops_of(stream_[size_t(held(module))])) ++popped_[size_t(queue)];
  begun_[size_t(module)] = true;
}

bool ModuleQueues::finish(Module module) {
  auto m = size_t(module);
  QueueList pushes = pushes_of(stream_[size_t(held(module))]);
  bool pushed = false;
  for (int& given = tokens_given_[m]; given < pushes.count; ++given, pushed = true) {
    TokenQueue queue = pushes.queues[size_t(given)];
    bool full = waiting(queue) >= token_queue_;
    if (full && tokens_stall_) return pushed;
    ++(full ? lost_ : pushed_[size_t(queue)]);
  }
  tokens_given_[m] = 0;
  begun_[m] = false;
  held_[m] = -1;
  return true;
}

bool ModuleQueues::all_done() const {
  if (next_fetched() >= 0) return false;
  for (size_t m = 0; m < size_t(kModules); ++m)
    if (held_[m] >= 0 || taken_[m] != handed_[m]) return false;
  return true;
}

/// "load waits with instruction 5 (load inp ...) for a token of compute -> load".
std::string ModuleQueues::wait_of(Module module) const {
  int32_t instruction = held(module);
  if (instruction >= 0 && begun_[size_t(module)]) return wait_for_room(module);
  if (instruction >= 0)
    return fmt::format("{} waits with instruction {} ({}) for a token of {}", to_text(module),
                       instruction, to_line(stream_[size_t(instruction)]),
                       to_text(*missing(module)));
  if (next_fetched() < 0) return fmt::format("{} has no instruction left", to_text(module));
  return fmt::format(
      "{} has no instruction, because fetch waits with instruction {} ({}) for room in the full "
      "queue of {}",
      to_text(module), fetched_, to_line(stream_[size_t(fetched_)]),
      to_text(Module(modules_[size_t(fetched_)])));
}

std::string ModuleQueues::wait_for_room(Module module) const {
  Instruction const& instruction = stream_[size_t(held(module))];
  TokenQueue queue = pushes_of(instruction).queues[size_t(tokens_given_[size_t(module)])];
  return fmt::format("{} waits with instruction {} ({}) for room in {}, which holds {}",
                     to_text(module), held(module), to_line(instruction), to_text(queue),
                     count_text(waiting(queue), "token"));
}

/// For whom a module waits; none: for nobody who is left.
std::optional<Module> ModuleQueues::blocked_by(Module module) const {
  if (held(module) >= 0 && begun_[size_t(module)])
    return sink_of(
        pushes_of(stream_[size_t(held(module))]).queues[size_t(tokens_given_[size_t(module)])]);
  if (held(module) >= 0) return source_of(*missing(module));
  if (next_fetched() >= 0) return Module(modules_[size_t(fetched_)]);
  return std::nullopt;
}

Error ModuleQueues::deadlock(int64_t cycle) const {
  std::optional<Module> at;
  for (Module module : {Module::kCompute, Module::kLoad, Module::kStore})
    if (!at && held(module) >= 0) at = module;
  std::array<bool, kModules> said{};
  std::string sentence = fmt::format("deadlock in cycle {}: ", cycle);
  for (bool first = true; at; first = false) {
    if (said[size_t(*at)]) {
      sentence += fmt::format(", and so on: {} is waited for again", to_text(*at));
      break;
    }
    said[size_t(*at)] = true;
    sentence += fmt::format("{}{}", first ? "" : "; ", wait_of(*at));
    at = blocked_by(*at);
  }
  return {"deadlock", std::move(sentence)};
}

}  // namespace tw::vta
