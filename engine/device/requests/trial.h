/// A candidate as a device tries it: what one trial of several is, too.
#pragma once

#include "engine/device/messages.pb.h"
#include "engine/support/base/error.h"

namespace tw {

class RequestHandler;

/// On the device. A client may send anything.
Result<wire::Response> answer_trial(RequestHandler& handler, wire::Trial const& trial);

}  // namespace tw
