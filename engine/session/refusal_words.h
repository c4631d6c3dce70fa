/// What a refused step would do to the result, in plain words.
#pragma once

#include <string>

#include "engine/session/values.h"

namespace tw::session {

/// Of the two iterations of its conflict, for somebody who does not know the condition's terms;
/// empty: the refusal's own sentences say all there is.
std::string consequence_of(RefusalView const& refusal);
/// "written when c is 0, and again when c is 1"; empty: it has no conflict.
std::string dependence_of(RefusalView const& refusal);

}  // namespace tw::session
