/// A program's accesses through the caches of a machine, as values.
#pragma once

#include "engine/ir/program.h"
#include "engine/session/memory.h"
#include "engine/support/base/job.h"
#include "engine/target/target.h"

namespace tw::session {

/// Frames after that share of the program's iterations; those shortly before it fill the caches.
AccessFilm access_film(ir::Program const& program, Target const& target, double from,
                       StopToken stop = {});

}  // namespace tw::session
