/// The parts of a library of kernels, known to the backend and to what loads it.
#pragma once

namespace tw::launch_record {

/// A record of launches (`launch_record.h`) on each line, one for each kernel.
inline constexpr char kLaunchesPart[] = "launches";
/// What the driver compiles: a whole file.
inline constexpr char kSourcePart[] = "source";

}  // namespace tw::launch_record
