// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/parts/performer.h"

#include <utility>

namespace tw {

Status Performer::perform(journal::Action const& action) {
  bool asked = rests();
  if (asked) recorder_.add(action);  // before it is done: a crash leaves what led to it
  Quiet quiet(*this);
  around_.before(action);
  if (Status kept = recorder_.written(); !kept && !std::exchange(told_of_recorder_, true))
    around_.unwritten(kept.error());
  Status status = try_to(action);
  if (status) return status;
  if (asked)
    recorder_.add(journal::Expect{"error", journal::Compare::kContains, 0, status.error().message});
  around_.failed(status.error(), action.kind());
  return status;
}

Status Performer::try_to(journal::Action const& action) {
  auto handler = handlers_.find(action.kind());
  if (handler != handlers_.end()) return handler->second(action);
  return bad_input("unknown_action", "unsupported action in this window");
}

void Performer::user_did(journal::Action const& action) {
  if (rests()) (void)perform(action);
}

}  // namespace tw
