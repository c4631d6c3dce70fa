// A stream in its own order: what every other order must give, too.
#include <fmt/format.h>

#include <array>

#include "targets/vta/simulator/checks.h"
#include "targets/vta/simulator/machine.h"
#include "targets/vta/simulator/tokens.h"

namespace tw::vta {
namespace {

using TokenCounts = std::array<int64_t, kTokenQueues>;

Status take_tokens(Instruction const& instruction, TokenCounts& tokens) {
  TRY(check_tokens(instruction));
  for (TokenQueue queue : pops_of(instruction))
    if (--tokens[size_t(queue)] < 0)
      return bad_input(
          "token_underflow",
          fmt::format("a token is popped from {}, but none was pushed before", to_text(queue)));
  return {};
}

}  // namespace

Result<Machine> run_behavioural(Configuration const& configuration,
                                std::span<Instruction const> stream, Dram dram,
                                BeforeEach const& before_each) {
  TRY(validate(configuration));
  TRY(check_end(configuration, stream));
  Machine machine(configuration);
  TokenCounts tokens{};
  for (size_t i = 0; i < stream.size(); ++i) {
    if (before_each) TRY(before_each(int32_t(i)));
    Status done = take_tokens(stream[i], tokens);
    if (done) done = machine.execute(stream[i], dram);
    if (!done)
      return std::unexpected(at_instruction(configuration, stream[i], int64_t(i), done.error()));
    for (TokenQueue queue : pushes_of(stream[i])) ++tokens[size_t(queue)];
  }
  return machine;
}

}  // namespace tw::vta
