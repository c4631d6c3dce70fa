#include "targets/vta/compiler/token_room.h"

#include <fmt/format.h>

#include "targets/vta/compiler/listings.h"
#include "targets/vta/prover/hazards.h"

namespace tw::vta {
namespace {

std::unexpected<Error> no_room(std::string const& what) {
  return refused("vta_tokens",
                 what +
                     ": a design with longer queues of tokens runs the kernel (token_queue), or "
                     "larger tiles need fewer of them");
}

Status check_stream(Configuration const& configuration, Stream const& stream) {
  TRY_ASSIGN(TokenOrder order, happens_before(configuration, stream));
  if (!order.deadlock.empty()) return no_room(order.deadlock);
  for (int q = 0; q < kTokenQueues && !configuration.tokens_stall; ++q)
    if (auto crowd = first_crowd(order, TokenQueue(q), configuration.token_queue))
      return no_room(fmt::format("{} tokens can wait in {}, which holds {} and loses the rest",
                                 crowd->waiting, to_text(TokenQueue(q)),
                                 configuration.token_queue));
  return {};
}

}  // namespace

Status check_token_room(CallProgram const& program) {
  // A call pushes one token into a queue at most, and the end of a run one more.
  if (int64_t(program.calls.size()) < program.configuration.token_queue) return {};
  TRY_ASSIGN(std::vector<Batch> batches, make_batches(program, sample_addresses(program)));
  for (Batch const& batch : batches) TRY(check_stream(program.configuration, batch.stream));
  return {};
}

}  // namespace tw::vta
