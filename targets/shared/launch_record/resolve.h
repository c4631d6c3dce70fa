/// What every device's runtime does with records of launches before it starts something.
#pragma once

#include <array>
#include <vector>

#include "targets/shared/launch_record/launch_record.h"

namespace tw::launch_record {

/// A record on each line. Errors: bad_launch_record.
Result<std::vector<KernelRecord>> parse_records(std::string_view lines);

/// Errors: wrong_buffers, where a call has fewer than the kernel takes.
Status check_buffers(KernelRecord const& record, size_t given);

struct Extents {
  std::array<int64_t, 3> grid{}, block{};  ///< each from 1 to 2^31 - 1
};
/// Errors: bad_launch.
Result<Extents> extents_of(Launch const& launch, std::span<int64_t const> sizes);

}  // namespace tw::launch_record
